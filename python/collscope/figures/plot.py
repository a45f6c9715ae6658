"""Figures. Each function takes tidy tables and returns a matplotlib Figure; no function here reads or writes a file but `save`.

A key has one colour, one dash and one marker in all figures: `style_of`.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from collscope.analysis.crossover import Span, size_text
from collscope.analysis.tree import Tree
from collscope.base.files import write_atomically
from collscope.base.units import format_time
from collscope.points import plan

INK = "#1f2328"
FAINT = "#6e7781"
GRID = "#d8dee4"
SHADE = "#eef1f4"

STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "font.size": 9.5,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.edgecolor": "#afb8c1",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "xtick.major.width": 0.8,
    "ytick.major.width": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 8.8,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.2,
    "lines.solid_capstyle": "round",
    "svg.fonttype": "none",
    "svg.hashsalt": "collscope",
    "path.simplify": True,
}
mpl.rcParams.update(STYLE)

# ---- one look for each key -------------------------------------------------------------------------------

_SHORT, _LONG = "#0072B2", "#D55E00"
_DECISIONS = {
    "ompi_4_0": "#009E73",
    "ompi_4_1": "#AA3377",
    "ompi_5_0": "#B8860B",
    "rd_ring": "#5B4FCF",
    "smpi_ompi": "#7f7f7f",
    "mpich_4": "#0E7C86",
}
# For all that is neither of Chan's nor a decision: far from those four colours and from each other.
_OTHERS = (
    "#56B4E9", "#E69F00", "#332288", "#117733", "#882255", "#44AA99", "#999933", "#661100",
    "#6699CC", "#B15928", "#7B5EA7", "#4D9221", "#C51B7D", "#2F4F4F", "#A6761D", "#1B7837",
)  # fmt: skip
_STEMS = (
    "binomial", "linear_nb", "pipeline", "knomial", "ring", "recursive_doubling", "chain", "binary", "split_binary",
    "rabenseifner", "neighbor_exchange", "bruck", "linear_sync", "linear", "recursive_halving", "butterfly",
    "scatter_ring", "scatter_recursive_doubling", "in_order_binary", "nonoverlapping", "ring_segmented", "binary_tree",
)  # fmt: skip
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h")


@dataclass(frozen=True)
class Look:
    colour: str
    dash: Any
    marker: str


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def style_of(key: str) -> Look:
    """The look of an algorithm's or decision's key, the same wherever it is drawn."""
    stem = key.partition("[")[0]
    owner, _, name = stem.partition("/")
    if owner == "decision":
        colour = _DECISIONS.get(name) or _OTHERS[_number(name) % len(_OTHERS)]
        order = list(_DECISIONS).index(name) if name in _DECISIONS else _number(name)
        return Look(colour, _DASHES[1 + order % 3], "^Dv<>"[order % 5])
    if owner == "rotation":
        names = ("shift", "nonblocking", "ordered", "serial")
        if name in names:
            k = names.index(name)
            return Look((_SHORT, "#56B4E9", "#E69F00", _LONG)[k], ("-", _DASHES[1], "-", "-")[k], "osD^"[k])
    if "bucket" in name or (name == "linear" and owner in ("scatter", "gather")):
        return Look(_LONG, "-", "s")
    if name == "mst" or name.startswith("mst_"):
        return Look(_SHORT, "-", "o")
    if name == "builtin":
        return Look(INK, "-", "*")
    k = _STEMS.index(name) if name in _STEMS else _number(name)
    # Parameters do not change the colour, so that a family stays together; they change dash and marker.
    variant = _number(key) if "[" in key else 0
    return Look(_OTHERS[k % len(_OTHERS)], _DASHES[variant % 4], _MARKERS[(k + variant) % len(_MARKERS)])


def colour_of(key: str) -> str:
    return style_of(key).colour


CLASS_COLOUR = {"short": _SHORT, "long": _LONG}


def class_colour(name: str, candidate: str = "") -> str:
    """Colour of a class: that of the keys that make it up."""
    if name == "builtin":
        return colour_of(candidate or "decision/ompi_4_1")
    return CLASS_COLOUR.get(name) or colour_of(name)


def decision_name(key: str) -> str:
    """decision/ompi_4_1 → Open MPI 4.1"""
    name = key.partition("/")[2]
    for start, library in (("ompi_", "Open MPI "), ("mpich_", "MPICH ")):
        if name.startswith(start):
            return library + name[len(start) :].replace("_", ".")
    return name.replace("_", " ")


# ---- axes ------------------------------------------------------------------------------------------------


def _size_axis(ax: Axes, low: float, high: float, labels: bool = True, most: int = 9) -> None:
    """Powers of two as 4 B, 64 B, 1 KiB, …, not more than fit."""
    ax.set_xscale("log", base=2)
    ax.set_xlim(low / 2**0.35, high * 2**0.35)
    first, last = math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9)
    step = next(s for s in (1, 2, 3, 4, 5, 10, 20) if (last - first) // s + 1 <= most)
    at = [2.0**k for k in range(first, last + 1) if (k - 10) % step == 0]
    ax.xaxis.set_major_locator(FixedLocator(at))
    ax.xaxis.set_minor_locator(FixedLocator([2.0**k for k in range(first, last + 1)]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: size_text(round(v))))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", which="minor", length=2, color=GRID)
    if not labels:
        ax.tick_params(axis="x", labelbottom=False)


def _tick_time(seconds: float) -> str:
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if seconds >= unit * 0.999:
            return f"{seconds / unit:g} {name}"
    return f"{seconds:g} s"


def _time_axis(ax: Axes, low: float, high: float) -> None:
    ax.set_yscale("log")
    ax.set_ylim(low / 1.6, high * 1.6)
    ax.yaxis.set_major_locator(LogLocator(base=10, numticks=20))
    ax.yaxis.set_minor_locator(LogLocator(base=10, subs=(2, 5), numticks=40))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: _tick_time(v)))
    wide = high / low > 2e2
    ax.yaxis.set_minor_formatter(NullFormatter() if wide else FuncFormatter(lambda v, _: _tick_time(v)))
    ax.tick_params(axis="y", which="minor", length=2, color=GRID)


def _ratio_axis(ax: Axes, top: float) -> None:
    ax.set_yscale("log")
    ax.set_ylim(0.97 if top < 1.5 else 0.94, max(top * 1.12, 1.12))
    steps = (
        [1, 1.02, 1.05, 1.1]
        if top <= 1.12
        else [1, 1.1, 1.2, 1.5]
        if top <= 1.5
        else [1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100]
    )
    if top > 6:
        steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    at = [s for s in steps if s <= max(top * 1.12, 1.12)]
    ax.yaxis.set_major_locator(FixedLocator(at))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}×"))


def _grid(ax: Axes, minor_y: bool = False) -> None:
    ax.grid(True, which="major", color=GRID, linewidth=0.7)
    if minor_y:
        ax.grid(True, which="minor", axis="y", color=GRID, linewidth=0.35)


def _spread(at: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The positions moved apart to at least `gap`, in order, as little as a few sweeps allow, within [low, high]."""
    order = sorted(range(len(at)), key=lambda i: at[i])
    pos = [at[i] for i in order]
    for _ in range(200):
        moved = False
        for i in range(len(pos) - 1):
            lack = gap - (pos[i + 1] - pos[i])
            if lack > 1e-9:
                pos[i] -= lack / 2
                pos[i + 1] += lack / 2
                moved = True
        if pos:
            shift = max(low - pos[0], 0) or min(high - pos[-1], 0)
            if abs(shift) > 1e-9:
                pos = [p + shift for p in pos]
        if not moved:
            break
    out = [0.0] * len(at)
    for k, i in enumerate(order):
        out[i] = pos[k]
    return out


