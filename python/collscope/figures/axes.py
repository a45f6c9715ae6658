"""What figures share: axes of sizes, times and ratios, names at the ends of lines, a shaded range."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from collscope.base.units import rounded_size
from collscope.figures.style import FAINT, GRID, SHADE

MARGIN = 2**0.35  # what an axis of sizes goes beyond its first and last size, as a factor
BESIDE = 1.15  # the same of an axis of numbers

# Inches of a stack of axes, from the top: times, gap, ratios, gap, a strip for each decision; and how wide it is.
TIMES, RATIOS, STRIP, GAPS, INSIDE = 3.35, 1.55, 0.2, (0.14, 0.12), 5.74

MakeX = Callable[[Axes, bool], None]  # makes x an axis, with or without labels


def size_axis(ax: Axes, low: float, high: float, labels: bool = True, most: int = 9) -> None:
    """Makes x an axis of sizes from `low` to `high` bytes: powers of two as 4 B, 64 B, 1 KiB, …, at most `most` of them."""
    ax.set_xscale("log", base=2)
    ax.set_xlim(low / MARGIN, high * MARGIN)
    first, last = math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9)
    step = next(s for s in (1, 2, 3, 4, 5, 10, 20) if (last - first) // s + 1 <= most)
    at = [2.0**k for k in range(first, last + 1) if (k - 10) % step == 0]
    ax.xaxis.set_major_locator(FixedLocator(at))
    ax.xaxis.set_minor_locator(FixedLocator([2.0**k for k in range(first, last + 1)]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: rounded_size(round(v))))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", which="minor", length=2, color=GRID)
    if not labels:
        ax.tick_params(axis="x", labelbottom=False)


def number_axis(ax: Axes, values: Sequence[int], labels: bool = True) -> None:
    """Makes x a logarithmic axis of numbers of ranks or nodes: of each of them that has room beside the one before."""
    low, high = values[0] / BESIDE, values[-1] * BESIDE
    at: list[int] = []
    for value in [v for v in values if math.log2(v).is_integer()] or values:
        if not at or math.log(value / at[-1]) > math.log(high / low) / 12:
            at.append(value)
    for value in values:
        if all(abs(math.log(value / other)) > math.log(high / low) / 12 for other in at):
            at.append(value)
    ax.set_xscale("log", base=2)
    ax.set_xlim(low, high)
    ax.xaxis.set_major_locator(FixedLocator(sorted(at)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.tick_params(axis="x", labelbottom=labels)


def no_size_axis(ax: Axes, labels: bool = True) -> None:
    """Makes x the axis of a collective that moves no data: one place, at 1."""
    number_axis(ax, [1], labels)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda _, __: "no data"))


def tick_time(seconds: float) -> str:
    """A time beside a tick: 1 ms, 20 µs."""
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if seconds >= unit * 0.999:
            return f"{seconds / unit:g} {name}"
    return f"{seconds:g} s"


def time_ticks(axis: Axis, wide: bool) -> None:
    """Ticks of a logarithmic axis of times; between the powers of ten they have names where the range is not `wide`."""
    axis.set_major_locator(LogLocator(base=10, numticks=20))
    axis.set_minor_locator(LogLocator(base=10, subs=(2, 5), numticks=40))
    axis.set_major_formatter(FuncFormatter(lambda v, _: tick_time(v)))
    axis.set_minor_formatter(NullFormatter() if wide else FuncFormatter(lambda v, _: tick_time(v)))


def time_axis(ax: Axes, low: float, high: float) -> None:
    """Makes y a logarithmic axis of times from `low` to `high` seconds."""
    ax.set_yscale("log")
    ax.set_ylim(low / 1.6, high * 1.6)
    time_ticks(ax.yaxis, high / low > 2e2)
    ax.tick_params(axis="y", which="minor", length=2, color=GRID)


def ratio_axis(ax: Axes, top: float) -> None:
    """Makes y a logarithmic axis of ratios from 1 to `top`."""
    ax.set_yscale("log")
    ax.set_ylim(0.97 if top < 1.5 else 0.94, max(top * 1.12, 1.12))
    steps: Sequence[float] = (1, 1.2, 1.5, 2, 3, 5)
    if top <= 1.12:
        steps = (1, 1.02, 1.05, 1.1)
    elif top <= 1.5:
        steps = (1, 1.1, 1.2, 1.5)
    elif top > 6:
        steps = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
    at = [s for s in steps if s <= max(top * 1.12, 1.12)]
    ax.yaxis.set_major_locator(FixedLocator(at))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}×"))


def grid(ax: Axes) -> None:
    """Lines at the major ticks of both axes."""
    ax.grid(True, which="major", color=GRID, linewidth=0.7)


@dataclass(frozen=True)
class Ratios:
    """Axes of ratios, the largest of them, and their name."""

    axes: Axes
    top: float
    name: str = "time / best"


def stack(ax: Axes, ratios: Sequence[Ratios], make_x: MakeX, times: tuple[float, float], last: bool) -> None:
    """Times from `times[0]` to `times[1]` seconds above ratios from 1 up; `last`: nothing stands below them."""
    all_axes = [ax, *(r.axes for r in ratios)]
    for k, a in enumerate(all_axes):
        make_x(a, last and k == len(ratios))
    time_axis(ax, *times)
    for r in ratios:
        ratio_axis(r.axes, r.top)
    for a, text in zip(all_axes, ("time", *(r.name for r in ratios)), strict=True):
        grid(a)
        a.set_ylabel(text)
        # At the same distance from the edge, whatever the tick labels take.
        a.yaxis.set_label_coords(-0.6601 / (a.get_position().width * a.figure.get_figwidth()), 0.5)  # type: ignore[union-attr]


def size_bars(ax: Axes) -> None:
    """Turns axes into bars over sizes: lines at the sizes alone, nothing on the left, a name below."""
    ax.spines["left"].set_visible(False)
    ax.grid(True, axis="x", which="major", color=GRID, lw=0.6)
    ax.set_xlabel("size of the vector")


def headings(fig: Figure, title: str, subtitle: str) -> None:
    """A title and, in a second line, a subtitle at the top left of a figure."""
    h = fig.get_figheight()
    fig.suptitle(title, x=0.012, y=1 - 0.10 / h, ha="left", va="top", fontsize=12.5, fontweight="bold")
    if subtitle:
        fig.text(0.012, 1 - 0.37 / h, subtitle, ha="left", va="top", fontsize=8.8, color=FAINT)


def spread(at: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The positions moved apart to at least `gap`, in order and by little, within [low, high] where there is room for that."""
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
    close = any(b - a < 0.99 * gap for a, b in itertools.pairwise(pos))
    astray = bool(pos) and max(low - pos[0], pos[-1] - high) > 0.25 * gap
    if (close or astray) and (len(pos) - 1) * gap <= high - low:  # many of them: the rest of the way, up and then down
        for k in range(len(pos)):
            pos[k] = max(pos[k], pos[k - 1] + gap if k else low)
        for k in reversed(range(len(pos))):
            pos[k] = min(pos[k], pos[k + 1] - gap if k + 1 < len(pos) else high)
    out = [0.0] * len(at)
    for k, i in enumerate(order):
        out[i] = pos[k]
    return out


