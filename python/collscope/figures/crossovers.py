"""Where the best class of algorithms changes: a lane for each collective and number of nodes, along the sizes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter

from collscope.analysis.crossover import Span
from collscope.figures.axes import MARGIN, Focus, headings, shade, size_axis, size_bars
from collscope.figures.style import FAINT, lighter

NARROW = 0.05  # a lead below this is drawn paler
_LEFT = 1.85  # inches: names of collectives and lanes
_LANE, _RANKS = 0.62, 0.62  # of these a lane's, and what its ranks take

Lane = tuple[str, int, int]  # collective, ranks, nodes


@dataclass(frozen=True)
class Panel:
    """One choice of what competes.

    `winners`, one row per lane and size: collective, ranks, nodes, bytes, margin (lead over the next class, 0.05 is 5 %).
    `labels` and `colours` are by the name of what competes: a text of the legend, and a colour.
    """

    heading: str
    spans: Sequence[Span]
    winners: pd.DataFrame
    labels: Mapping[str, str]
    colours: Mapping[str, str]


def crossover_figure(
    panels: Sequence[Panel],
    titles: Mapping[str, str],
    *,
    title: str,
    subtitle: str = "",
    focus: Focus | None = None,
) -> Figure:
    """A lane for each collective, number of nodes and, where there are several, of ranks, coloured by what is best; panels stand beside
    each other.

    `titles`: collective → what is written beside its lanes.
    """
    spans = [s for panel in panels for s in panel.spans]
    low, high = min(s.first_bytes for s in spans), max(s.last_bytes for s in spans)
    at, middles, total = _lanes(spans)
    several = len({ranks for _, ranks, _ in at}) > 1
    lane = _LANE + _RANKS * several
    before = _LEFT + _RANKS * several
    fig = Figure(figsize=(4.7 * len(panels) + before, 0.235 * total + 1.75), dpi=150)
    w, h = fig.get_figwidth(), fig.get_figheight()
    grid = fig.add_gridspec(
        1, len(panels), wspace=0.06, left=before / w, right=0.985, top=1 - 0.95 / h, bottom=0.78 / h
    )  # fmt: skip
    legend: dict[str, str] = {}
    for k, panel in enumerate(panels):
        ax = fig.add_subplot(grid[k])
        size_axis(ax, low, high, most=8)
        ax.set_ylim(total - 0.4, -0.6)
        shade(ax, focus, low, high, text=True, size=7.6)
        for span in panel.spans:
            colour = panel.colours[span.name]
            legend.setdefault(panel.labels[span.name], colour)
            _range(ax, span, at[span.collective, span.ranks, span.nodes], colour, panel.winners, low, high)
        ax.set_title(panel.heading, fontsize=10, loc="left", pad=15 if focus else 6)
        ax.yaxis.set_major_locator(FixedLocator(list(at.values())))
        ax.yaxis.set_major_formatter(FuncFormatter(_lane_name(at, several)))
        ax.tick_params(axis="y", length=0, labelsize=7.6, labelleft=k == 0)
        size_bars(ax)
        for collective, middle in middles.items() if k == 0 else ():
            ax.text(
                -lane / (ax.get_position().width * w), middle, titles.get(collective, collective),
                transform=ax.get_yaxis_transform(), ha="right", va="center", fontsize=9, fontweight="bold",
            )  # fmt: skip
    handles = [Patch(color=c, label=n) for n, c in legend.items()]
    handles.append(Patch(facecolor=lighter(FAINT, 0.55), label=f"pale: leads by less than {100 * NARROW:g} %"))
    fig.legend(handles=handles, loc="lower center", ncols=len(handles), fontsize=8.6, bbox_to_anchor=(0.5, 0.0))
    headings(fig, title, subtitle)
    return fig


def _lanes(spans: Sequence[Span]) -> tuple[dict[Lane, float], dict[str, float], float]:
    """Where each lane stands, the middle of each collective's lanes, and how many lanes high all are; a gap between
    collectives."""
    lanes = list(dict.fromkeys((s.collective, s.ranks, s.nodes) for s in spans))
    at: dict[Lane, float] = {}
    y, middles = 0.0, {}
    for collective in dict.fromkeys(c for c, _, _ in lanes):
        mine = [lane for lane in lanes if lane[0] == collective]
        for lane in mine:
            at[lane] = y
            y += 1
        middles[collective] = (at[mine[0]] + at[mine[-1]]) / 2
        y += 0.55
    return at, middles, y - 0.55


def _lane_name(at: Mapping[Lane, float], several: bool) -> Callable[[float, int], str]:
    names = {
        round(y, 6): (f"{ranks} ranks, " if several else "") + (f"{nodes} nodes" if nodes != 1 else "1 node")
        for (_, ranks, nodes), y in at.items()
    }
    return lambda value, _: names.get(round(value, 6), "")


def _range(ax: Axes, span: Span, y: float, colour: str, winners: pd.DataFrame, low: float, high: float) -> None:
    """One range, cut at the sizes where its lead over the next class becomes narrow, which are paler."""
    left = span.from_bytes / (MARGIN if span.from_bytes <= low else 1)
    right = span.to_bytes * (MARGIN if span.to_bytes >= high else 1)
    here = winners[
        (winners["collective"] == span.collective)
        & (winners["ranks"] == span.ranks)
        & (winners["nodes"] == span.nodes)
        & (winners["bytes"] >= span.first_bytes)
        & (winners["bytes"] <= span.last_bytes)
    ]
    sizes, margin = list(here["bytes"]), list(here["margin"])
    edges = [left, *(math.sqrt(a * b) for a, b in itertools.pairwise(sizes)), right]
    narrow = [m < NARROW for m in margin]
    start = 0
    for k in range(1, len(sizes) + 1):
        if k == len(sizes) or narrow[k] != narrow[start]:
            face = lighter(colour, 0.55 if narrow[start] else 0.0)
            ax.add_patch(
                Rectangle((edges[start], y - 0.41), edges[k] - edges[start], 0.82, facecolor=face, lw=0, zorder=2)
            )
            start = k
    ax.add_patch(Rectangle((left, y - 0.41), right - left, 0.82, fill=False, edgecolor="white", lw=0.9, zorder=3))