def _end_labels(ax: Axes, ends: Sequence[tuple[float, float, str, str]], size: float = 8.8) -> None:
    """Names at the right end of lines, (x, y, text, colour), moved apart where lines end together."""
    if not ends:
        return
    low, high = (math.log(v) for v in ax.get_ylim())
    height = ax.get_position().height * ax.figure.get_figheight() * 72  # type: ignore[union-attr]
    gap = 1.12 * size / height * (high - low)
    spots = _spread([math.log(y) for _, y, _, _ in ends], gap, low, high)
    for (x, y, text, colour), spot in zip(ends, spots, strict=True):
        ax.annotate(
            text, (x, y), xytext=(1.012, (spot - low) / (high - low)), textcoords=("axes fraction", "axes fraction"),
            color=colour, fontsize=size, va="center", ha="left", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6, "alpha": 0.55, "shrinkA": 1, "shrinkB": 3},
        )  # fmt: skip


# ---- one collective on some nodes ------------------------------------------------------------------------


@dataclass(frozen=True)
class Marked:
    """A range of sizes to be shaded."""

    label: str
    from_bytes: int
    to_bytes: int


def _shade(ax: Axes, marked: Marked | None, low: float, high: float, text: bool, size: float = 8.0) -> None:
    """Shades the marked range as far as the axis from `low` to `high` shows it, its name above."""
    if marked is None or marked.from_bytes > high or marked.to_bytes < low:
        return
    left, right = max(low, marked.from_bytes) / 2**0.35, min(high, marked.to_bytes) * 2**0.35
    ax.axvspan(left, right, color=SHADE, lw=0, zorder=0)
    if text:
        ax.annotate(
            marked.label, (math.sqrt(left * right), 1), xycoords=ax.get_xaxis_transform(), xytext=(0, 2),
            textcoords="offset points", ha="center", va="bottom", fontsize=size, color=FAINT,
        )  # fmt: skip


BOUND_NOTE = "bound of the telephone model (overlap may go below it)"


