"""What a machine with other numbers changes: times in each variant side by side, and below them who wins and what is gained."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import NullLocator

from collscope.figures.axes import End, end_labels, end_room, grid, no_size_axis, size_axis, tick_time, time_axis
from collscope.figures.heading import Heading
from collscope.figures.palette import Looks, looks
from collscope.figures.style import FAINT, INK, darker, lighter

# Inches: a panel and its strip of winners, the gaps between and around them.
_WIDE, _TALL, _STRIP, _GAP, _BETWEEN, _LEFT, _FOOT = 2.75, 1.75, 0.25, 0.05, 0.5, 0.82, 0.5
_BESIDE = (
    0.32  # between two columns: "256 MiB" below the end of one stands beside "4 MiB" below the beginning of the next
)
_HEADS = 0.52  # above the first row: the columns' names and the row's own
_UNDER = 0.3  # more below a row whose sizes are named, where another kind of row follows
_SIZE = 7.0  # points of a ratio
_AIR = 1.5  # points at either end of a box
_FIRST = (0, (3, 2))  # the dash of what the first column has

Row = tuple[str, int, int, str]  # collective, ranks, nodes, values of the other keys


def what_if_figure(
    times: pd.DataFrame, winners: pd.DataFrame, titles: Mapping[Row, str], *, title: str, subtitle: str = ""
) -> Figure:
    """A panel for each row and column: time against size, a line for each algorithm in its colour; from the second column on the best time
    of the first, dashed. Below, a box for each size in the colour of who wins, with the best time as a multiple of the first column's. A
    collective without data has one place.

    `times`, one row per time: collective, ranks, nodes, row, column, bytes, key, short_label, time_s. `winners`, one row per size: the same
    without short_label, key the one that wins, ratio. `titles`: row → what stands above it, in the order of the rows."""
    columns = list(dict.fromkeys(times["column"]))
    rows = list(titles)
    best = times.groupby(["collective", "ranks", "nodes", "row", "column", "bytes"])["time_s"].transform("min")
    colours = looks(times.assign(algorithm=times["key"], ratio=times["time_s"] / best))
    named = dict(zip(times["key"], times["short_label"], strict=True))
    right = end_room(_WIDE, named.values()) + 0.1
    wide = _LEFT + _WIDE * len(columns) + _BESIDE * (len(columns) - 1) + right
    handles = [
        Line2D([], [], color=FAINT, ls=_FIRST, lw=1.2, label=f"best at {columns[0]}"),
        Patch(
            facecolor=lighter(FAINT, 0.68),
            label=f"winner, in its colour: best time; then how many times the best at {columns[0]}",
        ),
    ]
    heading = Heading(title, subtitle, handles, wide - _LEFT)
    sized = [bool((_of(times, row)["bytes"] > 0).any()) for row in rows]
    # Sizes are named below the last of the rows that have the same.
    named_below = [r + 1 == len(rows) or sized[r] != sized[r + 1] for r in range(len(rows))]
    row_tall = [_TALL + _GAP + _STRIP + _BETWEEN + _UNDER * (named_below[r] and sized[r]) for r in range(len(rows) - 1)]
    tall = heading.height + _HEADS + sum(row_tall) + _TALL + _GAP + _STRIP + _FOOT
    fig = Figure(figsize=(wide, tall), dpi=150)
    with_data = times.loc[times["bytes"] > 0, "bytes"]
    whole = (float(with_data.min()), float(with_data.max())) if len(with_data) else None
    for r, row in enumerate(rows):
        mine, won = _of(times, row), _of(winners, row)
        span = float(mine["time_s"].min()), float(mine["time_s"].max())
        sizes = whole if sized[r] else None
        top = heading.height + _HEADS + sum(row_tall[:r])
        for c, column in enumerate(columns):
            left = (_LEFT + c * (_WIDE + _BESIDE)) / wide
            ax = fig.add_axes((left, 1 - (top + _TALL) / tall, _WIDE / wide, _TALL / tall))
            _x_axis(ax, sizes, labels=False)
            time_axis(ax, *span)
            grid(ax)
            ax.tick_params(axis="y", labelleft=c == 0, which="both")
            ends = _curves(ax, mine[mine["column"] == column], colours, named)
            if c:
                first = won[won["column"] == columns[0]].sort_values("bytes")
                if sizes:
                    ax.plot(first["bytes"], first["time_s"], color=FAINT, ls=_FIRST, lw=1.2, zorder=2)
                else:
                    ax.axhline(float(first["time_s"].iloc[0]), color=FAINT, ls=_FIRST, lw=1.2, zorder=2)
            if c == len(columns) - 1:
                end_labels(ax, ends)
            if r == 0:
                ax.annotate(
                    column, (0, 1), xycoords="axes fraction", xytext=(0, 19), textcoords="offset points",
                    fontsize=9.5, fontweight="bold", color=INK, va="bottom",
                )  # fmt: skip
            if c == 0:
                ax.set_title(titles[row], fontsize=9, fontweight="normal", pad=5)
                ax.set_ylabel("time")
                ax.yaxis.set_label_coords(-0.58 / _WIDE, 0.5)
            boxes = fig.add_axes((left, 1 - (top + _TALL + _GAP + _STRIP) / tall, _WIDE / wide, _STRIP / tall))
            part = won[won["column"] == column].sort_values("bytes")
            texts = [
                f"{ratio:.2f}×" if c else tick_time(float(f"{t:.3g}"))
                for ratio, t in zip(part["ratio"], part["time_s"], strict=True)
            ]
            _boxes(boxes, part, texts, colours, sizes, named_below[r])
            if c == 0:
                boxes.text(
                    -0.09 / _WIDE, 0.5, "winner", transform=boxes.transAxes, ha="right", va="center", fontsize=8.4
                )
    heading.draw(fig, _LEFT)
    return fig


def _x_axis(ax: Axes, sizes: tuple[float, float] | None, labels: bool, most: int = 9) -> None:
    """Makes x an axis of these sizes, or of none."""
    if sizes:
        size_axis(ax, *sizes, labels, most)
    else:
        no_size_axis(ax, labels)


def _of(frame: pd.DataFrame, row: Row) -> pd.DataFrame:
    collective, ranks, nodes, words = row
    same = (frame["collective"] == collective) & (frame["ranks"] == ranks) & (frame["nodes"] == nodes)
    return frame[same & (frame["row"] == words)]


def _curves(ax: Axes, times: pd.DataFrame, colours: Looks, named: Mapping[str, str]) -> list[End]:
    ends = []
    for key, part in times.groupby("key", sort=False):
        part = part.sort_values("bytes")
        colour = colours.colour(str(key))
        at = part["bytes"].clip(lower=1)
        ax.plot(at, part["time_s"], color=colour, marker="o", ms=3.4, markeredgewidth=0, lw=1.7, zorder=3)
        ends.append(End(float(at.iloc[-1]), float(part["time_s"].iloc[-1]), named[str(key)], colour))
    return ends


def _boxes(
    ax: Axes, won: pd.DataFrame, texts: Sequence[str], colours: Looks, sizes: tuple[float, float] | None, labels: bool
) -> None:
    """A box for each size with its text; the colour says who wins."""
    _x_axis(ax, sizes, labels, most=4)
    ax.yaxis.set_major_locator(NullLocator())
    for side in ("left", "right", "top", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="x", which="both", length=0)
    if labels and sizes:
        ax.set_xlabel("size of the vector")
    at: Sequence[float] = list(won["bytes"])
    if not at:
        return
    first, last = ax.get_xlim()
    edges = [first, *(math.sqrt(a * b) for a, b in itertools.pairwise(at)), last]
    per_doubling = _WIDE * 72 / math.log2(last / first)
    for k, (key, text) in enumerate(zip(won["key"], texts, strict=True)):
        left, right = edges[k], edges[k + 1]
        colour = colours.colour(str(key))
        ax.add_patch(Rectangle((left, 0), right - left, 1, facecolor=lighter(colour, 0.68), edgecolor="white", lw=1))
        wide = math.log2(right / left) * per_doubling
        if len(text) * 0.58 * _SIZE > wide - 2 * _AIR and " " in text:
            text = text.replace(" ", "\n")  # the unit below the number, as the box is tall enough for two lines
        if max(map(len, text.split("\n"))) * 0.58 * _SIZE <= wide:
            middle, size = math.sqrt(left * right), _SIZE if "\n" not in text else 0.86 * _SIZE
            ax.text(middle, 0.47, text, ha="center", va="center", fontsize=size, color=darker(colour), linespacing=0.95)
