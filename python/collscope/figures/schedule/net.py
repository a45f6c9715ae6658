"""Ranks as a net: a tree that grows out of its root, or a circle, and between them who sends to whom."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle

from collscope.figures.schedule.rounds import round_colour
from collscope.figures.schedule.sheet import WORK, arrow_head, facts, lines, polygons
from collscope.figures.style import FAINT, INK, SHADE
from collscope.schedules.trace import Trace

MAX_EDGES = 400  # with more, only those of one rank are drawn: the rest would be a moiré

# ---- where ranks stand ------------------------------------------------------------------------------------


def positions(t: Trace) -> tuple[np.ndarray, dict[int, int] | None]:
    """Where ranks stand in the unit disc, [rank, 2], and, where they form a tree, each rank's parent, the root's being itself.
    Trees grow out of their root, anything else stands in a circle, rank 0 at the top."""
    p = t.ranks
    near = _neighbours(t)
    root = t.root
    if not near.get(root) and near:
        root = min(near)
    order, parent = [root], {root: root}
    for r in order:
        for q in sorted(near[r]):
            if q not in parent:
                parent[q] = r
                order.append(q)
    edges = sum(map(len, near.values())) // 2
    if edges == p - 1 and len(order) == p and max(map(len, near.values()), default=0) > 2:
        return _grown(t, order, parent), parent
    angles = [math.pi / 2 - 2 * math.pi * r / p for r in range(p)]
    return np.array([(math.cos(angle), math.sin(angle)) for angle in angles]), None


def _neighbours(t: Trace) -> defaultdict[int, set[int]]:
    near: defaultdict[int, set[int]] = defaultdict(set)
    for m in t.arrows:
        if m.src != m.dst:
            near[m.src].add(m.dst)
            near[m.dst].add(m.src)
    return near


def _grown(t: Trace, order: Sequence[int], parent: Mapping[int, int]) -> np.ndarray:
    """Positions of a tree: each rank's children share its sector; `order` has parents before their children."""
    root = order[0]
    at = np.zeros((t.ranks, 2))
    children: dict[int, list[int]] = defaultdict(list)
    for r in order[1:]:
        children[parent[r]].append(r)
    ring = _rings(t, order, parent)
    weight: dict[int, float] = {}
    for r in reversed(order):  # what stands far out has more room: it may be narrower
        weight[r] = max(sum(weight[c] for c in children[r]), 1 / max(ring[r], 1))
    outmost = max(ring.values())
    start = {root: (math.pi, 2 * math.pi)}
    for r in order:
        first, span = start[r]
        middle = first - span / 2
        radius = (ring[r] + 0.3 * (r != root)) / (outmost + 0.3)
        at[r] = (radius * math.cos(middle), radius * math.sin(middle))
        for c in children[r]:
            part = span * weight[c] / sum(weight[d] for d in children[r])
            start[c] = (first, part)
            first -= part
    low, high = at.min(axis=0), at.max(axis=0)
    reach = np.maximum(high - low, 0.6 * (high - low).max())  # fills the square, nearly
    return np.asarray((2 * at - (low + high)) / reach)


def _rings(t: Trace, order: Sequence[int], parent: Mapping[int, int]) -> dict[int, int]:
    """How far out each rank of a tree stands: the round in which it is reached, or, where data flows inwards, in which it
    sends, counted from the last. Where that does not grow outwards, or spreads a flat tree too far: its steps from the root."""
    root = order[0]
    depth = {root: 0}
    for r in order[1:]:
        depth[r] = depth[parent[r]] + 1
    first: dict[tuple[int, int], int] = {}
    for m in t.arrows:
        first[m.src, m.dst] = min(first.get((m.src, m.dst), m.round), m.round)
    out = {r: first.get((parent[r], r), 0) for r in order}
    back = {r: first.get((r, parent[r]), 0) for r in order}
    last = max(back.values())
    inwards = {r: last + 1 - k if k else 0 for r, k in back.items()}
    for by_round in (out, inwards):
        by_round[root] = 0
        used = sorted(set(by_round.values()))
        grows = all(by_round[r] > by_round[parent[r]] for r in order[1:])
        if grows and len(used) - 1 <= 1.5 * max(depth.values()):
            return {r: used.index(k) for r, k in by_round.items()}
    return depth