def collective_figure(
    times: pd.DataFrame,
    bound: pd.DataFrame | None = None,
    *,
    title: str,
    subtitle: str = "",
    marked: Marked | None = None,
) -> Figure:
    """Time against size for one collective on one set of nodes, and below it the time relative to the best.

    `times`: bytes, label (legend), short_label (end of the line), key, time_s, chose. `bound`: bytes, time_s.
    Under the axes a strip for each decision names what it chose where.
    """
    series = [(label, part.sort_values("bytes")) for label, part in times.groupby("label", sort=False)]
    sizes = np.sort(times["bytes"].unique())
    decisions = [(label, part) for label, part in series if (part["chose"] != "").any()]
    lanes = len(decisions)
    # Heights in inches, from the top: title, time, gap, ratio, gap, strips, room for the labels of the size axis.
    head, main, ratio_h, strip_h, foot = 0.62, 3.35, 1.55, 0.2 * lanes, 0.55
    tall = head + main + 0.14 + ratio_h + (0.12 + strip_h if lanes else 0) + foot
    wide = 7.6
    fig = Figure(figsize=(wide, tall), dpi=150)
    left, width = 0.82 / wide, 5.74 / wide

    def place(top: float, height: float) -> tuple[float, float, float, float]:
        return (left, 1 - (top + height) / tall, width, height / tall)

    ax = fig.add_axes(place(head, main))
    rel = fig.add_axes(place(head + main + 0.14, ratio_h))
    strip_top = head + main + 0.14 + ratio_h + 0.12
    low, high = float(sizes[0]), float(sizes[-1])
    best = times.groupby("bytes")["time_s"].min()

    for a in (ax, rel):
        _shade(a, marked, low, high, text=a is ax)
    handles: list[Line2D] = []
    labels: list[str] = []
    ends, rel_ends, top = [], [], 1.0
    for z, (label, part) in enumerate(series):
        look = style_of(str(part["key"].iloc[0]))
        ratio = part["time_s"].to_numpy() / best.loc[part["bytes"]].to_numpy()
        top = max(top, float(np.nanmax(ratio)))
        # Solid lines first and wider, dashed ones on top of them: equal times stay visible as two lines.
        thick = 2.4 if look.dash == "-" else 1.7
        style = {"color": look.colour, "ls": look.dash, "marker": look.marker, "lw": thick, "zorder": 3 + z}
        face = {"markerfacecolor": "white", "markeredgewidth": 1.1} if look.dash != "-" else {"markeredgewidth": 0}
        (line,) = ax.plot(part["bytes"], part["time_s"], **style, **face)
        rel.plot(part["bytes"], ratio, **style, **face)
        handles.append(line)
        labels.append(label)
        name = str(part["short_label"].iloc[0])
        ends.append((float(part["bytes"].iloc[-1]), float(part["time_s"].iloc[-1]), name, look.colour))
        rel_ends.append((float(part["bytes"].iloc[-1]), float(ratio[-1]), name, look.colour))
    everything = [times["time_s"].min(), times["time_s"].max()]
    if bound is not None and len(bound):
        bound = bound.sort_values("bytes")
        (line,) = ax.plot(bound["bytes"], bound["time_s"], color=FAINT, lw=0.9, ls="-", zorder=2)
        handles.append(line)
        labels.append(BOUND_NOTE)
        everything.append(bound["time_s"].min())
    _size_axis(ax, low, high, labels=False)
    _size_axis(rel, low, high, labels=not lanes)
    _time_axis(ax, min(everything), max(everything))
    _ratio_axis(rel, top)
    _grid(ax)
    _grid(rel)
    # At the same distance from the edge, whatever the tick labels take.
    for a, text in ((ax, "time"), (rel, "time / best")):
        a.set_ylabel(text)
        a.yaxis.set_label_coords(-0.115, 0.5)
    ax.legend(handles, labels, loc="upper left", handlelength=2.9, borderaxespad=0.3, labelspacing=0.35)
    fig.suptitle(title, x=left, y=1 - 0.08 / tall, ha="left", va="top", fontsize=12.5, fontweight="bold")
    if subtitle:
        fig.text(left, 1 - 0.33 / tall, subtitle, ha="left", va="top", fontsize=8.8, color=FAINT)
    _end_labels(ax, ends)
    _end_labels(rel, rel_ends)
    bottom: Axes = rel
    for k, (_, part) in enumerate(decisions):
        strip = fig.add_axes(place(strip_top + 0.2 * k, 0.2))
        _strip(strip, part.sort_values("bytes"), low, high, labels=k == lanes - 1)
        bottom = strip
    bottom.set_xlabel("size of the vector")
    return fig


def _strip(ax: Axes, part: pd.DataFrame, low: float, high: float, labels: bool) -> None:
    """What a decision chose, as a row of named boxes along the size axis."""
    look = style_of(str(part["key"].iloc[0]))
    _size_axis(ax, low, high, labels=labels)
    ax.set_ylim(0, 1)
    ax.yaxis.set_major_locator(NullLocator())
    for side in ("left", "right", "top", "bottom"):
        ax.spines[side].set_visible(False)
    if not labels:
        ax.tick_params(axis="x", which="both", length=0)
    width_pt = ax.get_position().width * ax.figure.get_figwidth() * 72  # type: ignore[union-attr]
    span = math.log2(ax.get_xlim()[1] / ax.get_xlim()[0])
    # Each size stands for the range up to the middle between it and its neighbours.
    sizes = [float(s) for s in part["bytes"]]
    edges = [sizes[0] / 2**0.5, *(math.sqrt(a * b) for a, b in itertools.pairwise(sizes)), sizes[-1] * 2**0.5]
    runs: list[list[Any]] = []
    for at, chose in enumerate(part["chose"]):
        name = brief_key(str(chose)).partition("/")[2]
        if runs and runs[-1][0] == name:
            runs[-1][2] = edges[at + 1]
        else:
            runs.append([name, edges[at], edges[at + 1]])
    for k, (name, left, right) in enumerate(runs):
        ax.add_patch(
            Rectangle(
                (left, 0.08),
                right - left,
                0.84,
                facecolor=_tint(look.colour, 0.82 if k % 2 else 0.7),
                edgecolor="white",
                lw=1,
            )
        )
        room = math.log2(right / left) / span * width_pt
        for text in (name, _brief(name), _briefer(name)):
            if len(text) * 4.15 + 3 <= room:
                ax.text(
                    math.sqrt(left * right),
                    0.47,
                    text,
                    ha="center",
                    va="center",
                    fontsize=7,
                    color=_shadeof(look.colour),
                )
                break
    ax.text(
        1.012, 0.47, decision_name(str(part["key"].iloc[0])).replace("Open MPI ", "") + " chose", transform=ax.transAxes,
        ha="left", va="center", fontsize=8, color=look.colour,
    )  # fmt: skip


def brief_key(key: str) -> str:
    """The key as people say it: sizes with a unit, parameters that are switched off left out."""
    stem, bracket, inner = key.partition("[")
    words = []
    for part in inner.rstrip("]").split(",") if bracket else ():
        name, _, value = part.partition("=")
        if value.isdigit() and int(value) >= 1024 and int(value) % 1024 == 0:
            value = size_text(int(value)).replace(" ", "")
        if value != "0":
            words.append(f"{name}={value}")
    return f"{stem}[{','.join(words)}]" if words else stem


def _brief(name: str) -> str:
    """pipeline[s=128KiB] → pipeline 128K"""
    stem, _, inner = name.partition("[")
    values = [p.partition("=")[2] for p in inner.rstrip("]").split(",") if p]
    return " ".join([stem, *(_size_word(v) for v in values if v not in ("0", ""))])


def _briefer(name: str) -> str:
    inner = name.partition("[")[2]
    values = [_size_word(p.partition("=")[2]) for p in inner.rstrip("]").split(",") if p]
    return "".join(v for v in values if v not in ("0", ""))[:5]


