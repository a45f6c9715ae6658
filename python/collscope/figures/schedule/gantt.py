"""When each rank does what: sends, receives, combines, copies, waits."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from collscope.base.units import format_ratio, format_time
from collscope.figures.schedule.rounds import round_colour
from collscope.figures.schedule.sheet import (
    HEAD,
    WORK,
    about,
    box,
    dark,
    lane_height,
    light,
    lines,
    node_bands,
    node_edges,
    note,
    place,
    polygons,
    rank_labels,
    round_key,
    round_key_width,
    sheet,
)
from collscope.figures.style import FAINT, GRID, INK, RGB
from collscope.schedules.trace import Message, Span, Trace

COPY = "#9aa4ae"
OVERHEAD = "#6f42a6"  # no round has this colour
WAIT = "#d5dbe1"
SAME = "all from the ranks' calls, the same bar for the same thing"
REAL = "; of a real run the overhead of receiving is part of its bar"
EDGED = 0.04  # inches: narrower bars have no edge, which would cover them
HAIR = 0.008  # inches: what takes no time is still seen


def gantt(traces: Sequence[Trace]) -> Figure:
    """What each rank does: above its line it sends, below it receives. Several sources stand under each other on one axis."""
    t = traces[0]
    height = max(2.4, t.ranks * lane_height(t.ranks) * (0.8 if len(traces) > 1 and t.ranks > 32 else 1))
    names = _names(traces)
    keys = 0.09 + round_key_width(t) + 0.3 + sum(map(_room, names)) + 0.12  # of rounds and of bars, beside each other
    wide, left = max(9.6 if t.ranks <= 20 else 11.0, keys), 0.55
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
    text = t.where if len(traces) == 1 else SAME
    if any(x.source == "real" for x in traces):
        text += REAL
    fig.text(0.14 / wide, 0.1 / tall, text, fontsize=7.8, color=FAINT, va="bottom")
    _key(fig, t, names, wide)
    return fig


def _caption(fig: Figure, t: Trace, first: Trace, left: float, base: float) -> None:
    """Above a panel: the source and its time, then where it is from."""
    wide, tall = fig.get_size_inches()
    text = f"{t.source}  {format_time(t.time_s)}"
    if t is not first and first.time_s > 0:
        text += f"  = {format_ratio(t.time_s / first.time_s)} × {first.source}"
    fig.text(left / wide, 1 - base / tall, text, fontsize=9.4, fontweight="bold", color=INK, va="bottom")
    fig.text((left + 0.16 + 0.079 * len(text)) / wide, 1 - base / tall, t.where, fontsize=8, color=FAINT, va="bottom")


# ---- lanes ------------------------------------------------------------------------------------------------


def _lanes(ax: Axes, t: Trace, end: float, x_inch: float, y_inch: float) -> None:
    """All lanes of one source; `x_inch` inches are a second, `y_inch` a rank."""
    node_bands(ax, t, 0, end)
    starts = t.rank_start_s or (0.0,) * t.ranks
    lanes = [np.array([(starts[r], r), (t.rank_end_s[r], r)]) for r in range(t.ranks)]
    lines(ax, lanes, [to_rgb("#8c959f")] * t.ranks, 0.7 if t.ranks <= 32 else 0.4, 1)
    rank_labels(ax, t, 0)
    idle = [s for s in t.spans if s.kind == "wait"]
    polygons(ax, [_band(s, -0.13, 0.13) for s in idle], [to_rgb(WAIT)] * len(idle), 1.5)
    _bars(ax, t, x_inch, y_inch)
    work = [s for s in t.spans if s.kind in ("reduce", "copy")]
    shapes = [_band(s, -0.42, 0.42, HAIR / x_inch) for s in work]
    polygons(ax, shapes, [to_rgb(WORK if s.kind == "reduce" else COPY) for s in work], 3)
    for kind, above, below in (("post", -0.42, -0.03), ("take", 0.03, 0.42)):
        shapes = [_band(s, above, below, HAIR / x_inch) for s in t.spans if s.kind == kind]
        polygons(ax, shapes, [to_rgb(OVERHEAD)] * len(shapes), 3.2)
    _hatched(ax, [_band(s, -0.42, -0.03) for s in t.spans if s.kind == "blocked"])
    if 1 < len(t.arrows) <= 48 and t.ranks <= 16:
        links = [[(m.start_s, m.src - 0.03), (m.start_s, m.dst + (0.03 if m.dst > m.src else 0.42))] for m in t.arrows]
        shades = [(*round_colour(m.round, t.rounds), 0.45) for m in t.arrows]
        lines(ax, [np.array(x) for x in links], shades, 0.9, 2, linestyle=(0, (1.5, 1.5)))
    marks = [np.array([(e, r - 0.30), (e, r + 0.30)]) for r, e in enumerate(t.rank_end_s)]
    lines(ax, marks, [to_rgb(INK)] * t.ranks, 1.1 if t.ranks <= 32 else 0.7, 4)
    for edge in node_edges(t):  # bars cover the shades of nodes
        ax.plot([0, end], [edge, edge], color=INK, lw=0.8, zorder=4.5)


def _band(s: Span, above: float, below: float, least: float = 0.0) -> np.ndarray:
    """A span as a box around its rank's line, at least so long."""
    return box(s.start_s, s.rank + above, max(s.end_s, s.start_s + least), s.rank + below)


