"""collscope.figures.schedule.sheet:
what pictures of schedules share: sizes, words, and the numbers of ranks and shapes at which they are drawn otherwise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes

from collscope.figures.schedule import sheet
from made_trace import made_trace


@pytest.mark.parametrize(
    ("colour", "dark"),
    [
        ((0.575, 0.575, 0.575), True),
        ((0.585, 0.585, 0.585), False),
        ((1, 0.47, 0), True),
        ((1, 0.48, 0), False),
        ((0, 0.9, 0.4), True),  # 0.575
        ((0, 0.9, 0.5), False),  # 0.586
        ((0, 0, 1), True),
    ],
)
def test_text_is_white_where_the_luminance_is_below_0_58(colour: tuple[float, float, float], dark: bool) -> None:
    assert sheet.dark(colour) == dark


def test_one_rank_is_not_counted_as_several() -> None:
    assert [sheet.about(made_trace(ranks=p, nodes=())).split(" · ")[0] for p in (1, 2)] == ["1 rank", "2 ranks"]


def test_a_page_of_up_to_16_ranks_is_half_as_high_as_one_of_more() -> None:
    ranks = (4, 14, 16, 17, 32, 128, 1024)
    assert [round(sheet.lane_height(p), 4) for p in ranks] == [0.4, 0.3, 0.2625, 0.4, 0.25, 0.0938, 0.0117]


def test_nodes_have_edges_where_neighbours_share_them() -> None:
    edges = [sheet.node_edges(made_trace(nodes=nodes)) for nodes in ((0, 0, 1, 1), (0, 1, 0, 1), (0, 0, 1, 2), ())]
    assert edges == [[1.5], [], [], []]


def test_the_subtitle_names_ranks_sizes_and_time() -> None:
    t = made_trace()
    found = sheet.about(t)
    assert found == "4 ranks · 2 nodes · vector of 1 KiB · 2 rounds · 4 messages · 1 transfer through shared memory"
    few = replace(t, nodes=(), transfers=(), messages=t.messages[:1], rounds=1, count=0)
    assert sheet.about(few) == "4 ranks · 1 round · 1 message"
    assert sheet.about(replace(few, messages=t.messages * 300)) == "4 ranks · 1 round · 1\u2009200 messages"
    assert sheet.about(replace(few, messages=())) == "4 ranks · 1 round · 0 messages"
    shared = replace(few, messages=(), transfers=t.transfers * 2)
    assert sheet.about(shared) == "4 ranks · 1 round · 2 transfers through shared memory"
    assert sheet.title_of(t) == "bcast/mst"
    assert sheet.title_of(replace(t, key="decision/x", chose="bcast/mst")) == "decision/x → bcast/mst"


@pytest.mark.parametrize(("shapes", "dots"), [(3, False), (4, True)])
def test_more_shapes_than_anyone_tells_apart_are_dots(
    ax: Axes, shapes: int, dots: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheet, "MAX_SHAPES", 3)
    sheet.polygons(ax, [sheet.box(0, 0, 1, 1)] * shapes, [(0.0, 0.0, 0.0)] * shapes, 3)
    sheet.lines(ax, [np.zeros((2, 2))] * shapes, [(0.0, 0.0, 0.0)] * shapes, 1.5, 2)
    filled, line = ax.patches
    assert bool(filled.get_rasterized()) == bool(line.get_rasterized()) == dots
    assert (filled.get_linewidth(), line.get_linewidth()) == (0, 1.5)
