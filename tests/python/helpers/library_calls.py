"""A call of a library other than Open MPI, and what became of it beside ours: only the library's sends are seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collscope.twins import compare as twins


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
    verdict: str  # same; order: each pair's messages are alike, a rank's order is not; different; unsupported
    key: str = ""
    text: str = ""
    theirs: tuple[twins.Messages, ...] = ()  # by rank
    ours: tuple[twins.Messages, ...] = ()

    def __str__(self) -> str:
        return f"{self.ranks} ranks, {self.call}: {self.verdict}: {self.key} {self.text}"


def own_messages(ranks: int, calls: Sequence[Call], keys: Sequence[str]) -> twins.Own:
    """What our schedules of these keys send."""
    return twins.recorded(
        "".join(f"{i} {key} {ranks} {c.shape}\n" for i, (key, c) in enumerate(zip(keys, calls, strict=True)))
    )


def compared(call: Call, key: str, name: str, theirs: tuple[twins.Messages, ...], own: twins.Own, i: int) -> Compared:
    """What the library of this name sends beside our call i."""
    if i in own.why:
        return Compared(len(theirs), call, "unsupported", key, own.why[i])
    ours = tuple(own.messages[i, r] for r in range(len(theirs)))
    verdict, text = twins.judge(theirs, ours, name, twins.same_sends)
    return Compared(len(theirs), call, verdict, own.keys[i], text, theirs, ours)
