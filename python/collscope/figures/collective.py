"""One collective on some nodes: time against size, time relative to the best, and what each decision chose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from collscope.catalogue.decisions import library_name
from collscope.figures.axes import (
    GAPS,
    INSIDE,
    RATIOS,
    STRIP,
    TIMES,
    End,
    Focus,
    Ratios,
    end_labels,
    end_room,
    shade,
    size_axis,
    stack,
)
from collscope.figures.heading import Heading
from collscope.figures.strip import strip
from collscope.figures.style import FAINT, colour_of, style_of

BOUND_NOTE = "bound of the telephone model (overlap may go below it)"

_HEAD, _FOOT = 0.62, 0.55  # inches above and below the stack of axes: the title, the labels of the axis of sizes
_WIDE, _LEFT = 7.6, 0.82

Box = tuple[float, float, float, float]
Place = Callable[[float, float], Box]  # (top, height) in inches → matplotlib's rectangle


def collective_figure(
    times: pd.DataFrame,
    bound: pd.DataFrame | None = None,
    *,
    title: str,
    subtitle: str = "",
    focus: Focus | None = None,
) -> Figure:
    """Time against size for one collective on one set of nodes, and below it the time relative to the best.

    `times`, a row a line and size: bytes; time_s; label (of the legend); short_label (at the end of the line); key (gives the
    look); chose (the key that a decision took, "" for what is none). `bound`: bytes, time_s. Under the axes a strip for each
    decision names what it chose where.
    """
    series = [(label, part.sort_values("bytes")) for label, part in times.groupby("label", sort=False)]
    decisions = [part for _, part in series if (part["chose"] != "").any()]
    fig, place = _sheet(len(decisions), times["short_label"].unique())
    ax = fig.add_axes(place(_HEAD, TIMES))
    ratios = fig.add_axes(place(_HEAD + TIMES + GAPS[0], RATIOS))
    sizes = np.sort(times["bytes"].unique())
    low, high = float(sizes[0]), float(sizes[-1])
    for a in (ax, ratios):
        shade(a, focus, low, high, text=a is ax)
    handles, ends, ratio_ends, top = _curves(ax, ratios, series, times.groupby("bytes")["time_s"].min())
    least = times["time_s"].min()
    if bound is not None and len(bound):
        bound = bound.sort_values("bytes")
        (line,) = ax.plot(bound["bytes"], bound["time_s"], color=FAINT, lw=0.9, ls="-", zorder=2)
        handles.append((BOUND_NOTE, line))
        least = min(least, bound["time_s"].min())

    def axis(a: Axes, labels: bool) -> None:
        size_axis(a, low, high, labels)

    stack(ax, [Ratios(ratios, top)], axis, (least, times["time_s"].max()), last=not decisions)
    labels, lines = [label for label, _ in handles], [line for _, line in handles]
    ax.legend(lines, labels, loc="upper left", handlelength=2.9, borderaxespad=0.3, labelspacing=0.35)
    Heading(title, subtitle, (), fig.get_figwidth() - _LEFT).draw(fig, _LEFT)
    end_labels(ax, ends)
    end_labels(ratios, ratio_ends)
    bottom: Axes = ratios
    for k, part in enumerate(decisions):
        bottom = fig.add_axes(place(_HEAD + TIMES + GAPS[0] + RATIOS + GAPS[1] + STRIP * k, STRIP))
        key = str(part["key"].iloc[0])
        strip(
            bottom, library_name(key), colour_of(key), list(part["bytes"]), list(part["chose"]), axis,
            labels=k == len(decisions) - 1,
        )  # fmt: skip
    bottom.set_xlabel("size of the vector")
    return fig


def _sheet(strips: int, names: Iterable[str]) -> tuple[Figure, Place]:
    """An empty figure with room for so many strips, and for these names at the ends of lines; and what turns a top and a height in
    inches into a place on it."""
    wide = max(_WIDE, _LEFT + INSIDE + end_room(INSIDE, names))
    tall = _HEAD + TIMES + GAPS[0] + RATIOS + (GAPS[1] + STRIP * strips if strips else 0) + _FOOT

    def place(top: float, height: float) -> Box:
        return (_LEFT / wide, 1 - (top + height) / tall, INSIDE / wide, height / tall)

    return Figure(figsize=(wide, tall), dpi=150), place


def _curves(
    ax: Axes, ratios: Axes, series: Sequence[tuple[Any, pd.DataFrame]], best: pd.Series
) -> tuple[list[tuple[str, Line2D]], list[End], list[End], float]:
    """Draws each line's times and ratios to `best`; returns legend, both ends of the lines, and the largest ratio."""
    handles: list[tuple[str, Line2D]] = []
    ends, ratio_ends, top = [], [], 1.0
    for z, (label, part) in enumerate(series):
        look = style_of(str(part["key"].iloc[0]))
        ratio = part["time_s"].to_numpy() / best.loc[part["bytes"]].to_numpy()
        top = max(top, float(np.nanmax(ratio)))
        # Solid lines first and wider, dashed ones on top of them: equal times stay visible as two lines.
        thick = 2.4 if look.dash == "-" else 1.7
        style = {"color": look.colour, "ls": look.dash, "marker": look.marker, "lw": thick, "zorder": 3 + z}
        face = {"markerfacecolor": "white", "markeredgewidth": 1.1} if look.dash != "-" else {"markeredgewidth": 0}
        (line,) = ax.plot(part["bytes"], part["time_s"], **style, **face)
        ratios.plot(part["bytes"], ratio, **style, **face)
        handles.append((str(label), line))
        size, name = float(part["bytes"].iloc[-1]), str(part["short_label"].iloc[0])
        ends.append(End(size, float(part["time_s"].iloc[-1]), name, look.colour))
        ratio_ends.append(End(size, float(ratio[-1]), name, look.colour))
    return handles, ends, ratio_ends, top
