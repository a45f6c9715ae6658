"""collscope.figures.explain: the picture of critical paths: bars of the right length, where the path is, and the load of a link."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import is_color_like

from collscope.figures.explain import COLOURS, explain_figure
from collscope.schedules.critical_path import PARTS, CriticalPath, Link, Segment

US = 1e-6


def path(key: str, load: int = 3) -> CriticalPath:
    link = Link("NIC", "NIC of node 0, out", 3 * US, 1 * US)
    segments = (
        Segment("latency", 0, 1, 100, 0, 1 * US),
        Segment("bandwidth", 0, 1, 100, 1 * US, 3 * US),
        Segment("wait", 0, 1, 100, 3 * US, 4 * US, link),
        Segment("reduce", 1, None, 0, 4 * US, 10 * US),
    )
    parts = {s.part: s.seconds for s in segments}
    shares = tuple((k * 4 * US / load, 1.0 - k % 2) for k in range(load))
    return CriticalPath(key, "", "model", 2, 10 * US, parts, segments, 1, (link,), shares, 0.0)


def test_every_part_has_a_colour_of_its_own() -> None:
    assert list(COLOURS) == [*PARTS] and all(map(is_color_like, COLOURS.values()))
    assert len(set(COLOURS.values())) == len(COLOURS)


def test_without_a_load_there_is_no_panel_for_it() -> None:
    assert len(explain_figure([path("bcast/mst", load=0)], "observed").axes) == 2


@pytest.mark.parametrize("ranks", [1, 2, 5, 12, 64, 1000])
def test_ranks_are_numbered_in_whole_numbers(ranks: int) -> None:
    fig = explain_figure([replace(path("bcast/mst"), ranks=ranks)], "observed")
    FigureCanvasAgg(fig).draw()
    numbers = [label.get_text() for label in fig.axes[1].get_yticklabels()]
    assert "0" in numbers and all(number.lstrip("\u2212").isdigit() for number in numbers)


@pytest.mark.parametrize(
    "key", ["bcast/mst", "allgather/leaders[per_node=1,aggregate=shm_in_place,inter=recursive_doubling]"]
)
def test_no_panel_s_name_is_cut_off_at_the_edge(key: str) -> None:
    fig = explain_figure([path(key)], "observed")
    FigureCanvasAgg(fig).draw()
    names = [ax._left_title for ax in fig.axes]  # type: ignore[attr-defined]
    assert all(name.get_text() and name.get_window_extent().x1 < fig.bbox.x1 for name in names)
