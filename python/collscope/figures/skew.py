"""Which algorithm absorbs a skew: how long a call lasts after the last rank has arrived, relative to the same call without skew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from collscope.base.units import format_size
from collscope.figures.axes import grid, size_axis
from collscope.figures.key_text import brief_key
from collscope.figures.style import FAINT, style_of

CALL = ["source", "platform", "nodes", "ranks", "mapping", "collective", "algorithm", "bytes"]
_WIDE, _HIGH = 8.8, 3.6  # inches of a panel with its title


def absorbed(delays: pd.DataFrame, together: pd.DataFrame) -> pd.DataFrame:
    """A row a call that both tables have a time of: CALL, delay_s, together_s and share, the one over the other.

    `delays`: rows of points/table.py's table of metric delay, under one skew; `together`: of metric makespan, without skew."""
    columns = [*CALL, "median_s"]
    left = delays.loc[delays["median_s"].notna(), columns].rename(columns={"median_s": "delay_s"})
    right = together.loc[together["median_s"].notna(), columns].rename(columns={"median_s": "together_s"})
    both = left.merge(right, on=CALL)
    return both.assign(share=both["delay_s"] / both["together_s"])


def skew_figure(found: pd.DataFrame, skew: str) -> Figure:
    """A line for each algorithm over the sizes, a panel for each source and layout. `found`: as `absorbed` returns it."""
    place = ["collective", "platform", "nodes", "ranks", "source"]
    panels = list(found.groupby(place, sort=False))
    fig = Figure(figsize=(_WIDE, _HIGH * len(panels)), dpi=110)
    for k, (names, part) in enumerate(panels):
        collective, platform, nodes, ranks, source = names
        ax = fig.add_axes((0.08, 1 - (k + 1 - 0.16) / len(panels), 0.58, 0.7 / len(panels)))
        for key, line in part.groupby("algorithm", sort=False):
            look = style_of(str(key))
            at, share = line["bytes"].to_numpy(), line["share"].to_numpy()
            ax.plot(at, share, color=look.colour, ls=look.dash, marker=look.marker, ms=3.6, label=brief_key(str(key)))
        ax.axhline(1, color=FAINT, lw=0.8, zorder=0.5)
        _sizes(ax, part["bytes"].tolist())
        ax.set_ylim(0, max(1.1, 1.08 * float(np.max(part["share"]))))
        ax.set_ylabel("delay ÷ time without skew")
        grid(ax)
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
        ax.set_title(
            f"{collective}, {ranks} ranks on {nodes} nodes of {platform} ({source}), skew {skew}", fontsize=10.5
        )
    return fig


def _sizes(ax: Axes, sizes: Sequence[int]) -> None:
    low, high = min(sizes), max(sizes)
    if low < high and low > 0:
        size_axis(ax, low, high)
    else:
        ax.set_xticks([low], [format_size(low)])
    ax.set_xlabel("vector")
