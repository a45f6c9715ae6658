"""collscope.schedules.explain, collscope.schedules.explain_draws:
why one algorithm beats another, and where the other would: planted cases whose answer is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from collscope.base import programs
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Point, check_layout
from collscope.schedules import critical_path, explain, explain_draws
from collscope.schedules.explain import Case, Crossing
from collscope.sources.assumptions import Judged

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")

ALPHA, BETA = 2e-6, 1e-9


def case(a: str, b: str, size: int, platform: str = f"ideal[alpha={ALPHA},beta={BETA}]", ranks: int = 8) -> Case:
    layout = check_layout(find.load(platform), ranks if "ideal" in platform else 2, ranks, "block")
    collective = a.partition("/")[0]
    return explain.case_of(platform, layout, [Point(collective, key, size // 4) for key in (a, b)])


def by_name(found: list[Crossing]) -> dict[str, Crossing]:
    return {c.what.partition(" (")[0]: c for c in found}


def test_crossings_are_where_the_closed_forms_cross() -> None:
    """Telephone costs of 8 ranks: the minimum spanning tree takes 3 (α + (n + 16) β), the ring after a scatter less for its bytes; where
    SimGrid's network agrees with both, n α and n β at the crossing are bound to each other."""
    tree, ring = "bcast/mst", "bcast/mst_scatter_bucket_allgather"
    found = by_name(explain.crossings(case(tree, ring, 65536)))
    size, speed, latency = found["bytes"], found["speed of links"], found["latency"]
    assert size.at and size.factor and speed.factor and latency.factor
    # (3 - 14/8) n β = 7 α plus control bytes: about n = 11 KiB; a latency, or a speed, so many times larger does the same.
    assert size.at == pytest.approx(7 * ALPHA / (1.25 * BETA), rel=0.05)
    assert 1 / size.factor == pytest.approx(latency.factor, rel=0.05)
    assert speed.factor == pytest.approx(latency.factor, rel=0.05)


def test_on_both_sides_of_a_crossing_another_one_wins() -> None:
    tree, ring = "bcast/mst", "bcast/mst_scatter_bucket_allgather"
    at = by_name(explain.crossings(case(tree, ring, 65536)))["bytes"].at
    assert at
    machine = machine_file(find.load(f"ideal[alpha={ALPHA},beta={BETA}]"), 8, 8)
    for size, first_wins in ((at / 1.1, True), (at * 1.1, False)):
        points = [Point("bcast", key, int(size) // 4) for key in (tree, ring)]
        a, b = critical_path.modelled(points, 8, machine)
        assert (a.time_s < b.time_s) == first_wins


def test_one_rank_has_a_crossing_over_bytes_alone() -> None:
    """A rank alone copies its own block of an alltoall, and has no other number of nodes."""
    copied = case("alltoall/linear", "alltoall/pairwise", 1 << 20, "schooner[cores_per_socket=1,sockets=1]", ranks=2)
    alone = replace(copied, nodes=1, ranks=1)
    assert "nodes" in by_name(explain.crossings(copied))
    assert list(by_name(explain.crossings(alone))) == ["bytes"]


def test_differences_add_up_and_the_largest_comes_first() -> None:
    machine = machine_file(find.load("schooner"), 4, 64)
    points = [Point("allreduce", f"allreduce/{key}", 262144) for key in ("ring", "recursive_doubling")]
    ring, doubling = critical_path.modelled(points, 64, machine)
    found = explain.differences(ring, doubling)
    assert sum(s for _, s in found) == pytest.approx(doubling.time_s - ring.time_s, rel=1e-9)
    assert found[0][0] == "wait"
    assert doubling.busiest and doubling.busiest.kind == "NIC"
    text = " ".join(explain.sentences([ring, doubling]))
    assert text.startswith("allreduce/ring wins: 1.44 ms; allreduce/recursive_doubling takes 7.49 times as long")
    assert "keeps the path waiting for 3.5 ms" in text and "126 messages on the path" in text


def test_an_incast_waits_for_the_port_of_its_root() -> None:
    machine = machine_file(find.load("ideal"), 16, 16)
    path = critical_path.modelled([Point("gather", "gather/linear_nb", 64_000)], 16, machine)[0]
    assert path.busiest and path.busiest.name == "port of rank 0, in"
    assert path.parts["wait"] > 0.9 * path.time_s


def test_a_ring_of_small_messages_is_latency() -> None:
    machine = machine_file(find.load("ideal"), 64, 64)
    path = critical_path.modelled([Point("allgather", "allgather/bucket", 2)], 64, machine)[0]
    assert path.parts["latency"] > 0.95 * path.time_s and path.messages == 63
    assert "latency is 9" in explain.sentences([path])[0]


def test_an_algorithm_beside_itself_stands_once_among_the_draws() -> None:
    found = Judged(
        "bcast/a", {"bcast/a": 1.0}, {"bcast/a": (0.5, 2.0)}, ("bcast/a",), 2, 2, (), None, {"bcast/a": (0.5, 2.0)}
    )
    both = [Point("bcast", "bcast/a", 2)] * 2
    made = explain_draws.document(found, both)
    assert made and made["algorithms"] == [{"algorithm": "bcast/a", "low_s": 0.5, "high_s": 2.0, "wins": 2}]
    assert made["hangs_on"] is None and explain_draws.sentences(found, both) == []
