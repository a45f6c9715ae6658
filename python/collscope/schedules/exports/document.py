"""A trace as a JSON document, for programs: who sends what to whom, and when. Keys: docs/json.md."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from collscope.base import documents
from collscope.schedules.trace import Message, Trace


def text(t: Trace) -> str:
    """The whole document; times are in seconds from the first rank's arrival."""
    fields = {
        "algorithm": t.key,
        "chose": t.chose or None,
        "collective": t.collective,
        "ranks": t.ranks,
        "nodes": t.nodes,
        "bytes": t.vector_bytes,
        "root": t.root,
        "source": t.source,
        "where": t.where,
        "time_s": t.time_s,
        "cost_s": t.cost_s,
        "rounds": t.rounds,
        "rank_start_s": t.rank_start_s or (0.0,) * t.ranks,
        "rank_end_s": t.rank_end_s,
        "clock_error_s": t.clock_error_s,
        "messages": [_message(m) for m in t.arrows],
        "work": [asdict(span) for span in t.spans],
    }
    return documents.text("trace", fields)


def _message(m: Message) -> dict[str, Any]:
    names = ("src", "dst", "bytes", "round", "start_s", "end_s", "sent_s", "requested_s", "shared")
    return {name: getattr(m, name) for name in names}
