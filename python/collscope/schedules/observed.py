"""What the ranks of a simulation or of a real run did, and when: the driver's `--trace`, made into the same Trace that the model's
schedules are.

The observer in the driver notes each rank's own operations. Here sends find their receives (same two ranks, same label, same
bytes, in order; a receive from any source was noted with the rank it got), and messages their rounds: those of the recorded
schedule, which has to have the same messages, or something is badly wrong.

What a message's times mean: it is under way from when its send began, or its receive if that was later and the send waited for
it, until the receive was over. That is all that can be known from outside the library.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from collscope.base import programs
from collscope.base.errors import UserError, disk_error
from collscope.base.units import format_time
from collscope.machines.simgrid import smpirun_env
from collscope.points.plan import Layout, Point
from collscope.schedules import trace
from collscope.schedules.trace import Message, Span, Trace, without
from collscope.sources import launch, measure, smpirun
from collscope.sources.launch import Children
from collscope.sources.outcome import OK, Outcome

SENDS, RECEIVES, SEGMENTS = ("send", "isend"), ("recv", "irecv"), ("write", "read", "await")
BLOCKING = ("send", "recv", "wait", "await")  # operations in which a rank may have to wait
IN_RECORD = {"seg_write": "write", "seg_read": "read", "await": "await"}


@dataclass(frozen=True)
class Event:
    """One operation of a rank: see core/runtime/observe.h."""

    kind: str
    peer: int
    label: int
    bytes: int
    begin_s: float
    end_s: float
    done_s: float


@dataclass(frozen=True)
class Observed:
    """One repetition: [rank]."""

    events: tuple[tuple[Event, ...], ...]
    start_s: tuple[float, ...]
    end_s: tuple[float, ...]
    clock_error_s: float  # of two ranks' clocks, at most


@dataclass(frozen=True)
class Run:
    """All that a launch said of its one point."""

    repetitions: tuple[Observed, ...]
    times_s: tuple[float, ...]  # makespan of each repetition
    places: tuple[tuple[int, int, int], ...]
    chose: str
    back_end: str

    @property
    def median(self) -> int:
        """The repetition whose time is the median (the lower of two)."""
        return sorted(range(len(self.times_s)), key=lambda i: self.times_s[i])[(len(self.times_s) - 1) // 2]


# ---- running ----------------------------------------------------------------------------------------------


def simulated(layout: Layout, point: Point) -> Run:
    def command(folder: Path) -> list[str | Path]:
        return smpirun.command(layout, [("0", point)], folder)

    assert layout.platform is not None
    return _run(command, point, smpirun_env(layout.platform), None)


def measured(layout: Layout, point: Point) -> Run:
    if not programs.MPI_DRIVER.exists():
        measure.build()

    def command(folder: Path) -> list[str | Path]:
        return measure.command(layout, [("0", point)], folder)

    return _run(command, point, {}, measure.SILENCE_S)


def _run(command: Any, point: Point, env: dict[str, str], silence_s: float | None) -> Run:
    outcomes: list[Outcome] = []
    children = Children()
    with tempfile.TemporaryDirectory(prefix="collscope-") as name:
        folder = Path(name)
        try:
            words = [*command(folder), "--trace"]
        except OSError as error:
            raise disk_error(error, folder) from error
        try:
            report = launch.run(
                words,
                ["0"],
                lambda _, outcome: outcomes.append(outcome),
                children=children,
                folder=folder,
                env={"TMPDIR": name, **env},
                silence_s=silence_s,
            )
        finally:
            children.stop()
    if not outcomes:
        raise UserError(f"{point.algorithm}: the run did not come to its end: {report.reason}")
    if outcomes[0].kind != OK:
        raise UserError(f"{point.algorithm}: {outcomes[0].status}")
    return read(report.traces, outcomes[0], report.meta)


def read(lines: Sequence[dict[str, Any]], outcome: Outcome, meta: dict[str, Any]) -> Run:
    """What the driver's lines say."""
    by_repetition: dict[int, dict[int, dict[str, Any]]] = defaultdict(dict)
    for line in lines:
        by_repetition[line["trace"]][line["rank"]] = line
    seen = []
    for number in sorted(by_repetition):
        ranks = [by_repetition[number][r] for r in sorted(by_repetition[number])]
        seen.append(
            Observed(
                events=tuple(tuple(Event(*e) for e in line["events"]) for line in ranks),
                start_s=tuple(line["start_s"] for line in ranks),
                end_s=tuple(line["end_s"] for line in ranks),
                clock_error_s=2 * max(line["clock_error_s"] for line in ranks),
            )
        )
    ranks_seen = len(seen[0].events)
    return Run(
        repetitions=tuple(seen),
        times_s=tuple(rep[2] for rep in outcome.reps),
        places=tuple((n, s, c) for n, s, c in meta["places"][:ranks_seen]),
        chose=outcome.chose,
        back_end=outcome.back_end,
    )


