"""The kinds of pictures of a schedule, by name. matplotlib is loaded when one is drawn, not before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from collscope.schedules.trace import Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("graph", "gantt", "table", "matrix")


def draw(traces: Sequence[Trace], kind: str) -> Figure | None:
    """A picture of one of KINDS: who sends to whom, when, what lies where, or how much. Only a gantt shows more than the first
    trace. None where there is nothing that could be drawn: a table that would take too much memory."""
    t = traces[0]
    if kind == "gantt":
        from collscope.figures.schedule.gantt import gantt

        return gantt(traces)
    if kind == "graph":
        from collscope.figures.schedule.graph import graph

        return graph(t)
    if kind == "matrix":
        from collscope.figures.schedule.matrix import matrix

        return matrix(t)
    from collscope.figures.schedule.holdings import holdings_table
    from collscope.schedules.holdings import after_rounds

    held = after_rounds(t)
    return holdings_table(t, held) if held is not None else None