def _size_word(value: str) -> str:
    if value.isdigit() and int(value) >= 1024:
        return size_text(int(value)).replace(" ", "").replace("iB", "")
    return value.replace("KiB", "K").replace("MiB", "M")


def _tint(colour: str, share: float) -> tuple[float, float, float]:
    """The colour mixed with white."""
    r, g, b = to_rgb(colour)
    return (r + (1 - r) * share, g + (1 - g) * share, b + (1 - b) * share)


def _shadeof(colour: str) -> tuple[float, float, float]:
    r, g, b = to_rgb(colour)
    return (r * 0.62, g * 0.62, b * 0.62)


# ---- where the best class changes ------------------------------------------------------------------------


def crossover_figure(
    panels: Sequence[tuple[str, str, Sequence[Span], pd.DataFrame]],
    titles: Mapping[str, str],
    *,
    title: str,
    subtitle: str = "",
    marked: Marked | None = None,
) -> Figure:
    """A lane for each collective and node count, coloured by the best class; a panel for each candidate of builtin.

    `panels`: (heading, candidate key or "", spans, winners with margins).
    """
    lanes = list(dict.fromkeys((s.collective, s.ranks, s.nodes) for _, _, spans, _ in panels for s in spans))
    low = min(s.first_bytes for _, _, spans, _ in panels for s in spans)
    high = max(s.last_bytes for _, _, spans, _ in panels for s in spans)
    at: dict[tuple[str, int, int], float] = {}
    y, centre = 0.0, {}
    for collective in dict.fromkeys(c for c, _, _ in lanes):
        mine = [lane for lane in lanes if lane[0] == collective]
        for lane in mine:
            at[lane] = y
            y += 1
        centre[collective] = (at[mine[0]] + at[mine[-1]]) / 2
        y += 0.55
    total = y - 0.55
    columns = len(panels)
    fig = Figure(figsize=(4.7 * columns + 1.85, 0.235 * total + 1.75), dpi=150)
    h = fig.get_figheight()
    grid = fig.add_gridspec(
        1, columns, wspace=0.06, left=1.85 / fig.get_figwidth(), right=0.985, top=1 - 0.95 / h, bottom=0.78 / h
    )
    names: dict[str, str] = {}
    for k, (heading, candidate, spans, best) in enumerate(panels):
        ax = fig.add_subplot(grid[k])
        _size_axis(ax, low, high, most=8)
        ax.set_ylim(total - 0.4, -0.6)
        _shade(ax, marked, low, high, text=True, size=7.6)
        for span in spans:
            height = at[(span.collective, span.ranks, span.nodes)]
            colour = class_colour(span.name, candidate)
            names.setdefault(span.name if span.name != "builtin" else f"builtin {decision_name(candidate)}", colour)
            _lane(ax, span, height, colour, best, low, high)
        ax.set_title(heading, fontsize=10, loc="left", pad=15 if marked else 6)
        ax.yaxis.set_major_locator(FixedLocator(list(at.values())))
        ax.yaxis.set_major_formatter(FuncFormatter(_lane_name(at)))
        ax.tick_params(axis="y", length=0, labelsize=7.6, labelleft=k == 0)
        ax.spines["left"].set_visible(False)
        ax.grid(True, axis="x", which="major", color=GRID, lw=0.6)
        ax.set_xlabel("size of the vector")
        if k == 0:
            for collective, middle in centre.items():
                ax.text(
                    -0.62 / (ax.get_position().width * fig.get_figwidth()), middle, titles.get(collective, collective),
                    transform=ax.get_yaxis_transform(), ha="right", va="center", fontsize=9, fontweight="bold",
                )  # fmt: skip
    handles = [Patch(color=c, label=n) for n, c in names.items()]
    handles.append(Patch(facecolor=_tint(FAINT, 0.55), label="pale: leads by less than 5 %"))
    fig.legend(handles=handles, loc="lower center", ncols=len(handles), fontsize=8.6, bbox_to_anchor=(0.5, 0.0))
    fig.suptitle(title, x=0.012, y=1 - 0.10 / h, ha="left", va="top", fontsize=12.5, fontweight="bold")
    if subtitle:
        fig.text(0.012, 1 - 0.37 / h, subtitle, ha="left", va="top", fontsize=8.8, color=FAINT)
    return fig


def _lane_name(at: Mapping[tuple[str, int, int], float]) -> Callable[[float, int], str]:
    names = {round(y, 6): f"{nodes} nodes" if nodes != 1 else "1 node" for (_, _, nodes), y in at.items()}
    return lambda value, _: names.get(round(value, 6), "")


def _lane(ax: Axes, span: Span, y: float, colour: str, best: pd.DataFrame, low: float, high: float) -> None:
    """One range, cut at the sizes where its lead over the next class becomes narrow, which are paler."""
    left = span.from_bytes / (2**0.35 if span.from_bytes <= low else 1)
    right = span.to_bytes * (2**0.35 if span.to_bytes >= high else 1)
    here = best[
        (best["collective"] == span.collective) & (best["ranks"] == span.ranks) & (best["nodes"] == span.nodes)
        & (best["bytes"] >= span.first_bytes) & (best["bytes"] <= span.last_bytes)
    ]  # fmt: skip
    sizes, margin = list(here["bytes"]), list(here["margin"])
    edges = [left, *(math.sqrt(a * b) for a, b in itertools.pairwise(sizes)), right]
    narrow = [m < 0.05 for m in margin]
    start = 0
    for k in range(1, len(sizes) + 1):
        if k == len(sizes) or narrow[k] != narrow[start]:
            face = _tint(colour, 0.55 if narrow[start] else 0.0)
            ax.add_patch(
                Rectangle((edges[start], y - 0.41), edges[k] - edges[start], 0.82, facecolor=face, lw=0, zorder=2)
            )
            start = k
    ax.add_patch(Rectangle((left, y - 0.41), right - left, 0.82, fill=False, edgecolor="white", lw=0.9, zorder=3))


