"""Whatever `run` computed or measured, as lines over sizes, ranks or nodes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from collscope.base.units import rounded_size
from collscope.figures.axes import grid, size_axis, time_axis
from collscope.figures.ranking import ranking_figure
from collscope.figures.source_style import DASH, NAME
from collscope.figures.style import FAINT, INK, colour_of, style_of

_MAY_VARY = (
    "collective", "platform", "mapping", "metric", "nodes", "ranks", "bytes", "root", "type", "in_place"
)  # fmt: skip


@dataclass(frozen=True)
class _Plan:
    """What is drawn over what: `x` is a column, `panel_by` the columns whose values make panels."""

    x: str
    panel_by: list[str]
    panels: list[tuple[Any, pd.DataFrame]]

    @property
    def shared(self) -> bool:
        """Panels differ in their layout alone: with one axis of times they can be compared by eye."""
        return "collective" not in self.panel_by and "bytes" not in self.panel_by

    def title(self, part: pd.DataFrame) -> str:
        """What no axis and no legend says of a panel."""
        first, by = part.iloc[0], self.panel_by
        words = [str(first["collective"])]
        if "bytes" in by or (self.x != "bytes" and first["bytes"] > 0):
            words.append(rounded_size(int(first["bytes"])))
        words.append(f"{first['ranks']} ranks" if part["ranks"].nunique() == 1 else "")
        words.append(f"{first['nodes']} node{'s' * (int(first['nodes']) != 1)}" if part["nodes"].nunique() == 1 else "")
        words += [f"{c} {first[c]}" for c in by if c in ("root", "type", "in_place")]
        words.append(str(first["platform"]))
        words += [
            str(first[c]) for c in ("mapping", "metric") if c in by or first[c] not in ("block", "makespan")
        ]  # fmt: skip
        return " · ".join(w for w in words if w)


def run_figure(table: pd.DataFrame, title: str = "") -> Figure:
    """Any table: time against size, or against ranks or nodes where there is one size; a panel for all else that varies. Where
    neither varies, algorithms in the order of their times.

    `table`: the columns of points/table.py; rows without a time are left out, and a ValueError says when none has one.
    Colour is the algorithm, dash the source; measured times show their quartiles.
    """
    table = table[(table["status"] == "ok") & table["median_s"].notna() & (table["median_s"] > 0)]
    if table.empty:
        raise ValueError("no row of the table has a time: nothing to draw")
    plan = _plan(table)
    if table[plan.x].nunique() == 1:
        return ranking_figure([(plan.title(part), part) for _, part in plan.panels], title)
    columns = min(3, len(plan.panels))
    handles = _legend(table)
    width = 4.3 * columns + 0.6 if columns > 1 else 6.4
    legend_columns = 1 if width < 8 else 2
    fig, places = _sheet(width, columns, -(-len(plan.panels) // columns), _legend_height(table, legend_columns), title)
    limits = (float(table["median_s"].min()), float(table["median_s"].max())) if plan.shared else None
    for n, (_, part) in enumerate(plan.panels):
        ax = fig.add_subplot(places[n // columns, n % columns])
        _panel(ax, part, plan.x, limits)
        room = round(13 * ax.get_position().width * width)
        ax.set_title(textwrap.fill(plan.title(part), room, break_long_words=False), fontsize=9.5)
        if n % columns == 0:
            ax.set_ylabel("time")
        ax.set_xlabel("size of the vector" if plan.x == "bytes" else plan.x)
    fig.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0.72 / width, 0.005), ncols=legend_columns, fontsize=8.4
    )  # fmt: skip
    if title:
        fig.suptitle(title, x=0.02, y=0.995, ha="left", va="top", fontsize=12, fontweight="bold")
    return fig


def _plan(table: pd.DataFrame) -> _Plan:
    by_size = table.loc[table["bytes"] > 0, "bytes"].nunique() > 1
    by_nodes = table["ranks"].nunique() == 1 and table["nodes"].nunique() > 1
    x = "bytes" if by_size else "nodes" if by_nodes else "ranks"
    panel_by = [c for c in _MAY_VARY if c != x and table[c].nunique() > 1 and not (c == "nodes" and x == "ranks")]
    panels = list(table.groupby(panel_by, sort=False)) if panel_by else [((), table)]
    return _Plan(x, panel_by, panels)


def _sheet(width: float, columns: int, lines: int, below: float, title: str) -> tuple[Figure, Any]:
    """An empty figure, and the grid of its panels; `below`: inches of the legend."""
    above = 0.6 if title else 0.5
    fig = Figure(figsize=(width, 3.5 * lines + below + 0.5 + above), dpi=150)
    tall = fig.get_figheight()
    places = fig.add_gridspec(
        lines, columns, hspace=0.42, wspace=0.28, left=0.85 / width, right=1 - 0.25 / width,
        top=1 - above / tall, bottom=(below + 0.5) / tall,
    )  # fmt: skip
    return fig, places


def _keys_and_sources(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    keys = dict.fromkeys(k for k, s in zip(table["algorithm"], table["source"], strict=True) if k and s != "bound")
    return list(keys), list(dict.fromkeys(table["source"]))


def _legend_height(table: pd.DataFrame, columns: int) -> float:
    """Inches."""
    keys, sources = _keys_and_sources(table)
    return 0.19 * -(-min(len(keys) + len(sources), 24) // columns) + 0.1


def _legend(table: pd.DataFrame) -> list[Line2D]:
    """A line for each algorithm, and one for each source where there are several."""
    keys, sources = _keys_and_sources(table)
    handles = [Line2D([], [], color=colour_of(k), marker=style_of(k).marker, label=k) for k in keys[:20]]
    for s in sources if len(sources) > 1 or "bound" in sources else ():
        handles.append(
            Line2D(
                [], [], color=FAINT if s == "bound" else INK, ls=DASH.get(s, "-"), marker="|" if s == "real" else "",
                label=NAME.get(s, s),
            )
        )  # fmt: skip
    return handles


def _panel(ax: Axes, part: pd.DataFrame, x: str, limits: tuple[float, float] | None) -> None:
    part = part[part[x] > 0].sort_values(x)
    for (source, key), line in part.groupby(["source", "algorithm"], sort=False):
        if source == "bound":
            curve = line.groupby(x)["median_s"].min()
            ax.plot(curve.index, curve.to_numpy(), color=FAINT, lw=1, ls=DASH["bound"], zorder=1)
        else:
            _line(ax, line, x, str(source), str(key))
    low, high = float(part[x].min()), float(part[x].max())
    if x == "bytes":
        size_axis(ax, low, high, most=6)
    else:
        _number_axis(ax, sorted(part[x].unique()))
    time_axis(ax, *(limits or (float(part["median_s"].min()), float(part["median_s"].max()))))
    grid(ax)


def _line(ax: Axes, line: pd.DataFrame, x: str, source: str, key: str) -> None:
    look = style_of(key)
    ax.plot(
        line[x], line["median_s"], color=look.colour, ls=DASH.get(source, "-"), marker=look.marker if source != "model" else "",
        markeredgewidth=0, lw=1.6 if source != "real" else 1.1, zorder=3,
    )  # fmt: skip
    if source == "real" and (line["q3_s"] > line["q1_s"]).any():
        error = np.vstack([line["median_s"] - line["q1_s"], line["q3_s"] - line["median_s"]]).clip(min=0)
        ax.errorbar(
            line[x], line["median_s"], yerr=error, fmt="none", ecolor=look.colour, elinewidth=0.9, capsize=2, zorder=2
        )  # fmt: skip


def _number_axis(ax: Axes, values: Sequence[int]) -> None:
    """Makes x a logarithmic axis of numbers of ranks or nodes: each of them where there are few, else powers of two."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_locator(FixedLocator(list(values) if len(values) < 8 else [2**k for k in range(20)]))
    ax.set_xlim(float(values[0]) / 1.15, float(values[-1]) * 1.15)
