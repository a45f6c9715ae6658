"""Who sends to whom: two views of the same messages, as a net and round by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from collscope.figures.schedule.net import net
from collscope.figures.schedule.rounds import round_colour
from collscope.figures.schedule.sheet import (
    HEAD,
    about,
    arrow_head,
    lane_height,
    lines,
    node_bands,
    note,
    place,
    polygons,
    rank_labels,
    sheet,
)
from collscope.figures.style import FAINT, GRID
from collscope.schedules.trace import Message, Trace

_ALL_ROUNDS = 64  # with more of them the first and the last are shown
_FIRST, _LAST = 40, 16


def graph(t: Trace) -> Figure:
    """Two views of the same messages: on the left as a net, on the right round by round."""
    height = max(2.7, t.ranks * lane_height(t.ranks))
    side = min(max(height, 3.0), 5.6)
    per_round = 1.05 if t.rounds <= 8 else max(8.6 / t.rounds, 0.17)
    panel = max(1.6, min(t.rounds, _ALL_ROUNDS) * per_round)
    right = 0.62 if t.nodes else 0.22
    wide = max(0.2 + side + 0.65 + panel + right, 6.4)
    tall = HEAD + max(height, side) + 0.42
    fig = sheet(wide, tall, t, about(t))
    ax = place(fig, 0.2, HEAD + (max(height, side) - side) / 2 + 0.14, side, side)
    net(ax, t, side)
    ax = place(fig, 0.2 + side + 0.65, HEAD + 0.24 + (max(height, side) - height) / 2, panel, height)
    _by_rounds(ax, t, panel, height)
    return fig


@dataclass(frozen=True)
class _Columns:
    """Which rounds are shown, in which column each; where the rest is left out, two columns of a gap stand at `gap`."""

    shown: Sequence[int]
    gap: int | None

    @property
    def count(self) -> int:
        """How many columns there are, a gap and what follows it included."""
        return len(self.shown) + (2 if self.gap is not None else 0) or 1

    def at(self) -> dict[int, int]:
        """Round → column."""
        return {k: i + (2 if self.gap is not None and i >= self.gap else 0) for i, k in enumerate(self.shown)}


def _columns(rounds: int) -> _Columns:
    if rounds <= _ALL_ROUNDS:
        return _Columns(range(1, rounds + 1), None)
    return _Columns([*range(1, _FIRST + 1), *range(rounds - _LAST + 1, rounds + 1)], _FIRST)


def _by_rounds(ax: Axes, t: Trace, wide: float, tall: float) -> None:
    """A lane for each rank, a column for each round, on axes of so many inches."""
    columns = _columns(t.rounds)
    n = columns.count
    ax.set_xlim(0, n)
    ax.set_ylim(t.ranks - 0.5, -0.5)
    node_bands(ax, t, 0, n)
    lanes = [np.array([(0.0, r), (n, r)]) for r in range(t.ranks)]
    lines(ax, lanes, [to_rgb(GRID)] * t.ranks, 0.8 if t.ranks <= 32 else 0.4, 1)
    rank_labels(ax, t, 0)
    _round_numbers(ax, t, columns, wide)
    _arrows(ax, t, columns.at(), wide / n, tall / t.ranks)
    if columns.gap is not None:
        text = f"{t.rounds - _FIRST - _LAST} rounds more"
        ax.text(columns.gap + 1, t.ranks / 2, text, rotation=90, ha="center", va="center", fontsize=8.4, color=FAINT)


def _round_numbers(ax: Axes, t: Trace, columns: _Columns, wide: float) -> None:
    column = columns.at()
    step = _every(columns.count, max(1, int(wide / 0.26)))
    for k in columns.shown:
        if k == t.rounds or (k % step == 0 and t.rounds - k >= step) or step == 1:
            note(ax, str(k), (column[k] + 0.5, -0.5), (0, 4), 8.6, ha="center", fontweight="bold",
                 color=round_colour(k, t.rounds))  # fmt: skip
    note(ax, "round", (0, -0.5), (-5, 4), 8, ha="right")


def _every(n: int, most: int) -> int:
    """The step in which n things are at most so many."""
    return next(s for s in (1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 256, 512, 1 << 30) if n <= s * most)


def _stroke_width(t: Trace, shown: Sequence[Message], x_inch: float) -> float:
    """In points: narrow where many messages share a round."""
    width = 1.6 if t.ranks <= 10 else 1.2 if t.ranks <= 20 else 0.8
    by_round: dict[int, int] = {}
    for m in shown:
        by_round[m.round] = by_round.get(m.round, 0) + 1
    busy = max(by_round.values(), default=1) if len(t.arrows) < 5000 else 64
    return min(width, 20 * x_inch / 4) if busy > 8 else width


def _arrows(ax: Axes, t: Trace, column: dict[int, int], x_inch: float, y_inch: float) -> None:
    """A message goes from its sender's lane to its receiver's, across its round's column of so many inches."""
    shown = [m for m in t.arrows if m.round in column]
    width = _stroke_width(t, shown, x_inch)
    shown = [m for m in shown if m.src != m.dst]
    edge = min(0.16, 0.10 / x_inch)
    length = min(0.1, 0.28 * y_inch + 0.035, 0.45 * x_inch)
    scale = np.array([x_inch, -y_inch])  # to inches, upwards
    shafts, heads, colours = [], [], []
    for m in shown:
        a = np.array([column[m.round] + edge, m.src])
        b = np.array([column[m.round] + 1 - edge, m.dst])
        tip = arrow_head(b * scale, (b - a) * scale, length, 0.36 * length)
        shafts.append(np.array([a, tip[1:].mean(axis=0) / scale]))
        heads.append(tip / scale)
        colours.append((*round_colour(m.round, t.rounds), 0.95))
    for through, style in ((False, "-"), (True, (0, (2.2, 1.2)))):  # dashed: through shared memory
        some = [i for i, m in enumerate(shown) if m.shared == through]
        lines(ax, [shafts[i] for i in some], [colours[i] for i in some], width, 2, linestyle=style)
    if any(m.shared for m in shown):
        note(ax, "dashed: through shared memory", (0, 0), (0, -6), 7.6, xycoords="axes fraction", va="top")
    polygons(ax, heads, colours, 3)
    if shafts and t.ranks <= 32 and x_inch > 0.3:
        starts = np.array([shaft[0] for shaft in shafts])
        ax.scatter(
            starts[:, 0], starts[:, 1], s=9 if t.ranks <= 16 else 4, c=colours, zorder=3, linewidths=0
        )  # fmt: skip
