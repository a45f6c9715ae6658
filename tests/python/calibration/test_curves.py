"""collscope.calibration.curves: planted curves are found again in their points, and limits hold."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

from collscope.calibration.curves import NOISE, Limits, Piece, Point, curve_at, jumps_of, line_of, pieces_of

SIZES = [2**k for k in range(23)]
EAGER: list[Piece] = [(0, 1.6e-6, 4e-10), (4096, 1.2e-6, 4.9765625e-10), (16384, 12e-6, 8e-11)]  # meets; jumps


def measured(pieces: list[Piece], noise: float = 0.0, seed: int = 1, sizes: list[int] = SIZES) -> list[Point]:
    """What a machine with these pieces measures, each time wrong by up to `noise`."""
    chance = random.Random(seed)
    return [Point(n, curve_at(pieces, n) * (1 + chance.uniform(-noise, noise))) for n in sizes]


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize("seed", range(10))
def test_planted_pieces_are_found_within_two_percent(noise: float, seed: int) -> None:
    points = measured(EAGER, noise, seed)
    jumps = jumps_of([points])
    assert jumps == [16384]
    found = pieces_of(points, jumps=jumps)
    for size in [1, 100, 3000, 5000, 8192, 16384, 10**5, 10**6, 2**22]:
        assert curve_at(found, size) == pytest.approx(curve_at(EAGER, size), rel=0.02), size
    if not noise:
        assert found == [pytest.approx(piece, rel=1e-3) for piece in EAGER]


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.02])
def test_a_jump_of_most_classes_is_common_to_all(noise: float) -> None:
    """One class alone has another jump, and one lacks a common one."""
    common: list[Piece] = [(0, 4e-7, 1e-10), (32, 5e-7, 1e-10), (8192, 3e-6, 2e-10)]
    own: list[Piece] = [*common, (262144, 9e-5, 1e-10)]
    without = [common[0], common[2]]
    curves = [measured(p, noise, seed) for seed, p in enumerate((common, own, without, common))]
    assert jumps_of(curves) == [32, 8192]
    assert jumps_of([]) == jumps_of([[], []]) == []


def test_a_jump_may_lead_down_and_may_be_a_rise_that_no_line_has() -> None:
    down: list[Piece] = [(0, 2e-6, 3e-10), (131072, 6e-6, 1e-10)]
    assert jumps_of([measured(down)]) == [131072]
    steep: list[Piece] = [(0, 2e-7, 4e-11), (131072, 1e-6, 8e-11)]
    assert jumps_of([measured(steep)] * 2) == [131072]


def test_a_bend_is_no_jump_not_even_beside_one() -> None:
    bend: list[Piece] = [(0, 1e-6, 1e-9), (8192, 5e-6, 5.1e-10)]
    assert jumps_of([measured(bend)]) == []
    beside: list[Piece] = [*bend[:1], (8192, 3e-5, 4e-9), (16384, 3e-5 + 3.7e-9 * 16384, 3e-10)]
    assert jumps_of([measured(beside)]) == [8192]


def test_a_known_jump_stays_where_it_is() -> None:
    points = measured(EAGER)
    found = pieces_of(points, jumps=[12289])
    assert curve_at(found, 12288) == pytest.approx(curve_at(EAGER, 12288))
    assert curve_at(found, 12289) == pytest.approx(12e-6 + 12289 * 8e-11)
    assert [p[0] for p in pieces_of(points, jumps=[12289, 1 << 30, 12290])].count(12289) == 0, "the later of two"


def test_one_disturbed_size_bends_no_other() -> None:
    line: list[Piece] = [(0, 1e-6, 1e-9)]
    points = measured(line)
    points[9] = Point(512, 1.08 * points[9].seconds, 0.05)
    points[15] = Point(32768, 0.9 * points[15].seconds, 0.05)
    found = pieces_of(points)
    assert len(found) == 1
    for n in (1, 600, 10**4, 10**6):
        assert curve_at(found, n) == pytest.approx(curve_at(line, n), rel=0.01)


@pytest.mark.parametrize("seed", range(40))
def test_limits_hold_on_any_points(seed: int) -> None:
    chance = random.Random(seed)
    sizes = sorted({round(2 ** chance.uniform(0, 24)) for _ in range(chance.choice([1, 2, 5, 20]))})
    points = [Point(n, 10 ** chance.uniform(-7, -3)) for n in sizes]
    limits = Limits(floor=chance.choice([0.0, 1e-12]), base=chance.choice([0.0, 5e-8]))
    pieces = pieces_of(points, limits, chance.sample(range(1, 2**24), 3))
    assert pieces[0][0] == 0
    assert all(a[0] < b[0] for a, b in pairwise(pieces))
    assert all(latency >= limits.base and slope >= limits.floor for _, latency, slope in pieces)


def test_the_curve_rises_where_its_points_do() -> None:
    chance = random.Random(3)
    for _ in range(5):
        times = sorted(10 ** chance.uniform(-6, -4) for _ in SIZES)
        pieces = pieces_of([Point(n, t) for n, t in zip(SIZES, times, strict=True)])
        found = [curve_at(pieces, n) for n in SIZES]
        assert all(b >= a * (1 - 4 * NOISE) for a, b in pairwise(found))


def test_times_that_grow_faster_than_sizes_keep_a_latency_of_zero() -> None:
    """Between 1 and 4 MiB a straight line would begin below zero; pieces through zero follow it."""
    points = [Point(1 << 20, 1e-4), Point(1 << 22, 4.4e-4)]
    pieces = pieces_of(points)
    assert all(latency == 0 for _, latency, _ in pieces) and len(pieces) == 6
    for n in (1 << 20, 3 << 19, 1 << 21, 3 << 20, 1 << 22):
        assert curve_at(pieces, n) == pytest.approx(1e-4 + (n - (1 << 20)) * 3.4e-4 / (3 << 20), rel=0.03)


@pytest.mark.parametrize(
    ("times", "limits", "pieces"),
    [
        ([(4, 2.0)], Limits(0.25), [(0, 1.0, 0.25)]),  # a single point: as flat as may be
        ([(4, 2.0), (8, 10.0)], Limits(), [(0, 0.0, 0.5), (8, 0.0, 1.25)]),  # no line through both from 0 on
        ([(4, 2.0), (8, 1.0)], Limits(0.0625), [(0, 1.75, 0.0625), (8, 0.5, 0.0625)]),  # falls: a step
        ([(1, 3.0), (2, 4.0), (3, 5.0), (4, 9.0), (5, 10.0), (6, 11.0)], Limits(), [(0, 2, 1), (4, 5, 1)]),
    ],
)  # fmt: skip
def test_pieces_by_hand(times: list[tuple[int, float]], limits: Limits, pieces: list[Piece]) -> None:
    assert pieces_of([Point(n, t) for n, t in times], limits) == [pytest.approx(piece) for piece in pieces]


def test_relative_errors_count_and_large_ones_less() -> None:
    """A line through two points wrong by one part in a hundred, up at the small size and down at the large one, splits the errors."""
    points = [Point(1, 1.01), Point(10**6, 0.99), Point(1, 0.99), Point(10**6, 1.01)]
    assert line_of(points, Limits()) == (pytest.approx(1, rel=1e-3), pytest.approx(0, abs=1e-9))
    wide = [Point(1, 2.0), Point(2, 3.0), Point(10**6, 1.01 * 10**6), Point(2 * 10**6, 2 * 10**6)]
    latency, slope = line_of(wide, Limits())
    assert latency + slope == pytest.approx(2, rel=0.01)
    outlier = [Point(n, 1.0 * (2 if n == 5 else 1)) for n in range(1, 10)]
    latency, slope = line_of(outlier, Limits())
    assert latency == pytest.approx(1, rel=0.01) and math.isclose(slope, 0, abs_tol=1e-3)


@pytest.mark.parametrize("base", [0.0, 2e-7, 1e-6])
def test_a_line_that_would_begin_below_the_least_latency_begins_there_and_turns_about_it(base: float) -> None:
    """The slope is then the best one from there on, by relative errors, whose weighted sum over the sizes is zero."""
    points = measured([(0, 5e-7, 1e-9)], sizes=[1000, 1100, 1200, 1300])
    latency, slope = line_of(points, Limits(base=base))
    if base < 5e-7:
        assert (latency, slope) == (pytest.approx(5e-7), pytest.approx(1e-9))
        return
    assert latency == base
    errors = [(base + slope * p.bytes - p.seconds) / p.seconds for p in points]
    assert min(errors) < 0 < max(errors)
    weights = [min(1.0, 1.5 * NOISE / abs(e)) for e in errors]
    parts = [w * e * p.bytes / p.seconds for w, e, p in zip(weights, errors, points, strict=True)]
    assert sum(parts) == pytest.approx(0, abs=0.02 * max(map(abs, parts)))
