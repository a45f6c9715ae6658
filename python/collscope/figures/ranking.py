"""Algorithms in the order of their times, where nothing else varies."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from collscope.base.units import format_time
from collscope.figures.axes import time_ticks
from collscope.figures.key_text import folded
from collscope.figures.source_style import BOUND_DASH, BOUND_NAME, DOT, NAME
from collscope.figures.style import FAINT, GRID, INK, colour_of

_WIDE, _LEFT, _RIGHT = 7.8, 2.9, 0.85  # inches: the figure, what keys take of it, and what times do


def ranking_figure(panels: Sequence[tuple[str, pd.DataFrame]], title: str) -> Figure:
    """A line for each algorithm, the fastest on top, its times as dots; a panel below the other.

    `panels`: (heading, rows of points/table.py's table: source, algorithm, median_s, q1_s, q3_s are used).
    """
    keys = [list(dict.fromkeys(part.loc[part["source"] != "bound", "algorithm"])) for _, part in panels]
    step = 0.34 if any("\n" in folded(key) for some in keys for key in some) else 0.25
    heights = [step * max(1, len(some)) for some in keys]
    legend = _legend([part for _, part in panels])
    above, below = (0.5 if title else 0.1), (0.3 if len(legend) > 1 else 0.0)
    high = sum(heights) + 0.85 * len(panels) + above + below
    fig = Figure(figsize=(_WIDE, high), dpi=150)
    top = high - above
    for (name, part), inside in zip(panels, heights, strict=True):
        fig.text(0.15 / _WIDE, (top - 0.28) / high, name, fontsize=9.5, fontweight="bold")
        bottom = top - 0.4 - inside
        ax = fig.add_axes((_LEFT / _WIDE, bottom / high, 1 - (_LEFT + _RIGHT) / _WIDE, inside / high))
        _panel(ax, part)
        top -= inside + 0.85
    if below:
        fig.legend(handles=legend, loc="lower left", bbox_to_anchor=(0.1 / _WIDE, 0), ncols=len(legend), fontsize=8.2,
                   columnspacing=1.4, handletextpad=0.4)  # fmt: skip
    if title:
        fig.suptitle(title, x=0.02, y=0.995, ha="left", va="top", fontsize=12, fontweight="bold")
    return fig


def _legend(parts: Sequence[pd.DataFrame]) -> list[Line2D]:
    """The dot of each source, then the line of each bound, in the order of the tables."""
    rows = [row for part in parts for row in zip(part["source"], part["algorithm"], strict=True)]
    sources = dict.fromkeys(source for source, _ in rows if source != "bound")
    bounds = dict.fromkeys(key for source, key in rows if source == "bound")
    names = [Line2D([], [], color=INK, ls="", label=NAME.get(s, s), **DOT[s]) for s in sources]
    return names + [Line2D([], [], color=FAINT, ls=BOUND_DASH[key], label=BOUND_NAME[key]) for key in bounds]


def _panel(ax: Axes, part: pd.DataFrame) -> None:
    timed = part[part["source"] != "bound"]
    sources = list(dict.fromkeys(timed["source"]))
    best = timed.assign(at=timed["source"].map(sources.index)).sort_values(["at", "median_s"])
    keys = list(dict.fromkeys(best["algorithm"]))  # in the order of the first source
    for y, key in enumerate(keys):
        ax.axhline(y, color=GRID, lw=0.7, zorder=0)
        line = best[best["algorithm"] == key]
        for row in line.to_dict("records"):
            seconds, dot = row["median_s"], DOT.get(str(row["source"]), {"marker": "o"})
            ax.plot([seconds], [y], color=colour_of(key), ls="", zorder=3, **{"ms": 5.5, **dot})
            if row["source"] == "real" and row["q3_s"] > row["q1_s"]:
                ax.plot([row["q1_s"], row["q3_s"]], [y, y], color=colour_of(key), lw=1.1, zorder=2)
        ax.annotate(format_time(float(line["median_s"].iloc[0])), (1.02, y), xycoords=("axes fraction", "data"),
                    va="center", fontsize=8.4, annotation_clip=False)  # fmt: skip
    for bound in part[part["source"] == "bound"].to_dict("records"):
        ax.axvline(bound["median_s"], color=FAINT, lw=1, ls=BOUND_DASH[bound["algorithm"]], zorder=1)
    low, high = float(part["median_s"].min()), float(part["median_s"].max())
    ax.set_xscale("log")
    ax.set_xlim(low / 1.3, high * 1.3)
    time_ticks(ax.xaxis, wide=high / low > 30)
    ax.set_yticks(range(len(keys)), [folded(key) for key in keys], fontsize=8.2)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", which="both", labelsize=8.4)
    ax.set_ylim(len(keys) - 0.5, -0.5)
    ax.spines["left"].set_visible(False)
