"""Traces in Chrome's trace format, which Perfetto and chrome://tracing open: a process per rank, its work and its messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from collscope.schedules.trace import Trace


def text(t: Trace) -> str:
    """The whole file. Times are in microseconds; an arrow goes from a message's sender to its receiver."""
    events = [*_names(t), *_work(t), *_messages(t)]
    about = {"schedule": t.key, "collective": t.collective, "ranks": t.ranks, "source": t.source, "where": t.where}
    lines = ",\n".join(json.dumps(event, ensure_ascii=False) for event in events)
    head = json.dumps({"displayTimeUnit": "ns", "otherData": about}, ensure_ascii=False)[:-1]
    return f'{head}, "traceEvents": [\n{lines}\n]}}\n'


def _names(t: Trace) -> Iterator[dict[str, Any]]:
    for rank in range(t.ranks):
        node = f", node {t.nodes[rank]}" if t.nodes else ""
        yield {"ph": "M", "name": "process_name", "pid": rank, "tid": 0, "args": {"name": f"rank {rank}{node}"}}
        yield {"ph": "M", "name": "process_sort_index", "pid": rank, "tid": 0, "args": {"sort_index": rank}}
        yield {"ph": "M", "name": "thread_name", "pid": rank, "tid": 0, "args": {"name": "work"}}


def _work(t: Trace) -> Iterator[dict[str, Any]]:
    for s in t.spans:
        at = {"ts": 1e6 * s.start_s, "dur": 1e6 * (s.end_s - s.start_s)}
        yield {"ph": "X", "name": s.kind, "cat": "work", "pid": s.rank, "tid": 0, **at}


def _messages(t: Trace) -> Iterator[dict[str, Any]]:
    """Messages overlap, which slices of one thread may not: each is an asynchronous event of its own, at both ranks."""
    for i, m in enumerate(t.arrows):
        about = {"from": m.src, "to": m.dst, "bytes": m.bytes, "round": m.round}
        kind = "transfer" if m.shared else "message"
        sides = [(m.src, f"to {m.dst}", "sent")] + [(m.dst, f"from {m.src}", "received")] * (m.src != m.dst)
        for rank, name, side in sides:
            event = {"cat": f"{kind} {side}", "name": name, "id": f"{side} {i}", "pid": rank, "tid": 0}
            yield {"ph": "b", "ts": 1e6 * m.start_s, "args": about, **event}
            yield {"ph": "e", "ts": 1e6 * m.end_s, **event}
        arrow = {"cat": kind, "name": kind, "id": i, "tid": 0}
        yield {"ph": "s", "ts": 1e6 * m.start_s, "pid": m.src, **arrow}
        yield {"ph": "f", "bp": "e", "ts": 1e6 * m.end_s, "pid": m.dst, **arrow}
