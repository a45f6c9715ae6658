"""What the pictures of a schedule share: the sheet with its headings, places in inches, ranks' lanes, filled shapes and lines.

One logic of colour in all of them: a colour is a round, from blue (first) to red (last); grey is what was there before;
dark ink is work or structure. Ranks go from top to bottom, time from left to right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from collscope.base.units import counted, format_size
from collscope.catalogue import registry
from collscope.catalogue.registry import Collective
from collscope.figures.schedule.rounds import round_colour
from collscope.figures.style import FAINT, INK, RGB, SHADE
from collscope.points.distribution import UNIFORM
from collscope.schedules.trace import Trace

HEAD = 0.78  # inches above a drawing
WORK = "#3d444d"
MAX_SHAPES = 6000  # of one kind in a drawing: more are a picture of dots, in an SVG too; nobody could tell them apart
EMPTY = "#f6f8fa"  # the ground of cells

Colour = tuple[float, ...]


def dark(colour: RGB) -> bool:
    """Is white text on it easier to read than black?"""
    return 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2] < 0.58


def light(colour: RGB, share: float) -> RGB:
    """The colour mixed with white; share 1 is the colour itself."""
    r, g, b = (1 - share * (1 - v) for v in colour)
    return r, g, b


# ---- the sheet --------------------------------------------------------------------------------------------


def title_of(t: Trace) -> str:
    """The key, and what a decision chose."""
    return t.key + (f" → {t.chose}" if t.chose else "")


def about(t: Trace) -> str:
    """Ranks, nodes, sizes, rounds and messages in one line."""
    words = [counted(t.ranks, "rank")]
    if t.nodes:
        words.append(f"{len(set(t.nodes))} nodes")
    if t.vector_bytes:
        words.append(f"vector of {format_size(t.vector_bytes)}")
    if t.point and t.point.counts != UNIFORM:
        words.append(f"counts {t.point.counts}")
    words.append(counted(t.rounds, "round"))
    if t.messages or not t.transfers:
        words.append(f"{len(t.messages):,} message{'s' * (len(t.messages) != 1)}".replace(",", "\u2009"))
    if t.transfers:
        words.append(f"{counted(len(t.transfers), 'transfer')} through shared memory")
    return " · ".join(words)


def sheet(wide: float, tall: float, t: Trace, second: str) -> Figure:
    """An empty figure of so many inches: the schedule's name, and below it a second line or two, as large as they fit."""
    fig = Figure(figsize=(wide, tall), dpi=150)
    name = title_of(t)
    grown = min(1.35, max(1.0, wide / 11))  # a large picture is looked at from further away
    size = min(13.0 * grown, 13.0 * (wide - 0.3) / (0.112 * len(name) + 0.01))
    fig.text(0.14 / wide, 1 - 0.08 / tall, name, ha="left", va="top", fontsize=size, fontweight="bold", color=INK)
    size = min(8.6 * grown, 8.6 * (wide - 0.3) / (0.061 * max(map(len, second.splitlines())) + 0.01))
    fig.text(0.14 / wide, 1 - 0.36 / tall, second, ha="left", va="top", fontsize=size, color=FAINT)
    return fig


