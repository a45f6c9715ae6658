"""A decision tree, from left to right, and the range of sizes that each of its leaves covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.ticker import NullLocator

from collscope.analysis.tree import Rule, Tree, nodes_text
from collscope.base.units import rounded_size
from collscope.figures.axes import headings, size_axis, size_bars
from collscope.figures.key_text import leaf_text
from collscope.figures.style import INK, SHADE, colour_of, darker, lighter

_BRANCH = "#8c959f"
_TREE_WIDTH = 0.655  # of the figure
_ROOT, _COLLECTIVE, _NODES, _SIZES = 0.14, 0.42, 1.95, 3.5  # inches from the left: where columns begin


@dataclass(frozen=True)
class _Rows:
    """Which row each rule stands in, by rule, by collective, and by what branches below it."""

    rules: list[tuple[float, Rule]]
    collectives: dict[str, list[float]]
    groups: dict[tuple[str, int, tuple[int, ...]], list[float]]  # collective, ranks, nodes
    total: float


def tree_figure(
    tree: Tree, titles: Mapping[str, str], sizes: tuple[int, int], *, title: str, subtitle: str = ""
) -> Figure:
    """The rules as a tree from left to right; beside each leaf the range of sizes it covers.

    `titles`: collective → what its branch is called; `sizes`: the smallest and largest of the axis, in bytes.
    """
    rows = _rows(tree.rules)
    fig = Figure(figsize=(11.4, 0.262 * rows.total + 1.5), dpi=150)
    h, w = fig.get_figheight(), fig.get_figwidth()
    top, bottom = 1 - 0.75 / h, 0.55 / h
    ax = fig.add_axes((0.0, bottom, _TREE_WIDTH, top - bottom))
    bars = fig.add_axes((0.665, bottom, 0.315, top - bottom))
    for a in (ax, bars):
        a.set_ylim(rows.total - 0.4, -0.6)
    ax.set_xlim(0, _TREE_WIDTH * w)
    ax.axis("off")
    _branches(ax, rows, titles)
    _leaves(ax, rows, _TREE_WIDTH * w - _SIZES - 1.66)
    _bars(bars, rows, sizes)
    headings(fig, title, subtitle)
    return fig


def _rows(rules: Sequence[Rule]) -> _Rows:
    """Rules below each other, those of a collective together, with a gap before the next."""
    made = _Rows([], {}, {}, 0.0)
    y = 0.0
    for collective in dict.fromkeys(r.collective for r in rules):
        for rule in (r for r in rules if r.collective == collective):
            made.rules.append((y, rule))
            made.collectives.setdefault(collective, []).append(y)
            made.groups.setdefault((collective, rule.ranks, rule.nodes), []).append(y)
            y += 1
        y += 0.5
    return _Rows(made.rules, made.collectives, made.groups, y - 0.5)


def _elbow(ax: Axes, x0: float, y0: float, x1: float, y1: float) -> None:
    middle = x0 + 0.12
    ax.plot([x0, middle, middle, x1], [y0, y0, y1, y1], color=_BRANCH, lw=0.9, solid_joinstyle="round", zorder=1)


def _box(
    ax: Axes, x: float, y: float, text: str, width: float, *, face: Any = "white", edge: str = _BRANCH, left: bool = False,
    ink: Any = INK, size: float = 8.4, weight: str = "normal",
) -> None:  # fmt: skip
    """A rounded box with its left edge at x, its middle at y; the text in the middle, or at the left."""
    ax.add_patch(
        FancyBboxPatch(
            (x, y - 0.36), width, 0.72, boxstyle="round,pad=0,rounding_size=0.08", mutation_aspect=3.0, lw=0.8,
            facecolor=face, edgecolor=edge, zorder=2,
        )
    )  # fmt: skip
    ax.text(
        x + (0.09 if left else width / 2), y + 0.02, text, ha="left" if left else "center", va="center",
        fontsize=size, fontweight=weight, zorder=3, color=ink,
    )  # fmt: skip


def _branches(ax: Axes, rows: _Rows, titles: Mapping[str, str]) -> None:
    """The root's line, a box for each collective, and a box for each group of nodes, up to where leaves begin."""
    middles = {c: sum(ys) / len(ys) for c, ys in rows.collectives.items()}
    spine = list(middles.values())
    ax.plot([_ROOT, _ROOT], [spine[0], spine[-1]], color=_BRANCH, lw=0.9)
    for collective, middle in middles.items():
        ax.plot([_ROOT, _COLLECTIVE], [middle, middle], color=_BRANCH, lw=0.9)
        _box(ax, _COLLECTIVE, middle, titles.get(collective, collective), 1.2, face=SHADE, weight="bold")
        for (owner, _, nodes), ys in rows.groups.items():
            if owner != collective:
                continue
            at = sum(ys) / len(ys)
            _elbow(ax, _COLLECTIVE + 1.2, middle, _NODES, at)
            _box(ax, _NODES, at, nodes_text(nodes), 1.25)
            for leaf in ys:
                _elbow(ax, _NODES + 1.25, at, _SIZES, leaf)


def _leaves(ax: Axes, rows: _Rows, width: float) -> None:
    """Of each rule its sizes, and what it takes in a box so wide."""
    for at, rule in rows.rules:
        colour = colour_of(rule.algorithm)
        _box(ax, _SIZES, at, _sizes_text(rule.bytes_min, rule.bytes_end), 1.48, size=8)
        ax.plot([_SIZES + 1.48, _SIZES + 1.62], [at, at], color=_BRANCH, lw=0.9)
        _box(
            ax, _SIZES + 1.62, at, leaf_text(rule.algorithm), width, face=lighter(colour, 0.82),
            edge=colour, left=True, size=8, ink=darker(colour),
        )  # fmt: skip


def _bars(ax: Axes, rows: _Rows, sizes: tuple[int, int]) -> None:
    """The range of sizes of each rule, on an axis."""
    size_axis(ax, *sizes, most=7)
    left_end, right_end = ax.get_xlim()
    for at, rule in rows.rules:
        a = left_end if rule.bytes_min is None else rule.bytes_min
        b = right_end if rule.bytes_end is None else rule.bytes_end
        ax.add_patch(
            Rectangle((a, at - 0.3), b - a, 0.6, facecolor=colour_of(rule.algorithm), lw=0, zorder=2)
        )  # fmt: skip
    ax.yaxis.set_major_locator(NullLocator())
    size_bars(ax)


def _sizes_text(low: int | None, end: int | None) -> str:
    if low is None and end is None:
        return "any size"
    if low is None:
        return f"< {rounded_size(end or 0)}"
    if end is None:
        return f"≥ {rounded_size(low)}"
    return f"{rounded_size(low)} – {rounded_size(end)}"
