"""Straight pieces through measured points."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.calibration.fit import TOLERANCE, fit, pieces_of, quality_of
from collscope.calibration.topology import Cpu, Topology
from made_samples import TWO_CORES, made_lines


def curve_at(pieces: list[tuple[int, float, float]], size: int) -> float:
    _, latency, slope = [p for p in pieces if p[0] <= size][-1]
    return latency + size * slope


def test_pieces_follow_the_points() -> None:
    straight = [(0, 1e-6), *((2**k, 1e-6 + 2**k * 1e-9) for k in range(1, 22))]
    assert pieces_of(straight, 1e-11) == [(0, pytest.approx(1e-6), pytest.approx(1e-9))]
    bent = [(n, t if n < 4096 else t + 5e-6) for n, t in straight]
    pieces = pieces_of(bent, 1e-11)
    assert len(pieces) <= 4
    for n, t in bent:
        assert curve_at(pieces, n) == pytest.approx(t, rel=1.01 * TOLERANCE)
    for _, latency, slope in pieces_of([(0, 1e-6), (1024, 1e-6), (2048, 9e-6), (4096, 1e-5)], 1e-11, base=2e-7):
        assert latency >= 2e-7
        assert slope >= 1e-11


def test_a_pair_of_ranks_is_of_the_class_of_its_processors() -> None:
    threads = Topology("", (Cpu(0, 0, 0, 0), Cpu(1, 1, 1, 1), Cpu(2, 0, 0, 0), Cpu(3, 1, 1, 1)))
    lines = made_lines()
    lines[1] = {"place": {"rank": 1, "host": "h", "cpu": 3}}  # the second thread of the other socket's core
    assert set(fit(lines, threads).curves) == {"node"}


def test_a_piece_may_miss_a_point_by_a_twentieth() -> None:
    for missed, pieces in ((1.04, 1), (0.96, 1), (1.06, 2), (0.94, 2)):
        times = [(n, (1e-6 + n * 1e-9) * (missed if n == 2048 else 1)) for n in (1024, 2048, 4096)]
        assert len(pieces_of(times, 1e-11)) == pieces, missed


def test_curves_take_the_quartile_and_the_bound_the_least() -> None:
    """Five samples: the lower quartile is the second, and the better of two launches counts."""
    spread = (0.8, 1.0, 1.5, 2.0, 3.0)

    def spoilt(factor: float) -> list[dict[str, Any]]:
        """Lines whose samples lie around `factor` times what the machine takes."""
        made: list[dict[str, Any]] = []
        for entry in made_lines():
            ((kind, values),) = entry.items()
            if "samples" in values:
                values = {**values, "samples": [factor * min(values["samples"]) * share for share in reversed(spread)]}
            made.append({kind: values})
        return made

    lines = [*spoilt(2.0), *spoilt(1.0)]
    found, usual = fit(lines, TWO_CORES), fit(made_lines(), TWO_CORES)
    assert found.curves["cache"][0] == pytest.approx(usual.curves["cache"][0])
    assert found.overhead_s == pytest.approx(usual.overhead_s)
    assert found.memory_bytes_per_s == pytest.approx(usual.memory_bytes_per_s / 2), "of the first launch"
    value, low, high = found.gamma
    assert (value, low, high) == pytest.approx((2 * 8e-11, 0.8 * 4e-11, 2 * 2e-10))
    assert found.least["G"] == pytest.approx(0.8 * 2e-11)
    assert found.least["gamma"] == pytest.approx(0.8 * 4e-11)
    assert found.least["o"] == pytest.approx(0.8 * 9e-8)
    shortest = min(0.8 * (4e-7 + n * 2e-10) - n * 0.8 * 2e-11 for n in (0, 1, 2**20))
    assert found.least["L"] == pytest.approx(shortest - 2 * found.least["o"])


def test_residuals_are_what_the_pieces_miss_and_where() -> None:
    pieces = [(0, 1e-6, 0.0), (1000, 0.0, 2e-9)]
    sizes = {0: [9.0], 1: [1e-6, 3e-6], 100: [1.25e-6], 2000: [4e-6], 4000: [7.2e-6, 8e-6]}
    found = quality_of(pieces, sizes, 15)
    assert (found.samples, found.sizes, found.worst_bytes) == (7 * 15, 4, 100)
    assert found.worst == pytest.approx(0.2)
    assert found.median == pytest.approx((0 + 0.8 / 7.2) / 2)


def test_two_overheads_leave_room_for_a_latency() -> None:
    """A send that seems to cost more than a message takes: 45 % of the shortest one is the most."""
    lines = made_lines()
    for entry in lines:
        if "overhead" in entry or "gap" in entry:
            next(iter(entry.values()))["samples"] = [1e-6, 1e-6]
    found = fit(lines, TWO_CORES)
    assert found.overhead_s == pytest.approx(0.45 * 4e-7)
    assert found.least["o"] == pytest.approx(0.45 * 4e-7)
    assert found.least["L"] == pytest.approx(0.1 * 4e-7)
