"""Calibrating the machine that the tests run on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.calibration import calibrate
from collscope.machines import find
from collscope.sources import bounds


@pytest.mark.full
@pytest.mark.skipif(
    not programs.MPI_DRIVER.exists() or len(os.sched_getaffinity(0)) < 2,
    reason="needs build/mpi/collscope-driver and two cores",
)
def test_this_machine(tmp_path: Path, workplace: Path) -> None:
    path = calibrate.calibrate(2, tmp_path / "machine" / "spec.toml")
    assert [p.name for p in path.parent.iterdir()] == ["spec.toml"]
    p = find.load(str(path))
    assert 1e-8 < p.half_round_trip_s("cache", 1) < 1e-3
    assert 0 < p.gamma_s_per_byte < 1e-7
    assert bounds.loggp(p, 1, 2)["L"] >= 0
