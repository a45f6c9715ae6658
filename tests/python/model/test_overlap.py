"""model: calls that go on while their ranks compute, advanced by calls, a thread or the NIC; in SMPI the same times, where it can."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from collscope.catalogue import registry
from collscope.machines import find
from collscope.points.plan import Layout, Point
from collscope.sources import model, simulate
from driven import needs_simulation
from made_platforms import ELEMENTS, write

METHODS = ("wait", "poll")
PICOSECOND = 1e-12
# A message that is sent an overhead after another arrives when its receiver has spent its overhead on that one, and looks. The model sees
# it. SimGrid does not (sparbit on four ranks of a node: an overhead less in all), but with our plug-in rounding says.
TIES = (
    "allgather/sparbit",
    "allreduce/bucket_torus",
    "allreduce/hamiltonian_rings",
    "bcast/scatter_ring",
    "bcast/scatter_recursive_doubling",
    "bcast/mst_scatter_bucket_allgather",
)


def evaluated(on: str, nodes: int, ranks: int, key: str, metric: str, count: int = 1000) -> dict[str, Any]:
    point = Point(key.partition("/")[0], key, count, type="byte", metric=metric)
    return model.evaluate([(Layout(find.load(on), nodes, ranks), point)])[0]


def test_a_rank_that_computes_holds_up_who_waits_for_it_unless_another_advances_its_call() -> None:
    chain = "bcast/chain[chains=1,s=0]"  # 0 to 1 to 2: what 1 has received it passes on when it may
    alone = evaluated("ideal", 3, 3, chain, "nonblocking[calls]")["model_s"]
    hop = alone / 2
    held = evaluated("ideal", 3, 3, chain, "overlap[wait,calls]")
    assert held["pure_s"] == held["work_s"] == alone
    assert held["model_s"] == pytest.approx(3 * hop)  # 1 begins its send after its work, which takes two hops
    assert held["overlap"] == pytest.approx(0.5)
    for metric in ("overlap[wait,offload]", "overlap[poll,offload]"):
        free = evaluated("ideal", 3, 3, chain, metric)
        assert free["overlap"] == free["available"] == pytest.approx(1), metric
    assert evaluated("ideal", 3, 3, chain, "overlap[wait,offload]")["model_s"] == pytest.approx(alone)
    polled = evaluated("ideal", 3, 3, chain, "overlap[poll,calls]")
    assert alone < polled["model_s"] <= alone * (1 + 2 * 3.1416 / 64)  # each hop is seen at the next poll
    assert polled["available"] == pytest.approx(1)  # asking costs nothing, and there is no overhead


def test_the_nic_leaves_combining_to_the_calls_of_its_host() -> None:
    key = "reduce/binomial[s=0]"
    by_calls, offloaded = (evaluated("ideal", 4, 4, key, f"overlap[wait,{by}]", 100_000) for by in ("calls", "offload"))
    assert offloaded["model_s"] == pytest.approx(by_calls["model_s"])  # an inner rank has its result after its work
    assert 0 < offloaded["overlap"] < 1


def test_messages_within_a_node_are_left_to_the_host() -> None:
    key = "bcast/chain[chains=1,s=0]"
    within = [evaluated("schooner", 1, 4, key, f"overlap[wait,{by}]") for by in ("calls", "offload")]
    assert within[0] == within[1]
    between = [evaluated("schooner", 4, 4, key, f"overlap[wait,{by}]") for by in ("calls", "offload")]
    assert between[0]["overlap"] < between[1]["overlap"] == pytest.approx(1)


def test_a_thread_hides_all_takes_half_of_the_cores_and_needs_them() -> None:
    found = evaluated("schooner", 2, 4, "allreduce/ring", "overlap[wait,thread]")
    assert found["overlap"] == pytest.approx(1)
    assert found["available"] == pytest.approx(0.5)
    assert evaluated("schooner", 1, 10, "allreduce/ring", "overlap[wait,thread]")["kind"] == "ok"
    full = evaluated("schooner", 1, 20, "allreduce/ring", "overlap[wait,thread]")
    assert full["kind"] == "unsupported"
    assert full["status"] == (
        "a thread per rank takes a core of its own: 20 ranks on a node of 20 cores; take at most 10"
    )


@pytest.mark.parametrize(
    ("key", "says"), [("barrier/hierarchical[shm=1]", "shared segments"), ("gather/linear_any", "any source")]
)
def test_segments_and_receives_from_any_source_have_no_non_blocking_form(key: str, says: str) -> None:
    _, full = (
        registry.load().resolve(key, None)
        if "any" not in key
        else next((a.collective, a.full_key()) for a in registry.load().algorithms if "any_source" in a.flags)
    )
    assert says in evaluated("schooner", 2, 4, full, "nonblocking[calls]")["status"]


@needs_simulation()
@pytest.mark.parametrize("on", [pytest.param("ideal", marks=pytest.mark.full), "elements"])
def test_every_non_blocking_algorithm_takes_what_the_simulation_says(on: str, tmp_path: Path) -> None:
    platform = find.load(on if on == "ideal" else write(tmp_path, ELEMENTS))
    layout = Layout(platform, 7, 7) if on == "ideal" else Layout(platform, 3, 9)
    metrics = ["nonblocking[calls]", *(f"overlap[{method},calls]" for method in METHODS)]
    points = [
        Point(a.collective, a.full_key(), count, metric=metric)
        for a in registry.load().algorithms
        if "segments" not in a.flags  # without them by their parameters only: in the model alone
        for count in (5, 30_011)
        for metric in metrics
        if on == "ideal" or a.key not in TIES
    ]
    tasks = [(layout, point) for point in points]
    compared = 0
    for point, ours, row in zip(points, model.evaluate(tasks), simulate.run_tasks(tasks), strict=True):
        assert ours["kind"] == row["kind"], (point, ours["status"], row["status"])
        if ours["kind"] != "ok":
            continue
        compared += 1
        assert ours["model_s"] == pytest.approx(row["median_s"], rel=1e-9, abs=PICOSECOND), point
        for name in ("pure_s", "work_s", "available", "overlap") if "overlap" in point.metric else ():
            assert ours.get(name) == pytest.approx(row.get(name), rel=1e-6, abs=1e-6), (point, name)
    assert compared > len(points) / 2


@needs_simulation()
def test_a_simulation_cannot_offload_and_its_thread_is_beside_its_rank(tmp_path: Path) -> None:
    layout = Layout(find.load("schooner"), 2, 4)
    points = [
        Point("allreduce", "allreduce/ring", 500, metric=f"overlap[{m},{by}]")
        for m in METHODS
        for by in ("thread", "offload")
    ]
    tasks = [(layout, point) for point in points]
    for point, ours, row in zip(points, model.evaluate(tasks), simulate.run_tasks(tasks), strict=True):
        if "offload" in point.metric:
            assert row["kind"] == "unsupported"
            assert "take --source model" in row["status"]
        else:
            assert ours["model_s"] == pytest.approx(row["median_s"], rel=1e-9, abs=PICOSECOND)
            assert ours["available"] == pytest.approx(row["available"], rel=1e-6)
