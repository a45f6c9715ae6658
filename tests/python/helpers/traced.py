"""Schedules to draw and to look at."""

from __future__ import annotations

from collscope.commands import show
from collscope.schedules.trace import Trace


def traced(key: str, ranks: int, **more: object) -> Trace:
    """The schedule of a key as `show` would draw it; `more` are members of its Request."""
    return show.make_traces(show.Request(key, ranks, **more))[0]  # type: ignore[arg-type]
