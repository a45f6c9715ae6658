"""What lies where: which blocks each rank holds after each round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from collscope.base.units import format_size
from collscope.figures.schedule.rounds import round_colour
from collscope.figures.schedule.sheet import (
    EMPTY,
    HEAD,
    about,
    box,
    facts,
    light,
    node_names,
    node_runs,
    note,
    place,
    polygons,
    rank_labels,
    sheet,
)
from collscope.figures.style import FAINT, GRID, INK, RGB
from collscope.schedules.holdings import Holdings
from collscope.schedules.trace import Trace

_LEFT, _BELOW = 0.52, 0.42  # inches: left of the first panel, and between rows of panels
_MIN_STRENGTH = 0.22  # how strong the colour of a cell is of which a part is filled, and
_PALEST = 0.5  # of a small one in which one rank's data is


@dataclass(frozen=True)
class _Grid:
    """The rounds that are shown, and how their panels are laid out; inches."""

    shown: Sequence[int]
    cell_w: float
    cell_h: float
    wide: float  # of a panel
    tall: float
    gap: float  # between panels of a row
    per_row: int

    @property
    def rows(self) -> int:
        """How many rows the shown rounds fill."""
        return -(-len(self.shown) // self.per_row)

    def small(self, blocks: int) -> bool:
        """Cells are too small to be boxes: they are the dots of a picture."""
        return min(self.cell_w, self.cell_h) < 0.1 and blocks > 2

    def corner(self, i: int) -> tuple[float, float]:
        """Left and top of the i-th panel."""
        row, column = divmod(i, self.per_row)
        return _LEFT + column * (self.wide + self.gap), HEAD + 0.24 + row * (self.tall + _BELOW)


def _grid(rounds: int, p: int, blocks: int) -> _Grid:
    shown = _shown(rounds, 24 if blocks == 1 else 16 if rounds <= 16 else 12)
    if blocks <= 2:
        cell_h = max(0.085, min(0.30, 5.6 / p))
        cell_w = 0.52 / blocks
        gap = 0.06
    else:
        fitting = (12.6 - _LEFT - 0.2 * len(shown)) / (len(shown) * blocks)  # all in one row
        cell_w = cell_h = min(0.27, 2.3 / max(p, blocks, 8), max(fitting, 0.16))
        if p > 2.5 * blocks:
            cell_h = min(0.27, 5.0 / p)
            cell_w = min(0.27, 2.7 / blocks)
        gap = 0.2
    wide, tall = cell_w * blocks, cell_h * p
    per_row = max(1, min(len(shown), int((13.2 - _LEFT) / (wide + gap))))
    rows = -(-len(shown) // per_row)
    return _Grid(shown, cell_w, cell_h, wide, tall, gap, -(-len(shown) // rows))


def _shown(rounds: int, most: int) -> list[int]:
    """All rounds, or the first ones and some of the rest."""
    if rounds <= most:
        return list(range(rounds))
    half = most // 3
    rest = np.linspace(half, rounds - 1, most - half).round().astype(int)
    return sorted({*range(half), *(int(k) for k in rest)})


def holdings_table(t: Trace, held: Holdings) -> Figure:
    """A panel for each round: rows are ranks, columns the blocks they hold. The colour says when a block came; how full a
    cell is, how many ranks' data have been combined in it."""
    rounds, p, blocks = held.state.shape
    grid = _grid(rounds, p, blocks)
    right = 0.62 if t.nodes else 0.25
    least = 7.0 if held.combines else 6.2
    wide = max(_LEFT + grid.per_row * (grid.wide + grid.gap) - grid.gap + right, least)
    tall = HEAD + grid.rows * (grid.tall + _BELOW) + 0.34
    fig = sheet(wide, tall, t, f"{about(t)} · columns: {_columns(t, held)}")
    since, share = held.since(), held.share
    for i, k in enumerate(grid.shown):
        ax = place(fig, *grid.corner(i), grid.wide, grid.tall)
        _panel(ax, t, held, _Cells(held.state[k] > 0, since[k], share[k]), grid)
        if i % grid.per_row == 0:
            rank_labels(ax, t, -0.5)
        if i % grid.per_row == grid.per_row - 1 or i == len(grid.shown) - 1:
            node_names(ax, t, blocks - 0.5, 7.4)
        colour = round_colour(k, rounds - 1) if k else to_rgb(FAINT)
        name = "start" if k == 0 else f"after {k}" if grid.wide > 0.6 or k == 1 else str(k)
        note(ax, name, (0.5, 1), (0, 4), 8.6, xycoords="axes fraction", ha="center", fontweight="bold", color=colour)
        if i // grid.per_row == grid.rows - 1 and 2 < blocks <= 20 and grid.cell_w > 0.14:
            for b in range(0, blocks, 1 if grid.cell_w > 0.2 or blocks < 10 else 2):
                note(ax, str(b), (b, p - 0.5), (0, -3), 6.8, ha="center", va="top")
    fig.text(
        0.14 / wide, 1 - 0.58 / tall, _key(held, grid.small(blocks)), ha="left", va="top", fontsize=8.0, color=FAINT
    )
    return fig