# ---- the net ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stage:
    """Where ranks stand on axes, and how large things are there."""

    at: np.ndarray  # [rank, 2]
    parent: Mapping[int, int] | None  # of each rank, where they form a tree
    reach: float  # of the axes, from the middle
    unit: float  # inches of a radius
    size: float  # radius of a rank

    def path(self, a: int, b: int) -> np.ndarray:
        """The line between two ranks, [point, 2], without what lies under them; the same one for both directions."""
        low, high = sorted((a, b))
        line = cut(curve(self.at[low], self.at[high], 0.0 if self.parent else 0.5), self.size * 1.12)
        return line if a == low else line[::-1]


def stage_of(t: Trace, inches: float) -> Stage:
    """The stage of a net that is so many inches wide and high."""
    at, parent = positions(t)
    p = t.ranks
    reach = 1.13 if p <= 32 else 1.09
    unit = inches / (2 * reach)
    space = 2 * math.pi * unit / p
    if parent:
        space = min((np.hypot(*(at[a] - at[b])) * unit for a in range(p) for b in range(a)), default=space)
    size = max(0.035, min(0.17, (0.31 if parent else 0.40) * space)) / unit
    return Stage(at, parent, reach, unit, size)


def net(ax: Axes, t: Trace, inches: float, faint: bool = False) -> Stage:
    """Draws the net on axes of so many inches and returns its stage; faint: as the ground of an animation."""
    stage = stage_of(t, inches)
    ax.set_xlim(-stage.reach, stage.reach)
    ax.set_ylim(-stage.reach, stage.reach)
    strokes = _strokes(t, stage)
    crowd, left_out = strokes.crowd, 0
    if crowd > MAX_EDGES:
        middle = t.root if facts(t).has_root else 0
        strokes, left_out = _strokes(replace(t, **_sent_by(t, middle)), stage), crowd
        crowd = strokes.crowd
    weak = 0.9 if crowd <= 80 else 0.55 if crowd <= MAX_EDGES else 0.16
    if faint and crowd <= MAX_EDGES:
        weak = 0.22
    width = 1.7 if crowd <= 40 else 1.1 if crowd <= 130 else 0.75
    shafts, colours = [s.line for s in strokes.all], [(*s.colour, weak) for s in strokes.all]
    if weak < 0.9:  # each on its own, so that crossings grow darker
        ax.add_collection(LineCollection(shafts, colors=colours, linewidths=width, capstyle="round", zorder=2))
    else:
        lines(ax, shafts, colours, width, 2, capstyle="round")
    if crowd <= 150 and not faint:
        heads = [(h, (*s.colour, min(1.0, weak + 0.15))) for s in strokes.all for h in s.heads(stage, crowd)]
        polygons(ax, [h for h, _ in heads], [c for _, c in heads], 3)
    _ranks(ax, t, stage)
    remarks = ["dark: in several rounds"] * (strokes.several and not faint)
    if left_out:
        lines_ = f"{crowd} of {left_out:,} lines".replace(",", "\u2009")
        remarks.append(f"what rank {middle} sends, {lines_}")
    ax.text(0.5, -0.02, " · ".join(remarks), transform=ax.transAxes, ha="center", va="top", fontsize=7.6,
            color=FAINT)  # fmt: skip
    return stage


def _sent_by(t: Trace, rank: int) -> dict[str, Any]:
    """Members of a trace: what one rank sends."""
    return {
        "messages": tuple(m for m in t.messages if m.src == rank),
        "transfers": tuple(m for m in t.transfers if m.src == rank),
    }


Directions = tuple[bool, bool]  # whether something goes up, to the higher rank, and whether down


@dataclass(frozen=True)
class _Stroke:
    line: np.ndarray
    colour: tuple[float, float, float]
    directions: Directions  # whether something goes to its end, and to its beginning
    reach: float  # from one end of the edge to the other

    def heads(self, stage: Stage, crowd: int) -> list[np.ndarray]:
        """The heads of arrows at its ends; smaller where many edges crowd."""
        length = min(max(0.05, 0.085 / stage.unit * (1 if crowd <= 130 else 0.7)), 0.09)
        length = min(length, max(0.55 * self.reach, 0.03))
        ends = ((self.directions[0], self.line[-1], self.line[-3]), (self.directions[1], self.line[0], self.line[2]))
        return [arrow_head(tip, tip - before, length, 0.36 * length) for present, tip, before in ends if present]


@dataclass(frozen=True)
class _Strokes:
    all: list[_Stroke]
    crowd: int  # edges
    several: bool  # some edge is used in several rounds and drawn once


