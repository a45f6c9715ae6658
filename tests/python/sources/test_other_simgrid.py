"""collscope.sources.simulate, collscope.sources.smpirun: SimGrid 4.1 beside 3.32: the same plan, the same digits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points.plan import Layout, Point, Task
from collscope.points.table import Row
from collscope.setup import own_simgrid, simgrid_source
from collscope.sources import simulate, smpirun

OTHER = simgrid_source.OTHER
TREE = simgrid_source.other_tree(paths.ROOT)
SAME = 1e-12  # relatively: a share of a link is summed up in another order, which a few times shows in the last digits
pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        not own_simgrid.is_there(paths.ROOT, OTHER) or not (TREE / "collscope-driver").exists(),
        reason=f"./collscope test --full builds SimGrid {OTHER}",
    ),
]


PLACES = [
    ("schooner", 2, 8),
    ("schooner", 3, 17),
    ("schooner[nic_gap_s=2e-7]", 2, 11),
    ("schooner[nic_gap_s=2e-7,in_order=true]", 2, 9),
    ("orfeo_epyc", 2, 19),
    ("orfeo_thin", 2, 9),
    ("ib_multicore", 2, 9),
    ("jaguar[nodes=8]", 3, 9),
]


def plan() -> list[Task]:
    """Every algorithm on every machine, with one node that is not full, with elements of a node's model, with links between nodes, and on
    the ideal network."""
    known = registry.load()
    return [
        (Layout(find.load(name), nodes, ranks), Point(a.collective, a.full_key(), count))
        for name, nodes, ranks in (*PLACES, ("ideal", 16, 16))
        for a in known.algorithms
        for count in (1, 1000, 100_003)
    ]


@pytest.fixture
def with_other(monkeypatch: pytest.MonkeyPatch, workplace: Path) -> None:
    """From here on that SimGrid simulates."""
    folder = own_simgrid.folder(paths.ROOT, OTHER) / "bin"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(programs, "SIM_DRIVER", TREE / programs.SIM_DRIVER.name)
    monkeypatch.setattr(programs, "PLUGIN", TREE / programs.PLUGIN.name)
    smpirun.version.cache_clear()


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    smpirun.version.cache_clear()


@pytest.fixture
def here(workplace: Path) -> list[Row]:
    """The rows of the SimGrid that is everybody's; made before the other one is put in its place."""
    smpirun.version.cache_clear()
    if smpirun.version() == OTHER:
        pytest.skip(f"the system's SimGrid is {OTHER} itself")
    return simulate.run_tasks(plan())


def test_the_same_plan_gives_the_same_digits_in_both(here: list[Row], with_other: None) -> None:
    there = simulate.run_tasks(plan())
    assert {row["back_end"] for row in there} == {f"SimGrid {OTHER}"}
    assert [row["status"] for row in here] == [row["status"] for row in there]
    timed = [(a, b) for a, b in zip(here, there, strict=True) if a["median_s"] is not None]
    assert len(timed) > 700
    for a, b in timed:
        assert b["median_s"] == pytest.approx(a["median_s"], rel=SAME, abs=0), a
    assert sum(a["median_s"] == b["median_s"] for a, b in timed) > 0.99 * len(timed), "nearly all to the last digit"
