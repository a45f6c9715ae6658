"""collscope.sources.simulate, collscope.sources.smpirun:
golden times: each algorithm at two points of Schooner, to the last digit, for the SimGrid version they were made with.

A change that is meant to change times writes them again:  .venv/bin/python tests/python/sources/test_golden_times.py"""

from __future__ import annotations

import csv
import shutil
import sys
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points.plan import Layout, Point
from collscope.sources import simulate, smpirun

GOLDEN = Path(__file__).parent / "golden_times.csv"
NODES, RANKS = 4, 32
COUNTS = (64, 100_000)

pytestmark = pytest.mark.skipif(
    not (shutil.which("smpirun") and programs.SIM_DRIVER.exists()),
    reason="needs smpirun and the simulation's driver; ./collscope doctor says what is missing",
)


def simulated() -> dict[tuple[str, int], str]:
    points = [
        Point(collective=algorithm.collective, algorithm=algorithm.full_key(), count=count)
        for algorithm in registry.load().algorithms
        for count in (COUNTS if algorithm.collective != "barrier" else (0,))
    ]
    layout = Layout(find.load("schooner"), NODES, RANKS)
    rows = simulate.run_tasks([(layout, point) for point in points])
    return {
        (point.algorithm, point.count): repr(row["median_s"]) if row["status"] == "ok" else str(row["status"])
        for point, row in zip(points, rows, strict=True)
    }


def write() -> None:
    with open(GOLDEN, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["simgrid", smpirun.version(), ""])
        out.writerows([key, count, printed] for (key, count), printed in simulated().items())


def test_every_algorithm_takes_the_time_it_took() -> None:
    with open(GOLDEN, newline="", encoding="utf-8") as file:
        (_, version, _), *lines = list(csv.reader(file))
    if version != smpirun.version():
        pytest.skip(f"the golden times are SimGrid {version}'s, this is {smpirun.version()}")
    golden = {(key, int(count)): printed for key, count, printed in lines}
    found = simulated()
    assert golden.keys() == found.keys(), "an algorithm came or went: write the golden times again"
    differ = {key: (golden[key], found[key]) for key in golden if golden[key] != found[key]}
    assert not differ, differ
    assert sum(printed[0].isdigit() for printed in found.values()) > 0.9 * len(found)


if __name__ == "__main__":
    sys.exit(write())
