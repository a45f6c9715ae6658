"""collscope.figures.schedule.sheet:
what pictures of schedules share: sizes, words, and the numbers of ranks and shapes at which they are drawn otherwise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from collscope.figures.schedule import sheet
from collscope.figures.style import FAINT, INK
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


@pytest.mark.parametrize(
    ("wide", "letters", "sizes"),
    [
        (11, 9, (13, 8.6)),
        (13.2, 9, (15.6, 10.32)),  # a fifth wider
        (22, 9, (17.55, 11.61)),  # 1.35 times at most
        (8, 200, (13 * 7.7 / 22.41, 8.6 * 7.7 / 12.21)),  # as large as it fits
    ],
)
def test_a_headline_is_as_large_as_its_sheet_lets_it(wide: float, letters: int, sizes: tuple[float, float]) -> None:
    fig = sheet.sheet(wide, 5, made_trace(key="k" * letters), f"short\n{'w' * letters}")
    assert [t.get_fontsize() for t in fig.texts] == pytest.approx(sizes, rel=1e-6)
    assert (fig.get_figwidth(), fig.get_figheight(), fig.dpi) == (wide, 5, 150)


def test_lanes_are_as_high_as_there_is_room() -> None:
    high = {
        4: 0.4,
        10: 0.4,
        11: 4.2 / 11,
        16: 4.2 / 16,
        17: 0.4,
        20: 0.4,
        21: 8 / 21,
        69: 8 / 69,
        70: 0.115,
        104: 0.115,
        105: 12 / 105,
    }
    assert {ranks: sheet.lane_height(ranks) for ranks in high} == pytest.approx(high)


def test_the_key_of_rounds_grows_with_them_until_it_is_a_ramp(ax: Axes) -> None:
    room = {0: 0.68, 1: 0.68, 2: 0.9, 16: 3.98, 17: 2.36, 99: 2.36}
    assert {k: sheet.round_key_width(made_trace(rounds=k)) for k in room} == pytest.approx(room)
    for rounds, printed in ((16, [str(k) for k in range(1, 17)]), (17, [" 1", "17 "])):
        fig = Figure(figsize=(8, 4))
        sheet.round_key(fig, made_trace(rounds=rounds), 1, 1)
        assert [t.get_text() for t in fig.axes[0].texts] == printed and len(fig.axes[0].patches) == rounds


@pytest.mark.parametrize(("ranks", "step"), [(32, 1), (33, 4), (256, 4), (257, 16)])
def test_some_of_many_ranks_are_numbered(ax: Axes, ranks: int, step: int) -> None:
    sheet.rank_labels(ax, made_trace(ranks=ranks, root=4 * step), 2.5)
    assert [(t.get_text(), t.xy) for t in ax.texts] == [(str(r), (2.5, r)) for r in range(0, ranks, step)]  # type: ignore[attr-defined]
    looks = [(t.get_color(), t.get_fontweight()) for t in ax.texts]
    assert looks == [(INK, "bold") if k == 4 else (FAINT, "normal") for k in range(len(looks))]


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


def test_the_head_of_an_arrow() -> None:
    head = sheet.arrow_head(np.array([1.0, 2.0]), np.array([0.0, 3.0]), 0.5, 0.1)
    assert head == pytest.approx(np.array([(1.0, 2.0), (0.9, 1.5), (1.1, 1.5)]))
    nowhere = sheet.arrow_head(np.array([1.0, 2.0]), np.zeros(2), 0.5, 0.1)
    assert nowhere == pytest.approx(np.array([(1.0, 2.0)] * 3))
