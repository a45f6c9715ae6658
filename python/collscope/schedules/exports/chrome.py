"""Traces in Chrome's trace format, which Perfetto and chrome://tracing open: a process per rank, its work and its messages."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from collscope.schedules.trace import Trace, picoseconds


def text(t: Trace) -> str:
    """The whole file. Times are in microseconds; an arrow goes from a message's sender to its receiver."""
    events = [*_names(t), *_work(t), *_messages(t)]
    about = {"schedule": t.key, "collective": t.collective, "ranks": t.ranks, "source": t.source, "where": t.where}
    lines = ",\n".join(json.dumps(event, ensure_ascii=False) for event in events)
    head = json.dumps({"displayTimeUnit": "ns", "otherData": about}, ensure_ascii=False)[:-1]
    return f'{head}, "traceEvents": [\n{lines}\n]}}\n'


def _microseconds(ps: int) -> float:
    """Perfetto takes the whole nanoseconds of it, cut off after a multiplication by 1000 (which of 1.001 makes 1000.99…), and drops a
    slice that begins before the one in front of it has ended."""
    us = ps / 1e6
    return us if int(us * 1000.0) == ps // 1000 else math.nextafter(us, math.inf)


def _names(t: Trace) -> Iterator[dict[str, Any]]:
    for rank in range(t.ranks):
        node = f", node {t.nodes[rank]}" if t.nodes else ""
        yield {"ph": "M", "name": "process_name", "pid": rank, "tid": 0, "args": {"name": f"rank {rank}{node}"}}
        yield {"ph": "M", "name": "process_sort_index", "pid": rank, "tid": 0, "args": {"sort_index": rank}}
        yield {"ph": "M", "name": "thread_name", "pid": rank, "tid": 0, "args": {"name": "work"}}


def _work(t: Trace) -> Iterator[dict[str, Any]]:
    for s in t.spans:
        start, end = picoseconds(s.start_s), picoseconds(s.end_s)
        at = {"ts": _microseconds(start), "dur": _microseconds(end - start)}
        yield {"ph": "X", "name": s.kind, "cat": "work", "pid": s.rank, "tid": 0, **at}


def _messages(t: Trace) -> Iterator[dict[str, Any]]:
    """Each message is a slice at both ranks and an arrow between them. Slices of one thread may not overlap, so a rank has as many
    threads of sends, and of receives, as it has of them at once. An arrow's ends lie within these slices: others are not drawn."""
    free_from: dict[tuple[int, str], list[int]] = {}  # by rank and side: when the last slice of each thread ends
    for i, m in enumerate(t.arrows):
        kind = "transfer" if m.shared else "message"
        about = {"from": m.src, "to": m.dst, "bytes": m.bytes, "round": m.round}
        start, end = picoseconds(m.start_s), picoseconds(m.end_s)
        begin, middle, takes = map(_microseconds, (start, (start + end) // 2, max(end - start, 0)))
        sides = [(m.src, "sends", f"to {m.dst}", {"ph": "s", "ts": begin})]
        if m.src != m.dst:
            sides.append((m.dst, "receives", f"from {m.src}", {"ph": "f", "bp": "e", "ts": middle}))
        for rank, side, name, arrow in sides:
            threads = free_from.setdefault((rank, side), [])
            k = next((k for k, free in enumerate(threads) if free <= start), len(threads))
            threads[k : k + 1] = [end]
            at = {"pid": rank, "tid": 2 * k + 1 + (side == "receives")}
            if k + 1 == len(threads):
                yield {"ph": "M", "name": "thread_name", **at, "args": {"name": f"{side} {k + 1}" if k else side}}
            yield {"ph": "X", "name": name, "cat": kind, "ts": begin, "dur": takes, "args": about, **at}
            if len(sides) == 2:
                yield {"cat": kind, "name": kind, "id": i, **arrow, **at}
