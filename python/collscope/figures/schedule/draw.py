"""Pictures of one schedule: who sends to whom, when, what lies where, and how much flows between whom.

One logic of colour in all of them: a colour is a round, from blue (first) to red (last); grey is what was there before;
dark ink is work or structure. Ranks go from top to bottom, time from left to right.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle, PathPatch, Rectangle
from matplotlib.path import Path

from collscope.base.units import format_size, format_time
from collscope.figures.style import FAINT, GRID, INK, SHADE
from collscope.schedules.trace import Holdings, Message, Trace

KINDS = ("graph", "gantt", "table", "matrix")
WORK = "#3d444d"
COPY = "#9aa4ae"
WAIT = "#d5dbe1"
BEFORE = "#a9b3bd"  # what was there at the start
_ROUNDS = LinearSegmentedColormap.from_list(
    "rounds", ["#2c4fb5", "#1f87c9", "#16a39a", "#62ad3b", "#d9a514", "#e8742c", "#cf2f4a"]
)
_AMOUNT = LinearSegmentedColormap.from_list("amount", ["#eef1f4", "#b9c3d3", "#7486a8", "#3a4b78", "#1c2447"])
HEAD = 0.78  # inches above a drawing
BARS = "bars of the model: time on the wire; of sim and real: from the call on, with the processor's overheads"
EDGED = 0.04  # inches: narrower bars have no edge, which would cover them
HAIR = 0.008  # inches: what takes no time is still seen

RGB = tuple[float, float, float]


def round_colour(k: int, rounds: int) -> RGB:
    """The colour of round 1 … rounds; few rounds get colours that are far apart."""
    if k < 1:
        return to_rgb(BEFORE)
    at = 0.0 if rounds < 2 else (k - 1) / (rounds - 1)
    if rounds == 2:
        at = 0.02 + 0.8 * at
    return to_rgb(_ROUNDS(at))


def _light(colour: RGB, share: float) -> RGB:
    """The colour mixed with white; share 1 is the colour itself."""
    r, g, b = (1 - share * (1 - v) for v in colour)
    return r, g, b


def _dark(colour: RGB) -> bool:
    return 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2] < 0.58


# ---- what all share ---------------------------------------------------------------------------------------


def title_of(t: Trace) -> str:
    return t.key + (f" → {t.chose}" if t.chose else "")


def about(t: Trace) -> str:
    words = [f"{t.ranks} ranks"]
    if t.nodes:
        words.append(f"{len(set(t.nodes))} nodes")
    if t.vector_bytes:
        words.append(f"vector of {format_size(t.vector_bytes)}")
    words.append(f"{t.rounds} round{'s' * (t.rounds != 1)}")
    if t.messages or not t.transfers:
        words.append(f"{len(t.messages):,} message{'s' * (len(t.messages) != 1)}".replace(",", "\u2009"))
    if t.transfers:
        words.append(f"{len(t.transfers)} transfers through shared memory")
    return " · ".join(words)


def sheet(wide: float, tall: float, t: Trace, second: str) -> Figure:
    fig = Figure(figsize=(wide, tall), dpi=150)
    name = title_of(t)
    grown = min(1.35, max(1.0, wide / 11))  # a large picture is looked at from further away
    size = min(13.0 * grown, 13.0 * (wide - 0.3) / (0.112 * len(name) + 0.01))
    fig.text(0.14 / wide, 1 - 0.08 / tall, name, ha="left", va="top", fontsize=size, fontweight="bold", color=INK)
    size = min(8.6 * grown, 8.6 * (wide - 0.3) / (0.061 * max(map(len, second.splitlines())) + 0.01))
    fig.text(0.14 / wide, 1 - 0.36 / tall, second, ha="left", va="top", fontsize=size, color=FAINT)
    return fig


def place(fig: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes at a place given in inches from the top left corner."""
    wide, tall = fig.get_size_inches()
    ax = fig.add_axes((left / wide, 1 - (top + height) / tall, width / wide, height / tall))
    for side in ("left", "right", "top", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0)
    ax.set_xticks([])
    ax.set_yticks([])
    return ax


def _lane(ranks: int) -> float:
    """Height of a rank's lane in inches."""
    return max(0.115, min(0.40, 4.2 / ranks if ranks <= 16 else 8.0 / ranks))


def _every(n: int, most: int) -> int:
    return next(s for s in (1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 256, 512, 1 << 30) if n <= s * most)


def _rank_labels(ax: Axes, t: Trace, x: float, size: float = 8.4) -> None:
    """The numbers of the ranks at the left of their lanes."""
    step = 1 if t.ranks <= 32 else 4
    for r in range(0, t.ranks, step):
        strong = r == t.root and t.collective in ("bcast", "reduce", "scatter", "gather")
        ax.annotate(
            str(r), (x, r), xytext=(-5, 0), textcoords="offset points", ha="right", va="center", fontsize=size,
            color=INK if strong else FAINT, fontweight="bold" if strong else "normal", annotation_clip=False,
        )  # fmt: skip


def _node_bands(ax: Axes, t: Trace, x0: float, x1: float, label: bool = True) -> None:
    """Every other node lies on a shade."""
    if not t.nodes:
        return
    for first, last, node in node_runs(t.nodes):
        if node % 2 == 0:
            ax.add_patch(Rectangle((x0, first - 0.5), x1 - x0, last - first + 1, color=SHADE, lw=0, zorder=0))
        if label:
            ax.annotate(
                f"node {node}", (x1, (first + last) / 2), xytext=(4, 0), textcoords="offset points", va="center",
                fontsize=7.6, color=FAINT, annotation_clip=False,
            )  # fmt: skip


