"""model: jaguar's torus: the timing engine beside SimGrid on a few scattered nodes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.catalogue import registry
from collscope.machines import find
from collscope.points.plan import Layout, Point
from collscope.sources import model
from collscope.studies import reader
from driven import agree, needs_simulation

needs_both = needs_simulation()
CALLS = (
    ("barrier/dissemination", 0),
    ("barrier/hierarchical", 0),
    ("bcast/binomial", 32),
    ("bcast/binomial", 262144),
    ("alltoall/linear", 4000),
)


@needs_both
@pytest.mark.parametrize("allocation", ["scattered", "2x2x2", "contiguous"])
def test_model_and_simulation_agree_on_jaguar(allocation: str, tmp_path: Path) -> None:
    nodes = 8
    name = f"jaguar[nodes={nodes},topology.allocation={allocation}]"
    points = [Point(key.partition("/")[0], key, count) for key, count in CALLS]
    agree(tmp_path, name, 40, points, nodes=nodes)


@needs_both
@pytest.mark.parametrize("allocation", ["scattered", pytest.param("contiguous", marks=pytest.mark.full)])
def test_full_nodes_crowd_the_links_of_the_torus_alike_in_both(allocation: str, tmp_path: Path) -> None:
    """Here many links fill up one after the other, and flows that share none change each other's rate."""
    name = f"jaguar[nodes=16,topology.link_bytes_per_s=1.1e9,network.s_per_byte=x2,topology.allocation={allocation}]"
    points = [Point("barrier", "barrier/dissemination", 0), Point("bcast", "bcast/binomial", 50000)]
    points += [Point("alltoall", "alltoall/bruck", 500), Point("allgather", "allgather/recursive_doubling", 30)]
    agree(tmp_path, name, 192, points, nodes=16)


@needs_both
@pytest.mark.full
def test_768_ranks_of_jaguar_are_simulated_and_modelled_alike(tmp_path: Path) -> None:
    points = [Point(key.partition("/")[0], key, count) for key, count in CALLS[:4]]
    agree(tmp_path, "jaguar[nodes=64]", 768, points, nodes=64)


@needs_both
@pytest.mark.parametrize(
    ("nodes", "sizes"),
    [(1, (1, 2048, 65536)), (4, (1, 2048, 65536)), pytest.param(64, (1, 2048), marks=pytest.mark.full)],
)
def test_the_calls_of_the_study_of_jaguar_are_simulated_alike(
    nodes: int, sizes: tuple[int, ...], tmp_path: Path
) -> None:
    """Every competitor that is timed by makespan, as far up as a simulation goes in a test: the study's table to 49,152 ranks is the
    model's. Calls that do not block are compared in test_overlap."""
    study = reader.check_keys(reader.load("cheetah_jaguar"), registry.load())
    ranks, name = 12 * nodes, f"{study.platform}[nodes={nodes}]"
    points = [
        p for n, _, _, p, size in study.points() if n == nodes and size in (0, *sizes) and p.metric == study.metric
    ]
    assert len({p.algorithm for p in points}) >= 17
    agree(tmp_path, name, ranks, points, nodes=nodes)


def test_a_message_further_away_takes_longer_by_each_hop() -> None:
    """Neighbours take the curve's time; the farthest two of the torus, 12 + 16 + 12 links apart, 39 hops more."""
    times = []
    for target in ("0.0.1", "12.16.12"):
        on = find.load(f"jaguar[topology.allocation=0.0.0+{target}]")
        (printed,) = model.evaluate([(Layout(on, 2, 2, "block"), Point("bcast", "bcast/mst", 2))])
        times.append(printed["model_s"])
    assert times[1] - times[0] == pytest.approx(39 * 5e-8, rel=1e-9)
