"""How much flows between whom: bytes from rank to rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from collscope.base.units import counted, format_size
from collscope.figures.schedule.sheet import EMPTY, HEAD, box, dark, node_runs, note, place, polygons, sheet
from collscope.figures.style import FAINT, GRID, INK
from collscope.schedules.trace import Trace

_AMOUNT = LinearSegmentedColormap.from_list("amount", ["#eef1f4", "#b9c3d3", "#7486a8", "#3a4b78", "#1c2447"])
MAX_BOXES = 64  # ranks: with more, cells are the dots of a picture
_LEFT, _TOP, _BAR, _GAP = 0.62, HEAD + 0.22, 0.62, 0.12  # inches: of the square, the bars beside it, and between them


@dataclass(frozen=True)
class _Flow:
    """amount[source, destination]: bytes; or messages, where no message has any (a barrier)."""

    amount: np.ndarray
    in_messages: bool

    def text(self, v: float) -> str:
        """An amount in a sentence."""
        return f"{v:,.0f}".replace(",", "\u2009") if self.in_messages else format_size(int(v))

    def cell(self, v: float) -> str:
        """An amount in a small cell."""
        return f"{v:.0f}" if self.in_messages else _brief(v)


def _flow(t: Trace) -> _Flow:
    amount = np.zeros((t.ranks, t.ranks))
    counts = np.zeros((t.ranks, t.ranks))
    for m in t.arrows:
        amount[m.src, m.dst] += m.bytes
        counts[m.src, m.dst] += 1
    return _Flow(amount, False) if amount.any() else _Flow(counts, True)


def matrix(t: Trace) -> Figure:
    """Bytes from rank to rank; messages where no bytes are sent (a barrier)."""
    p = t.ranks
    flow = _flow(t)
    side = 4.6 if p <= 24 else 5.6
    wide = _LEFT + side + _GAP + _BAR + 0.95
    tall = _TOP + side + _GAP + _BAR + 0.42
    fig = sheet(wide, tall, t, _sums(t, flow))
    ax = place(fig, _LEFT, _TOP, side, side)
    ax.set_xlim(-0.5, p - 0.5)
    ax.set_ylim(p - 0.5, -0.5)
    ax.add_patch(Rectangle((-0.5, -0.5), p, p, facecolor=EMPTY, edgecolor=GRID, lw=0.8))
    _cells(ax, flow, side / p)
    _nodes(ax, t)
    _labels(ax, t)
    _margins(fig, flow, side)
    return fig


def _sums(t: Trace, flow: _Flow) -> str:
    """What flows in all, and what of it between nodes."""
    amount = flow.amount
    unit = " messages" * flow.in_messages
    text = f"{counted(t.ranks, 'rank')} · {flow.text(amount.sum())}{unit} in all"
    if amount.max():
        text += f", at most {flow.text(amount.max())} from one rank to another"
    if t.nodes:
        p = t.ranks
        across = sum(amount[a, b] for a in range(p) for b in range(p) if t.nodes[a] != t.nodes[b])
        text += f"\n{flow.text(across)} ({across / (amount.sum() or 1):.0%}) between nodes"
    return text


def _cells(ax: Axes, flow: _Flow, cell: float) -> None:
    """A box for each pair that sends, darker for more, with its amount where there is room; a cell has so many inches."""
    p = len(flow.amount)
    most = flow.amount.max() or 1
    half = 0.5 - (0.04 if p <= 32 else 0.0)
    if p > MAX_BOXES:
        there = np.where(flow.amount > 0, 0.22 + 0.6 * flow.amount / most, np.nan)
        ax.imshow(_AMOUNT(np.ma.masked_invalid(there)), extent=(-0.5, p - 0.5, p - 0.5, -0.5), interpolation="nearest",
                  aspect="auto", zorder=1)  # fmt: skip
        return
    shapes, faces = [], []
    for a, b in np.argwhere(flow.amount):
        v = flow.amount[a, b]
        colour = to_rgb(_AMOUNT(0.22 + 0.6 * (v / most)))
        shapes.append(box(b - half, a - half, b + half, a + half))
        faces.append(colour)
        text = flow.cell(v)
        size = min(8.0, 72 * cell / (0.72 * max(2, len(text))))
        if size >= 4.9:
            ax.text(b, a, text, ha="center", va="center", fontsize=size, color="white" if dark(colour) else INK)
    polygons(ax, shapes, faces, 1)


def _nodes(ax: Axes, t: Trace) -> None:
    """A frame around each node's own square, lines between nodes, and names above."""
    p = t.ranks
    for first, last, node in node_runs(t.nodes) if t.nodes else ():
        n = last - first + 1
        ax.add_patch(Rectangle((first - 0.5, first - 0.5), n, n, facecolor="none", edgecolor=INK, lw=1.0, zorder=4))
        if first:
            for xs, ys in (([first - 0.5] * 2, [-0.5, p - 0.5]), ([-0.5, p - 0.5], [first - 0.5] * 2)):
                ax.plot(xs, ys, color=FAINT, lw=0.5, zorder=3)
        note(ax, f"node {node}", ((first + last) / 2, -0.5), (0, 4 if p > 20 else 15), 7.4, ha="center")


def _labels(ax: Axes, t: Trace) -> None:
    """The ranks' numbers at the left and, where nodes leave room, above."""
    p = t.ranks
    step = 1 if p <= 20 else 2 if p <= 32 else 8
    for r in range(0, p, step):
        note(ax, str(r), (-0.5, r), (-4, 0), 7.8, ha="right", va="center")
        if not t.nodes or p <= 20:
            note(ax, str(r), (r, -0.5), (0, 3), 7.8, ha="center")
    note(ax, "from", (0, 0.5), (-26, 0), 8.6, xycoords="axes fraction", rotation=90, va="center", ha="right", color=INK)
    note(ax, "to", (-0.5, -0.5), (-4, 3), 8.6, ha="right", color=INK)


def _margins(fig: Figure, flow: _Flow, side: float) -> None:
    """What each rank sends (right) and receives (below) in all, beside a square of so many inches."""
    p = len(flow.amount)
    out, into = flow.amount.sum(axis=1), flow.amount.sum(axis=0)
    top = max(out.max(), into.max()) or 1
    right = place(fig, _LEFT + side + _GAP, _TOP, _BAR, side)
    right.set_ylim(p - 0.5, -0.5)
    right.set_xlim(0, top)
    right.barh(range(p), out, height=0.78, color=_AMOUNT(0.55), lw=0)
    below = place(fig, _LEFT, _TOP + side + _GAP, side, _BAR)
    below.set_xlim(-0.5, p - 0.5)
    below.set_ylim(top, 0)
    below.bar(range(p), into, width=0.78, color=_AMOUNT(0.55), lw=0)
    sender, receiver = int(out.argmax()), int(into.argmax())
    note(right, flow.text(out[sender]), (out[sender], sender), (3, 0), 7.8, va="center", color=INK)
    note(below, flow.text(into[receiver]), (receiver, into[receiver]), (0, -3), 7.8, ha="center", va="top", color=INK)
    note(right, "sent", (0, 1), (0, 4), 8, xycoords="axes fraction")
    note(below, "received", (1, 1), (5, -2), 8, xycoords="axes fraction", va="top")


def _brief(size: float) -> str:
    """Bytes in a small cell: 4K, 1.5M."""
    for unit, name in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if size >= unit:
            value = size / unit
            return f"{value:.0f}{name}" if value >= 10 or value == int(value) else f"{value:.1f}{name}"
    return f"{size:.0f}"
