"""An observed run as a Trace: the recorded schedule with the times of the run.

Sends find their receives (same two ranks, same label, same bytes, in order; a receive from any source was noted with the rank it
got), and messages their rounds: those of the recorded schedule, which has to have the same messages, or something is badly wrong.

One rule for all sources, so that the same bar means the same in their pictures:

* overhead: the processor is busy with posting a send (an isend, or a send that did not wait for its receiver), or with taking a
  message in. The latter cannot be seen from outside; a model and its simulation know it (`Costs`), a real run does not.
* a message is under way from when its send was posted, or its receive if that was later and the send waited for it, until the
  receiver has it, without the overhead.
* a rank waits in an operation that waits while nothing of its own is under way; a send that waits for its receiver is blocked.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from collscope.base.errors import UserError
from collscope.schedules import trace
from collscope.schedules.observed import Costs, Event, Observed, Run
from collscope.schedules.trace import Message, Span, Trace, without

SENDS, RECEIVES, SEGMENTS = ("send", "isend"), ("recv", "irecv"), ("write", "read", "await")
BLOCKING = ("send", "recv", "wait", "await")  # operations in which a rank may have to wait
IN_RECORD = {"seg_write": "write", "seg_read": "read", "await": "await"}

Pair = tuple[Event, Event]  # a send and its receive
Name = tuple[int, int, int, int]  # source, destination, label, bytes: such messages differ by their order alone


def matched(o: Observed) -> dict[Name, list[Pair]]:
    """Sends with their receives, in the order of each pair's messages; a UserError where there are more of one."""
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
    return {name: list(zip(list_, receives[name], strict=True)) for name, list_ in sends.items()}


def retimed(
    recorded: Trace, run: Run, source: str, where: str, costs: Costs | None = None, which: int | None = None
) -> Trace:
    """The recorded schedule with the times of a run: of its median repetition unless another is asked for. `source` and `where` are
    members of the Trace; `costs` are unknown for a real run. A UserError where the run did other things than the schedule says."""
    number = run.median if which is None else which
    o = run.repetitions[number]
    if run.chose != recorded.chose:
        raise UserError(f"{recorded.key}: the run chose {run.chose}, the record {recorded.chose}")
    o = replace(o, events=tuple(tuple(_in_parts(events, costs)) for events in o.events))
    pairs = matched(o)
    t = replace(
        recorded,
        source=source,
        where=where,
        time_s=run.times_s[number],
        messages=_messages(recorded, pairs, costs),
        transfers=_transfers(recorded, o),
        rank_start_s=o.start_s,
        rank_end_s=o.end_s,
        clock_error_s=o.clock_error_s,
        spans=(),
    )
    spans = (*_work(o), *_overheads(pairs, costs), *_blocked(pairs, costs))
    return replace(t, spans=(*spans, *_waits(t, o, spans)))


def _in_parts(events: Sequence[Event], costs: Costs | None) -> Iterator[Event]:
    """A sendrecv, which was noted as a send and a receive with the same times, as an isend, an irecv and a wait for both."""
    overhead = costs.overhead_s if costs else 0.0
    at = 0
    while at < len(events):
        e = events[at]
        other = events[at + 1] if at + 1 < len(events) else None
        if other and (e.kind, other.kind) == ("send", "recv") and (e.begin_s, e.end_s) == (other.begin_s, other.end_s):
            posted = min(e.begin_s + overhead, e.end_s)
            yield replace(e, kind="isend", end_s=posted)
            yield replace(other, kind="irecv", begin_s=posted, end_s=posted)
            yield Event("wait", -1, 0, 0, posted, e.end_s, e.end_s)
            at += 2
        else:
            yield e
            at += 1


def _messages(recorded: Trace, pairs: Mapping[Name, Sequence[Pair]], costs: Costs | None) -> tuple[Message, ...]:
    """The schedule's messages with the times of theirs in the run; a UserError where one of either has none in the other."""
    left = {name: deque(waiting) for name, waiting in pairs.items()}
    made = []
    for m, row in zip(recorded.messages, recorded.raw["messages"], strict=True):
        waiting = left.get((m.src, m.dst, row[4], m.bytes))
        if not waiting:
            what = f"{m.bytes} bytes from {m.src} to {m.dst}"
            raise UserError(f"{recorded.key}: the run lacks a message that the schedule has, {what}")
        made.append(_timed(m, *waiting.popleft(), costs))
    for (src, dst, _, size), waiting in left.items():
        if waiting:
            what = f"{size} bytes from {src} to {dst}"
            raise UserError(f"{recorded.key}: the run has a message that the schedule lacks, {what}")
    return tuple(made)


