"""Bytes that algorithms move over links, as shares of what others move: a dot for each machine, a line for each pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator, PercentFormatter

from collscope.figures.heading import Heading
from collscope.figures.key_text import brief_key
from collscope.figures.palette import distinct
from collscope.figures.style import FAINT, GRID, INK, OTHERS

_LEFT, _WIDE, _GAP, _RIGHT, _ROW, _TOP, _FOOT = 3.35, 3.3, 0.3, 0.2, 0.27, 0.34, 0.5  # inches
_MARKERS = ("o", "s", "D", "^", "v", "h", "<", ">", "P", "X")
_SPREAD = 0.3  # of a row, over which its dots lie


def moved_bytes_figure(
    panels: Mapping[str, pd.DataFrame], pairs: Sequence[tuple[str, str]], *, title: str, subtitle: str = ""
) -> Figure:
    """`panels`: what is counted → platform, key, than, share (several rows of a pair and machine are drawn alike). `pairs`: (key, than),
    the lines from the top."""
    machines = list(dict.fromkeys(m for shares in panels.values() for m in shares["platform"]))
    colours: dict[str, str] = {}
    for name in machines:
        colours[name] = distinct(OTHERS, list(colours.values()))
    markers = {name: _MARKERS[k % len(_MARKERS)] for k, name in enumerate(machines)}
    handles = [Line2D([], [], color=colours[m], marker=markers[m], ls="", ms=6.5, label=m) for m in machines]
    wide = _LEFT + _WIDE * len(panels) + _GAP * (len(panels) - 1) + _RIGHT
    heading = Heading(title, subtitle, handles, wide - 0.3)
    tall = heading.height + _TOP + _ROW * len(pairs) + _FOOT
    fig = Figure(figsize=(wide, tall), dpi=150)
    heading.draw(fig, 0.15)
    for k, (name, shares) in enumerate(panels.items()):
        left = _LEFT + k * (_WIDE + _GAP)
        ax = fig.add_axes((left / wide, _FOOT / tall, _WIDE / wide, _ROW * len(pairs) / tall))
        _panel(ax, shares, pairs, machines, colours, markers)
        ax.set_title(name, fontsize=9.2, pad=5)
        words = [f"{brief_key(key)} / {brief_key(than).partition('/')[2]}" for key, than in pairs] if k == 0 else []
        ax.set_yticks(range(len(pairs)) if k == 0 else [], words, fontsize=8)
        ax.set_xlabel("bytes, of those of the other")
    return fig


def _panel(
    ax: Axes, shares: pd.DataFrame, pairs: Sequence[tuple[str, str]], machines: Sequence[str], colours: Mapping[str, str],
    markers: Mapping[str, str],
) -> None:  # fmt: skip
    for row in range(len(pairs)):
        ax.axhline(row, color=GRID, lw=0.7, zorder=0)
    step = _SPREAD / max(1, len(machines) - 1)
    for one in shares.to_dict("records"):
        k = machines.index(str(one["platform"]))
        y = pairs.index((one["key"], one["than"])) - _SPREAD / 2 + k * step
        name = machines[k]
        ax.plot([one["share"]], [y], color=colours[name], marker=markers[name], ms=6.4, mew=0.4, mec="white", zorder=3)
    ax.axvline(1, color=FAINT, lw=1.2, zorder=1)
    high = max(1.0, float(shares["share"].max()) if len(shares) else 1.0)
    ax.set_xlim(min(0.4, float(shares["share"].min()) - 0.05 if len(shares) else 0.4), high + 0.08)
    ax.xaxis.set_major_locator(MultipleLocator(0.1 if high < 1.6 else 0.5))
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    ax.grid(axis="x", color=GRID, lw=0.6)
    ax.tick_params(axis="x", labelsize=7.6, colors=INK)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(pairs) - 0.5, -0.5)
    ax.spines["left"].set_visible(False)