# ---- the decision tree -----------------------------------------------------------------------------------


def tree_figure(
    tree: Tree, titles: Mapping[str, str], sizes: tuple[int, int], *, title: str, subtitle: str = ""
) -> Figure:
    """The rules as a tree from left to right; beside each leaf the range of sizes it covers."""
    rows: list[tuple[float, Any]] = []
    y = 0.0
    collectives: dict[str, list[float]] = {}
    groups: dict[tuple[str, int, tuple[int, ...]], list[float]] = {}
    for collective in dict.fromkeys(r.collective for r in tree.rules):
        for rule in (r for r in tree.rules if r.collective == collective):
            rows.append((y, rule))
            collectives.setdefault(collective, []).append(y)
            groups.setdefault((collective, rule.ranks, rule.nodes), []).append(y)
            y += 1
        y += 0.5
    total = y - 0.5
    fig = Figure(figsize=(11.4, 0.262 * total + 1.5), dpi=150)
    h, w = fig.get_figheight(), fig.get_figwidth()
    top, bottom = 1 - 0.75 / h, 0.55 / h
    ax = fig.add_axes((0.0, bottom, 0.655, top - bottom))
    bars = fig.add_axes((0.665, bottom, 0.315, top - bottom))
    for a in (ax, bars):
        a.set_ylim(total - 0.4, -0.6)
    ax.set_xlim(0, 0.655 * w)
    ax.axis("off")
    x_root, x_coll, x_node, x_leaf = 0.14, 0.42, 1.95, 3.5

    def elbow(x0: float, y0: float, x1: float, y1: float) -> None:
        middle = x0 + 0.12
        ax.plot([x0, middle, middle, x1], [y0, y0, y1, y1], color="#8c959f", lw=0.9, solid_joinstyle="round", zorder=1)

    def box(x: float, y0: float, text: str, width: float, **kw: Any) -> None:
        ax.add_patch(
            FancyBboxPatch(
                (x, y0 - 0.36), width, 0.72, boxstyle="round,pad=0,rounding_size=0.08", mutation_aspect=3.0, lw=0.8,
                facecolor=kw.get("face", "white"), edgecolor=kw.get("edge", "#8c959f"), zorder=2,
            )
        )  # fmt: skip
        ax.text(
            x + (0.09 if kw.get("left") else width / 2), y0 + 0.02, text, ha="left" if kw.get("left") else "center",
            va="center", fontsize=kw.get("size", 8.4), fontweight=kw.get("weight", "normal"), zorder=3,
            color=kw.get("ink", INK),
        )  # fmt: skip

    middles = {c: sum(ys) / len(ys) for c, ys in collectives.items()}
    spine = list(middles.values())
    ax.plot([x_root, x_root], [spine[0], spine[-1]], color="#8c959f", lw=0.9)
    for collective, middle in middles.items():
        ax.plot([x_root, x_coll], [middle, middle], color="#8c959f", lw=0.9)
        box(x_coll, middle, titles.get(collective, collective), 1.2, face=SHADE, weight="bold")
        for (owner, _, nodes), ys in groups.items():
            if owner != collective:
                continue
            at = sum(ys) / len(ys)
            elbow(x_coll + 1.2, middle, x_node, at)
            box(x_node, at, _nodes_label(nodes), 1.25)
            for leaf in ys:
                elbow(x_node + 1.25, at, x_leaf, leaf)
    low, high = sizes
    _size_axis(bars, low, high, most=7)
    left_end, right_end = bars.get_xlim()
    for at, rule in rows:
        colour = colour_of(rule.algorithm)
        box(x_leaf, at, _range_label(rule.bytes_min, rule.bytes_end), 1.48, size=8)
        ax.plot([x_leaf + 1.48, x_leaf + 1.62], [at, at], color="#8c959f", lw=0.9)
        box(
            x_leaf + 1.62, at, _leaf_label(rule.algorithm), 0.655 * w - x_leaf - 1.66, face=_tint(colour, 0.82),
            edge=colour, left=True, size=8, ink=_shadeof(colour),
        )  # fmt: skip
        a = left_end if rule.bytes_min is None else rule.bytes_min
        b = right_end if rule.bytes_end is None else rule.bytes_end
        bars.add_patch(Rectangle((a, at - 0.3), b - a, 0.6, facecolor=colour, lw=0, zorder=2))
    bars.yaxis.set_major_locator(NullLocator())
    bars.spines["left"].set_visible(False)
    bars.grid(True, axis="x", which="major", color=GRID, lw=0.6)
    bars.set_xlabel("size of the vector")
    fig.suptitle(title, x=0.012, y=1 - 0.10 / h, ha="left", va="top", fontsize=12.5, fontweight="bold")
    if subtitle:
        fig.text(0.012, 1 - 0.37 / h, subtitle, ha="left", va="top", fontsize=8.8, color=FAINT)
    return fig


def _nodes_label(nodes: Sequence[int]) -> str:
    if len(nodes) == 1:
        return f"{nodes[0]} node" + ("s" if nodes[0] != 1 else "")
    return ", ".join(map(str, nodes[:-1])) + f" and {nodes[-1]} nodes"


def _leaf_label(key: str) -> str:
    name = brief_key(key).partition("/")[2]
    return name if len(name) <= 38 else name[:37] + "…"


def _range_label(low: int | None, end: int | None) -> str:
    if low is None and end is None:
        return "any size"
    if low is None:
        return f"< {size_text(end or 0)}"
    if end is None:
        return f"≥ {size_text(low)}"
    return f"{size_text(low)} – {size_text(end)}"


# ---- whatever `run` measured -----------------------------------------------------------------------------

_SOURCE_DASH: dict[str, Any] = {
    "sim": "-",
    "real": "-",
    "model": (0, (4, 1.6)),
    "bound": (0, (1, 1.2)),
    "published": (0, (6, 2, 1, 2)),
}


