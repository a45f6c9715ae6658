"""collscope.figures.tuning: the picture of what rules gain."""

from __future__ import annotations

import pandas as pd
import pytest

from collscope.figures.tuning import tuning_figure


def test_each_collective_has_a_panel_and_each_number_of_ranks_two_lines() -> None:
    cells = [
        (name, ranks, size, 0.5 * ranks, 0.01 * ranks)
        for name in ("bcast", "reduce", "allreduce", "alltoall")
        for ranks in (2, 4)
        for size in (64, 8, 512)
    ]
    fig = tuning_figure(pd.DataFrame(cells, columns=["collective", "ranks", "bytes", "default_loss", "rule_loss"]), "x")
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["bcast", "reduce", "allreduce", "alltoall"]
    for ax in fig.axes:
        assert [line.get_ydata()[0] for line in ax.lines] == pytest.approx([2, 1.02, 3, 1.04])
        assert all(list(line.get_xdata()) == [8, 64, 512] for line in ax.lines)
