"""model: the timing engine beside SimGrid itself: random schedules on the ideal network, every algorithm on Schooner."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from collscope.catalogue import registry
from collscope.machines import find
from collscope.points.plan import Point
from driven import agree, needs_simulation
from made_platforms import LAYERED, SQUARE, write
from scripts import (
    SCRIPT,
    SCRIPT_MPI,
    all_to_all_at_once,
    at_random,
    exchange,
    modelled,
    pipeline,
    scatter_at_once,
    simulated,
    written,
)

pytestmark = needs_simulation(SCRIPT, SCRIPT_MPI)

PICOSECOND = 1e-12


@pytest.mark.parametrize(("alpha", "beta"), [("1e-06", "1e-09"), ("1.5e-06", "3.3e-10"), ("1e-03", "1e-09")])
def test_any_schedule_ends_when_simgrid_says(alpha: str, beta: str, tmp_path: Path) -> None:
    schedules = [scatter_at_once(16), all_to_all_at_once(16), pipeline(16, 40), exchange(16)]
    schedules += [at_random(seed) for seed in range(120)]
    scripts = written(schedules, tmp_path)
    machine = f"ports fluid\ncontrol 16\neager -1\nclass network 0 {alpha} {beta}\n"
    ours = modelled(scripts, machine, tmp_path)
    theirs = simulated(scripts, find.load(f"ideal[alpha={alpha},beta={beta}]"), 16, 16, tmp_path)
    assert ours == pytest.approx(theirs, rel=1e-9, abs=PICOSECOND)
    assert len(ours) == sum(map(len, schedules))


@pytest.mark.parametrize(
    ("nodes", "ranks", "name"),
    [
        pytest.param(1, 5, "schooner", marks=pytest.mark.full),
        pytest.param(2, 8, "schooner", marks=pytest.mark.full),
        (4, 17, "schooner"),
        (2, 8, "schooner[memory_bytes_per_s=12.1e9,interconnect_bytes_per_s=12.2e9,switch_bytes_per_s=4.49e9]"),
    ],
)
def test_model_and_simulation_agree_on_schooner(nodes: int, ranks: int, name: str, tmp_path: Path) -> None:
    """Classes, protocols, processor overheads, shared memory links and NICs: the same rules twice, written independently. Where links
    are as narrow as they can be each of them holds somebody up."""
    counts = (1, 1000, 100_003) if name == "schooner" else (100_003,)
    assert_agreement(tmp_path, name, nodes, ranks, counts)


@pytest.mark.parametrize(
    ("text", "nodes", "ranks", "mapping"),
    [
        (LAYERED, 2, 33, "block"),
        pytest.param(LAYERED, 1, 32, "fill", marks=pytest.mark.full),
        (SQUARE, 3, 19, "cyclic"),
        (SQUARE, 1, 12, "block"),
    ],
)
def test_model_and_simulation_agree_on_nodes_with_levels_and_joined_sockets(
    text: str, nodes: int, ranks: int, mapping: str, tmp_path: Path
) -> None:
    """Units' links, a core's limit to other sockets, ways over sockets and to the NIC: all are narrow, so that each is shared."""
    assert_agreement(tmp_path, write(tmp_path, text), nodes, ranks, (10_007,), mapping)


@pytest.mark.parametrize(
    ("name", "nodes", "ranks", "mapping"),
    [pytest.param("orfeo_epyc", 2, 19, "cyclic", marks=pytest.mark.full), ("ib_multicore", 3, 14, "socket")],
)
def test_model_and_simulation_agree_on_machines_of_this_kind(
    name: str, nodes: int, ranks: int, mapping: str, tmp_path: Path
) -> None:
    assert_agreement(tmp_path, name, nodes, ranks, (10_007,), mapping)


@pytest.mark.parametrize(
    ("mapping", "nodes", "ranks"),
    [pytest.param("core", 2, 23, marks=pytest.mark.full), ("socket", 2, 23), ("node", 3, 11), ("file", 2, 9)],
)
def test_model_and_simulation_agree_where_open_mpi_s_mappings_put_ranks(
    mapping: str, nodes: int, ranks: int, tmp_path: Path
) -> None:
    """Nodes that are full beside one that is not, neighbours on different sockets, ranks dealt out, and any seats at all."""
    if mapping == "file":
        lines = (f"rank {r}=node{7 * r % 2} slot={7 * r % 20}\n" for r in range(ranks))
        (tmp_path / "ranks").write_text("".join(lines))
        mapping = f"file:{tmp_path / 'ranks'}"
    assert_agreement(tmp_path, "schooner", nodes, ranks, (10_007,), mapping)


@pytest.mark.parametrize(("nodes", "ranks"), [(2, 8), (4, 17)])
def test_model_and_simulation_agree_on_blocks_of_several_lengths(nodes: int, ranks: int, tmp_path: Path) -> None:
    points = [
        Point(a.collective, a.key, 10_000, counts="zipf:1")
        for a in registry.load().algorithms
        if "any_blocks" in a.flags
    ]
    agree(tmp_path, "schooner", ranks, points, nodes=nodes)


# Rings in all directions crowd a node's links, where the picosecond grows within which SimGrid merges events: test_crowded_rings.py.
ALL_DIRECTIONS = dict.fromkeys(("allreduce/bucket_torus", "allreduce/hamiltonian_rings"), 1e-6)


def assert_agreement(
    tmp_path: Path, name: str, nodes: int, ranks: int, counts: Sequence[int], mapping: str = "block"
) -> None:
    """Every algorithm, with the first and the last root."""
    points = []
    for algorithm in registry.load().algorithms:
        collective = algorithm.key.partition("/")[0]
        roots = (0, ranks - 1) if registry.load().collective(collective).has_root else (0,)
        points += [
            Point(collective=collective, algorithm=algorithm.key, count=count, root=root)
            for root in roots
            for count in counts
        ]
    agree(tmp_path, name, ranks, points, nodes=nodes, mapping=mapping, looser=ALL_DIRECTIONS)