def run_figure(table: pd.DataFrame, title: str = "") -> Figure:
    """Any table: time against size, or against ranks or nodes where there is one size; a panel for all else that varies. Where
    neither varies, algorithms in the order of their times.

    Colour is the algorithm, dash the source; measured times show their quartiles.
    """
    table = table[(table["status"] == "ok") & table["median_s"].notna() & (table["median_s"] > 0)]
    if table.empty:
        raise ValueError("no row of the table has a time: nothing to draw")
    by_size = table.loc[table["bytes"] > 0, "bytes"].nunique() > 1
    by_nodes = table["ranks"].nunique() == 1 and table["nodes"].nunique() > 1
    x = "bytes" if by_size else "nodes" if by_nodes else "ranks"
    panel_by = [
        c for c in ("collective", "platform", "mapping", "metric", "nodes", "ranks", "bytes", "root", "type", "in_place")
        if c != x and table[c].nunique() > 1 and not (c == "nodes" and x == "ranks")
    ]  # fmt: skip
    panels = list(table.groupby(panel_by, sort=False)) if panel_by else [((), table)]
    if table[x].nunique() == 1:
        return _ranking([(_panel_title(panel_by, value, part, x), part) for value, part in panels], title)
    columns = min(3, len(panels))
    lines = -(-len(panels) // columns)
    keys = list(
        dict.fromkeys(k for k, s in zip(table["algorithm"], table["source"], strict=True) if k and s != "bound")
    )
    sources = list(dict.fromkeys(table["source"]))
    legend = min(len(keys) + len(sources), 24)
    width = 4.3 * columns + 0.6 if columns > 1 else 6.4
    deep = 0.19 * -(-legend // (1 if width < 8 else 2)) + 0.1
    fig = Figure(figsize=(width, 3.5 * lines + deep + 0.5 + (0.6 if title else 0.5)), dpi=150)
    grid = fig.add_gridspec(
        lines, columns, hspace=0.42, wspace=0.28, left=0.85 / width, right=1 - 0.25 / width,
        top=1 - (0.6 if title else 0.5) / fig.get_figheight(), bottom=(deep + 0.5) / fig.get_figheight(),
    )  # fmt: skip
    # One time axis for panels that differ in their layout alone, so that they can be compared by eye.
    shared = "collective" not in panel_by and "bytes" not in panel_by
    limits = (float(table["median_s"].min()), float(table["median_s"].max()))
    for n, (value, part) in enumerate(panels):
        ax = fig.add_subplot(grid[n // columns, n % columns])
        _run_panel(ax, part, x, limits if shared else None)
        wide = round(13 * ax.get_position().width * width)
        ax.set_title(textwrap.fill(_panel_title(panel_by, value, part, x), wide, break_long_words=False), fontsize=9.5)
        if n % columns == 0:
            ax.set_ylabel("time")
        ax.set_xlabel("size of the vector" if x == "bytes" else x)
    handles = [Line2D([], [], color=colour_of(k), marker=style_of(k).marker, label=k) for k in keys[:20]]
    if len(sources) > 1 or "bound" in sources:
        for s in sources:
            colour = FAINT if s == "bound" else INK
            handles.append(
                Line2D(
                    [],
                    [],
                    color=colour,
                    ls=_SOURCE_DASH.get(s, "-"),
                    marker="|" if s == "real" else "",
                    label=_SOURCE_NAME.get(s, s),
                )
            )
    fig.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.72 / width, 0.005),
        ncols=1 if width < 8 else 2,
        fontsize=8.4,
    )
    if title:
        fig.suptitle(title, x=0.02, y=0.995, ha="left", va="top", fontsize=12, fontweight="bold")
    return fig


_SOURCE_DOT: dict[str, dict[str, Any]] = {
    "sim": {"marker": "o"},
    "real": {"marker": "D"},
    "model": {"marker": "o", "mfc": "none", "mew": 1.2, "ms": 9},  # a ring around a simulated time that is the same
    "published": {"marker": "s"},
}
_SOURCE_NAME = {"bound": "bound (telephone model; overlap may go below)", "sim": "simulated", "real": "measured"}


_BOUND_LINE = {"bound/telephone": ((0, (1, 1.2)), "bound (telephone model; overlap may go below)"),
               "bound/loggp": ((0, (5, 1.5, 1, 1.5)), "bound (LogGP)")}  # fmt: skip
_RANKING_WIDE, _RANKING_LEFT = 7.8, 2.9  # inches: the figure, and what keys take of it


def _ranking(panels: Sequence[tuple[str, pd.DataFrame]], title: str) -> Figure:
    """A line for each algorithm, the fastest on top, its times as dots; a panel below the other."""
    keys = [list(dict.fromkeys(part.loc[part["source"] != "bound", "algorithm"])) for _, part in panels]
    step = 0.34 if any("\n" in _folded_key(key) for some in keys for key in some) else 0.25
    insides = [step * max(1, len(some)) for some in keys]
    sources = list(dict.fromkeys(source for _, part in panels for source in part["source"] if source != "bound"))
    bounds = list(dict.fromkeys(key for _, part in panels for key in part.loc[part["source"] == "bound", "algorithm"]))
    above, below = (0.5 if title else 0.1), (0.3 if len(sources) + len(bounds) > 1 else 0.0)
    wide, high = _RANKING_WIDE, sum(insides) + 0.85 * len(panels) + above + below
    fig = Figure(figsize=(wide, high), dpi=150)
    top = high - above
    for (name, part), inside in zip(panels, insides, strict=True):
        fig.text(0.15 / wide, (top - 0.28) / high, name, fontsize=9.5, fontweight="bold")
        bottom = top - 0.4 - inside
        ax = fig.add_axes((_RANKING_LEFT / wide, bottom / high, 1 - (_RANKING_LEFT + 0.85) / wide, inside / high))
        _ranking_panel(ax, part)
        top -= inside + 0.85
    if below:
        names = [Line2D([], [], color=INK, ls="", label=_SOURCE_NAME.get(s, s), **_SOURCE_DOT[s]) for s in sources]
        names += [Line2D([], [], color=FAINT, ls=_BOUND_LINE[key][0], label=_BOUND_LINE[key][1]) for key in bounds]
        fig.legend(handles=names, loc="lower left", bbox_to_anchor=(0.1 / wide, 0), ncols=len(names), fontsize=8.2,
                   columnspacing=1.4, handletextpad=0.4)  # fmt: skip
    if title:
        fig.suptitle(title, x=0.02, y=0.995, ha="left", va="top", fontsize=12, fontweight="bold")
    return fig


def _folded_key(key: str) -> str:
    """Without its collective, which the title says; many parameters in a line of their own."""
    name, bracket, inner = key.partition("/")[2].partition("[")
    if len(name) + len(inner) < 36:
        return name + bracket + inner
    parts, lines = inner.split(","), [name + bracket]
    for part in (f"{p}," if p != parts[-1] else p for p in parts):
        if len(lines) == 1 and len(lines[0]) + len(part) > 40:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _ranking_panel(ax: Axes, part: pd.DataFrame) -> None:
    timed = part[part["source"] != "bound"]
    sources = list(dict.fromkeys(timed["source"]))
    best = timed.assign(at=timed["source"].map(sources.index)).sort_values(["at", "median_s"])
    keys = list(dict.fromkeys(best["algorithm"]))  # in the order of the first source
    for y, key in enumerate(keys):
        ax.axhline(y, color=GRID, lw=0.7, zorder=0)
        line = best[best["algorithm"] == key]
        for row in line.to_dict("records"):
            seconds, dot = row["median_s"], _SOURCE_DOT.get(str(row["source"]), {"marker": "o"})
            ax.plot([seconds], [y], color=colour_of(key), ls="", zorder=3, **{"ms": 5.5, **dot})
            if row["source"] == "real" and row["q3_s"] > row["q1_s"]:
                ax.plot([row["q1_s"], row["q3_s"]], [y, y], color=colour_of(key), lw=1.1, zorder=2)
        ax.annotate(format_time(float(line["median_s"].iloc[0])), (1.02, y), xycoords=("axes fraction", "data"),
                    va="center", fontsize=8.4, annotation_clip=False)  # fmt: skip
    for bound in part[part["source"] == "bound"].to_dict("records"):
        ax.axvline(bound["median_s"], color=FAINT, lw=1, ls=_BOUND_LINE[bound["algorithm"]][0], zorder=1)
    low, high = float(part["median_s"].min()), float(part["median_s"].max())
    ax.set_xscale("log")
    ax.set_xlim(low / 1.3, high * 1.3)
    wide = high / low > 30
    ax.xaxis.set_major_locator(LogLocator(base=10, numticks=20))
    ax.xaxis.set_minor_locator(LogLocator(base=10, subs=(2, 5), numticks=40))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: _tick_time(v)))
    ax.xaxis.set_minor_formatter(NullFormatter() if wide else FuncFormatter(lambda v, _: _tick_time(v)))
    ax.set_yticks(range(len(keys)), [_folded_key(key) for key in keys], fontsize=8.2)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", which="both", labelsize=8.4)
    ax.set_ylim(len(keys) - 0.5, -0.5)
    ax.spines["left"].set_visible(False)


