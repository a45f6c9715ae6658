"""A rank's operations as values: what each reads and writes, and the waits that have to stand between them.

Operations are put in an order by whoever makes them. `woven` posts every message without waiting, and waits as late as the bytes allow:
an operation waits for the requests that touch the same bytes, where one of the two writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Place:
    """Bytes of a buffer: "in", "out", "scratch"."""

    buffer: str
    at: int
    bytes: int

    def __str__(self) -> str:
        return f"{self.buffer}+{self.at}"

    def precedes(self, other: Place) -> bool:
        """It ends where the other begins."""
        return self.buffer == other.buffer and self.at + self.bytes == other.at

    def longer(self, more: int) -> Place:
        """With so many bytes behind it."""
        return Place(self.buffer, self.at, self.bytes + more)


@dataclass(frozen=True)
class Operation:
    """isend and irecv have a peer; reduce and copy go from `place` into `target`."""

    kind: str
    place: Place
    peer: int = -1
    label: int = 0
    target: Place | None = None

    @property
    def is_message(self) -> bool:
        """Whether it has to be waited for."""
        return self.kind in ("isend", "irecv")

    @cached_property
    def spans(self) -> tuple[tuple[str, int, int, bool], ...]:
        """What it touches: buffer, beginning, end, and whether it writes there."""
        here, there = self.place, self.target
        spans = [(here.buffer, here.at, here.at + here.bytes, self.kind == "irecv")]
        spans += [(there.buffer, there.at, there.at + there.bytes, True)] if there else []
        return tuple(spans)

    def disturbs(self, other: Operation) -> bool:
        """Whether one must not begin before the other is over: they share a byte, which one of them writes."""
        for buffer, begin, end, writes in self.spans:
            for its, its_begin, its_end, its_writes in other.spans:
                if (writes or its_writes) and buffer == its and begin < its_end and its_begin < end:
                    return True
        return False

    def line(self, name: int) -> str:
        """As a schedule file has it."""
        if self.target is not None:
            return f"  {self.kind} {self.place} {self.place.bytes} into {self.target}"
        where = f"{self.place} {self.place.bytes}" if self.place.bytes else "nothing"
        to = "to" if self.kind == "isend" else "from"
        label = f" label {self.label}" if self.label else ""
        return f"  {self.kind} {where} {to} {self.peer}{label} as {name}"


Barrier = None
"""Stands among operations where everything before it has to be over."""


def woven(operations: Iterable[Operation | None]) -> Iterator[str]:
    """The lines of a rank, with waits; at the end everything is waited for."""
    pending: dict[int, Operation] = {}
    for op in operations:
        over = [name for name, other in pending.items() if op is None or op.disturbs(other)]
        if over:
            yield "  wait " + " ".join(map(str, over))
            for name in over:
                del pending[name]
        if op is None:
            continue
        name = next(n for n in range(len(pending) + 1) if n not in pending)
        yield op.line(name)
        if op.is_message:
            pending[name] = op
    if pending:
        yield "  wait " + " ".join(map(str, pending))


def joined(operations: Sequence[Operation]) -> list[Operation]:
    """The same with neighbours in one where both their sides lie side by side: of reductions and copies."""
    made: list[Operation] = []
    for op in operations:
        last = made[-1] if made else None
        if last and last.kind == op.kind and last.target and op.target and not op.is_message:
            follows = last.place.precedes(op.place) and last.target.precedes(op.target)
            if follows:
                place, target = last.place.longer(op.place.bytes), last.target.longer(op.target.bytes)
                made[-1] = Operation(op.kind, place, target=target)
                continue
        made.append(op)
    return made