def _edges(t: Trace) -> dict[tuple[int, int], dict[int, Directions]]:
    """By (lower rank, higher rank) and round."""
    found: dict[tuple[int, int], dict[int, Directions]] = defaultdict(dict)
    for m in t.arrows:
        if m.src != m.dst:
            low, high = sorted((m.src, m.dst))
            per_round = found[low, high]
            up, down = per_round.get(m.round, (False, False))
            per_round[m.round] = (up or m.src < m.dst, down or m.src > m.dst)
    return found


def _strokes(t: Trace, stage: Stage) -> _Strokes:
    """The lines to draw, later rounds first: of an edge one in dark ink where it is used in several rounds; or side by side,
    each in its own colour, where those are few."""
    edges = sorted(_edges(t).items(), key=lambda e: -min(e[1]))
    made: list[_Stroke] = []
    several = False
    for (a, b), per_round in edges:
        rounds = sorted(per_round)
        line = stage.path(a, b)
        across = line[-1] - line[0]
        reach = float(np.hypot(*across))
        if 1 < len(rounds) <= 3 and len(edges) <= 200:
            aside = np.array([-across[1], across[0]]) / (np.hypot(*across) or 1) * min(0.045, 0.55 * stage.size)
            for i, k in enumerate(rounds):
                shifted = line + aside * (i - (len(rounds) - 1) / 2)
                made.append(_Stroke(shifted, round_colour(k, t.rounds), per_round[k], reach))
            continue
        several |= len(rounds) > 1
        colour = round_colour(rounds[0], t.rounds) if len(rounds) == 1 else to_rgb(WORK)
        directions = any(up for up, _ in per_round.values()), any(down for _, down in per_round.values())
        made.append(_Stroke(line, colour, directions, reach))
    return _Strokes(made, len(edges), several)


def _ranks(ax: Axes, t: Trace, stage: Stage) -> None:
    """A circle with its number for each rank, the root's dark; where it is too small the number stands beside it."""
    p, at, size, tree = t.ranks, stage.at, stage.size, stage.parent is not None
    rooted = facts(t).has_root
    points = size * stage.unit * 72
    inside = points >= 5.2
    for r in range(p):
        strong = rooted and r == t.root
        shade = (SHADE, "white")[t.nodes[r] % 2] if t.nodes else "white"
        ax.add_patch(
            Circle((float(at[r][0]), float(at[r][1])), size, facecolor=INK if strong else shade,
                   edgecolor=INK if strong else FAINT, lw=0.9 if p <= 32 else 0.6, zorder=4)
        )  # fmt: skip
        if inside:
            ax.text(*at[r], str(r), ha="center", va="center", zorder=5, fontsize=min(8.5, 1.05 * points),
                    color="white" if strong else INK)  # fmt: skip
        elif (tree and p <= 160) or (not tree and r % 8 == 0):
            ground = {"boxstyle": "square,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.85}
            where = _beside(stage, r) if tree else at[r] * (1 + 2.2 * size)
            ax.text(*where, str(r), ha="center", va="center", zorder=5, bbox=ground, fontsize=5.6 if tree else 6.6,
                    color=FAINT)  # fmt: skip


def _beside(stage: Stage, r: int) -> np.ndarray:
    """A place beside a rank of a tree, away from where it hangs."""
    assert stage.parent is not None
    parent = stage.parent[r]
    free = stage.at[r] - stage.at[parent] if parent != r else np.array([0.0, 1.0])
    return np.asarray(stage.at[r] + free / (np.hypot(*free) or 1) * (stage.size + 0.032))


def curve(a: np.ndarray, b: np.ndarray, bend: float, n: int = 40) -> np.ndarray:
    """A line of n points that leans towards the middle of the disc, so that chords part: the more the longer it is."""
    if not bend:
        return np.linspace(a, b, n)
    middle = (a + b) / 2
    control = middle * (1 - bend * np.hypot(*(b - a)) / 2)
    s = np.linspace(0, 1, n)[:, None]
    return np.asarray((1 - s) ** 2 * a + 2 * s * (1 - s) * control + s**2 * b)


def cut(line: np.ndarray, radius: float) -> np.ndarray:
    """The line without what lies under its two ends."""
    far = (np.hypot(*(line - line[0]).T) >= radius) & (np.hypot(*(line - line[-1]).T) >= radius)
    kept: np.ndarray = line[far]
    if len(kept) >= 4:
        return kept
    return np.linspace(line[0] + 0.3 * (line[-1] - line[0]), line[-1] - 0.3 * (line[-1] - line[0]), 6)
