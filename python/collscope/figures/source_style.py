"""How sources of numbers are told apart: a line and a marker for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.lines import Line2D

from collscope.figures.style import FAINT, INK

LINE: dict[str, dict[str, Any]] = {
    "sim": {"ls": "-", "lw": 1.8, "marker": "o", "ms": 3.8, "mew": 0},
    "model": {"ls": (0, (2, 1.2)), "lw": 1.2, "marker": "o", "ms": 4.4, "mfc": "white", "mew": 0.9},
    "real": {"ls": (0, (4.5, 1.4)), "lw": 1.5, "marker": "D", "ms": 4.6, "mew": 0},
}
RING = {
    "ls": (0, (1, 1.3)),
    "ms": 7.5,
    "mfc": "none",
    "mew": 1.0,
}  # of a model around a simulation's dots: both are seen where they agree
BOUND: dict[str, dict[str, Any]] = {
    "bound/loggp": {"ls": (0, (6, 1.5, 1.2, 1.5)), "lw": 1.1, "color": FAINT},
    "bound/telephone": {"ls": (0, (1, 1.6)), "lw": 1.3, "color": FAINT},
}
BOUND_NAME = {"bound/loggp": "bound", "bound/telephone": "telephone"}
_MEANING = {"real": "real: median and quartiles", "bound/telephone": "telephone: overlap may go below"}
DONE = {"sim": "simulated", "real": "measured", "model": "modelled"}


def look(source: str, sources: Iterable[str]) -> dict[str, Any]:
    """How the line of a source is drawn in a figure that has these."""
    return LINE[source] | (RING if source == "model" and "sim" in sources else {})


def dot(source: str, sources: Iterable[str]) -> dict[str, Any]:
    """The marker of a source alone."""
    return {name: value for name, value in look(source, sources).items() if name not in ("ls", "lw")}


def source_handles(sources: Sequence[str], bounds: Sequence[str], lines: bool) -> list[Line2D]:
    """What explains sources and bounds in a legend, in neutral ink; `lines`: as lines, not as dots alone. One source alone needs none."""
    named = sources if len(sources) > 1 or "real" in sources else ()
    made = [
        Line2D(
            [],
            [],
            color=INK,
            label=_MEANING.get(s, s),
            **(look(s, sources) if lines else {"ls": "", **dot(s, sources)}),
        )
        for s in named
    ]
    return made + [Line2D([], [], label=_MEANING.get(b, BOUND_NAME[b]), **BOUND[b]) for b in bounds]
