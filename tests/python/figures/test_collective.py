"""The figure of one collective."""

from __future__ import annotations

import pandas as pd

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