def _panel_title(by: Sequence[str], value: Any, part: pd.DataFrame, x: str) -> str:
    first = part.iloc[0]
    words = [str(first["collective"])]
    if "bytes" in by or (x != "bytes" and first["bytes"] > 0):  # no axis says it
        words.append(size_text(int(first["bytes"])))
    words.append(f"{first['ranks']} ranks" if part["ranks"].nunique() == 1 else "")
    words.append(f"{first['nodes']} node{'s' * (int(first['nodes']) != 1)}" if part["nodes"].nunique() == 1 else "")
    words += [f"{c} {first[c]}" for c in by if c in ("root", "type", "in_place")]
    words.append(str(first["platform"]))
    words += [str(first[c]) for c in ("mapping", "metric") if c in by or first[c] not in ("block", "makespan")]
    return " · ".join(w for w in words if w)


def _run_panel(ax: Axes, part: pd.DataFrame, x: str, limits: tuple[float, float] | None) -> None:
    part = part[part[x] > 0].sort_values(x)
    for (source, key), line in part.groupby(["source", "algorithm"], sort=False):
        if source == "bound":
            curve = line.groupby(x)["median_s"].min()
            ax.plot(curve.index, curve.to_numpy(), color=FAINT, lw=1, ls=_SOURCE_DASH["bound"], zorder=1)
            continue
        look = style_of(str(key))
        ax.plot(
            line[x], line["median_s"], color=look.colour, ls=_SOURCE_DASH.get(str(source), "-"),
            marker=look.marker if source != "model" else "", markeredgewidth=0, lw=1.6 if source != "real" else 1.1, zorder=3,
        )  # fmt: skip
        if source == "real" and (line["q3_s"] > line["q1_s"]).any():
            error = np.vstack([line["median_s"] - line["q1_s"], line["q3_s"] - line["median_s"]]).clip(min=0)
            ax.errorbar(
                line[x],
                line["median_s"],
                yerr=error,
                fmt="none",
                ecolor=look.colour,
                elinewidth=0.9,
                capsize=2,
                zorder=2,
            )
    low, high = float(part[x].min()), float(part[x].max())
    if x == "bytes":
        _size_axis(ax, low, high, most=6)
    else:
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_locator(
            FixedLocator(sorted(part[x].unique()) if part[x].nunique() < 8 else [2**k for k in range(20)])
        )
        ax.set_xlim(low / 1.15, high * 1.15)
    _time_axis(ax, *(limits or (float(part["median_s"].min()), float(part["median_s"].max()))))
    _grid(ax)


# ---- files -----------------------------------------------------------------------------------------------


