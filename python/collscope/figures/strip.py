"""What a decision chose, as a row of named boxes below the axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

from collscope.catalogue.keys import Key
from collscope.figures.axes import MakeX
from collscope.figures.key_text import brief_key, shorter
from collscope.figures.style import darker, lighter


def strip(
    ax: Axes, name: str, colour: str, at: Sequence[float], chose: Sequence[str], make_x: MakeX, labels: bool, beyond: float = 2**0.5
) -> None:  # fmt: skip
    """Boxes of one decision, called `name`. `at`: sizes, or what else the axis has; `chose`: the key taken at each; `beyond`: what the
    boxes go beyond the first and the last, as a factor."""
    make_x(ax, labels)
    ax.yaxis.set_major_locator(NullLocator())
    for side in ("left", "right", "top", "bottom"):
        ax.spines[side].set_visible(False)
    if not labels:
        ax.tick_params(axis="x", which="both", length=0)
    width_pt = ax.get_position().width * ax.figure.get_figwidth() * 72  # type: ignore[union-attr]
    points_per_doubling = width_pt / math.log2(ax.get_xlim()[1] / ax.get_xlim()[0])
    for k, (taken, left, right) in enumerate(_chosen_ranges(at, chose, beyond)):
        face = lighter(colour, 0.82 if k % 2 else 0.7)
        ax.add_patch(Rectangle((left, 0.08), right - left, 0.84, facecolor=face, edgecolor="white", lw=1))
        room = math.log2(right / left) * points_per_doubling
        text = next((text for text in shorter(taken) if len(text) * 4.15 + 3 <= room), None)
        if text is not None:
            ax.text(
                math.sqrt(left * right), 0.47, text, ha="center", va="center", fontsize=7, color=darker(colour)
            )  # fmt: skip
    ax.text(
        1.012, 0.47, f"{name.replace('Open MPI ', '')} chose", transform=ax.transAxes,
        ha="left", va="center", fontsize=8, color=colour,
    )  # fmt: skip


def _chosen_ranges(at: Sequence[float], chose: Sequence[str], beyond: float) -> list[tuple[str, float, float]]:
    """(brief key, from, to) of neighbouring places for which one key was chosen. Each stands for the range up to the middle
    between it and its neighbours."""
    edges = [at[0] / beyond, *(math.sqrt(a * b) for a, b in itertools.pairwise(at)), at[-1] * beyond]
    ranges: list[tuple[str, float, float]] = []
    for k, key in enumerate(chose):
        name = str(Key.parse(brief_key(key)).short)
        if ranges and ranges[-1][0] == name:
            ranges[-1] = (name, ranges[-1][1], edges[k + 1])
        else:
            ranges.append((name, edges[k], edges[k + 1]))
    return ranges
