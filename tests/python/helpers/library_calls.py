"""A call of a library other than Open MPI, and what became of it beside ours: only the library's sends are seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from collscope.catalogue import registry
from collscope.twins import messages
from collscope.twins.call import Messages, Verdict
from collscope.twins.judge import judge, same_sends
from collscope.twins.messages import Own


@dataclass(frozen=True)
class Call:
    collective: str
    count: int
    elem: int = 4
    root: int = 0
    commutes: bool = True
    in_place: bool = False

    @property
    def shape(self) -> str:
        return f"{self.count} {self.root} {int(self.commutes)} {int(self.in_place)} {self.elem}"


@dataclass(frozen=True)
class Compared:
    ranks: int
    call: Call
    verdict: Verdict
    key: str = ""
    text: str = ""  # where they differ, or why ours cannot
    advice: str = ""  # where ours cannot: what to take instead, or what the library takes
    theirs: tuple[Messages, ...] = ()  # by rank
    ours: tuple[Messages, ...] = ()

    def __str__(self) -> str:
        return f"{self.ranks} ranks, {self.call}: {self.verdict}: {self.key} {self.text}"


IN_PLACE = (
    "allgather",
    "alltoall",
    "reduce_scatter_block",
    "allreduce",
    "scan",
)  # what tables may decide otherwise in place


def variants(collective: str, count: int, elem: int, roots: Sequence[int]) -> Iterator[Call]:
    """A call and what may change a table's mind about it: other roots, an operator that does not commute, in place."""
    about = registry.load().collective(collective)
    yield Call(collective, count, elem)
    yield from (Call(collective, count, elem, root=root) for root in roots if about.has_root)
    if about.has_operator:
        yield Call(collective, count, elem, commutes=False)
    if collective in IN_PLACE:
        yield Call(collective, count, elem, in_place=True)


def own_messages(ranks: int, calls: Sequence[Call], keys: Sequence[str]) -> Own:
    """What our schedules of these keys send."""
    return messages.recorded(
        "".join(f"{i} {key} {ranks} {c.shape}\n" for i, (key, c) in enumerate(zip(keys, calls, strict=True)))
    )


def compared(call: Call, key: str, name: str, theirs: tuple[Messages, ...], own: Own, i: int) -> Compared:
    """What the library of this name sends beside our call i."""
    if why := own.unsupported.get(i):
        return Compared(len(theirs), call, "unsupported", key, why.reason, why.advice)
    ours = tuple(own.messages[i, r] for r in range(len(theirs)))
    verdict, text = judge(theirs, ours, name, same_sends)
    return Compared(len(theirs), call, verdict, own.keys[i], text, theirs=theirs, ours=ours)
