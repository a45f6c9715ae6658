"""collscope.figures.what_if: panels beside each other."""

from __future__ import annotations

import itertools

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg

from collscope.figures.what_if import what_if_figure


def test_a_collective_without_data_has_one_place_beside_others_with_sizes() -> None:
    lines = [
        (name, 8, 2, "", column, size, f"{name}/linear", "linear", 1e-5 * k, 1.0 / k)
        for k, column in enumerate(("now", "then"), 1)
        for name, size in (("bcast", 1024), ("bcast", 4096), ("barrier", 0))
    ]
    names = [*("collective", "ranks", "nodes", "row", "column", "bytes", "key", "short_label", "time_s", "ratio")]
    times = pd.DataFrame(lines, columns=names)
    titles = {("bcast", 8, 2, ""): "Broadcast", ("barrier", 8, 2, ""): "Barrier"}
    fig = what_if_figure(times, times, titles, title="t")
    FigureCanvasAgg(fig).draw()
    named = [[t.get_text() for t in ax.get_xticklabels() if t.get_visible() and t.get_text()] for ax in fig.axes]
    assert named[1] == named[3] and {"1 KiB", "4 KiB"} <= set(named[1]), "the last row with sizes names them"
    assert named[5] == named[7] == ["no data"]
    boxes = [[t.get_text() for t in ax.texts if t.get_text() != "winner"] for ax in fig.axes[1::2]]
    assert boxes == [["10 µs", "10 µs"], ["0.50×", "0.50×"], ["10 µs"], ["0.50×"]]
    alone = pd.DataFrame([line for line in lines if line[0] == "barrier"], columns=names)
    assert what_if_figure(alone, alone, {("barrier", 8, 2, ""): "Barrier"}, title="t").axes


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