def _buffered(send: Event, receive: Event, costs: Costs | None) -> bool:
    """Whether the send was over without its receiver: by its size, or because it was seen to be."""
    return costs.eager(send.bytes, send.kind == "isend") if costs else send.done_s <= receive.begin_s


def _arrived(send: Event, receive: Event, costs: Costs | None) -> float:
    """When the receiver begins to take the message in, which ends its receive."""
    taking = costs.taking(receive.bytes, send.kind == "isend") if costs else 0.0
    return max(receive.done_s - taking, min(receive.begin_s, receive.done_s))


def _timed(m: Message, send: Event, receive: Event, costs: Costs | None) -> Message:
    buffered = _buffered(send, receive, costs)
    posted = send.end_s if buffered or send.kind == "isend" else send.begin_s
    start = posted if buffered else max(posted, receive.begin_s)
    end = _arrived(send, receive, costs)
    free = posted if buffered else send.done_s if costs is None and send.done_s < end else None
    return replace(m, start_s=start, end_s=end, sent_s=free, requested_s=receive.begin_s)


def _overheads(pairs: Mapping[Name, Sequence[Pair]], costs: Costs | None) -> list[Span]:
    """The processor's part in messages: see above."""
    found = []
    for (src, dst, *_), list_ in pairs.items():
        for s, r in list_:
            if s.kind == "isend" or _buffered(s, r, costs):
                found.append(Span(src, "post", s.begin_s, s.end_s))
            found.append(Span(dst, "take", _arrived(s, r, costs), r.done_s))
    return [span for span in found if span.end_s - span.start_s > 1e-9 * max(abs(span.end_s), 1e-9)]


def _transfers(recorded: Trace, o: Observed) -> tuple[Message, ...]:
    """Bytes that crossed shared segments: the n-th operation on a segment at a rank is the n-th of the record."""
    if not recorded.transfers:
        return ()
    at: dict[tuple[int, int], Event] = {}
    for rank, operations in enumerate(recorded.raw["operations"]):
        there = [(i, IN_RECORD[op[0]]) for i, op in enumerate(operations) if op[0] in IN_RECORD]
        traced = [e for e in o.events[rank] if e.kind in SEGMENTS]
        if [kind for _, kind in there] != [e.kind for e in traced]:
            raise UserError(f"{recorded.key}: rank {rank} used its segments otherwise than the schedule says")
        at |= {(rank, i): e for (i, _), e in zip(there, traced, strict=True)}
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


def _blocked(pairs: Mapping[Name, Sequence[Pair]], costs: Costs | None) -> list[Span]:
    """A send that cannot return before its receiver is there, until it is."""
    return [
        Span(src, "blocked", s.begin_s, min(r.begin_s, s.end_s))
        for (src, *_), list_ in pairs.items()
        for s, r in list_
        if s.kind == "send" and s.begin_s < r.begin_s < s.done_s and not _buffered(s, r, costs)
    ]


def _waits(t: Trace, o: Observed, spans: Sequence[Span]) -> list[Span]:
    """In an operation that waits, with nothing of the rank's own under way, no work, and not for want of a receiver."""
    busy: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for m in t.arrows:
        busy[m.dst].append((max(m.start_s, m.requested_s or 0.0), m.end_s))
        busy[m.src].append((m.start_s, m.end_s if m.sent_s is None else m.sent_s))
    for s in spans:
        busy[s.rank].append((s.start_s, s.end_s))
    found = []
    for rank, events in enumerate(o.events):
        inside = sorted({(e.begin_s, e.end_s) for e in events if e.kind in BLOCKING and e.end_s > e.begin_s})
        found += [Span(rank, "wait", a, b) for a, b in without(inside, busy[rank])]
    return found