def _map_colours(keys: Sequence[str]) -> dict[str, str]:
    """A colour for each key: its own, another where two algorithms of the map would share one; a family's parameters go
    from its colour towards white."""
    stems = list(dict.fromkeys(key.partition("[")[0] for key in keys))
    colours: dict[str, str] = {}
    for stem in stems:
        own = colour_of(stem)
        free = [c for c in (own, *_OTHERS) if c not in colours.values()]
        colours[stem] = free[0] if free else own
    made = {}
    for stem in stems:
        family = [key for key in keys if key.partition("[")[0] == stem]
        for i, key in enumerate(family):
            r, g, b = to_rgb(colours[stem])
            light = 0.55 * i / max(1, len(family) - 1) if len(family) > 1 else 0.0
            made[key] = to_hex([v + (1 - v) * light for v in (r, g, b)])
    return made


def decision_map(collective: str, spans: Sequence[Any], elem: int) -> Figure:
    """What each decision takes over ranks and sizes: a panel a decision, a colour a key."""
    names = list(dict.fromkeys(s.decision for s in spans))
    ranks = sorted({s.ranks for s in spans})
    keys = sorted({s.takes for s in spans if not s.takes.startswith("nothing")})
    colours = _map_colours(keys)
    sizes = [plan.vector_bytes(collective, s.last, s.ranks, elem) for s in spans]
    high, low = max(*sizes, 2 * elem), elem
    handles = [Patch(color=colours[key], label=key.partition("/")[2]) for key in keys]
    if any(s.takes not in colours for s in spans):
        handles.append(Patch(facecolor="white", edgecolor="#999999", hatch="////", label="nothing that is here"))
    rows = -(-len(handles) // 3)
    panel = max(0.9, min(1.75, 0.16 * len(ranks) + 0.5))
    height = (panel + 0.38) * len(names) + 0.19 * rows + 0.95
    fig = Figure(figsize=(8.4, height), dpi=150)
    axes = fig.subplots(len(names), 1, squeeze=False, sharex=True)[:, 0]
    # A row for each number of ranks, up to the middle between it and the next one, as high as their logarithms are apart.
    at = [math.log2(p) for p in ranks]
    edges = [(a + b) / 2 for a, b in itertools.pairwise(at)] or [at[0] + 0.5]
    edges = [2 * at[0] - edges[0], *edges, 2 * at[-1] - edges[-1]] if len(ranks) > 1 else [at[0] - 0.5, at[0] + 0.5]
    for ax, name in zip(axes, names, strict=True):
        for s in spans:
            if s.decision != name:
                continue
            row = ranks.index(s.ranks)
            left = max(low, plan.vector_bytes(collective, s.first, s.ranks, elem))
            right = max(left, plan.vector_bytes(collective, s.last + 1, s.ranks, elem))
            colour = colours.get(s.takes, "#FFFFFF")
            tall = edges[row + 1] - edges[row]
            ax.barh(edges[row], min(right, high) - left, left=left, height=tall, align="edge", color=colour, linewidth=0,
                    hatch=None if s.takes in colours else "////", edgecolor="#999999")  # fmt: skip
        _size_axis(ax, low, high, labels=ax is axes[-1])
        ax.set_xlim(low, high)
        ax.set_ylim(edges[0], edges[-1])
        shown = [p for p in ranks if len(ranks) <= 8 or p & (p - 1) == 0]
        ax.set_yticks([math.log2(p) for p in shown], [str(p) for p in shown])
        ax.set_ylabel("ranks")
        known = decision_name(name)
        ax.set_title(name if "[" in known else f"{known}   {name}", loc="left", fontsize=9)
        ax.grid(False)
    axes[-1].set_xlabel("bytes of the whole vector")
    fig.suptitle(
        f"{collective}: what decisions take",
        x=0.01,
        y=1 - 0.06 / height,
        va="top",
        ha="left",
        fontsize=11,
        fontweight="bold",
    )
    bottom = (0.19 * rows + 0.62) / height
    fig.subplots_adjust(left=0.075, right=0.985, top=1 - 0.58 / height, bottom=bottom, hspace=0.3 / panel)
    fig.legend(handles=handles, loc="lower left", ncols=3, fontsize=7.5, frameon=False, bbox_to_anchor=(0.06, 0.0),
               handlelength=1.1, columnspacing=1.6)  # fmt: skip
    return fig


def render(fig: Figure, kind: str) -> bytes:
    """The figure as "svg" or "png". No dates inside, so the same figure is the same file."""
    out = io.BytesIO()
    if kind == "svg":
        fig.savefig(out, format="svg", metadata={"Date": None, "Creator": "collscope"})
        # Hundredths of a point are finer than any screen; the rest is two thirds of the file.
        return re.sub(rb"(\d\.\d\d)\d+", rb"\1", out.getvalue())
    if kind == "png":
        return _png(fig)
    fig.savefig(out, format=kind)
    return out.getvalue()


def _png(fig: Figure) -> bytes:
    """Few colours are enough for lines and text: a third of the size."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[:, :, :3])
    out = io.BytesIO()
    picture.quantize(256, dither=Image.Dither.NONE).save(out, format="png", dpi=(fig.dpi, fig.dpi), optimize=False)
    return out.getvalue()


def save(fig: Figure, path: str | Path) -> None:
    """Writes the figure whole or not at all; the ending of the name says the format."""
    path = Path(path)
    write_atomically(path, render(fig, path.suffix.lstrip(".").lower() or "png"))


def save_all(
    makers: Iterable[tuple[str, Callable[[], Figure]]], folder: Path, kinds: Sequence[str] = ("svg", "png")
) -> list[str]:
    """Draws and writes some figures; returns the names of the files."""
    written = []
    for stem, make in makers:
        fig = make()
        for kind in kinds:
            name = f"{stem}.{kind}"
            write_atomically(folder / name, render(fig, kind))
            written.append(name)
    return written
