"""What was measured point to point and the pieces that were fitted to it: one panel per class of link, errors below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.figure import Figure

from collscope.figures.axes import grid, size_axis, time_axis
from collscope.figures.style import FAINT, INK, STYLE, TREES

Curve = tuple[Sequence[tuple[int, float]], Sequence[tuple[int, float, float]]]  # (bytes, seconds); the pieces


def calibration_figure(curves: Mapping[str, Curve], title: str) -> Figure:
    """`curves`: class → what was measured, ascending, and the pieces: from bytes, latency in seconds, seconds per byte."""
    with mpl.rc_context(STYLE):
        fig = Figure(figsize=(max(4.2, 3.6 * len(curves)), 4.6), dpi=150, layout="constrained")
        fig.suptitle(title, fontsize=10, fontweight="bold")
        panels = fig.subplots(2, len(curves), squeeze=False, height_ratios=(3, 1), sharex="col")
        for (level, (points, pieces)), above, below in zip(curves.items(), panels[0], panels[1], strict=True):
            sizes, times = [n for n, _ in points], [t for _, t in points]
            fitted = [[p for p in pieces if p[0] <= n][-1] for n in sizes]
            at = [latency + n * slope for n, (_, latency, slope) in zip(sizes, fitted, strict=True)]
            above.plot(sizes, at, "-", color=TREES, lw=1.3, label="pieces")
            above.plot(sizes, times, "o", color=INK, ms=3.2, label="measured: half a round trip")
            for start, *_ in pieces[1:]:
                above.axvline(start, color=FAINT, lw=0.6, ls=":")
            above.set_title(level, fontsize=9, loc="left")
            below.plot(sizes, [100 * (x / t - 1) for x, t in zip(at, times, strict=True)], "o", color=TREES, ms=3)
            below.axhline(0, color=FAINT, lw=0.8)
            below.set_ylabel("error, %", fontsize=8)
            time_axis(above, min(times), max(times))
            size_axis(below, sizes[0], sizes[-1], most=6)
            grid(above)
            grid(below)
        panels[0][0].legend(fontsize=8, loc="upper left", frameon=False)
    return fig
