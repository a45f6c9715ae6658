"""collscope.figures.what_if: panels beside each other."""

from __future__ import annotations

import itertools

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg

from collscope.figures.what_if import what_if_figure


def test_the_last_size_of_a_panel_does_not_meet_the_first_of_the_next() -> None:
    lines = [
        ("bcast", 8, 2, "", column, mib << 20, "bcast/mst", "mst", 1e-3 * mib, 1.0)
        for column in ("now", "then")
        for mib in (4, 32, 256)
    ]
    names = [*("collective", "ranks", "nodes", "row", "column", "bytes", "key", "short_label", "time_s", "ratio")]
    times = pd.DataFrame(lines, columns=names)
    fig = what_if_figure(times, times, {("bcast", 8, 2, ""): "8 ranks"}, title="t")
    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    labels = [t for ax in fig.axes for t in ax.get_xticklabels() if t.get_visible() and t.get_text()]
    boxes = [t.get_window_extent(canvas.get_renderer()).padded(5) for t in labels]
    assert [t.get_text() for t in labels] == ["4 MiB", "16 MiB", "64 MiB", "256 MiB"] * 2
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
