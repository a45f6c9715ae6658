"""Algorithms in the order of their times, where nothing else varies."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from collscope.base.units import format_time
from collscope.catalogue.decisions import library_name
from collscope.catalogue.keys import Key
from collscope.figures.axes import time_ticks
from collscope.figures.heading import Heading
from collscope.figures.key_text import folded
from collscope.figures.palette import Looks
from collscope.figures.source_style import BOUND, dot
from collscope.figures.style import GRID

_WIDE, _LEFT, _RIGHT = 7.8, 2.9, 0.85  # inches: the figure, what keys take of it, and what times do
_EDGE = 0.15  # inches: left of title and headings


def ranking_figure(
    panels: Sequence[tuple[str, pd.DataFrame]], title: str, subtitle: str, handles: Sequence[Line2D], looks: Looks
) -> Figure:
    """A line for each algorithm, the fastest on top, its times as dots; a panel below the other.

    `handles`: of the legend. `panels`: (heading, rows of points/table.py's table: source, algorithm, median_s, q1_s, q3_s are used).
    """
    keys = [list(dict.fromkeys(part.loc[part["source"] != "bound", "algorithm"])) for _, part in panels]
    step = 0.34 if any("\n" in folded(key) for some in keys for key in some) else 0.25
    inside = [step * max(1, len(some)) for some in keys]
    above = [0.4 if name else 0.1 for name, _ in panels]
    head = Heading(title, subtitle, handles, _WIDE - 2 * _EDGE)
    high = head.height + sum(inside) + sum(above) + 0.45 * len(panels)
    fig = Figure(figsize=(_WIDE, high), dpi=150)
    head.draw(fig, _EDGE)
    top = high - head.height
    for (name, part), gap, height in zip(panels, above, inside, strict=True):
        fig.text(_EDGE / _WIDE, (top - 0.28) / high, name, fontsize=9.5, fontweight="bold")
        bottom = top - gap - height
        ax = fig.add_axes((_LEFT / _WIDE, bottom / high, 1 - (_LEFT + _RIGHT) / _WIDE, height / high))
        _panel(ax, part, looks)
        top = bottom - 0.45
    return fig


def _panel(ax: Axes, part: pd.DataFrame, looks: Looks) -> None:
    timed = part[part["source"] != "bound"]
    sources = list(dict.fromkeys(timed["source"]))
    best = timed.assign(at=timed["source"].map(sources.index)).sort_values(["at", "median_s"])
    keys = list(dict.fromkeys(best["algorithm"]))  # in the order of the first source
    for y, key in enumerate(keys):
        ax.axhline(y, color=GRID, lw=0.7, zorder=0)
        line, colour = best[best["algorithm"] == key], looks.colour(key)
        for row in line.to_dict("records"):
            style = {"mfc": colour, **dot(str(row["source"]), sources)}
            ax.plot([row["median_s"]], [y], color=colour, ls="", zorder=3, **(style | {"ms": style["ms"] + 1.7}))
            if row["source"] == "real" and row["q3_s"] > row["q1_s"]:
                ax.plot([row["q1_s"], row["q3_s"]], [y, y], color=colour, lw=1.1, zorder=2)
        ax.annotate(format_time(float(line["median_s"].iloc[0])), (1.02, y), xycoords=("axes fraction", "data"),
                    va="center", fontsize=8.4, annotation_clip=False)  # fmt: skip
    for bound in part[part["source"] == "bound"].to_dict("records"):
        ax.axvline(bound["median_s"], zorder=1, **BOUND[bound["algorithm"]])
    low, high = float(part["median_s"].min()), float(part["median_s"].max())
    ax.set_xscale("log")
    ax.set_xlim(low / 1.3, high * 1.3)
    time_ticks(ax.xaxis, wide=high / low > 30)
    words = [library_name(key) if Key.parse(key).is_decision else folded(key) for key in keys]
    ax.set_yticks(range(len(keys)), words, fontsize=8.2)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", which="both", labelsize=8.4)
    ax.set_ylim(len(keys) - 0.5, -0.5)
    ax.spines["left"].set_visible(False)
