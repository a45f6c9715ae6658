"""Times of one algorithm at one size over the ranks, and polynomials through them: both axes are linear, as polynomials are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from collscope.figures.axes import INSIDE, TIMES, grid
from collscope.figures.heading import Heading
from collscope.figures.palette import GREY, looks
from collscope.figures.source_style import DONE, dot
from collscope.figures.style import INK

_LEFT, _RIGHT, _FOOT, _ABOVE = 0.72, 0.15, 0.5, 0.12  # inches around the axes
_BEYOND = 0.03  # of the range: what the axes go beyond their points


@dataclass(frozen=True)
class FittedLine:
    """A curve through the times: seconds over ranks; `of_source`: printed by a source, not ours."""

    label: str
    at: np.ndarray
    seconds: np.ndarray
    of_source: bool = False

    @property
    def style(self) -> dict[str, Any]:
        """As matplotlib takes it."""
        dashes = (0, (1, 1.4)) if self.of_source else (0, (5, 2))
        return {"color": GREY if self.of_source else INK, "ls": dashes, "lw": 1.2}


def fitted_figure(
    table: pd.DataFrame,
    fits: Sequence[FittedLine],
    title: str,
    name: str,
    subtitle: str = "",
    colours: Mapping[str, str] | None = None,
) -> Figure:
    """`table`: the rows with a time of points/table.py's table, of one algorithm, source and size; `name`: what the algorithm is called;
    `colours`: as run_figure takes them. What a curve has below zero is not shown."""
    line = table.sort_values("ranks")
    key, source = str(line["algorithm"].iloc[0]), str(line["source"].iloc[0])
    points = {"color": looks(line.assign(ratio=1.0), colours).colour(key), "ls": "", **dot(source, [source]), "ms": 5}
    most = max(float(line["median_s"].max()), *(float(f.seconds.max()) for f in fits))
    factor, unit = next(((f, u) for f, u in ((1.0, "s"), (1e3, "ms")) if most * f >= 1), (1e6, "µs"))
    handles = [Line2D([], [], label=f"{name}, {DONE[source]}", **points)]
    handles += [Line2D([], [], label=f.label, **f.style) for f in fits]
    head = Heading(title, subtitle, handles, INSIDE)
    wide, tall = _LEFT + INSIDE + _RIGHT, head.height + _ABOVE + TIMES + _FOOT
    fig = Figure(figsize=(wide, tall), dpi=150)
    head.draw(fig, _LEFT)
    ax = fig.add_axes((_LEFT / wide, _FOOT / tall, INSIDE / wide, TIMES / tall))
    for f in fits:
        ax.plot(f.at, factor * f.seconds, zorder=2, **f.style)
    ax.plot(line["ranks"], factor * line["median_s"], zorder=3, **points)
    last = float(line["ranks"].max())
    ax.set_xlim(0, last * (1 + _BEYOND))
    ax.set_ylim(-_BEYOND * factor * most, factor * most * (1 + _BEYOND))
    ax.set_xticks(_steps(last))
    grid(ax)
    ax.set_xlabel("ranks")
    ax.set_ylabel(f"time ({unit})")
    return fig


def _steps(last: float) -> list[float]:
    """Ticks at multiples of a power of two: 0 and at most eight more."""
    step = 1
    while last / step > 8:
        step *= 2
    return [float(k * step) for k in range(int(last // step) + 1)]
