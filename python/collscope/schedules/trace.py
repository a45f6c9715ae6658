"""A point's schedule with its times: all that pictures are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from collscope.catalogue.sizes import vector_bytes
from collscope.points.plan import Point


@dataclass(frozen=True)
class Message:
    """One message on its way: ranks, bytes, round, and when it is on the wire, in seconds."""

    src: int
    dst: int
    bytes: int
    round: int
    start_s: float
    end_s: float
    send: int  # operation of the source, and of the destination
    recv: int
    shared: bool = False  # bytes that cross a shared segment; no message of MPI's
    sent_s: float | None = (
        None  # by calls: the sender was free from here on, without its receiver; and the receiver asked
    )
    requested_s: float | None = None


@dataclass(frozen=True)
class Span:
    """What a rank does when it neither sends nor receives."""

    rank: int
    kind: str  # reduce, copy, wait, blocked (a send that waits for its receiver), post and take (overhead of messages)
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Trace:
    """A schedule with its times: what pictures are drawn from."""

    key: str  # as it was asked for
    chose: str  # what a decision chose, or nothing
    collective: str
    ranks: int
    count: int
    elem: int
    root: int
    time_s: float
    cost_s: float | None
    exact: bool
    rounds: int
    messages: tuple[Message, ...]
    transfers: tuple[Message, ...]
    spans: tuple[Span, ...]
    rank_end_s: tuple[float, ...]
    nodes: tuple[int, ...]  # of each rank; nothing where that tells nothing: see nodes_in
    where: str  # what the times are of, in words
    source: str = "model"  # or sim, real
    rank_start_s: tuple[float, ...] = ()  # nothing: all at 0
    clock_error_s: float = 0.0  # by how much two ranks' times may be off each other
    raw: dict[str, Any] = field(repr=False, compare=False, default_factory=dict)  # the prover's reply: model/trace.h
    point: Point | None = field(repr=False, compare=False, default=None)  # what was asked, and of which machine file
    machine: str = field(repr=False, compare=False, default="")
    file: Path | None = field(
        repr=False, compare=False, default=None
    )  # that the schedule is from; else it was recorded

    @property
    def vector_bytes(self) -> int:
        """Bytes of the whole vector."""
        return vector_bytes(self.collective, self.count, self.ranks, self.elem)

    @property
    def arrows(self) -> tuple[Message, ...]:
        """Messages, then transfers through shared segments."""
        return self.messages + self.transfers

    @property
    def backwards(self) -> int:
        """Messages that were received before they were sent, by clocks that do not agree."""
        return sum(m.end_s < m.start_s for m in self.arrows)


def picoseconds(time_s: float) -> int:
    """The nearest whole number of them: what ends as another thing begins does so to the digit, whatever was rounded on the way."""
    return round(1e12 * time_s)


def without(spans: Iterable[tuple[float, float]], busy: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """What is left of spans where nothing of `busy` is; slivers that rounding makes are nothing."""
    cuts = sorted(busy)
    left = []
    for at, end in spans:
        least = 1e-9 * max(abs(end), 1e-9)
        for a, b in cuts:
            if b <= at or a >= end:
                continue
            if a - at > least:
                left.append((at, a))
            at = max(at, b)
        if end - at > least:
            left.append((at, end))
    return left


def idle(arrows: Sequence[Message], spans: Sequence[Span], rank_end_s: Sequence[float]) -> list[Span]:
    """A rank that is not done, with nothing under way and no work of its own, waits."""
    busy: dict[int, list[tuple[float, float]]] = {r: [] for r in range(len(rank_end_s))}
    for m in arrows:
        busy[m.src].append((m.start_s, m.end_s))
        busy[m.dst].append((m.start_s, m.end_s))
    for s in spans:
        busy[s.rank].append((s.start_s, s.end_s))
    return [Span(r, "wait", a, b) for r, end in enumerate(rank_end_s) for a, b in without([(0.0, end)], busy[r])]


def taken_by_receiver(t: Trace, m: Message) -> bool:
    """Who does a transfer: reads and waits for flags are the receiver's, writes the sender's."""
    mine = t.raw["operations"][m.dst][m.recv : m.recv + 1]
    return bool(mine) and mine[0][0] in ("seg_read", "await") and mine[0][5] == m.src