def place(fig: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Bare axes at a place given in inches from the top left corner."""
    wide, tall = fig.get_size_inches()
    ax = fig.add_axes((left / wide, 1 - (top + height) / tall, width / wide, height / tall))
    for side in ("left", "right", "top", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0)
    ax.set_xticks([])
    ax.set_yticks([])
    return ax


def note(ax: Axes, text: str, at: tuple[float, float], by: tuple[float, float], size: float, **more: Any) -> None:
    """A remark at a place of the axes (data, unless `xycoords` says otherwise), moved by so many points; faint, unless `color`
    says otherwise, and not cut off at the axes' edge."""
    more = {"color": FAINT, **more}
    ax.annotate(text, at, xytext=by, textcoords="offset points", fontsize=size, annotation_clip=False, **more)


MAX_NUMBERED = 16  # rounds: with more, their key is a ramp


def round_key_width(t: Trace) -> float:
    """Inches that `round_key` takes, its name included."""
    return 0.46 + (1.9 if t.rounds > MAX_NUMBERED else 0.22 * max(t.rounds, 1))


def round_key(fig: Figure, t: Trace, left: float, top: float) -> None:
    """round 1 2 3 … in their colours; a ramp when there are many. `left`, `top` in inches."""
    wide, tall = fig.get_size_inches()
    many = t.rounds > MAX_NUMBERED
    ax = place(fig, left + 0.46, top, round_key_width(t) - 0.46, 0.17)
    fig.text((left + 0.4) / wide, 1 - (top + 0.085) / tall, "round", ha="right", va="center", fontsize=8, color=FAINT)
    n = t.rounds
    ax.set_xlim(0, n or 1)
    for k in range(1, n + 1):
        gap = 0 if many else 0.06
        colour = round_colour(k, n)
        ax.add_patch(Rectangle((k - 1 + gap / 2, 0), 1 - gap + (0.05 if many else 0), 1, color=colour, lw=0))
        if not many:
            ax.text(
                k - 0.5, 0.46, str(k), ha="center", va="center", fontsize=7.2, color="white" if dark(colour) else INK
            )
    if many:
        ax.text(0, 0.46, " 1", ha="left", va="center", fontsize=7.2, color="white")
        ax.text(n, 0.46, f"{n} ", ha="right", va="center", fontsize=7.2, color="white")


# ---- ranks ------------------------------------------------------------------------------------------------


def lane_height(ranks: int) -> float:
    """Height of a rank's lane in inches."""
    return max(min(0.115, 12.0 / ranks), min(0.40, 4.2 / ranks if ranks <= 16 else 8.0 / ranks))


def facts(t: Trace) -> Collective:
    """What is known of the schedule's collective."""
    return registry.load().collective(t.collective)


def rank_labels(ax: Axes, t: Trace, x: float) -> None:
    """The numbers of the ranks at the left of their lanes."""
    step = 1 if t.ranks <= 32 else 4 if t.ranks <= 256 else 16
    rooted = facts(t).has_root
    for r in range(0, t.ranks, step):
        strong = rooted and r == t.root
        note(ax, str(r), (x, r), (-5, 0), 8.4, ha="right", va="center", color=INK if strong else FAINT,
             fontweight="bold" if strong else "normal")  # fmt: skip


def node_runs(nodes: Sequence[int]) -> list[tuple[int, int, int]]:
    """(first rank, last rank, node) of neighbours on one node; `nodes` is by rank."""
    runs: list[tuple[int, int, int]] = []
    for r, node in enumerate(nodes):
        if runs and runs[-1][2] == node:
            runs[-1] = (runs[-1][0], r, node)
        else:
            runs.append((r, r, node))
    return runs


def node_names(ax: Axes, t: Trace, x: float, size: float) -> None:
    """The names of the nodes at the right of their ranks' lanes."""
    for first, last, node in node_runs(t.nodes) if t.nodes else ():
        note(ax, f"node {node}", (x, (first + last) / 2), (4, 0), size, va="center")


def node_bands(ax: Axes, t: Trace, x0: float, x1: float) -> None:
    """Every other node lies on a shade; names at the right."""
    for first, last, node in node_runs(t.nodes) if t.nodes else ():
        if node % 2 == 0:
            ax.add_patch(Rectangle((x0, first - 0.5), x1 - x0, last - first + 1, color=SHADE, lw=0, zorder=0))
    node_names(ax, t, x1, 7.6)


def node_edges(t: Trace) -> list[float]:
    """Where one node's lanes end and those of the next begin; nothing where each rank's neighbours are on other nodes."""
    runs = node_runs(t.nodes)
    return [first - 0.5 for first, _, _ in runs[1:]] if 2 * len(runs) <= t.ranks else []


# ---- shapes -----------------------------------------------------------------------------------------------


def box(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    """The corners of a rectangle, [4, 2]."""
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def polygons(
    ax: Axes, shapes: Sequence[np.ndarray], faces: Sequence[Colour], zorder: float, edge: str = "none"
) -> None:
    """Filled shapes, [corner, 2] each; those of one colour are one path, which keeps files small."""
    groups: dict[Colour, list[Path]] = defaultdict(list)
    for shape, face in zip(shapes, faces, strict=True):
        groups[face].append(Path(np.vstack([shape, shape[:1]]), closed=True))
    for face, parts in groups.items():
        path = Path.make_compound_path(*parts)
        width = 0.5 if edge != "none" else 0
        dots = len(shapes) > MAX_SHAPES
        ax.add_patch(PathPatch(path, facecolor=face, edgecolor=edge, lw=width, zorder=zorder, rasterized=dots))


def lines(
    ax: Axes,
    shapes: Sequence[np.ndarray],
    colours: Sequence[Colour],
    width: float,
    zorder: float,
    **more: Any,
) -> None:
    """Lines, [point, 2] each; those of one colour are one path."""
    groups: dict[Colour, list[Path]] = defaultdict(list)
    for line, colour in zip(shapes, colours, strict=True):
        groups[colour].append(Path(np.asarray(line)))
    for colour, parts in groups.items():
        path = Path.make_compound_path(*parts)
        dots = len(shapes) > MAX_SHAPES
        ax.add_patch(
            PathPatch(path, facecolor="none", edgecolor=colour, lw=width, zorder=zorder, rasterized=dots, **more)
        )


def arrow_head(tip: np.ndarray, direction: np.ndarray, length: float, half: float) -> np.ndarray:
    """A triangle whose tip is at `tip`, so long and twice `half` wide, [3, 2]."""
    u = direction / (np.hypot(*direction) or 1)
    side = np.array([-u[1], u[0]])
    return np.array([tip, tip - length * u + half * side, tip - length * u - half * side])