def _key(held: Holdings, small: bool) -> str:
    text = "colour: the round in which a cell came to be, grey from the start"
    if held.combines and small:
        text += "; the stronger, the more ranks are combined in it"
    elif held.combines:
        text += "; how far it is filled: the share of ranks combined in it"
    return text


def _columns(t: Trace, held: Holdings) -> str:
    sizes = set(held.block_bytes)
    if not facts(t).has_data:
        return "the ranks that each has heard from"
    if len(held.block_bytes) == 1:
        return "the vector"
    if len(sizes) == 1:
        return f"{held.what}, {format_size(sizes.pop())} each"
    return f"{held.what}, {format_size(min(sizes))} to {format_size(max(sizes))}"


# ---- a panel ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cells:
    """After one round, [rank, block] each: whether something is there, since which round, and its share of what is combined."""

    there: np.ndarray
    since: np.ndarray
    share: np.ndarray


def _panel(ax: Axes, t: Trace, held: Holdings, cells: _Cells, grid: _Grid) -> None:
    p, blocks = cells.there.shape
    last = len(held.state) - 1
    ax.set_xlim(-0.5, blocks - 0.5)
    ax.set_ylim(p - 0.5, -0.5)
    ax.add_patch(Rectangle((-0.5, -0.5), blocks, p, facecolor=EMPTY, edgecolor="none", zorder=0))
    if grid.small(blocks):
        picture = _picture(cells, last, held)
        extent = (-0.5, blocks - 0.5, p - 0.5, -0.5)
        ax.imshow(picture, aspect="auto", interpolation="nearest", extent=extent, zorder=1)
    else:
        shapes, faces = _boxes(cells, last, held.combines)
        polygons(ax, shapes, faces, 1)
    ax.add_patch(Rectangle((-0.5, -0.5), blocks, p, facecolor="none", edgecolor=GRID, lw=0.8, zorder=3))
    for first, _, _ in node_runs(t.nodes)[1:] if t.nodes else ():
        ax.plot([-0.5, blocks - 0.5], [first - 0.5, first - 0.5], color=INK, lw=0.7, zorder=4)


def _picture(cells: _Cells, last: int, held: Holdings) -> np.ndarray:
    """Small cells as the dots of a picture, [rank, block, 3]: the stronger the more has been combined."""
    p, blocks = cells.there.shape
    picture = np.ones((p, blocks, 3)) * np.array(to_rgb(EMPTY))
    for r, b in np.argwhere(cells.there):
        full = strength(cells.share[r, b], held.most) if held.combines else 1.0
        picture[r, b] = light(round_colour(int(cells.since[r, b]), last), full)
    return picture


def strength(share: float, most: int) -> float:
    """How strong the colour of a small cell is: equal steps from one rank's data to those of all of `most` whenever what is
    combined doubles, for so it grows, and the first rounds would else be blank."""
    if most < 2:
        return 1.0
    return _PALEST + (1 - _PALEST) * max(0.0, 1 + math.log2(max(share, 1 / most)) / math.log2(most))


def _boxes(cells: _Cells, last: int, combines: bool) -> tuple[list[np.ndarray], list[RGB]]:
    """Large cells as boxes with their colours: pale ones that are filled as far as has been combined, upwards, or from the left
    where cells are wide."""
    shapes: list[np.ndarray] = []
    faces: list[RGB] = []
    half = 0.5 - 0.045
    wide_cells = cells.there.shape[1] <= 2
    for r, b in np.argwhere(cells.there):
        colour = round_colour(int(cells.since[r, b]), last)
        share = cells.share[r, b]
        x0, x1, y0, y1 = b - half, b + half, r - half, r + half
        if combines and share < 1:
            shapes.append(box(x0, y0, x1, y1))
            faces.append(light(colour, _MIN_STRENGTH))
            if wide_cells:
                x1 = x0 + (x1 - x0) * share
            else:
                y0 = y1 - (y1 - y0) * share
        shapes.append(box(x0, y0, x1, y1))
        faces.append(colour)
    return shapes, faces
