"""A schedule with times that were made up: a bar of every kind, without the prover."""

from __future__ import annotations

from collscope.schedules.trace import Message, Span, Trace

US = 1e-6


def message(src: int, dst: int, rnd: int, start: float, end: float, **more: object) -> Message:
    """1 KiB, unless `more` says otherwise; times in microseconds."""
    times = {name: us * US for name, us in more.items() if name in ("sent_s", "requested_s") and isinstance(us, float)}
    fields = {"bytes": 1024, "send": 0, "recv": 0, **more, **times}
    return Message(src=src, dst=dst, round=rnd, start_s=start * US, end_s=end * US, **fields)  # type: ignore[arg-type]


def made_trace(**more: object) -> Trace:
    """Four ranks on two nodes: 0 sends one message that is buffered and one that is not, 2 sends two at once."""
    messages = (
        message(0, 1, 1, 1.0, 3.0, sent_s=1.5, requested_s=2.0),
        message(0, 2, 1, 2.0, 5.0, requested_s=2.0),
        message(2, 3, 2, 5.5, 7.0, bytes=2048),
        message(2, 1, 2, 6.0, 8.0, bytes=512),
    )
    spans = (
        *((0, "post", 0.5, 1.0), (1, "take", 3.0, 3.4), (2, "reduce", 5.0, 5.4), (3, "copy", 7.0, 7.4)),
        *((1, "wait", 0.2, 1.8), (0, "blocked", 1.5, 2.0)),
    )
    fields: dict[str, object] = {
        **{"key": "bcast/mst", "chose": "", "collective": "bcast", "ranks": 4, "count": 256, "elem": 4, "root": 0},
        **{"time_s": 8 * US, "cost_s": None, "exact": False, "rounds": 2, "messages": messages},
        "transfers": (message(0, 1, 2, 4.0, 4.5, shared=True),),
        "spans": tuple(Span(r, kind, a * US, b * US) for r, kind, a, b in spans),
        "rank_end_s": (5 * US, 8 * US, 8 * US, 7.4 * US),
        **{"nodes": (0, 0, 1, 1), "where": "made up", "machine": ""},
    }
    return Trace(**{**fields, **more})  # type: ignore[arg-type]
