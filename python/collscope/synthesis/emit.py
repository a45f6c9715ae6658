"""A design in steps → a schedule file (docs/schedules.md): where each chunk lies at each rank, which chunks share a message, and the
order of each rank's operations.

Chunks of one step, sender and receiver are one message where they lie side by side at both. What arrives to be combined is received where
the sum will be, if it is the first, and into scratch, if it is not; what a rank only passes on is kept in scratch.
"""

from __future__ import annotations

from dataclasses import dataclass

from collscope.synthesis.demand import BOTH, Chunk, Design, Send, chunks_of, moving
from collscope.synthesis.operations import Barrier, Operation, Place, joined
from collscope.synthesis.schedule import Schedule


@dataclass(frozen=True)
class Call:
    """What is called: so many elements, as MPI counts them, of so many bytes."""

    count: int
    elem: int


@dataclass(frozen=True)
class Message:
    """Chunks that travel together."""

    step: int
    source: int
    target: int
    chunks: tuple[int, ...]
    sent: Place
    received: Place
    combines: bool


def cut(length: int, parts: int, part: int) -> tuple[int, int]:
    """(first, how many) of one of so many parts, the longer ones in front, as algorithms/patterns/block.h cuts."""
    each, longer = divmod(length, parts)
    return part * each + min(part, longer), each + (part < longer)


class Scratch:
    """Bytes of a rank's scratch, and what each part is for."""

    def __init__(self) -> None:
        self.bytes = 0
        self.places: dict[tuple[object, ...], Place] = {}

    def place(self, key: tuple[object, ...], size: int) -> Place:
        """The same for the same key."""
        if key not in self.places:
            self.places[key] = Place("scratch", self.bytes, size)
            self.bytes += size
        return self.places[key]


