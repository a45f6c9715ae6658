"""The figure of one collective."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import committed
import same_picture
from collscope.figures import files
from collscope.figures.collective import collective_figure
from collscope.studies.report import analysis, pictures


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


@pytest.fixture(scope="module")
def made() -> dict[str, pictures.Picture]:
    """Of the committed table, by stem."""
    of = analysis.analyse(committed.study(), committed.frame())
    return {p.stem: p for p in pictures.pictures(of, analysis.changes(of), analysis.make_tree(of), quick=False)}


@pytest.mark.parametrize("stem", ["5.1.2_bcast_4_nodes", "rotation_8_nodes", "crossovers", "decision_tree"])
def test_committed_figures_are_what_the_code_draws(
    stem: str, made: dict[str, pictures.Picture], tmp_path: Path
) -> None:
    svg = files.render(made[stem].make(), "svg")
    same_picture.check(svg, committed.FOLDER / "figures" / f"{stem}.svg", tmp_path)