# ---- from events to a trace -------------------------------------------------------------------------------

Pair = tuple[Event, Event]  # a send and its receive
Name = tuple[
    int, int, int, int
]  # of messages that cannot be told apart but by their order: source, destination, label, bytes


def matched(o: Observed) -> dict[Name, deque[Pair]]:
    """Sends with their receives, in the order of each pair's messages."""
    sends: dict[Name, list[Event]] = defaultdict(list)
    receives: dict[Name, list[Event]] = defaultdict(list)
    for rank, events in enumerate(o.events):
        for e in events:
            if e.kind in SENDS:
                sends[rank, e.peer, e.label, e.bytes].append(e)
            elif e.kind in RECEIVES:
                receives[e.peer, rank, e.label, e.bytes].append(e)
    for name in sends.keys() | receives.keys():
        if len(sends[name]) != len(receives[name]):
            src, dst, _, size = name
            raise UserError(
                f"rank {src} sent {len(sends[name])} messages of {size} bytes to rank {dst}, which received {len(receives[name])}"
            )
    return {name: deque(zip(list_, receives[name], strict=True)) for name, list_ in sends.items()}


def retimed(recorded: Trace, run: Run, source: str, where: str, which: int | None = None) -> Trace:
    """The recorded schedule with the times of a run: of its median repetition unless another is asked for."""
    number = run.median if which is None else which
    o = run.repetitions[number]
    if run.chose != recorded.chose:
        raise UserError(f"{recorded.key}: the run chose {run.chose}, the record {recorded.chose}")
    pairs = matched(o)
    labels = [row[4] for row in recorded.raw["messages"]]
    messages = []
    for m, label in zip(recorded.messages, labels, strict=True):
        waiting = pairs.get((m.src, m.dst, label, m.bytes))
        if not waiting:
            raise UserError(
                f"{recorded.key}: the run lacks a message that the schedule has, {m.bytes} bytes from {m.src} to {m.dst}"
            )
        messages.append(_timed(m, *waiting.popleft()))
    for (src, dst, _, size), left in pairs.items():
        if left:
            raise UserError(
                f"{recorded.key}: the run has a message that the schedule lacks, {size} bytes from {src} to {dst}"
            )
    transfers = _transfers(recorded, o)
    t = replace(
        recorded,
        source=source,
        where=where,
        time_s=run.times_s[number],
        messages=tuple(messages),
        transfers=transfers,
        rank_start_s=o.start_s,
        rank_end_s=o.end_s,
        clock_error_s=o.clock_error_s,
        spans=(),
    )
    return replace(t, spans=tuple(_work(o)) + tuple(_blocked(o, pairs_of(o))) + tuple(_waits(t, o)))


def pairs_of(o: Observed) -> list[tuple[int, int, Event, Event]]:
    return [(src, dst, s, r) for (src, dst, _, _), list_ in matched(o).items() for s, r in list_]


def _timed(m: Message, send: Event, receive: Event) -> Message:
    buffered = send.done_s <= receive.begin_s
    start = send.begin_s if buffered else max(send.begin_s, receive.begin_s)
    return replace(m, start_s=start, end_s=receive.done_s, sent_s=send.done_s, asked_s=receive.begin_s)


