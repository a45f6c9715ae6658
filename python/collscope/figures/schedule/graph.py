"""Who sends to whom: two views of the same messages, as a net and round by round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from collscope.figures.schedule.net import net
from collscope.figures.schedule.rounds import round_colour
from collscope.figures.schedule.sheet import (
    HEAD,
    WORK,
    about,
    arrow_head,
    lane_height,
    light,
    lines,
    node_bands,
    note,
    place,
    polygons,
    rank_labels,
    sheet,
)
from collscope.figures.style import FAINT, GRID
from collscope.schedules.rules import rule
from collscope.schedules.trace import Message, Trace

FEW = 16  # up to so many rounds of so many ranks are drawn one by one
BUSY = 24  # messages of a round: with more, only few rounds are shown
CROWD = 48  # messages of a round: with more, most are faint
FAINT_SHARE = 0.35  # of the colour of a faint line


def graph(t: Trace) -> Figure:
    """Two views of the same messages: on the left as a net, on the right round by round."""
    height = max(2.7, t.ranks * lane_height(t.ranks))
    side = min(max(height, 3.0), 5.6)
    shown = columns(t)
    n = len(shown)
    panel = max(1.6, n * (1.05 if n <= 8 else max(8.6 / n, 0.17)))
    right = 0.62 if t.nodes else 0.22
    wide = max(0.2 + side + 0.65 + panel + right, 6.4)
    tall = HEAD + max(height, side) + (0.72 if height > side - 0.3 else 0.42)
    fig = sheet(wide, tall, t, about(t))
    ax = place(fig, 0.2, HEAD + (max(height, side) - side) / 2 + 0.14, side, side)
    net(ax, t, side)
    ax = place(fig, 0.2 + side + 0.65, HEAD + 0.24 + (max(height, side) - height) / 2, panel, height)
    _by_rounds(ax, t, shown, panel, height)
    return fig


@dataclass(frozen=True)
class Column:
    """Rounds that are drawn once, for they are alike; `rounds` are their numbers, none where rounds are left out."""

    rounds: tuple[int, ...]
    left_out: int = 0
    rule: str = ""

    @property
    def name(self) -> str:
        """3, or 2–63, or 2, 4 … 62."""
        first, last = self.rounds[0], self.rounds[-1]
        if len(self.rounds) == 1:
            return str(first)
        return f"{first}–{last}" if last - first + 1 == len(self.rounds) else f"{first}, {self.rounds[1]} … {last}"


def columns(t: Trace) -> list[Column]:
    """The rounds as they are drawn: where there are many, or many ranks, those alike in a row, or alike every other time, are one
    column; and where there are still many, the first and the last."""
    pairs: dict[int, frozenset[tuple[int, int]]] = {k: frozenset() for k in range(1, t.rounds + 1)}
    found: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for m in t.arrows:
        if m.src != m.dst:
            found[m.round].add((m.src, m.dst))
    pairs |= {k: frozenset(some) for k, some in found.items()}
    made = [(k,) for k in pairs] if t.rounds <= FEW and t.ranks <= FEW else _alike(pairs)
    busiest = max((len(some) for some in pairs.values()), default=0)
    most, first, last = (64, 40, 16) if busiest <= BUSY else (16, 7, 3)
    shown = [Column(rounds, rule=rule(pairs[rounds[0]], t.ranks) or "") for rounds in made]
    if len(made) <= most:
        return shown
    gap = Column((), sum(len(c.rounds) for c in shown[first:-last]))
    return [*shown[:first], gap, *shown[-last:]]


def _alike(pairs: Mapping[int, frozenset[tuple[int, int]]]) -> list[tuple[int, ...]]:
    """Rounds, those with the same pairs together: three in a row at least, or three times every other."""
    made: list[tuple[int, ...]] = []
    at, last = 1, len(pairs)
    while at <= last:
        for period in (1, 2):
            end = at
            while end + period <= last and pairs[end + period] == pairs[end]:
                end += 1
            n = end - at + period  # rounds that repeat with this period
            if n >= 3 * period:
                made += [tuple(range(at + i, at + n, period)) for i in range(period)]
                at += n
                break
        else:
            made.append((at,))
            at += 1
    return made


def _by_rounds(ax: Axes, t: Trace, shown: Sequence[Column], wide: float, tall: float) -> None:
    """A lane for each rank, a column for each round, on axes of so many inches."""
    n = len(shown) or 1
    ax.set_xlim(0, n)
    ax.set_ylim(t.ranks - 0.5, -0.5)
    node_bands(ax, t, 0, n)
    lanes = [np.array([(0.0, r), (n, r)]) for r in range(t.ranks)]
    lines(ax, lanes, [to_rgb(GRID)] * t.ranks, 0.8 if t.ranks <= 32 else 0.4, 1)
    rank_labels(ax, t, 0)
    _names(ax, t, shown, wide)
    _arrows(ax, t, shown, wide / n, tall / t.ranks)
    for x, column in enumerate(shown):
        if column.left_out:
            text = f"{column.left_out} rounds more"
            ground = {"boxstyle": "square,pad=0.3", "fc": "white", "ec": "none"}
            ax.text(x + 0.5, t.ranks / 2, text, rotation=90, ha="center", va="center", fontsize=8.4, color=FAINT,
                    bbox=ground)  # fmt: skip


def _names(ax: Axes, t: Trace, shown: Sequence[Column], wide: float) -> None:
    """The numbers of the rounds above their columns, and below who sends to whom, where one sentence says it."""
    n = len(shown)
    step = _every(n, max(1, int(wide / 0.26)))
    for x, column in enumerate(shown):
        if not column.rounds:
            continue
        if step == 1 or x == n - 1 or ((x + 1) % step == 0 and n - 1 - x >= step):
            bundled = len(column.rounds) > 1
            note(ax, column.name, (x + 0.5, -0.5), (0, 4), 8.6, ha="center", fontweight="bold",
                 color=WORK if bundled else round_colour(column.rounds[0], t.rounds))  # fmt: skip
        text = column.rule.removeprefix("every rank ")
        if text and wide / n > 0.056 * len(text):
            note(ax, text, (x + 0.5, t.ranks - 0.5), (0, -4), 7.6, ha="center", va="top")
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
    busy = max(by_round.values(), default=1)
    return min(width, 20 * x_inch / 4) if busy > 8 else width


def _arrows(ax: Axes, t: Trace, columns_: Sequence[Column], x_inch: float, y_inch: float) -> None:
    """A message goes from its sender's lane to its receiver's, across its round's column of so many inches. Where there are too
    many to be told apart, all but those of some ranks are faint lines without heads."""
    column = {c.rounds[0]: x for x, c in enumerate(columns_) if c.rounds}
    bundled = {c.rounds[0] for c in columns_ if len(c.rounds) > 1}
    shown = [m for m in t.arrows if m.round in column and m.src != m.dst]
    width = _stroke_width(t, shown, x_inch)
    crowded = {k for k, n in Counter(m.round for m in shown).items() if n > CROWD}
    every = max(1, t.ranks // 8)
    edge = min(0.16, 0.10 / x_inch)
    length = min(0.1, 0.28 * y_inch + 0.035, 0.45 * x_inch)
    scale = np.array([x_inch, -y_inch])  # to inches, upwards
    pairs = {(m.round, m.src, m.dst) for m in shown}
    faint, shafts, heads, colours, through, starts = [], [], [], [], [], []
    for m in shown:
        a = np.array([column[m.round] + edge, m.src])
        b = np.array([column[m.round] + 1 - edge, m.dst])
        colour = to_rgb(WORK) if m.round in bundled else round_colour(m.round, t.rounds)
        swapped = m.dst % every == 0 and (m.round, m.dst, m.src) in pairs
        if m.round in crowded and m.src % every and not swapped:
            faint.append((np.array([a, b]), (*light(colour, FAINT_SHARE), 1.0)))
            continue
        tip = arrow_head(b * scale, (b - a) * scale, length, 0.36 * length)
        shafts.append(np.array([a, tip[1:].mean(axis=0) / scale]))
        heads.append(tip / scale)
        colours.append((*colour, 0.95))
        through.append(m.shared)
        starts.append(a)
    lines(ax, [f for f, _ in faint], [c for _, c in faint], 0.35, 1.8)
    for shared, style in ((False, "-"), (True, (0, (2.2, 1.2)))):  # dashed: through shared memory
        some = [i for i, was in enumerate(through) if was == shared]
        lines(ax, [shafts[i] for i in some], [colours[i] for i in some], width, 2, linestyle=style)
    remarks = ["dashed: through shared memory"] * any(through)
    if faint:
        remarks.append(f"strong: every {ordinal(every)} rank")
    if bundled:
        remarks.append("dark: rounds that are alike, drawn once")
    note(ax, " · ".join(remarks), (0, 0), (0, -17 if any(c.rule for c in columns_) else -6), 7.6,
         xycoords="axes fraction", va="top")  # fmt: skip
    polygons(ax, heads, colours, 3)
    if shafts and x_inch > 0.3 and (t.ranks <= 32 or faint):
        at = np.array(starts)
        ax.scatter(at[:, 0], at[:, 1], s=9 if t.ranks <= 16 else 4, c=colours, zorder=3, linewidths=0)


def ordinal(n: int) -> str:
    """2nd, 3rd, 8th."""
    return f"{n}{'th' if 10 < n % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"
