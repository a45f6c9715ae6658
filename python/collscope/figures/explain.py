"""Why a time is what it is: the parts of critical paths as stacked bars, the paths over time, and the load of the link that limits each."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from collscope.base.units import counted, format_time
from collscope.figures.axes import text_inches
from collscope.figures.key_text import brief_key
from collscope.figures.style import FAINT, GRID, INK, SHADE
from collscope.schedules.critical_path import PARTS, CriticalPath

COLOURS = {
    "latency": "#56B4E9",
    "bandwidth": "#0072B2",
    "wait": "#D55E00",
    "message": "#6699CC",
    "overhead": "#E69F00",
    "gap": "#B8860B",
    "receive_gap": "#E6B35C",
    "turnaround": "#332288",
    "nic_gap": "#A6761D",
    "order": "#882255",
    "reduce": "#009E73",
    "copy": "#999933",
    "invalidation": "#117733",
    "first_touch": "#DDCC77",
    "arrival": "#CC79A7",
    "other": "#afb8c1",
}
_WIDE = 9.6  # inches
_LEFT, _RIGHT = 0.9, 0.25  # of the axes
_TITLE = 9.5  # points
_BAR, _PATH, _LOAD = 0.42, 1.35, 0.8  # inches of a bar, of a path, of a load
_STEPS = 120  # of a load that is drawn
_NARROW = 0.035  # of the width: no number fits into such a piece


def explain_figure(paths: Sequence[CriticalPath], title: str) -> Figure:
    """Of one or two critical paths, all on one axis of time (seconds from the start of the call)."""
    longest = max(max(p.time_s for p in paths), 1e-12)
    scale, unit = next(((1 / f, u) for f, u in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")) if longest >= f), (1e9, "ns"))
    heights = [_BAR * len(paths) + 0.2]
    for p in paths:
        heights += [_PATH, *([_LOAD] if p.load else [])]
    tall = sum(heights) + 0.55 * len(heights) + 1.25
    fig = Figure(figsize=(_WIDE, tall), dpi=110)
    grid = fig.add_gridspec(
        len(heights), 1, height_ratios=heights, hspace=0.55 * len(heights) / sum(heights),
        left=_LEFT / _WIDE, right=1 - _RIGHT / _WIDE, top=1 - 1.1 / tall, bottom=0.5 / tall,
    )  # fmt: skip
    axes = [fig.add_subplot(grid[0])]
    axes += [fig.add_subplot(grid[k], sharex=axes[0]) for k in range(1, len(heights))]
    fig.suptitle(title, x=0.1 / _WIDE, y=1 - 0.1 / tall, ha="left", va="top", fontsize=12.5, fontweight="bold")
    used = [part for part in PARTS if any(part in p.parts for p in paths)]
    fig.legend(
        handles=[Patch(color=COLOURS[part], label=PARTS[part]) for part in used], loc="upper left", ncols=min(len(used), 6),
        bbox_to_anchor=(0.05 / _WIDE, 1 - 0.38 / tall), handlelength=1.0, columnspacing=1.2,
    )  # fmt: skip
    _bars(axes[0], paths, scale, longest)
    rest = iter(axes[1:])
    for p in paths:
        _path(next(rest), p, scale)
        if p.load:
            _load(next(rest), p, scale)
    axes[0].set_xlim(0, longest * scale * 1.02)
    for ax in axes[:-1]:
        ax.tick_params(axis="x", labelbottom=False)
    axes[-1].set_xlabel(f"time ({unit})")
    return fig


def _bars(ax: Axes, paths: Sequence[CriticalPath], scale: float, longest: float) -> None:
    for row, p in enumerate(paths):
        at = 0.0
        for part in (part for part in PARTS if part in p.parts):
            seconds = p.parts[part]
            ax.barh(row, seconds * scale, left=at * scale, height=0.62, color=COLOURS[part], edgecolor="white", lw=0.5)
            if seconds > _NARROW * longest * 2:
                words = f"{seconds / p.time_s:.0%}"
                ax.text((at + seconds / 2) * scale, row, words, ha="center", va="center", fontsize=7.5, color="white")
            at += seconds
    ax.set_yticks(range(len(paths)), [f"{brief_key(p.key)}  {format_time(p.time_s)}" for p in paths])
    for label in ax.get_yticklabels():  # above the bar: keys are long
        label.set_visible(False)
    for row, p in enumerate(paths):
        ax.text(0, row - 0.34, f" {brief_key(p.key)}: {format_time(p.time_s)}", fontsize=7.8, color=INK, va="bottom")
    ax.set_ylim(len(paths) - 0.5, -0.85)
    ax.tick_params(axis="y", length=0)
    _title(ax, "Parts of the critical path")


def _path(ax: Axes, p: CriticalPath, scale: float) -> None:
    """The rank at which the path is, over time; a message stands at its sender, and a thin line leads to its receiver."""
    for s in p.segments:
        ax.barh(
            s.rank,
            s.seconds * scale,
            left=s.begin_s * scale,
            height=max(0.8, p.ranks / 30),
            color=COLOURS[s.part],
            lw=0,
        )
    at: list[float] = []
    rank: list[float] = []
    for s in p.segments:
        at += [s.begin_s * scale, s.end_s * scale]
        rank += [s.rank, s.rank]
    ax.plot(at, rank, color=FAINT, lw=0.5, zorder=0.5)
    ax.set_ylim(p.ranks - 0.5, -0.5)
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))
    ax.set_ylabel("rank")
    ax.grid(axis="x", color=GRID, lw=0.5)
    _title(ax, f"{brief_key(p.key)}: where its critical path is ({counted(p.messages, 'message')})")


def _title(ax: Axes, text: str) -> None:
    """As large as it fits beside the axes: keys are long."""
    room = 0.94 * (_WIDE - _LEFT - _RIGHT)  # letters stand on whole dots
    ax.set_title(text, fontsize=_TITLE * min(1.0, room / text_inches(text, _TITLE, "bold")))


def _means(p: CriticalPath) -> list[tuple[float, float]]:
    """The mean load of so many equal stretches of the time: where it changes too often to be seen."""
    import numpy as np

    times = np.array([0.0, *(time for time, _ in p.load), p.time_s])
    shares = np.array([0.0, *(share for _, share in p.load)])
    carried = np.concatenate([[0.0], np.cumsum(shares * np.diff(times))])
    edges = np.linspace(0, p.time_s, _STEPS + 1)
    means = np.diff(np.interp(edges, times, carried)) / np.diff(edges)
    return [(float(at), float(share)) for at, share in zip(edges[:-1], means, strict=True)]


def _load(ax: Axes, p: CriticalPath, scale: float) -> None:
    assert p.busiest
    load = p.load if len(p.load) <= _STEPS else _means(p)
    times = [time * scale for time, _ in load] + [p.time_s * scale]
    shares = [share for _, share in load]
    shares.append(shares[-1])
    ax.axvspan(p.time_s * scale, ax.get_xlim()[1] * 1e3, color=SHADE, lw=0)
    ax.fill_between(times, shares, step="post", color=COLOURS["bandwidth"], alpha=0.35, lw=0)
    ax.step(times, shares, where="post", color=COLOURS["bandwidth"], lw=0.8)
    ax.set_ylim(0, 1.08)
    ax.set_yticks([0, 1], ["0", "100 %"])
    _title(ax, f"{brief_key(p.key)}: load of {p.busiest.name}")