def _transfers(recorded: Trace, o: Observed) -> tuple[Message, ...]:
    """Bytes that crossed shared segments: the n-th operation on a segment at a rank is the n-th of the record."""
    if not recorded.transfers:
        return ()
    at: dict[tuple[int, int], Event] = {}
    for rank, operations in enumerate(recorded.raw["operations"]):
        there = [(i, IN_RECORD[op[0]]) for i, op in enumerate(operations) if op[0] in IN_RECORD]
        seen = [e for e in o.events[rank] if e.kind in SEGMENTS]
        if [kind for _, kind in there] != [e.kind for e in seen]:
            raise UserError(f"{recorded.key}: rank {rank} used its segments otherwise than the schedule says")
        at |= {(rank, i): e for (i, _), e in zip(there, seen, strict=True)}
    made = []
    for m in recorded.transfers:
        e = at.get((m.dst, m.recv)) if trace.taken_by_receiver(recorded, m) else at.get((m.src, m.send))
        assert e is not None
        start = e.begin_s
        if e.kind == "await":  # the flag is under way from when it was set
            set_ = [p.end_s for p in o.events[m.src] if p.kind == "publish" and p.peer == e.peer and p.end_s <= e.end_s]
            start = max(start, set_[-1]) if set_ else start
        made.append(replace(m, start_s=start, end_s=e.end_s))
    return tuple(made)


def _work(o: Observed) -> list[Span]:
    """Combining and copying; into and out of the own part of a segment too."""
    return [
        Span(rank, "reduce" if e.kind == "reduce" else "copy", e.begin_s, e.end_s)
        for rank, events in enumerate(o.events)
        for e in events
        if e.kind in ("reduce", "copy") or (e.kind in ("read", "write") and e.peer == rank)
        if e.end_s > e.begin_s
    ]


def _blocked(o: Observed, pairs: Sequence[tuple[int, int, Event, Event]]) -> list[Span]:
    """A send that cannot return before its receiver is there, until it is."""
    return [
        Span(src, "blocked", s.begin_s, min(r.begin_s, s.end_s))
        for src, _, s, r in pairs
        if s.kind == "send" and s.begin_s < r.begin_s < s.done_s
    ]


def _waits(t: Trace, o: Observed) -> list[Span]:
    """In an operation that waits, with nothing of the rank's own under way, and not for want of a receiver."""
    busy: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for m in t.arrows:
        busy[m.dst].append((max(m.start_s, m.asked_s or 0.0), m.end_s))
        busy[m.src].append((m.start_s, m.end_s if m.sent_s is None else min(m.sent_s, m.end_s)))
    for s in _blocked(o, pairs_of(o)):
        busy[s.rank].append((s.start_s, s.end_s))
    found = []
    for rank, events in enumerate(o.events):
        inside = sorted({(e.begin_s, e.end_s) for e in events if e.kind in BLOCKING and e.end_s > e.begin_s})
        found += [Span(rank, "wait", a, b) for a, b in without(inside, busy[rank])]
    return found


# ---- in words ---------------------------------------------------------------------------------------------


def words(run: Run, source: str, layout: Layout) -> str:
    """Where the times are from."""
    if source == "sim":
        nodes = f"{layout.nodes} node{'s' * (layout.nodes != 1)}"
        return f"simulated on {layout.platform_name}, {nodes}, {run.back_end}"
    n = len(run.times_s)
    text = f"measured here, {run.back_end}"
    if n > 1:
        spread = f"{format_time(min(run.times_s))} to {format_time(max(run.times_s))}"
        text += f"; repetition {run.median + 1} of {n}, the median ({spread})"
    late = max(run.repetitions[run.median].start_s)
    if late > 1e-9:
        text += f"; ranks left a barrier within {format_time(late)}"
    error = run.repetitions[run.median].clock_error_s
    if error:
        text += f"; clocks of nodes agree within {format_time(error)}"
    return text
