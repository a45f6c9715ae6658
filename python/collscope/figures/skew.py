"""Which algorithm absorbs a skew: how long a call lasts after the last rank has arrived, relative to the same call without skew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from collscope.base.units import format_size
from collscope.figures.axes import End, end_labels, end_room, grid, headings, size_axis
from collscope.figures.key_text import names
from collscope.figures.style import FAINT, style_of
from collscope.points.arrival import describe

CALL = ["source", "platform", "nodes", "ranks", "mapping", "collective", "algorithm", "bytes"]
_WIDE, _HIGH, _LEFT = 5.74, 2.6, 0.72  # inches of a panel
_AWAY = 0.3  # to the names: lines end close together
_HEAD, _TOP, _FOOT = 0.6, 0.3, 0.55  # above all, above and below a panel


def absorbed(delays: pd.DataFrame, together: pd.DataFrame) -> pd.DataFrame:
    """One row per call that both tables have a time of: CALL, delay_s, together_s and share, the one over the other.

    `delays`: rows of points/table.py's table of metric delay, under one skew; `together`: of metric makespan, without skew."""
    columns = [*CALL, "median_s"]
    left = delays.loc[delays["median_s"].notna(), columns].rename(columns={"median_s": "delay_s"})
    right = together.loc[together["median_s"].notna(), columns].rename(columns={"median_s": "together_s"})
    both = left.merge(right, on=CALL)
    return both.assign(share=both["delay_s"] / both["together_s"])


def skew_figure(found: pd.DataFrame, skew: str) -> Figure:
    """A line for each algorithm over the sizes, a panel for each source and layout. `found`: as `absorbed` returns it; `skew`: as
    points/arrival.py's `parse` returns it."""
    place = ["collective", "platform", "nodes", "ranks", "source"]
    panels = list(found.groupby(place, sort=False))
    named = {c: names(part["algorithm"].unique()) for c, part in found.groupby("collective", sort=False)}
    wide = _LEFT + _WIDE + end_room(_WIDE, {name for some in named.values() for name in some.values()}) + _AWAY + 0.1
    tall = _HEAD + len(panels) * (_TOP + _HIGH + _FOOT)
    fig = Figure(figsize=(wide, tall), dpi=110)
    headings(
        fig, f"Who absorbs a skew ({describe(skew)})",
        "Time from the last rank's arrival, as a share of the call's time when all arrive together: below 1, work was done before it came.",
    )  # fmt: skip
    for k, (where, part) in enumerate(panels):
        collective, platform, nodes, ranks, source = where
        bottom = tall - _HEAD - (k + 1) * (_TOP + _HIGH + _FOOT) + _FOOT
        ax = fig.add_axes((_LEFT / wide, bottom / tall, _WIDE / wide, _HIGH / tall))
        _sizes(ax, part["bytes"].tolist())
        ax.set_ylim(0, max(1.1, 1.08 * float(np.max(part["share"]))))
        ends = []
        for key, line in part.groupby("algorithm", sort=False):
            look = style_of(str(key))
            at, share = line["bytes"].to_numpy(), line["share"].to_numpy()
            ax.plot(at, share, color=look.colour, ls=look.dash, marker=look.marker, ms=3.6)
            ends.append(End(float(at[-1]), float(share[-1]), named[collective][key], look.colour))
        ax.axhline(1, color=FAINT, lw=0.8, zorder=0.5)
        ax.set_ylabel("delay ÷ time without skew")
        grid(ax)
        end_labels(ax, ends, away=_AWAY)
        ax.set_title(f"{collective}, {ranks} ranks on {nodes} nodes of {platform} ({source})", fontsize=10)
    return fig


def _sizes(ax: Axes, sizes: Sequence[int]) -> None:
    low, high = min(sizes), max(sizes)
    if low < high and low > 0:
        size_axis(ax, low, high)
    else:
        ax.set_xticks([low], [format_size(low)])
    ax.set_xlabel("vector")
