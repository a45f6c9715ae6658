"""Schedules to draw and to look at."""

from __future__ import annotations

from collscope.commands import one_call
from collscope.schedules.trace import Trace


def traced(key: str, ranks: int, **more: object) -> Trace:
    """The schedule of a key as `show` would draw it; `more` are members of its Request."""
    return one_call.make_traces(one_call.OneCall(key, ranks, **more))[0]  # type: ignore[arg-type]