def _bars(ax: Axes, t: Trace, x_inch: float, y_inch: float) -> None:
    """A bar for each message at both its ends, with its partner's number where there is room."""
    edged: list[tuple[np.ndarray, RGB]] = []  # wide enough for an edge
    plain: list[tuple[np.ndarray, RGB]] = []
    hair = HAIR / x_inch
    for (rank, sends), port in ports(t).items():
        for m, slot, slots in port:
            high = 0.39 / slots
            y0 = (rank - 0.42 if sends else rank + 0.03) + slot * high
            y1 = y0 + high * (0.94 if slots > 1 else 1)
            colour = round_colour(m.round, t.rounds)
            face = colour if sends else light(colour, 0.5)
            a, z = m.start_s if sends else taken_s(m), m.end_s
            alone = alone_s(m) if sends else None
            if alone:
                middle, thin = (y0 + y1) / 2, min(0.05, 0.2 * high)
                plain.append((box(alone[0], middle - thin, alone[1], middle + thin), face))
                z = max(alone[0], a)
            wide = high * y_inch >= EDGED and ((alone[0] if alone else z) - a) * x_inch > EDGED
            end = max(alone[0] if alone else z, a + hair)
            (edged if wide else plain).append((box(a, y0, end, y1), face))
            text = f"→{m.dst}" if sends else f"←{m.src}"
            size = min(8.0, 60 * high * y_inch)
            if size >= 4.8 and (z - a) * x_inch > 0.0098 * size * len(text) * 1.02:
                ax.text((a + z) / 2, y0 + high * 0.52, text, ha="center", va="center", fontsize=size,
                        color="white" if sends and dark(colour) else INK, zorder=4)  # fmt: skip
    edge = "white" if t.ranks <= 32 and len(edged) < 1500 else "none"
    polygons(ax, [b for b, _ in edged], [c for _, c in edged], 3, edge)
    polygons(ax, [b for b, _ in plain], [c for _, c in plain], 3)


def taken_s(m: Message) -> float:
    """When its receiver began to take a message."""
    return m.start_s if m.requested_s is None else max(m.start_s, min(m.requested_s, m.end_s))


def alone_s(m: Message) -> tuple[float, float] | None:
    """From when until when a message is on its way, or lies somewhere, without its sender, who is free."""
    return None if m.sent_s is None else (max(m.sent_s, m.start_s), max(m.sent_s, m.end_s))


def _hatched(ax: Axes, shapes: Sequence[np.ndarray]) -> None:
    for shape in shapes:
        ax.add_patch(PathPatch(Path(np.vstack([shape, shape[:1]]), closed=True), facecolor="white", edgecolor=COPY, lw=0.5,
                               hatch="//////", zorder=2.5))  # fmt: skip


