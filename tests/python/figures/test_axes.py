"""collscope.figures.axes: what axes share."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from collscope.figures import axes
from collscope.figures.axes import spread


def test_labels_are_spread_without_changing_order() -> None:
    spots = spread([5.0, 5.0, 5.1, 0.0], 1.0, 0.0, 6.0)
    assert spots[3] < spots[0] < spots[2]
    assert min(b - a for a, b in zip(sorted(spots), sorted(spots)[1:], strict=False)) >= 1 - 1e-6
    assert max(spots) <= 6.0 + 1e-6


@pytest.mark.parametrize(
    ("top", "ends", "ticks"),
    [
        (1.0, (0.97, 1.12), [1, 1.02, 1.05, 1.1]),
        (1.12, (0.97, 1.2544), [1, 1.02, 1.05, 1.1]),
        (1.3, (0.97, 1.456), [1, 1.1, 1.2]),
        (1.5, (0.94, 1.68), [1, 1.1, 1.2, 1.5]),
        (3, (0.94, 3.36), [1, 1.2, 1.5, 2, 3]),
        (6, (0.94, 6.72), [1, 1.2, 1.5, 2, 3, 5]),
        (40, (0.94, 44.8), [1, 2, 5, 10, 20]),
        (900, (0.94, 1008), [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]),
    ],
)
def test_an_axis_of_ratios(top: float, ends: tuple[float, float], ticks: list[float]) -> None:
    ax = Figure().add_subplot()
    axes.ratio_axis(ax, top)
    assert ax.get_ylim() == pytest.approx(ends) and list(ax.yaxis.get_majorticklocs()) == ticks
    assert ax.yaxis.get_major_formatter()(1.2) == "1.2×"


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([2, 3, 4, 8], [2, 3, 4, 8]),
        ([60, 61, 62, 63, 64], [60, 62, 64]),  # the power of two before all others
        ([3, 5, 6, 7], [3, 5, 6, 7]),
        ([1], [1]),
    ],
)
def test_an_axis_of_numbers(values: list[int], ticks: list[int]) -> None:
    ax = Figure().add_subplot()
    axes.number_axis(ax, values)
    assert list(ax.xaxis.get_majorticklocs()) == ticks
    assert ax.get_xlim() == pytest.approx((values[0] / axes.BESIDE, values[-1] * axes.BESIDE))


@pytest.mark.parametrize(
    ("low", "high", "most", "powers"),
    [(4, 1 << 20, 9, [4, 7, 10, 13, 16, 19]), (4, 1 << 10, 9, range(2, 11)), (6, 100, 9, [3, 4, 5, 6]), (4, 1 << 17, 8, range(2, 18, 2)),
     (1, 1 << 29, 7, range(0, 30, 5)), (1, 1 << 60, 7, range(0, 61, 10)), (1, 1 << 80, 7, (10, 30, 50, 70))],
)  # fmt: skip
def test_an_axis_of_sizes(low: int, high: int, most: int, powers: list[int]) -> None:
    ax = Figure().add_subplot()
    axes.size_axis(ax, low, high, most=most)
    assert list(ax.xaxis.get_majorticklocs()) == [2.0**k for k in powers]
    assert ax.get_xlim() == pytest.approx((low / axes.MARGIN, high * axes.MARGIN))
    assert ax.xaxis.get_major_formatter()(1024) == "1 KiB"


def test_times_beside_ticks() -> None:
    printed = {1.0: "1 s", 0.9995: "0.9995 s", 0.5: "500 ms", 2e-5: "20 µs", 1e-9: "1 ns", 5e-10: "5e-10 s"}
    assert {seconds: axes.tick_time(seconds) for seconds in printed} == printed
    ax = Figure().add_subplot()
    for high, named in ((1.9e-4, True), (2.1e-4, False)):  # from a microsecond
        axes.time_axis(ax, 1e-6, high)
        assert bool(ax.yaxis.get_minor_formatter()(2e-6)) == named
        assert ax.get_ylim() == pytest.approx((1e-6 / 1.6, high * 1.6))


@pytest.mark.parametrize(
    ("size", "drawn"),
    [((8, 64), [(8, 64)]), ((1, 64), [(4, 64)]), ((8, 4096), [(8, 1024)]), ((2048, 4096), []), ((1, 2), [])],
)
def test_a_range_is_shaded_as_far_as_it_is_shown(size: tuple[int, int], drawn: list[tuple[int, int]]) -> None:
    ax = Figure().add_subplot()
    axes.size_axis(ax, 4, 1024)
    axes.shade(ax, axes.Focus("here", *size), 4, 1024, text=True)
    ends = [ax.transData.inverted().transform(p.get_extents())[:, 0] for p in ax.patches]
    assert [pytest.approx((low / axes.MARGIN, high * axes.MARGIN)) for low, high in drawn] == [tuple(x) for x in ends]
    assert [t.get_text() for t in ax.texts] == ["here"] * len(drawn)


def test_many_labels_are_spread_from_the_bottom() -> None:
    assert spread([1.0] * 5, 1.0, 0.0, 4.0) == pytest.approx([0, 1, 2, 3, 4], abs=1e-3)
    assert spread([3.9, 4.0], 1.0, 0.0, 4.0) == pytest.approx([3, 4], abs=1e-3)
    assert spread([0.0, 0.1], 1.0, 0.0, 4.0) == pytest.approx([0, 1], abs=1e-3)
    assert spread([0.5, 3.0], 1.0, 0.0, 4.0) == [0.5, 3.0] and spread([], 1.0, 0.0, 4.0) == []
