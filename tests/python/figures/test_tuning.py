"""collscope.figures.tuning: the picture of what rules gain."""

from __future__ import annotations

import pandas as pd
import pytest

from collscope.figures.tuning import tuning_figure

COLUMNS = ["collective", "ranks_per_node", "ranks", "bytes", "default_loss", "rule_loss"]


def test_each_collective_has_a_panel_and_each_number_of_ranks_two_lines() -> None:
    cells = [
        (name, None, ranks, size, 0.5 * ranks, 0.01 * ranks)
        for name in ("bcast", "reduce", "allreduce", "alltoall")
        for ranks in (2, 4)
        for size in (64, 8, 512)
    ]
    fig = tuning_figure(pd.DataFrame(cells, columns=COLUMNS), "x")
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["bcast", "reduce", "allreduce", "alltoall"]
    for ax in fig.axes:
        assert [line.get_ydata()[0] for line in ax.lines] == pytest.approx([2, 1.02, 3, 1.04])
        assert all(list(line.get_xdata()) == [8, 64, 512] for line in ax.lines)


def test_ranks_per_node_have_panels_and_what_was_confirmed_is_dots() -> None:
    cells = [
        ("bcast", each, 4, size, 0.5, 0.01, *((4.0, 3.0, 2.0) if size == 8 else (None, None, None)))
        for each in (1, 2)
        for size in (8, 64)
    ]
    columns = [*COLUMNS, "default_confirmed_s", "rule_confirmed_s", "best_confirmed_s"]
    fig = tuning_figure(pd.DataFrame(cells, columns=columns), "x")
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["bcast, 1 per node", "bcast, 2 per node"]
    for ax in fig.axes:
        dots = [line for line in ax.lines if line.get_marker() == "o"]
        assert [next(iter(line.get_ydata())) for line in dots] == [2.0, 1.5]
    fast = pd.DataFrame([("bcast", 1, 4, 8, 2.0, 0.01, 1.1, 1.0, 1.0)], columns=columns)
    assert tuning_figure(fast, "x").axes[0].get_ylim()[1] > 3, "what was confirmed is less, and all is shown"
