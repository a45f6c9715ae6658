"""Straight pieces through measured points."""

from __future__ import annotations

import pytest

from collscope.calibration.fit import TOLERANCE, fit, pieces_of
from collscope.calibration.topology import Cpu, Topology
from made_samples import made_lines


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
