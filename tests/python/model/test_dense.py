"""model: many messages between the same nodes: their times are the simulation's, and the same whether cores share a cache, which has no
link that could be full, or each has its own. Flows in bundles, as traffic of millions of messages has them, are asked to be so from the
first share on: `--bundle-after 1`. What can be compared is what does not multiply rounding errors (test_crowded_rings.py): ranks that send
all at once, or in step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Point, plan_text
from driven import agree, needs_simulation

pytestmark = needs_simulation()

SWITCH, TREE = "schooner[nodes=8,topology=switch]", "schooner[nodes=8,topology.leaves=4,topology.nodes_per_leaf=2]"
KEYS = ("alltoall/linear", "allgather/linear", "gather/linear", "scatter/linear")
WIDE = "1e18"  # bytes per second
BUNDLED = ("--bundle-after", "1")


def calls(*counts: int) -> list[Point]:
    return [Point(key.partition("/")[0], key, count) for key in KEYS for count in counts]


@pytest.mark.parametrize(("name", "nodes", "ranks"), [(SWITCH, 4, 40), (TREE, 8, 32), (SWITCH, 8, 24), (SWITCH, 1, 9)])
def test_dense_calls_take_what_the_simulation_says(name: str, nodes: int, ranks: int, tmp_path: Path) -> None:
    """Also when their flows are in bundles."""
    points = calls(100, 5000)
    simulated = agree(tmp_path, name, ranks, points, nodes=nodes)
    bundled = seconds(machine_file(find.load(name), nodes, ranks), ranks, points, tmp_path, *BUNDLED)
    assert bundled == pytest.approx(simulated, rel=1e-9)


@pytest.mark.full
@pytest.mark.parametrize("name", [SWITCH, TREE])
def test_more_dense_calls_take_what_the_simulation_says(name: str, tmp_path: Path) -> None:
    agree(tmp_path, name, 128, calls(256, 4096), nodes=8)


def replies(machine: str, ranks: int, points: list[Point], folder: Path, *options: str) -> list[dict[str, float]]:
    (folder / "machine").write_text(machine)
    (folder / "plan").write_text(plan_text([(str(i), q) for i, q in enumerate(points)], ranks))
    done = programs.answer([programs.PROVER, *options, "--model", folder / "machine", "--plan", folder / "plan"])
    assert done.returncode == 0, done.stdout
    return [json.loads(line) for line in done.stdout.splitlines()]


def seconds(machine: str, ranks: int, points: list[Point], folder: Path, *options: str) -> list[float]:
    return [reply["model_s"] for reply in replies(machine, ranks, points, folder, *options)]


def own_caches(machine: str, ranks: int, nodes: int) -> str:
    """The same machine where every core has a cache of its own, with a link that is wide enough for all."""
    lines = [line for line in machine.splitlines() if line.split()[0] not in ("seats", "nodes")]
    each = ranks // nodes
    seats = [f"place {r} {r // each} {2 * (r // each) + (r % each >= each // 2)} {r}" for r in range(ranks)]
    return "\n".join([*lines, f"cache {WIDE}", *seats]) + "\n"


@pytest.mark.parametrize("name", [SWITCH, TREE])
def test_a_link_that_is_never_full_changes_no_time(name: str, tmp_path: Path) -> None:
    nodes, ranks = 8, 64
    machine = machine_file(find.load(name), nodes, ranks)
    points = calls(100, 1024, 20000)
    assert seconds(machine, ranks, points, tmp_path) == pytest.approx(
        seconds(own_caches(machine, ranks, nodes), ranks, points, tmp_path), rel=1e-9
    )


@pytest.mark.parametrize("name", [SWITCH, TREE, "jaguar[nodes=8]", "orfeo_epyc[nodes=8]"])
def test_flows_in_bundles_take_what_flows_alone_do(name: str, tmp_path: Path) -> None:
    points = [
        *calls(100, 5000),
        Point("alltoall", "alltoall/bruck", 1000),
        Point("alltoall", "alltoall/scattered", 300),
    ]
    machine = machine_file(find.load(name), 8, 64)
    alone, bundled = (seconds(machine, 64, points, tmp_path, *words) for words in ((), BUNDLED))
    assert bundled == pytest.approx(alone, rel=1e-9)


@pytest.mark.parametrize("metric", ["nonblocking[calls]", "overlap[poll,calls]"])
def test_calls_that_go_on_by_themselves_are_in_bundles_too(metric: str, tmp_path: Path) -> None:
    """In the same time with fewer shares found."""
    points = [Point("alltoall", "alltoall/linear", 5000, metric=metric)]
    machine = machine_file(find.load(SWITCH), 8, 64)
    (alone,), (bundled,) = (replies(machine, 64, points, tmp_path, *words) for words in ((), BUNDLED))
    assert bundled["model_s"] == pytest.approx(alone["model_s"], rel=1e-9)
    assert bundled["steps"] < alone["steps"]


def test_a_port_that_one_message_fills_up_divides_no_bundle(tmp_path: Path) -> None:
    """Of an alltoall at once each rank's messages within its node fill up the port of its core, while all others wait for the NIC."""
    ranks, machine = 128, machine_file(find.load(SWITCH), 8, 128)
    (reply,) = replies(machine, ranks, [Point("alltoall", "alltoall/linear", 256)], tmp_path, *BUNDLED)
    messages = ranks * (ranks - 1)
    operations = 4 * messages + ranks  # a receive, a send and two waits for each; one's own block
    assert reply["model_s"] == pytest.approx(0.00042083089083069715, rel=1e-12), "as without bundles"
    assert reply["steps"] - operations - messages < messages, "less than one share for each message"