def node_runs(nodes: Sequence[int]) -> list[tuple[int, int, int]]:
    """(first rank, last rank, node) of neighbours on one node."""
    runs: list[tuple[int, int, int]] = []
    for r, node in enumerate(nodes):
        if runs and runs[-1][2] == node:
            runs[-1] = (runs[-1][0], r, node)
        else:
            runs.append((r, r, node))
    return runs


def round_key(fig: Figure, t: Trace, left: float, top: float) -> None:
    """round 1 2 3 … in their colours; a ramp when there are many."""
    wide, tall = fig.get_size_inches()
    many = t.rounds > 16
    width = 1.9 if many else 0.22 * max(t.rounds, 1)
    ax = place(fig, left + 0.46, top, width, 0.17)
    fig.text((left + 0.4) / wide, 1 - (top + 0.085) / tall, "round", ha="right", va="center", fontsize=8, color=FAINT)
    n = t.rounds
    ax.set_xlim(0, n or 1)
    ax.set_ylim(0, 1)
    for k in range(1, n + 1):
        gap = 0 if many else 0.06
        colour = round_colour(k, n)
        ax.add_patch(Rectangle((k - 1 + gap / 2, 0), 1 - gap + (0.05 if many else 0), 1, color=colour, lw=0))
        if not many:
            ax.text(k - 0.5, 0.46, str(k), ha="center", va="center", fontsize=7.2,
                    color="white" if _dark(colour) else INK)  # fmt: skip
    if many:
        ax.text(0, 0.46, " 1", ha="left", va="center", fontsize=7.2, color="white")
        ax.text(n, 0.46, f"{n} ", ha="right", va="center", fontsize=7.2, color="white")


def _polygons(
    ax: Axes, shapes: Sequence[np.ndarray], faces: Sequence[tuple[float, ...]], zorder: float, edge: str = "none"
) -> None:
    """Filled shapes; those of one colour are one path, which keeps files small."""
    groups: dict[tuple[float, ...], list[Path]] = defaultdict(list)
    for shape, face in zip(shapes, faces, strict=True):
        groups[face].append(Path(np.vstack([shape, shape[:1]]), closed=True))
    for face, parts in groups.items():
        path = Path.make_compound_path(*parts)
        ax.add_patch(PathPatch(path, facecolor=face, edgecolor=edge, lw=0.5 if edge != "none" else 0, zorder=zorder))


def _lines(
    ax: Axes,
    lines: Sequence[np.ndarray],
    colours: Sequence[tuple[float, ...]],
    width: float,
    zorder: float,
    **more: Any,
) -> None:
    """Lines; those of one colour are one path."""
    groups: dict[tuple[float, ...], list[Path]] = defaultdict(list)
    for line, colour in zip(lines, colours, strict=True):
        groups[colour].append(Path(np.asarray(line)))
    for colour, parts in groups.items():
        path = Path.make_compound_path(*parts)
        ax.add_patch(PathPatch(path, facecolor="none", edgecolor=colour, lw=width, zorder=zorder, **more))


def _head(tip: np.ndarray, direction: np.ndarray, length: float, half: float) -> np.ndarray:
    """A triangle whose tip is at `tip`."""
    u = direction / (np.hypot(*direction) or 1)
    side = np.array([-u[1], u[0]])
    return np.array([tip, tip - length * u + half * side, tip - length * u - half * side])


# ---- who sends to whom ------------------------------------------------------------------------------------


def graph(t: Trace) -> Figure:
    """Two views of the same messages: on the left as a net, on the right round by round."""
    lane = _lane(t.ranks)
    height = max(2.7, t.ranks * lane)
    lane = height / t.ranks
    side = min(max(height, 3.0), 5.6)
    per_round = 1.05 if t.rounds <= 8 else max(8.6 / t.rounds, 0.17)
    panel = max(1.6, min(t.rounds, 64) * per_round)
    right = 0.62 if t.nodes else 0.22
    wide = 0.2 + side + 0.65 + panel + right
    wide = max(wide, 6.4)
    tall = HEAD + max(height, side) + 0.42
    fig = sheet(wide, tall, t, about(t))
    ax = place(fig, 0.2, HEAD + (max(height, side) - side) / 2 + 0.14, side, side)
    net(ax, t, side)
    ax = place(fig, 0.2 + side + 0.65, HEAD + 0.24 + (max(height, side) - height) / 2, panel, height)
    _by_rounds(ax, t, panel, height)
    return fig


def positions(t: Trace) -> tuple[np.ndarray, bool]:
    """Where ranks stand in the unit disc, and whether they form a tree. Trees grow out of their root, anything else stands
    in a circle, rank 0 at the top."""
    p = t.ranks
    near: dict[int, set[int]] = defaultdict(set)
    for m in t.arrows:
        if m.src != m.dst:
            near[m.src].add(m.dst)
            near[m.dst].add(m.src)
    edges = sum(map(len, near.values())) // 2
    root = t.root
    if not near.get(root) and near:
        root = min(near)
    order, parent = [root], {root: root}
    for r in order:
        for q in sorted(near[r]):
            if q not in parent:
                parent[q] = r
                order.append(q)
    tree = edges == p - 1 and len(order) == p and max(map(len, near.values()), default=0) > 2
    at = np.zeros((p, 2))
    if not tree:
        for r in range(p):
            angle = math.pi / 2 - 2 * math.pi * r / p
            at[r] = (math.cos(angle), math.sin(angle))
        return at, False
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
    return (2 * at - (low + high)) / reach, True


def _rings(t: Trace, order: Sequence[int], parent: dict[int, int]) -> dict[int, int]:
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


def _edges(t: Trace) -> dict[tuple[int, int], tuple[set[int], bool, bool]]:
    """Of each pair (low, high): its rounds, and whether something goes up and down."""
    found: dict[tuple[int, int], tuple[set[int], bool, bool]] = {}
    for m in t.arrows:
        if m.src == m.dst:
            continue
        pair = (min(m.src, m.dst), max(m.src, m.dst))
        rounds, up, down = found.get(pair, (set(), False, False))
        found[pair] = (rounds | {m.round}, up or m.src < m.dst, down or m.src > m.dst)
    return found


