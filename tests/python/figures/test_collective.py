"""The figure of one collective."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from collscope.figures.collective import collective_figure


def test_frames_without_decisions_have_no_strip() -> None:
    times = pd.DataFrame(
        {
            "bytes": [4, 8],
            "label": "a",
            "short_label": "a",
            "key": "rotation/shift",
            "chose": "",
            "time_s": [1e-6, 2e-6],
        }
    )
    assert len(collective_figure(times, title="t").axes) == 2
    assert len(collective_figure(times.assign(chose="bcast/mst"), title="t").axes) == 3


@pytest.mark.parametrize(
    "name", ["short", "chain[chains=4,s=0]", "linear[gather=binomial,gather_first=0,bcast=binomial]"]
)
def test_names_at_the_ends_of_lines_are_within_the_figure(name: str) -> None:
    times = pd.DataFrame({"bytes": [4, 8], "label": "a", "short_label": name, "key": "rotation/shift", "chose": ""})
    fig = collective_figure(times.assign(time_s=[1e-6, 2e-6]), title="t")
    FigureCanvasAgg(fig).draw()
    (label,) = fig.axes[0].texts
    right = label.get_window_extent().x1 / fig.dpi
    assert label.get_text() == name and right <= fig.get_figwidth()
    assert (fig.get_figwidth() == 7.6) == (name == "short")