class Layout:
    """Where chunks lie."""

    def __init__(self, design: Design, call: Call) -> None:
        self.design, self.call = design, call
        self.chunks: tuple[Chunk, ...] = chunks_of(moving(design.collective), design.ranks, design.root, design.parts)
        self.scratch = [Scratch() for _ in range(design.ranks)]
        self.received: dict[tuple[int, int], Place] = {}  # rank, chunk → where the first arrival is

    def span(self, chunk: int) -> tuple[int, int]:
        """Bytes from the beginning of its block, or of the vector where that is cut into blocks; and how many."""
        design, (block, part) = self.design, divmod(chunk, self.design.parts)
        count = self.call.count
        if design.collective in ("allreduce", "reduce_scatter"):
            begin, length = cut(count, design.ranks, block)
            first, n = cut(length, design.parts, part)
            return (begin + first) * self.call.elem, n * self.call.elem
        first, n = cut(count, design.parts, part)
        return first * self.call.elem, n * self.call.elem

    def begin(self, chunk: int) -> int:
        """Of its block, where the vector is cut into blocks."""
        block = chunk // self.design.parts
        return cut(self.call.count, self.design.ranks, block)[0] * self.call.elem

    def bytes(self, chunk: int) -> int:
        """How long it is."""
        return self.span(chunk)[1]

    def own(self, rank: int, chunk: int) -> Place | None:
        """What the rank brings of it, in its input; None: nothing."""
        design, (at, n), block = self.design, self.span(chunk), chunk // self.design.parts
        whole = self.call.count * self.call.elem
        kind = design.collective
        if kind in ("allreduce", "reduce_scatter", "reduce"):
            return Place("in", at, n)
        if kind == "reduce_scatter_block":
            return Place("in", block * whole + at, n)
        if rank != self.chunks[chunk].source:
            return None
        if kind == "bcast":
            return Place("out", at, n)
        if kind == "scatter":
            return Place("in", block * whole + at, n)
        if kind == "alltoall":
            return Place("in", block % design.ranks * whole + at, n)
        return Place("in", at, n)

    def result(self, rank: int, chunk: int) -> Place | None:
        """Where it ends at a rank that needs it; None: the rank does not."""
        design, (at, n), (block, of) = self.design, self.span(chunk), (chunk // self.design.parts, self.chunks[chunk])
        whole = self.call.count * self.call.elem
        kind = design.collective
        if kind in BOTH:
            return Place("out", at, n)
        if kind in ("reduce", "reduce_scatter", "reduce_scatter_block"):
            if rank != of.source:
                return None
            return Place("out", at - self.begin(chunk) if kind == "reduce_scatter" else at, n)
        if rank not in of.targets:
            return None
        if kind in ("allgather", "gather"):
            return Place("out", block * whole + at, n)
        if kind == "alltoall":
            return Place("out", block // design.ranks * whole + at, n)
        return Place("out", at, n)

    def kept(self, rank: int, chunk: int) -> Place:
        """Where a rank has it after it has come: its result, or scratch."""
        return self.result(rank, chunk) or self.scratch[rank].place((chunk,), self.bytes(chunk))

    def arrives(self, send: Send) -> Place:
        """Where the receiver takes it in."""
        key = send.target, send.chunk
        if not send.combines:
            return self.kept(*key)
        if key not in self.received:
            self.received[key] = self.kept(*key)
            return self.received[key]
        name = (send.chunk, send.step, send.source)
        return self.scratch[send.target].place(name, self.bytes(send.chunk))

    def leaves(self, send: Send) -> Place:
        """Where the sender has it: in its input, unless something has arrived there before."""
        own = self.own(send.source, send.chunk)
        if own is None or (send.source, send.chunk) in self.received:
            return self.kept(send.source, send.chunk)
        if not send.combines and self.design.collective in BOTH:
            return self.kept(send.source, send.chunk)
        return own


def messages(design: Design, layout: Layout) -> list[Message]:
    """All of them, by step, sender and receiver; chunks without bytes are left out."""
    made: list[Message] = []
    for send in sorted(design.sends):
        n = layout.bytes(send.chunk)
        if not n:
            continue
        sent, received = layout.leaves(send), layout.arrives(send)
        last = made[-1] if made else None
        here = (send.step, send.source, send.target, send.combines)
        together = last and (last.step, last.source, last.target, last.combines) == here
        if last and together and last.sent.precedes(sent) and last.received.precedes(received):
            chunks, longer = (*last.chunks, send.chunk), (last.sent.longer(n), last.received.longer(n))
            made[-1] = Message(*here[:3], chunks, *longer, here[3])
            continue
        made.append(Message(*here[:3], (send.chunk,), sent, received, send.combines))
    return made


def operations(design: Design, layout: Layout, in_step: bool) -> list[list[Operation | None]]:
    """Of each rank. `in_step`: all of a step is over before the next one begins."""
    made: list[list[Operation | None]] = [[] for _ in range(design.ranks)]
    due: list[list[Operation]] = [[] for _ in range(design.ranks)]  # combined before the next step's sends
    arrived: set[tuple[int, int]] = set()
    by_step: dict[int, list[Message]] = {}
    for message in messages(design, layout):
        by_step.setdefault(message.step, []).append(message)
    for step in sorted(by_step):
        for m in by_step[step]:
            made[m.target].append(Operation("irecv", m.received, m.source))
        for rank in range(design.ranks):
            made[rank] += joined(due[rank])
            due[rank] = []
        for m in by_step[step]:
            made[m.source].append(Operation("isend", m.sent, m.target))
        if step == min(by_step):
            for rank in range(design.ranks):
                made[rank] += joined(_copies(layout, rank))
        for m in by_step[step]:
            if m.combines:
                due[m.target] += _combined(layout, m, arrived)
        if in_step:
            for rank in range(design.ranks):
                made[rank].append(Barrier)
    for rank in range(design.ranks):
        made[rank] += joined(due[rank])
        if not by_step:
            made[rank] += joined(_copies(layout, rank))
    return made


def _combined(layout: Layout, m: Message, arrived: set[tuple[int, int]]) -> list[Operation]:
    """What the receiver does with it: its own part is added to the first that arrives, all others to that."""
    made = []
    at = m.received.at
    for chunk in m.chunks:
        n = layout.bytes(chunk)
        here = Place(m.received.buffer, at, n)
        at += n
        total = layout.kept(m.target, chunk)
        own = layout.own(m.target, chunk)
        first = (m.target, chunk) not in arrived
        arrived.add((m.target, chunk))
        source = own if first else here
        assert source
        made.append(Operation("reduce", source, target=total))
    return made


def _copies(layout: Layout, rank: int) -> list[Operation]:
    """What a rank brings and needs itself, and no message brings."""
    made = []
    for number, chunk in enumerate(layout.chunks):
        own, result = layout.own(rank, number), layout.result(rank, number)
        alone = rank == chunk.source and (rank, number) not in layout.received
        if alone and own and result and own != result and own.bytes:
            made.append(Operation("copy", own, target=result))
    return made


def schedule_of(design: Design, call: Call, origin: str, in_step: bool = False) -> Schedule:
    """The schedule. `origin`: what the file's line "algorithm" says."""
    layout = Layout(design, call)
    programs = operations(design, layout, in_step)
    rooted = design.collective in ("bcast", "reduce", "scatter", "gather")
    root = f" root={design.root}" if rooted else ""
    line = f"call collective={design.collective} ranks={design.ranks} count={call.count} elem={call.elem}{root}"
    return Schedule(line, origin, tuple(s.bytes for s in layout.scratch), tuple(map(tuple, programs)))