@dataclass(frozen=True)
class End:
    """The right end of a line, in data coordinates, and the name that is written beside it."""

    x: float
    y: float
    text: str
    colour: str


END = 1.012  # of the axes' width: where names begin


def text_inches(text: str, size: float, weight: str = "normal") -> float:
    """How wide a line of text is."""
    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size, weight=weight), False)
    return float(width) / 72


def end_room(width: float, names: Iterable[str], size: float = 8.8) -> float:
    """What the longest of these names takes at the right of axes that are so wide; inches."""
    widest = max((text_inches(name, size) for name in names), default=0.0)
    return (END - 1) * width + widest + size / 2 / 72


def end_labels(ax: Axes, ends: Sequence[End], size: float = 8.8, away: float = 0.0) -> None:
    """Writes names at the right ends of lines, moved apart where lines end together. `away`: inches between axes and names, where so
    many names are moved that their leaders need room."""
    if not ends:
        return
    share = ax.transScale + ax.transLimits  # of the axes
    width, tall = (a * b for a, b in zip(ax.get_position().size, ax.figure.get_size_inches(), strict=True))  # type: ignore[union-attr]
    gap = 1.12 * size / (tall * 72)
    spots = spread([float(share.transform((end.x, end.y))[1]) for end in ends], gap, 0, 1)
    for end, spot in zip(ends, spots, strict=True):
        ax.annotate(
            end.text, (end.x, end.y), xytext=(END + away / width, spot),
            textcoords=("axes fraction", "axes fraction"),
            color=end.colour, fontsize=size, va="center", ha="left", annotation_clip=False,
            arrowprops={
                "arrowstyle": "-", "color": end.colour, "lw": 0.6, "alpha": 0.55, "shrinkA": 1, "shrinkB": 3,
                "relpos": (0, 0.5) if away else (0.5, 0.5),
            },
        )  # fmt: skip


@dataclass(frozen=True)
class Focus:
    """A range of sizes that is shaded, and its name."""

    label: str
    from_bytes: int
    to_bytes: int


def shade(ax: Axes, focus: Focus | None, low: float, high: float, text: bool, size: float = 8.0) -> None:
    """Shades the range in focus as far as the axis from `low` to `high` shows it, its name above."""
    if focus is None or focus.from_bytes > high or focus.to_bytes < low:
        return
    left, right = max(low, focus.from_bytes) / MARGIN, min(high, focus.to_bytes) * MARGIN
    ax.axvspan(left, right, color=SHADE, lw=0, zorder=0)
    if text:
        ax.annotate(
            focus.label, (math.sqrt(left * right), 1), xycoords=ax.get_xaxis_transform(), xytext=(0, 2),
            textcoords="offset points", ha="center", va="bottom", fontsize=size, color=FAINT,
        )  # fmt: skip
