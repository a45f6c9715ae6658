"""The critical path of a point, cut into parts: exactly, as the model has it, or as far as an observed run tells."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from collscope.base.errors import UserError
from collscope.points.plan import Point
from collscope.schedules import record
from collscope.schedules.trace import Message, Trace
from collscope.sources.outcome import OK

PARTS: Mapping[str, str] = {
    "latency": "latency",
    "bandwidth": "bandwidth",
    "wait": "waiting for a shared link",
    "message": "messages under way",
    "overhead": "overhead",
    "gap": "gap",
    "receive_gap": "gap of a receiver",
    "turnaround": "turnaround",
    "nic_gap": "gap of a NIC",
    "order": "behind an earlier message",
    "reduce": "reduction",
    "copy": "copies",
    "invalidation": "lines of another cache",
    "first_touch": "first touch of memory",
    "arrival": "late arrival",
    "other": "other",
}
"""Part → its name for people, in the order of a bar. `message` and `other` are of observed runs alone."""


@dataclass(frozen=True)
class Link:
    """A link: its kind ("port", "NIC", …), how long all its messages would fill it, how long it keeps the critical path waiting (s)."""

    kind: str
    name: str
    busy_s: float
    wait_s: float


@dataclass(frozen=True)
class Segment:
    """A stretch of the critical path: what it is spent on; `other` and `bytes` are of a message, `rank` is its sender."""

    part: str
    rank: int
    other: int | None
    bytes: int
    begin_s: float
    end_s: float
    link: Link | None = None

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.end_s - self.begin_s


@dataclass(frozen=True)
class CriticalPath:
    """What the time of a point is spent on. `parts` (s) add up to `time_s`, and so do `segments`, which follow each other."""

    key: str
    chose: str
    source: str
    ranks: int
    time_s: float
    parts: Mapping[str, float]
    segments: Sequence[Segment]
    messages: int  # on the path
    links: Sequence[Link] = ()  # the one that limits the path most first; none of an observed run
    load: Sequence[tuple[float, float]] = ()  # (s, share in use from then on) of the first link
    rendezvous_s: float | None = None  # of the path while a sender of it stood ready for its receiver; None: not known

    @property
    def busiest(self) -> Link | None:
        """The link that limits the path."""
        return self.links[0] if self.links else None


def modelled(points: Sequence[Point], ranks: int, machine: str, limit_s: float | None = None) -> list[CriticalPath]:
    """Of points on a machine (the text of its file). A UserError says why a point is not supported, or took longer than `limit_s`."""
    replies = record.reply(points, ranks, machine, "--explain", limit_s)
    return [_read(reply, point, ranks) for reply, point in zip(replies, points, strict=True)]


def _read(reply: dict[str, Any], point: Point, ranks: int) -> CriticalPath:
    """The prover's reply: see model/explain.h."""
    if reply["kind"] != OK:
        raise UserError(f"{point.algorithm} on {ranks} ranks, count {point.count}: {reply['status']}")
    links = [Link(*link) for link in reply["links"]]
    return CriticalPath(
        key=point.algorithm,
        chose=reply.get("chose") or "",
        source="model",
        ranks=ranks,
        time_s=reply["model_s"],
        parts={part: seconds for part, seconds in reply["parts"].items() if seconds},
        segments=tuple(
            Segment(part, rank, other if other >= 0 else None, size, begin, end, links[at] if at >= 0 else None)
            for part, rank, other, size, begin, end, at in reply["path"]
        ),
        messages=reply["path_messages"],
        links=tuple(links),
        load=tuple((time, share) for time, share in reply["load"]),
        rendezvous_s=reply["rendezvous_s"],
    )


# ---- observed runs ----------------------------------------------------------------------------------------

_WORK = {"reduce": "reduce", "copy": "copy", "post": "overhead", "take": "overhead"}


@dataclass(frozen=True)
class _Activity:
    """What ends at a rank: its own work, or a message that it receives or whose send it waits for."""

    end_s: float
    begin_s: float
    part: str
    message: Message | None = None


def observed(t: Trace) -> CriticalPath:
    """Of a run that was observed, simulated or real: from the rank that is done last back to what ended last at it, and so on.

    Messages are not cut further: from outside nobody sees latency, bandwidth and waiting for a link apart. `other` is time of a rank in
    which nothing that was seen happened at it."""
    starts = t.rank_start_s or (0.0,) * t.ranks
    activities = _activities(t)
    first = min(starts)
    rank = max(range(t.ranks), key=lambda r: t.rank_end_s[r])
    at = t.rank_end_s[rank]
    segments: list[Segment] = []

    def take(part: str, begin: float, rank: int, message: Message | None = None) -> None:
        nonlocal at
        begin = max(min(begin, at), first)
        if begin < at:
            other, size = (message.dst, message.bytes) if message else (None, 0)
            segments.append(Segment(part, rank, other, size, begin - first, at - first))
        at = begin

    slack = 1e-9 * max(t.time_s, 1e-9)
    left = {r: len(list_) for r, list_ in activities.items()}
    while at > first:
        mine = activities[rank]
        k = bisect.bisect_right(mine, at + slack, key=lambda a: a.end_s, hi=left[rank])
        if not k:
            take("other" if starts[rank] <= first + slack else "arrival", first, rank)
            break
        left[rank] = k - 1  # each is passed once: clocks that disagree must not lead round in circles
        found = mine[k - 1]
        take("other", found.end_s, rank)
        m = found.message
        take(found.part, found.begin_s, m.src if m else rank, m)
        if m:
            # It began when its receiver asked for it (rendezvous), or else when it was posted.
            rank = m.dst if m.requested_s is not None and abs(m.requested_s - m.start_s) <= slack else m.src
    segments.reverse()
    parts: dict[str, float] = {}
    for s in segments:
        parts[s.part] = parts.get(s.part, 0.0) + s.seconds
    return CriticalPath(
        key=t.key,
        chose=t.chose,
        source=t.source,
        ranks=t.ranks,
        time_s=max(t.rank_end_s) - first,
        parts=parts,
        segments=tuple(segments),
        messages=sum(s.part == "message" for s in segments),
    )


def _activities(t: Trace) -> dict[int, list[_Activity]]:
    """Of each rank, by when they end; of those of one instant the longest first, so that a message is found before what it waits for."""
    made: dict[int, list[_Activity]] = {r: [] for r in range(t.ranks)}
    for m in t.arrows:
        made[m.dst].append(_Activity(m.end_s, m.start_s, "message", m))
        if m.src != m.dst and m.sent_s is None:
            made[m.src].append(_Activity(m.end_s, m.start_s, "message", m))
    for s in t.spans:
        if s.kind in _WORK:
            made[s.rank].append(_Activity(s.end_s, s.start_s, _WORK[s.kind]))
    for list_ in made.values():
        list_.sort(key=lambda a: (a.end_s, -a.begin_s))
    return made