def net(ax: Axes, t: Trace, inches: float, faint: bool = False) -> float:
    """Draws the net and returns the radius of a rank; faint: as the ground of an animation."""
    at, tree = positions(t)
    p = t.ranks
    reach = 1.13 if p <= 32 else 1.09
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    unit = inches / (2 * reach)  # inches of a radius
    space = 2 * math.pi * unit / p
    if tree:
        gaps = [np.hypot(*(at[a] - at[b])) * unit for a in range(p) for b in range(a)]
        space = min(gaps, default=space)
    size = max(0.035, min(0.17, (0.31 if tree else 0.40) * space)) / unit  # radius of a rank
    edges = sorted(_edges(t).items(), key=lambda e: -min(e[1][0]))
    crowd = len(edges)
    weak = (
        0.22
        if faint and crowd <= 400
        else 0.9
        if crowd <= 80
        else 0.55
        if crowd <= 400
        else 0.16
        if crowd <= 1500
        else 0.1
    )
    width = 1.7 if crowd <= 40 else 1.1 if crowd <= 130 else 0.75
    several = False
    ways: dict[tuple[int, int, int], tuple[bool, bool]] = defaultdict(lambda: (False, False))
    for m in t.arrows:
        pair = (min(m.src, m.dst), max(m.src, m.dst), m.round)
        ways[pair] = (ways[pair][0] or m.src < m.dst, ways[pair][1] or m.src > m.dst)
    shafts, heads, colours = [], [], []
    for (a, b), (rounds, up, down) in edges:
        split = 1 < len(rounds) <= 3 and crowd <= 200  # side by side, each in its own colour
        several |= len(rounds) > 1 and not split
        line = cut(curve(at[a], at[b], 0.0 if tree else 0.5), size * 1.12)
        length = min(max(0.05, 0.085 / unit * (1 if crowd <= 130 else 0.7)), 0.09)
        length = min(length, max(0.55 * np.hypot(*(line[-1] - line[0])), 0.03))
        across = line[-1] - line[0]
        across = np.array([-across[1], across[0]]) / (np.hypot(*across) or 1) * min(0.045, 0.55 * size)
        for i, k in enumerate(sorted(rounds) if split else [min(rounds)]):
            colour = round_colour(k, t.rounds) if split or len(rounds) == 1 else to_rgb(WORK)
            shaft = line + across * (i - (len(rounds) - 1) / 2) if split else line
            way = ways[a, b, k] if split else (up, down)
            shafts.append(shaft)
            colours.append((*colour, weak))
            for wanted, tip, before in ((way[0], shaft[-1], shaft[-3]), (way[1], shaft[0], shaft[2])):
                if wanted and crowd <= 150 and not faint:
                    heads.append((_head(tip, tip - before, length, 0.36 * length), (*colour, min(1.0, weak + 0.15))))
    if weak < 0.9:  # each on its own, so that crossings grow darker
        ax.add_collection(LineCollection(shafts, colors=colours, linewidths=width, capstyle="round", zorder=2))
    else:
        _lines(ax, shafts, colours, width, 2, capstyle="round")
    _polygons(ax, [h for h, _ in heads], [c for _, c in heads], 3)
    rooted = t.collective in ("bcast", "reduce", "scatter", "gather")
    top = min(range(p), key=lambda r: (r != t.root, r))
    parents: dict[int, int] = {}
    queue = [top] if tree else []
    for r in queue:
        for a, b in _edges(t):
            q = b if a == r else a if b == r else r
            if q != r and q not in parents and q != top:
                parents[q] = r
                queue.append(q)
    for r in range(p):
        strong = rooted and r == t.root
        shade = (SHADE, "white")[t.nodes[r] % 2] if t.nodes else "white"
        ax.add_patch(_circle(at[r], size, INK if strong else shade, INK if strong else FAINT, 0.9 if p <= 32 else 0.6))
        points = size * unit * 72
        inside = points >= 5.2
        if inside or tree or r % 8 == 0:
            where = at[r] if inside else at[r] * (1 + 2.2 * size)
            if tree and not inside:  # beside the rank, away from where it hangs
                free = at[r] - at[parents.get(r, r)] if r in parents else np.array([0.0, 1.0])
                where = at[r] + free / (np.hypot(*free) or 1) * (size + 0.032)
                if p > 160:
                    continue
            ground = None if inside else {"boxstyle": "square,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.85}
            ax.text(*where, str(r), ha="center", va="center", zorder=5, bbox=ground,
                    fontsize=min(8.5, 1.05 * points) if inside else 5.6 if tree else 6.6,
                    color="white" if strong and inside else INK if inside else FAINT)  # fmt: skip
    if several and not faint:
        ax.text(
            0.5,
            -0.02,
            "dark: in several rounds",
            transform=ax.transAxes,
            ha="center",
            va="top",
            fontsize=7.6,
            color=FAINT,
        )
    return size


def _circle(at: np.ndarray, radius: float, face: str, edge: str, width: float) -> Circle:
    return Circle((float(at[0]), float(at[1])), radius, facecolor=face, edgecolor=edge, lw=width, zorder=4)


def curve(a: np.ndarray, b: np.ndarray, bend: float, n: int = 40) -> np.ndarray:
    """A line that leans towards the middle of the disc, so that chords part: the more the longer it is."""
    if not bend:
        return np.linspace(a, b, n)
    middle = (a + b) / 2
    control = middle * (1 - bend * np.hypot(*(b - a)) / 2)
    s = np.linspace(0, 1, n)[:, None]
    return np.asarray((1 - s) ** 2 * a + 2 * s * (1 - s) * control + s**2 * b)


def cut(line: np.ndarray, radius: float) -> np.ndarray:
    """The line without what lies under its two ends."""
    far = (np.hypot(*(line - line[0]).T) >= radius) & (np.hypot(*(line - line[-1]).T) >= radius)
    kept = line[far]
    return (
        kept
        if len(kept) >= 4
        else np.linspace(line[0] + 0.3 * (line[-1] - line[0]), line[-1] - 0.3 * (line[-1] - line[0]), 6)
    )


def _by_rounds(ax: Axes, t: Trace, wide: float, tall: float) -> None:
    """A lane for each rank, a column for each round."""
    shown, gap = list(range(1, t.rounds + 1)), None
    if t.rounds > 64:
        shown = [*range(1, 41), *range(t.rounds - 15, t.rounds + 1)]
        gap = 40
    column = {k: i + (2 if gap is not None and i >= gap else 0) for i, k in enumerate(shown)}
    n = len(shown) + (2 if gap is not None else 0) or 1
    ax.set_xlim(0, n)
    ax.set_ylim(t.ranks - 0.5, -0.5)
    x_inch, y_inch = wide / n, tall / t.ranks
    _node_bands(ax, t, 0, n)
    lanes = [np.array([(0.0, r), (n, r)]) for r in range(t.ranks)]
    _lines(ax, lanes, [to_rgb(GRID)] * t.ranks, 0.8 if t.ranks <= 32 else 0.4, 1)
    _rank_labels(ax, t, 0)
    step = _every(n, max(1, int(wide / 0.26)))
    for k in shown:
        if k == t.rounds or (k % step == 0 and t.rounds - k >= step) or step == 1:
            ax.annotate(str(k), (column[k] + 0.5, -0.5), xytext=(0, 4), textcoords="offset points", ha="center",
                        fontsize=8.6, fontweight="bold", color=round_colour(k, t.rounds), annotation_clip=False)  # fmt: skip
    ax.annotate("round", (0, -0.5), xytext=(-5, 4), textcoords="offset points", ha="right", fontsize=8, color=FAINT,
                annotation_clip=False)  # fmt: skip
    edge = min(0.16, 0.10 / x_inch)
    lines: list[np.ndarray] = []
    heads, colours, dots = [], [], []
    busy = max(1, max((sum(m.round == k for m in t.arrows) for k in shown), default=1)) if len(t.arrows) < 5000 else 64
    width = 1.6 if t.ranks <= 10 else 1.2 if t.ranks <= 20 else 0.8
    width = min(width, 20 * x_inch / 4) if busy > 8 else width
    length = min(0.1, 0.28 * y_inch + 0.035, 0.45 * x_inch)
    scale = np.array([x_inch, -y_inch])  # to inches, upwards
    for m in t.arrows:
        if m.round not in column or m.src == m.dst:
            continue
        a = np.array([column[m.round] + edge, m.src])
        b = np.array([column[m.round] + 1 - edge, m.dst])
        colour = (*round_colour(m.round, t.rounds), 0.95)
        tip = _head(b * scale, (b - a) * scale, length, 0.36 * length)
        back = tip[1:].mean(axis=0) / scale
        lines.append(np.array([a, back]))
        heads.append(tip / scale)
        colours.append(colour)
        dots.append(a)
    shared = [m.shared for m in t.arrows if m.round in column and m.src != m.dst]
    for through, style in ((False, "-"), (True, (0, (2.2, 1.2)))):  # dashed: through shared memory
        some = [i for i, s in enumerate(shared) if s == through]
        _lines(ax, [lines[i] for i in some], [colours[i] for i in some], width, 2, linestyle=style)
    if any(shared):
        ax.annotate("dashed: through shared memory", (0, 0), xycoords="axes fraction", xytext=(0, -6), va="top",
                    textcoords="offset points", fontsize=7.6, color=FAINT, annotation_clip=False)  # fmt: skip
    _polygons(ax, heads, colours, 3)
    if dots and t.ranks <= 32 and x_inch > 0.3:
        where = np.array(dots)
        ax.scatter(where[:, 0], where[:, 1], s=9 if t.ranks <= 16 else 4, c=colours, zorder=3, linewidths=0)
    if gap is not None:
        ax.text(gap + 1, t.ranks / 2, f"{t.rounds - 56} rounds more", rotation=90, ha="center", va="center", fontsize=8.4,
                color=FAINT)  # fmt: skip


# ---- when -------------------------------------------------------------------------------------------------


def gantt(traces: Sequence[Trace]) -> Figure:
    """What each rank does: above its line it sends, below it receives. Several sources stand under each other on one axis."""
    t = traces[0]
    height = max(2.4, t.ranks * _lane(t.ranks) * (0.8 if len(traces) > 1 and t.ranks > 32 else 1))
    wide, left = (9.6 if t.ranks <= 20 else 11.0), 0.55
    right = 0.75 if len(set(t.nodes)) > 1 else 0.34
    panel = wide - left - right
    caption = 0.36 if len(traces) > 1 else 0.0
    tall = HEAD + len(traces) * (height + caption) + 0.62
    fig = sheet(wide, tall, t, about(t))
    end = max(1e-12, *(max(x.time_s, *x.rank_end_s) for x in traces))
    for i, x in enumerate(traces):
        top = HEAD + i * (height + caption) + caption
        ax = place(fig, left, top, panel, height)
        ax.set_xlim(0, end * 1.002)
        ax.set_ylim(t.ranks - 0.5, -0.5)
        _lanes(ax, x, end, panel / end, height / t.ranks)
        last = i == len(traces) - 1
        _time_ticks(ax, end, x.time_s, panel, last)
        if caption:
            _caption(fig, x, traces[0], left, top - 0.09)
    words = t.where if len(traces) == 1 else BARS
    fig.text(0.14 / wide, 0.1 / tall, words, fontsize=7.8, color=FAINT, va="bottom")
    _gantt_key(fig, traces, wide)
    return fig


def _caption(fig: Figure, t: Trace, first: Trace, left: float, base: float) -> None:
    """Above a panel: the source and its time, then where it is from."""
    wide, tall = fig.get_size_inches()
    text = f"{t.source}  {format_time(t.time_s)}"
    if t is not first and first.time_s > 0:
        text += f"  = {ratio(t.time_s / first.time_s)} × {first.source}"
    fig.text(left / wide, 1 - base / tall, text, fontsize=9.4, fontweight="bold", color=INK, va="bottom")
    fig.text((left + 0.16 + 0.079 * len(text)) / wide, 1 - base / tall, t.where, fontsize=8, color=FAINT, va="bottom")


def ratio(x: float) -> str:
    """1.00, 0.873, 12.4"""
    return f"{x:.2f}" if 1 <= x < 10 else f"{x:.3g}"


def _lanes(ax: Axes, t: Trace, end: float, x_inch: float, y_inch: float) -> None:
    _node_bands(ax, t, 0, end)
    starts = t.rank_start_s or (0.0,) * t.ranks
    lanes = [np.array([(starts[r], r), (t.rank_end_s[r], r)]) for r in range(t.ranks)]
    _lines(ax, lanes, [to_rgb("#8c959f")] * t.ranks, 0.7 if t.ranks <= 32 else 0.4, 1)
    _rank_labels(ax, t, 0)
    idle = [s for s in t.spans if s.kind == "wait"]
    _polygons(
        ax, [_box(s.start_s, s.rank - 0.13, s.end_s, s.rank + 0.13) for s in idle], [to_rgb(WAIT)] * len(idle), 1.5
    )
    bars: dict[bool, list[tuple[np.ndarray, RGB]]] = {True: [], False: []}  # wide enough for an edge, or not
    for (rank, sends), list_ in _ports(t).items():
        for m, slot, slots in list_:
            top = rank - 0.42 if sends else rank + 0.03
            high = 0.39 / slots
            y0, y1 = top + slot * high, top + slot * high + high * (0.94 if slots > 1 else 1)
            colour = round_colour(m.round, t.rounds)
            face = colour if sends else _light(colour, 0.5)
            a, z = m.start_s if sends else _taken(m), m.end_s
            flat = high * y_inch < EDGED
            alone = _alone(m) if sends else None
            if alone:
                middle, thin = (y0 + y1) / 2, min(0.05, 0.2 * high)
                bars[False].append((_box(alone[0], middle - thin, alone[1], middle + thin), face))
                bars[not flat and (alone[0] - a) * x_inch > EDGED].append(
                    (_box(a, y0, max(alone[0], a + HAIR / x_inch), y1), face)
                )
                z = max(alone[0], a)
            else:
                bars[not flat and (z - a) * x_inch > EDGED].append((_box(a, y0, max(z, a + HAIR / x_inch), y1), face))
            text = f"→{m.dst}" if sends else f"←{m.src}"
            size = min(8.0, 60 * high * y_inch)
            if size >= 4.8 and (z - a) * x_inch > 0.0098 * size * len(text) * 1.02:
                ax.text((a + z) / 2, y0 + high * 0.52, text, ha="center", va="center", fontsize=size,
                        color="white" if sends and _dark(colour) else INK, zorder=4)  # fmt: skip
    edge = "white" if t.ranks <= 32 and len(bars[True]) < 1500 else "none"
    _polygons(ax, [b for b, _ in bars[True]], [c for _, c in bars[True]], 3, edge)
    _polygons(ax, [b for b, _ in bars[False]], [c for _, c in bars[False]], 3)
    work = [s for s in t.spans if s.kind in ("reduce", "copy")]
    shapes = [_box(s.start_s, s.rank - 0.42, max(s.end_s, s.start_s + HAIR / x_inch), s.rank + 0.42) for s in work]
    _polygons(ax, shapes, [to_rgb(WORK if s.kind == "reduce" else COPY) for s in work], 3)
    _hatched(ax, [_box(s.start_s, s.rank - 0.42, s.end_s, s.rank - 0.03) for s in t.spans if s.kind == "blocked"])
    if 1 < len(t.arrows) <= 48 and t.ranks <= 16:
        links = [[(m.start_s, m.src - 0.03), (m.start_s, m.dst + (0.03 if m.dst > m.src else 0.42))] for m in t.arrows]
        shades = [(*round_colour(m.round, t.rounds), 0.45) for m in t.arrows]
        _lines(ax, [np.array(x) for x in links], shades, 0.9, 2, linestyle=(0, (1.5, 1.5)))
    marks = [np.array([(e, r - 0.30), (e, r + 0.30)]) for r, e in enumerate(t.rank_end_s)]
    _lines(ax, marks, [to_rgb(INK)] * t.ranks, 1.1 if t.ranks <= 32 else 0.7, 4)


def _taken(m: Message) -> float:
    """When its receiver began to take a message."""
    return m.start_s if m.asked_s is None else max(m.start_s, min(m.asked_s, m.end_s))


def _alone(m: Message) -> tuple[float, float] | None:
    """While a message is on its way, or lies somewhere, without its sender, who was free before its receiver asked for it."""
    if m.sent_s is None or m.asked_s is None or m.asked_s <= m.sent_s:
        return None
    return max(m.sent_s, m.start_s), m.end_s


def _hatched(ax: Axes, shapes: Sequence[np.ndarray]) -> None:
    for shape in shapes:
        ax.add_patch(PathPatch(Path(np.vstack([shape, shape[:1]]), closed=True), facecolor="white", edgecolor=COPY, lw=0.5,
                               hatch="//////", zorder=2.5))  # fmt: skip


def _box(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def _ports(t: Trace) -> dict[tuple[int, bool], list[tuple[Message, int, int]]]:
    """Messages of each rank's two ports, those at once in slots of their own: (message, slot, slots)."""
    lists: dict[tuple[int, bool], list[Message]] = defaultdict(list)
    for m in t.arrows:
        lists[m.src, True].append(m)
        lists[m.dst, False].append(m)
    made: dict[tuple[int, bool], list[tuple[Message, int, int]]] = {}
    for port, list_ in lists.items():
        sends = port[1]
        begin = {id(m): m.start_s if sends else _taken(m) for m in list_}
        list_.sort(key=lambda m: (begin[id(m)], m.end_s))
        out: list[tuple[Message, int, int]] = []
        group: list[tuple[Message, int]] = []
        ends: list[float] = []
        for m in list_:
            start = begin[id(m)]
            slack = 1e-9 * (m.end_s - start)
            if group and start >= max(ends) - slack:
                out += [(q, slot, len(ends)) for q, slot in group]
                group, ends = [], []
            slot = next((i for i, e in enumerate(ends) if e <= start + slack), len(ends))
            if slot == len(ends):
                ends.append(m.end_s)
            else:
                ends[slot] = m.end_s
            group.append((m, slot))
        out += [(q, slot, len(ends)) for q, slot in group]
        made[port] = out
    return made


def _time_ticks(ax: Axes, end: float, own: float, panel: float, labels: bool) -> None:
    """A scale up to `end`, and a line at the panel's own end."""
    scale, unit = next(
        (s, u) for s, u in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")) if end >= s or s == 1e-9
    )
    raw = end / scale / max(2.0, panel / 0.9)
    power = 10 ** math.floor(math.log10(raw))
    step = next(f * power for f in (1, 2, 5, 10) if f * power >= raw * 0.999)
    low = ax.get_ylim()[0]
    k = 0
    while k * step * scale <= end * 1.0001:
        x = k * step * scale
        ax.plot([x, x], [low, -0.5], color=GRID, lw=0.6, zorder=0.5)
        near_own = abs(own - x) / end * panel < 0.62
        if labels and (k == 0 or not near_own):
            ax.annotate(f"{k * step:g}" + (f" {unit}" if k == 0 else ""), (x, low), xytext=(0, -4),
                        textcoords="offset points", ha="center", va="top", fontsize=8.2, color=FAINT,
                        annotation_clip=False)  # fmt: skip
        k += 1
    ax.plot([own, own], [low, -0.5], color=INK, lw=0.9, zorder=2)
    if labels:
        ax.annotate(format_time(own), (own, low), xytext=(0, -4), textcoords="offset points", ha="center", va="top",
                    fontsize=8.8, fontweight="bold", color=INK, annotation_clip=False)  # fmt: skip


def _gantt_key(fig: Figure, traces: Sequence[Trace], wide: float) -> None:
    t = traces[0]
    round_key(fig, t, 0.09, HEAD - 0.24)
    colour = round_colour(1, max(2, t.rounds))
    kinds = {span.kind for x in traces for span in x.spans}
    names: list[tuple[str, str, RGB]] = [("bar", "sends", colour), ("bar", "receives", _light(colour, 0.5))]
    if any(_alone(m) for x in traces for m in x.arrows):
        names.append(("line", "on its way, sender free", colour))
    for kind, text, shade in (("reduce", "combines", WORK), ("copy", "copies", COPY)):
        if kind in kinds:
            names.append(("bar", text, to_rgb(shade)))
    if "wait" in kinds:
        names.append(("band", "waits", to_rgb(WAIT)))
    if "blocked" in kinds:
        names.append(("hatch", "send waits for its receiver", to_rgb(COPY)))
    room = [0.32 + 0.062 * len(text) + 0.14 for _, text, _ in names]
    width = sum(room)
    ax = place(fig, wide - width - 0.12, HEAD - 0.24, width, 0.17)
    ax.set_xlim(0, width)
    ax.set_ylim(0, 1)
    x = 0.0
    for (shape, text, face), space in zip(names, room, strict=True):
        if shape == "hatch":
            _hatched(ax, [_box(x, 0.1, x + 0.26, 0.9)])
        else:
            half = {"bar": 0.4, "band": 0.2, "line": 0.08}[shape]
            ax.add_patch(Rectangle((x, 0.5 - half), 0.26, 2 * half, color=face, lw=0))
        ax.text(x + 0.32, 0.46, text, va="center", fontsize=8, color=FAINT)
        x += space


# ---- what lies where --------------------------------------------------------------------------------------


def table(t: Trace, held: Holdings) -> Figure:
    """A panel for each round: rows are ranks, columns the blocks they hold. The colour says when a block came; how full a
    cell is, how many ranks' data have been combined in it."""
    rounds, p, blocks = held.state.shape
    left = 0.52
    shown = list(range(rounds))
    most = 24 if blocks == 1 else 16 if rounds <= 16 else 12
    if rounds > most:
        half = most // 3
        rest = np.linspace(half, rounds - 1, most - half).round().astype(int)
        shown = sorted({*range(half), *(int(k) for k in rest)})
    if blocks <= 2:
        cell_h = max(0.085, min(0.30, 5.6 / p))
        cell_w = 0.52 / blocks
        gap = 0.06
    else:
        fitting = (12.6 - left - 0.2 * len(shown)) / (len(shown) * blocks)  # all in one row
        cell_w = cell_h = min(0.27, 2.7 / max(p, blocks, 8), max(fitting, 0.16))
        if p > 2.5 * blocks:
            cell_h = min(0.27, 5.0 / p)
            cell_w = min(0.27, 2.7 / blocks)
        gap = 0.2
    wide_panel, tall_panel = cell_w * blocks, cell_h * p
    per_row = max(1, min(len(shown), int((13.2 - left) / (wide_panel + gap))))
    rows = -(-len(shown) // per_row)
    per_row = -(-len(shown) // rows)
    right = 0.62 if t.nodes else 0.25
    wide = max(left + per_row * (wide_panel + gap) - gap + right, 7.0 if held.combines else 6.2)
    foot = 0.34
    tall = HEAD + rows * (tall_panel + 0.42) + foot
    fig = sheet(wide, tall, t, f"{about(t)} · columns: {_columns(t, held)}")
    since, share = held.since(), held.share
    for i, k in enumerate(shown):
        row, col = divmod(i, per_row)
        ax = place(
            fig, left + col * (wide_panel + gap), HEAD + 0.24 + row * (tall_panel + 0.42), wide_panel, tall_panel
        )
        _panel(ax, t, held, k, since[k], share[k], cell_w, cell_h)
        if col == 0:
            _rank_labels(ax, t, -0.5)
        if col == per_row - 1 or i == len(shown) - 1:
            _node_names(ax, t, blocks - 0.5)
        colour = round_colour(k, rounds - 1) if k else to_rgb(FAINT)
        name = "start" if k == 0 else f"after {k}" if wide_panel > 0.6 or k == 1 else str(k)
        ax.annotate(name, (0.5, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points", ha="center",
                    fontsize=8.6, fontweight="bold", color=colour, annotation_clip=False)  # fmt: skip
        if row == rows - 1 and 2 < blocks <= 20 and cell_w > 0.14:
            for b in range(0, blocks, 1 if cell_w > 0.2 or blocks < 10 else 2):
                ax.annotate(str(b), (b, p - 0.5), xytext=(0, -3), textcoords="offset points", ha="center", va="top",
                            fontsize=6.8, color=FAINT, annotation_clip=False)  # fmt: skip
    fig.text(0.14 / wide, 1 - 0.58 / tall, _table_key(t, held), ha="left", va="top", fontsize=8.0, color=FAINT)
    return fig


def _table_key(t: Trace, held: Holdings) -> str:
    text = "colour: the round in which a cell came to be, grey from the start"
    if held.combines:
        text += "; how far it is filled: the share of ranks combined in it"
    return text


def _columns(t: Trace, held: Holdings) -> str:
    sizes = set(held.block_bytes)
    if t.collective == "barrier":
        return "the ranks a rank has heard from"
    if len(held.block_bytes) == 1:
        return "the vector"
    if len(sizes) == 1:
        return f"{held.what}, {format_size(sizes.pop())} each"
    return f"{held.what}, {format_size(min(sizes))} to {format_size(max(sizes))}"


def _node_names(ax: Axes, t: Trace, x: float) -> None:
    for first, last, node in node_runs(t.nodes) if t.nodes else ():
        ax.annotate(f"node {node}", (x, (first + last) / 2), xytext=(4, 0), textcoords="offset points", va="center",
                    fontsize=7.4, color=FAINT, annotation_clip=False)  # fmt: skip


def _panel(
    ax: Axes, t: Trace, held: Holdings, k: int, since: np.ndarray, share: np.ndarray, cell_w: float, cell_h: float
) -> None:
    p, blocks = since.shape
    last = len(held.state) - 1
    ax.set_xlim(-0.5, blocks - 0.5)
    ax.set_ylim(p - 0.5, -0.5)
    fine = min(cell_w, cell_h) < 0.1 and blocks > 2
    ax.add_patch(Rectangle((-0.5, -0.5), blocks, p, facecolor="#f6f8fa", edgecolor="none", zorder=0))
    if fine:
        picture = np.ones((p, blocks, 3)) * np.array(to_rgb("#f6f8fa"))
        for r in range(p):
            for b in range(blocks):
                if held.state[k, r, b]:
                    full = 1.0 if not held.combines else 0.22 + 0.78 * share[r, b]
                    picture[r, b] = _light(round_colour(int(since[r, b]), last), full)
        ax.imshow(picture, aspect="auto", interpolation="nearest", extent=(-0.5, blocks - 0.5, p - 0.5, -0.5), zorder=1)
    else:
        boxes, faces = [], []
        m = 0.045
        for r in range(p):
            for b in range(blocks):
                if not held.state[k, r, b]:
                    continue
                colour = round_colour(int(since[r, b]), last)
                x0, x1, y0, y1 = b - 0.5 + m, b + 0.5 - m, r - 0.5 + m, r + 0.5 - m
                if held.combines and share[r, b] < 1:
                    boxes.append(_box(x0, y0, x1, y1))
                    faces.append(_light(colour, 0.22))
                    if blocks <= 2:
                        boxes.append(_box(x0, y0, x0 + (x1 - x0) * share[r, b], y1))
                    else:
                        boxes.append(_box(x0, y1 - (y1 - y0) * share[r, b], x1, y1))
                    faces.append(colour)
                else:
                    boxes.append(_box(x0, y0, x1, y1))
                    faces.append(colour)
        _polygons(ax, boxes, faces, 1)
    ax.add_patch(Rectangle((-0.5, -0.5), blocks, p, facecolor="none", edgecolor=GRID, lw=0.8, zorder=3))
    for first, _, _ in node_runs(t.nodes)[1:] if t.nodes else ():
        ax.plot([-0.5, blocks - 0.5], [first - 0.5, first - 0.5], color=INK, lw=0.7, zorder=4)


# ---- how much ---------------------------------------------------------------------------------------------


def matrix(t: Trace) -> Figure:
    """Bytes from rank to rank; where there are none at all (a barrier), messages."""
    p = t.ranks
    amount = np.zeros((p, p))
    counts = np.zeros((p, p))
    for m in t.arrows:
        amount[m.src, m.dst] += m.bytes
        counts[m.src, m.dst] += 1
    plain = not amount.any()
    if plain:
        amount = counts
    side = 4.6 if p <= 24 else 5.6
    cell = side / p
    left, bar = 0.62, 0.62
    wide = left + side + 0.12 + bar + 0.95
    tall = HEAD + 0.22 + side + 0.12 + bar + 0.42
    most = amount.max() or 1
    unit = "messages" if plain else "bytes"

    def words(v: float) -> str:
        return f"{v:,.0f}".replace(",", "\u2009") if plain else format_size(int(v))

    second = (
        f"{p} ranks · {words(amount.sum())}{' messages' * plain} in all, at most {words(most)} from one rank to another"
    )
    if t.nodes:
        across = sum(amount[a, b] for a in range(p) for b in range(p) if t.nodes[a] != t.nodes[b])
        second += f"\n{words(across)} ({across / (amount.sum() or 1):.0%}) between nodes"
    fig = sheet(wide, tall, t, second)
    ax = place(fig, left, HEAD + 0.22, side, side)
    ax.set_xlim(-0.5, p - 0.5)
    ax.set_ylim(p - 0.5, -0.5)
    ax.add_patch(Rectangle((-0.5, -0.5), p, p, facecolor="#f6f8fa", edgecolor=GRID, lw=0.8))
    boxes, faces = [], []
    for a in range(p):
        for b in range(p):
            if not amount[a, b]:
                continue
            share = amount[a, b] / most
            colour = to_rgb(_AMOUNT(0.22 + 0.6 * share))
            g = 0.04 if p <= 32 else 0.0
            boxes.append(_box(b - 0.5 + g, a - 0.5 + g, b + 0.5 - g, a + 0.5 - g))
            faces.append(colour)
            text = _brief(amount[a, b]) if not plain else f"{amount[a, b]:.0f}"
            size = min(8.0, 72 * cell / (0.72 * max(2, len(text))))
            if size >= 4.9:
                ax.text(b, a, text, ha="center", va="center", fontsize=size, color="white" if _dark(colour) else INK)
    _polygons(ax, boxes, faces, 1)
    for first, last, node in node_runs(t.nodes) if t.nodes else ():
        n = last - first + 1
        ax.add_patch(Rectangle((first - 0.5, first - 0.5), n, n, facecolor="none", edgecolor=INK, lw=1.0, zorder=4))
        if first:
            for xs, ys in (([first - 0.5] * 2, [-0.5, p - 0.5]), ([-0.5, p - 0.5], [first - 0.5] * 2)):
                ax.plot(xs, ys, color=FAINT, lw=0.5, zorder=3)
        ax.annotate(f"node {node}", ((first + last) / 2, -0.5), xytext=(0, 4 if p > 20 else 15), textcoords="offset points",
                    ha="center", fontsize=7.4, color=FAINT, annotation_clip=False)  # fmt: skip
    step = 1 if p <= 20 else 2 if p <= 32 else 8
    for r in range(0, p, step):
        ax.annotate(str(r), (-0.5, r), xytext=(-4, 0), textcoords="offset points", ha="right", va="center", fontsize=7.8,
                    color=FAINT, annotation_clip=False)  # fmt: skip
        if not t.nodes or p <= 20:
            ax.annotate(str(r), (r, -0.5), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=7.8, color=FAINT,
                        annotation_clip=False)  # fmt: skip
    ax.annotate("from", (0, 0.5), xycoords="axes fraction", xytext=(-26, 0), textcoords="offset points", rotation=90,
                va="center", ha="right", fontsize=8.6, color=INK, annotation_clip=False)  # fmt: skip
    ax.annotate("to", (-0.5, -0.5), xytext=(-4, 3), textcoords="offset points", ha="right", fontsize=8.6, color=INK,
                annotation_clip=False)  # fmt: skip
    _margins(fig, t, amount, left, side, bar, words, unit)
    return fig


def _margins(fig, t, amount, left, side, bar, words, unit) -> None:  # type: ignore[no-untyped-def]
    """What each rank sends (right) and receives (below) in all."""
    p = t.ranks
    out, into = amount.sum(axis=1), amount.sum(axis=0)
    top = max(out.max(), into.max()) or 1
    right = place(fig, left + side + 0.12, HEAD + 0.22, bar, side)
    right.set_ylim(p - 0.5, -0.5)
    right.set_xlim(0, top)
    right.barh(range(p), out, height=0.78, color=_AMOUNT(0.55), lw=0)
    below = place(fig, left, HEAD + 0.22 + side + 0.12, side, bar)
    below.set_xlim(-0.5, p - 0.5)
    below.set_ylim(top, 0)
    below.bar(range(p), into, width=0.78, color=_AMOUNT(0.55), lw=0)
    most, least = int(out.argmax()), int(into.argmax())
    right.annotate(words(out[most]), (out[most], most), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7.8,
                   color=INK, annotation_clip=False)  # fmt: skip
    below.annotate(words(into[least]), (least, into[least]), xytext=(0, -3), textcoords="offset points", ha="center",
                   va="top", fontsize=7.8, color=INK, annotation_clip=False)  # fmt: skip
    right.annotate(
        "sent", (0, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points", fontsize=8, color=FAINT
    )
    below.annotate("received", (1, 1), xycoords="axes fraction", xytext=(5, -2), textcoords="offset points", va="top",
                   fontsize=8, color=FAINT, annotation_clip=False)  # fmt: skip


def _brief(size: float) -> str:
    """Bytes in a small cell: 4K, 1.5M."""
    for unit, name in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if size >= unit:
            value = size / unit
            return f"{value:.0f}{name}" if value >= 10 or value == int(value) else f"{value:.1f}{name}"
    return f"{size:.0f}"
