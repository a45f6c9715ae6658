"""collscope.schedules.critical_path, collscope.schedules.explain:
what is said of critical paths, and where one algorithm's lead turns, without the prover: leads are planted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.points.plan import Layout, Point
from collscope.schedules import critical_path, explain
from collscope.schedules.critical_path import CriticalPath, Link, Segment
from collscope.schedules.explain import Case, Crossing


def case(platform: str = "ideal[alpha=2us, beta=1e-9]", nodes: int = 4, ranks: int = 8, **more: Any) -> Case:
    key = {"collective": "bcast", "count": 16384, **more}
    points = [Point(algorithm=f"{key['collective']}/{name}", **key) for name in ("a", "b")]
    return explain.case_of(platform, Layout(None, nodes, ranks, "cyclic"), points)


@pytest.fixture(autouse=True)
def _known(known: registry.Registry) -> None:
    """The small registry: no program is asked."""


def calls(of: Case, *factors: float) -> dict[str, list[object]]:
    """Of each quantity its name, and at each factor the value, its text, and the call."""
    found: dict[str, list[object]] = {}
    for axis in explain._axes(of):
        printed = found[axis.what] = []
        for factor in factors:
            try:
                at = axis.case(factor)
            except UserError as error:
                printed.append(str(error))
                continue
            a, b = at.points
            assert (a.algorithm, b.algorithm, at.mapping) == ("bcast/a", "bcast/b", "cyclic") or of.size != 65536
            assert a.count == b.count
            printed.append((axis.text(factor), at.platform.partition("[")[2], at.nodes, at.ranks, a.count))
    return found


IDEAL = "alpha=2us, beta=1e-9]"


def test_a_case_is_varied_in_its_size_its_nodes_and_the_network() -> None:
    assert calls(case(), 1.0, 2.0, 0.5) == {
        "bytes": [("64 KiB", IDEAL, 4, 8, 16384), ("128 KiB", IDEAL, 4, 8, 32768), ("32 KiB", IDEAL, 4, 8, 8192)],
        "nodes (2 ranks each)": [("4", IDEAL, 4, 8, 16384), ("8", IDEAL, 8, 16, 16384), ("2", IDEAL, 2, 4, 16384)],
        "speed of links": [
            ("1 GB/s", "alpha=2us,beta=1e-09]", 4, 8, 16384), ("2 GB/s", "alpha=2us,beta=5e-10]", 4, 8, 16384),
            ("0.5 GB/s", "alpha=2us,beta=2e-09]", 4, 8, 16384),
        ],
        "latency": [
            ("2 µs", "beta=1e-9,alpha=2e-06]", 4, 8, 16384), ("4 µs", "beta=1e-9,alpha=4e-06]", 4, 8, 16384),
            ("1 µs", "beta=1e-9,alpha=1e-06]", 4, 8, 16384),
        ],
    }  # fmt: skip
    axes = explain._axes(case())
    assert [(axis.doublings, axis.whole) for axis in axes] == [(12, False), (5, True), (5, False), (5, False)]
    assert [axis.value(2.0) for axis in axes] == pytest.approx([131072, 8, 2e9, 4e-6])


def test_a_cluster_s_network_is_as_fast_as_nic_curve_and_links_together() -> None:
    found = calls(case("schooner[nodes=4,nic_bytes_per_s=x1]"), 1.0, 2.0, 0.5)
    same, rest = "nodes=4,nic_bytes_per_s=x1]", (4, 8, 16384)
    assert [*found] == ["bytes", "nodes (2 ranks each)", "speed of the NIC, curve and all", "latency of the network"]
    wider = "network.s_per_byte=x0.5,switch_bytes_per_s=8.978e+09"
    assert found["speed of the NIC, curve and all"] == [
        ("4.5 GB/s", same, *rest),
        ("9 GB/s", f"nodes=4,nic_bytes_per_s=9000000000,{wider},topology.link_bytes_per_s=8.978e+09]", *rest),
        ("2.25 GB/s", "nodes=4,nic_bytes_per_s=2250000000,network.s_per_byte=x2]", *rest),
    ]
    assert found["latency of the network"] == [
        ("1 times that of now", same, *rest),
        ("2 times that of now", f"{same[:-1]},network.latency_s=x2]", *rest),
        ("0.5 times that of now", f"{same[:-1]},network.latency_s=x0.5]", *rest),
    ]
    assert [*calls(case("schooner[network.s_per_byte=x2]"))][2:] == ["latency of the network"]
    assert [*calls(case("schooner[network.latency_s=x2]"))][2:] == ["speed of the NIC, curve and all"]
    for alone in (case("x/y.xml"), case("x/y.xml[nodes=2] "), case("schooner", nodes=1)):
        assert len(calls(alone)) == 2, "nothing to change"
    assert [*calls(case(ranks=9))] == ["bytes", "speed of links", "latency"], "nodes are not alike"
    assert "bytes" not in calls(case(count=0))


def test_a_network_is_no_faster_than_its_curve_and_links_can_be_together() -> None:
    """Links within the node that lead to the NIC stay as they are: beyond these the curve would be left behind."""
    speeds = calls(case("ib_multicore"), 2.0, 4.0)["speed of the NIC, curve and all"]
    assert "network.s_per_byte=x0.5" in str(speeds[0])
    assert speeds[1] == "its curve and its links cannot both be so fast"


def test_more_nodes_have_smaller_blocks_and_not_too_many_ranks() -> None:
    (nodes,) = (axis for axis in explain._axes(case("x.xml", collective="allgather", count=2048)) if axis.whole)
    assert [nodes.case(f).points[0].count for f in (2.0, 0.5, 0.25)] == [1024, 4096, 8192], "as many bytes in all"
    assert nodes.case(128.0).ranks == 1024 and nodes.case(0.25).ranks == 2
    for factor in (129.0, 0.1):
        with pytest.raises(UserError, match="^no such number of nodes$"):
            nodes.case(factor)
    (nodes,) = (axis for axis in explain._axes(case("x.xml", nodes=1, ranks=25)) if axis.whole)
    assert nodes.case(40.0).ranks == 1000
    with pytest.raises(UserError):
        nodes.case(41.0)  # 1025 ranks
    (nodes,) = (axis for axis in explain._axes(case("x.xml", nodes=2, ranks=2)) if axis.whole)
    with pytest.raises(UserError):
        nodes.case(0.5)  # one rank
    (nodes,) = (axis for axis in explain._axes(case("x.xml", root=4)) if axis.whole)
    assert nodes.case(0.75).ranks == 6
    with pytest.raises(UserError):
        nodes.case(0.5)  # the root, rank 4, would not be there
    (nodes,) = (axis for axis in explain._axes(case("x.xml", count=0)) if axis.whole)
    assert nodes.case(2.0).points[1].count == 0
    tiny = explain._axes(case("x.xml", collective="allgather", count=1))
    assert [axis.case(0.5 if axis.what == "bytes" else 4.0).points[0].count for axis in tiny] == [1, 1]


def crossings(monkeypatch: pytest.MonkeyPatch, of: Case, lead: Callable[[Case], float]) -> dict[str, Crossing]:
    monkeypatch.setattr(explain, "_lead", lead)
    reported: list[object] = []
    found = {c.what: c for c in explain.crossings(of, reported.append)}
    assert reported == [*found]
    return found


@pytest.mark.parametrize("at", [10_000, 500_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_crossing_is_found_within_one_percent_on_the_other_side(
    monkeypatch: pytest.MonkeyPatch, at: int, sign: int
) -> None:
    found = crossings(monkeypatch, case(), lambda c: sign * (c.points[0].count * 4 / at - 1))
    size = found["bytes"]
    assert size.at and size.factor and size.factor == pytest.approx(size.at / 65536, rel=1e-4)
    low, high = (at / 1.01, at) if at < 65536 else (at, at * 1.01)
    assert low - 4 <= size.at <= high + 4
    assert size.text == {10_000: "9.74 KiB", 500_000: "488 KiB"}[at] or abs(size.at / at - 1) < 0.01
    assert found["speed of links"] == Crossing("speed of links", None, None, "0.0312 GB/s to 32 GB/s")
    assert found["latency"] == Crossing("latency", None, None, "62.5 ns to 64 µs")
    assert found["nodes (2 ranks each)"] == Crossing("nodes (2 ranks each)", None, None, "1 to 128")


@pytest.mark.parametrize("at", [1, 2, 3, 5, 6, 7, 13, 100])
def test_a_number_of_nodes_is_found_exactly(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """The nearest number of nodes with which the other one wins."""

    def lead(c: Case) -> float:
        return 1.0 if (c.nodes <= at if at < 4 else c.nodes >= at) else -1.0

    found = crossings(monkeypatch, case(), lead)
    assert found["nodes (2 ranks each)"] == Crossing("nodes (2 ranks each)", float(at), at / 4, str(at))


def test_ties_and_cases_without_a_time_are_no_crossings(monkeypatch: pytest.MonkeyPatch) -> None:
    def lead(c: Case) -> float:
        if c.points[0].count > 65536:
            raise UserError("too large")
        return 2e-9 if c.points[0].count > 1000 else 0.9e-9  # less than a billionth: a tie

    assert crossings(monkeypatch, case(), lead)["bytes"].text == "16 B to 256 KiB"
    assert crossings(monkeypatch, case(), lambda c: 0.0 if c.points[0].count == 16384 else -1.0)["bytes"].at is None
    # Where only the middle has none, it is searched from the side that is known.
    gap = crossings(monkeypatch, case(), lambda c: gapped(c.points[0].count))["bytes"]
    assert gap.at and 4 * 20000 <= gap.at <= 4 * 20200


def gapped(count: int) -> float:
    if 17000 < count < 20000:
        raise UserError("no such size")
    return 1.0 if count < 19000 else -1.0


def test_the_nearer_of_two_crossings_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    found = crossings(monkeypatch, case(), lambda c: 1.0 if 1000 < c.points[0].count < 100_000 else -1.0)
    assert found["bytes"].at == pytest.approx(400_000, rel=0.01), "6 times as large; 16 times smaller"


# ---- sentences --------------------------------------------------------------------------------------------

LINKS = (Link("NIC", "NIC of node 2, out", 3e-6, 5e-7), Link("port", "port of rank 0, in", 1e-6, 0.0))
RING = CriticalPath("x/ring", "", "model", 8, 1e-5, {"latency": 6e-6, "wait": 4e-6}, (), 7, LINKS)
TREE = CriticalPath(
    "x/tree", "", "model", 8, 2e-5, {"latency": 2e-6, "bandwidth": 1.78e-5, "copy": 1.9e-7, "gap": 1e-8}, (), 1
)


def test_paths_are_described_in_sentences() -> None:
    assert explain.differences(RING, TREE) == [
        ("bandwidth", 1.78e-5), ("latency", pytest.approx(-4e-6)), ("wait", -4e-6), ("copy", 1.9e-7), ("gap", 1e-8),
    ]  # fmt: skip
    ring = (
        "x/ring: 7 messages on the path; latency is 60% of the time; NIC of node 2, out: busy for 30% of it, keeps the path waiting for "
        "500.0 ns."
    )
    tree = "x/tree: 1 message on the path; bandwidth is 89% of the time."
    assert explain.sentences([TREE, RING]) == [
        "x/ring wins: 10 µs; x/tree takes 2.00 times as long, 20 µs.",
        "The critical path of x/tree differs from that of x/ring by bandwidth +17.8 µs, latency -4 µs, waiting for a shared link -4 µs.",
        tree,
        ring,
    ]
    idle = replace(RING, links=LINKS[1:], rendezvous_s=2e-6)
    assert explain.sentences([idle]) == [
        "x/ring: 7 messages on the path; latency is 60% of the time; port of rank 0, in: busy for 10% of it, keeps nobody waiting; for "
        "2 µs of it a sender stood ready and its receiver did not (rendezvous)."
    ]
    close = replace(TREE, time_s=1e-5 * (1 + 0.9e-9), parts=RING.parts)
    assert explain.sentences([RING, close])[0] == "x/ring and x/tree take the same time, 10 µs."
    assert explain.sentences([replace(RING, time_s=0.0)]) == ["x/ring: takes no time."]
    assert len(explain.sentences([RING, TREE, RING])) == 3, "of three, each alone"


@pytest.mark.parametrize(("copies", "more"), [(2.1e-7, ", copies +210.0 ns"), (1.9e-7, "")])
def test_two_percent_of_a_difference_is_worth_a_word(copies: float, more: str) -> None:
    slow = replace(TREE, parts={"latency": 2e-5 - copies, "copy": copies})
    text = explain.sentences([slow, replace(RING, parts={"latency": 1e-5})])[1]
    assert text.endswith(f"by latency +{10 - 1e6 * copies:.2f} µs{more}.")


# ---- the prover's reply -----------------------------------------------------------------------------------


def test_a_path_is_what_the_prover_says_of_it() -> None:
    reply = {
        "kind": "ok", "status": "ok", "chose": None, "model_s": 3.0, "parts": {"latency": 1.0, "wait": 2.0, "copy": 0.0},
        "links": [["NIC", "NIC of node 0, out", 2.5, 2.0]], "path": [["latency", 1, 0, 8, 0.0, 1.0, -1], ["wait", 0, -1, 0, 1.0, 3.0, 0]],
        "path_messages": 1, "load": [[0.0, 0.5], [1.0, 1.0]], "rendezvous_s": 0.25,
    }  # fmt: skip
    link = Link("NIC", "NIC of node 0, out", 2.5, 2.0)
    path = critical_path._read(reply, Point("bcast", "bcast/a", 8), 2)
    assert path == CriticalPath(
        "bcast/a", "", "model", 2, 3.0, {"latency": 1.0, "wait": 2.0},
        (Segment("latency", 1, 0, 8, 0.0, 1.0), Segment("wait", 0, None, 0, 1.0, 3.0, link)), 1, (link,), ((0.0, 0.5), (1.0, 1.0)), 0.25,
    )  # fmt: skip
    assert path.busiest == link and path.segments[1].seconds == 2.0
    assert critical_path._read({**reply, "chose": "bcast/b"}, Point("bcast", "bcast/a", 8), 2).chose == "bcast/b"
    with pytest.raises(UserError, match="^bcast/a on 2 ranks, count 8: too large$"):
        critical_path._read({**reply, "kind": "unsupported", "status": "too large"}, Point("bcast", "bcast/a", 8), 2)