Slot = tuple[Message, int, int]  # a message, its slot, and how many slots there are at that time


def ports(t: Trace) -> dict[tuple[int, bool], list[Slot]]:
    """(rank, whether it sends) → the messages of this port, in order; those at once in slots of their own."""
    at: dict[tuple[int, bool], list[Message]] = defaultdict(list)
    for m in t.arrows:
        at[m.src, True].append(m)
        at[m.dst, False].append(m)
    return {port: _slots(messages, port[1]) for port, messages in at.items()}


def _slots(messages: Sequence[Message], sends: bool) -> list[Slot]:
    begun = sorted(((m.start_s if sends else taken_s(m), m) for m in messages), key=lambda x: (x[0], x[1].end_s))
    made: list[Slot] = []
    group: list[tuple[Message, int]] = []
    ends: list[float] = []  # of each slot
    for start, m in begun:
        slack = 1e-9 * (m.end_s - start)
        if group and start >= max(ends) - slack:
            made += [(q, slot, len(ends)) for q, slot in group]
            group, ends = [], []
        slot = next((i for i, e in enumerate(ends) if e <= start + slack), len(ends))
        if slot == len(ends):
            ends.append(m.end_s)
        ends[slot] = m.end_s
        group.append((m, slot))
    return made + [(q, slot, len(ends)) for q, slot in group]


# ---- scale and key ----------------------------------------------------------------------------------------


def _time_ticks(ax: Axes, end: float, own: float, panel: float, labels: bool) -> None:
    """A scale up to `end` on a panel of so many inches, and a line at the panel's own end."""
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
            note(ax, f"{k * step:g}" + (f" {unit}" if k == 0 else ""), (x, low), (0, -4), 8.2, ha="center", va="top")
        k += 1
    ax.plot([own, own], [low, -0.5], color=INK, lw=0.9, zorder=2)
    if labels:
        note(ax, format_time(own), (own, low), (0, -4), 8.8, ha="center", va="top", fontweight="bold", color=INK)


Name = tuple[str, str, RGB]  # of the key: shape, text, colour


def _names(traces: Sequence[Trace]) -> list[Name]:
    """What these pictures show."""
    colour = round_colour(1, max(2, traces[0].rounds))
    kinds = {span.kind for t in traces for span in t.spans}
    names: list[Name] = [("bar", "sends", colour), ("bar", "receives", light(colour, 0.5))]
    if any(alone_s(m) for t in traces for m in t.arrows):
        names.append(("line", "on its way, sender free", colour))
    if kinds & {"post", "take"}:
        names.append(("bar", "overhead", to_rgb(OVERHEAD)))
    for kind, shape, text, shade in (
        ("reduce", "bar", "combines", WORK),
        ("copy", "bar", "copies", COPY),
        ("wait", "band", "waits", WAIT),
        ("blocked", "hatch", "send waits for its receiver", COPY),
    ):
        if kind in kinds:
            names.append((shape, text, to_rgb(shade)))
    return names


def _room(name: Name) -> float:
    """Inches that a name takes in the key."""
    return 0.32 + 0.062 * len(name[1]) + 0.14


def _key(fig: Figure, t: Trace, names: Sequence[Name], wide: float) -> None:
    round_key(fig, t, 0.09, HEAD - 0.24)
    room = list(map(_room, names))
    width = sum(room)
    ax = place(fig, wide - width - 0.12, HEAD - 0.24, width, 0.17)
    ax.set_xlim(0, width)
    x = 0.0
    for (shape, text, face), space in zip(names, room, strict=True):
        if shape == "hatch":
            _hatched(ax, [box(x, 0.1, x + 0.26, 0.9)])
        else:
            half = {"bar": 0.4, "band": 0.2, "line": 0.08}[shape]
            ax.add_patch(Rectangle((x, 0.5 - half), 0.26, 2 * half, color=face, lw=0))
        ax.text(x + 0.32, 0.46, text, va="center", fontsize=8, color=FAINT)
        x += space
