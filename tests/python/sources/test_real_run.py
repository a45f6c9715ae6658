"""collscope.sources.measure: real runs on this machine give the right data, and no time below what nothing can beat."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.calibration import calibrate
from collscope.catalogue import registry
from collscope.commands import run_points
from collscope.machines import find
from collscope.points.plan import Layout, Point, Timing
from collscope.points.table import Row
from collscope.sources import bounds, measure

pytestmark = pytest.mark.skipif(
    not (shutil.which("mpirun") and programs.MPI_DRIVER.exists()),
    reason="needs mpirun and the real driver; ./collscope doctor says what is missing",
)

SEVEN = ["bcast", "reduce", "scatter", "gather", "allgather", "reduce_scatter", "allreduce"]


def points() -> list[Point]:
    known = registry.load()
    keys = [(c, key) for c in SEVEN for key in [a.full_key() for a in known.of(c)] + [f"{c}/builtin"]]
    return [
        Point(collective=c, algorithm=key, count=count, check=True, timing=Timing(2))
        for c, key in keys
        for count in (4, 4096)
    ]


def timed(ranks: int) -> list[Row]:
    """The rows of all points that could run; their data are right."""
    rows = measure.run_tasks([(Layout(None, 1, ranks), point) for point in points()])
    assert not [row for row in rows if "wrong" in str(row["status"]) or "failed" in str(row["status"])]
    done = [row for row in rows if row["status"] == "ok"]
    assert len(done) > len(rows) / 2
    return done


@pytest.mark.parametrize("ranks", [2, pytest.param(4, marks=pytest.mark.full)])
def test_data_is_right_and_every_collective_is_timed(ranks: int) -> None:
    rows = timed(ranks)
    assert all(0 < row["min_s"] <= row["median_s"] for row in rows)
    # Each collective: all registered algorithms that fit, and the library's own call.
    assert {row["collective"] for row in rows if row["algorithm"].endswith("/builtin")} == set(SEVEN)


@pytest.mark.full
@pytest.mark.timeout(3600)  # a calibration repeats itself where something else runs beside it
def test_no_time_is_below_the_bound_of_the_same_minute(tmp_path: Path) -> None:
    made = calibrate.calibrate(target=tmp_path / "here.toml", quick=True)
    if made.unstable:
        pytest.skip(f"the machine is not quiet: {made.unstable}")
    numbers = bounds.loggp(find.load(made.path), 1, 2)
    for row in timed(2):
        least = bounds.bound_loggp(row["collective"], 2, row["bytes"], **numbers)
        # Within noise: the bound's own numbers were measured, too.
        assert row["median_s"] >= 0.8 * least, row


def test_more_ranks_than_cores_are_noted(capsys: pytest.CaptureFixture[str]) -> None:
    cores = len(os.sched_getaffinity(0))
    request = run_points.Points(algorithms="barrier/linear", ranks=f"1,{cores + 1}", platform="this_machine")
    run_points.read_layouts(request, ["real"])
    assert f"{cores + 1} ranks: more ranks than cores" in capsys.readouterr().err
