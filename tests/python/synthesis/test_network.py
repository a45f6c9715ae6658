"""collscope.synthesis.network, collscope.synthesis.demand: what contends on a machine, and what no schedule can do without."""

from __future__ import annotations

from fractions import Fraction

import pytest

from collscope.points.plan import Layout
from collscope.synthesis import network, pareto, published
from collscope.synthesis.demand import chunks_of, min_rounds, min_steps


def test_dgx1_has_six_links_in_and_out_of_each_gpu() -> None:
    dgx1 = published.networks()["dgx1"]
    for rank in range(8):
        assert sum(x.chunks for x in dgx1.limits for a, _ in x.pairs if a == rank) == 6
        assert sum(x.chunks for x in dgx1.limits for _, b in x.pairs if b == rank) == 6
    assert max(map(max, dgx1.distances)) == 2


def test_bounds_of_dgx1_are_those_that_msccl_prints() -> None:
    """SYNTHESIS.md: an allgather needs 2 steps and 7/6 rounds per chunk, and so does a gather."""
    dgx1 = published.networks()["dgx1"]
    for collective in ("allgather", "gather"):
        chunks = chunks_of(collective, 8, 0, 1)
        assert (min_steps(dgx1, chunks), min_rounds(dgx1, chunks)) == (2, Fraction(7, 6))


def test_a_nic_is_a_limit_of_all_that_leaves_its_node(two_nodes: Layout) -> None:
    on = network.of_layout(two_nodes)
    limits = {x.name: x for x in on.limits}
    assert limits["NIC of node 0, out"].pairs == {(0, 2), (0, 3), (1, 2), (1, 3)}
    assert limits["port of rank 2, in"].pairs == {(0, 2), (1, 2), (3, 2)}
    # Two ranks' blocks must enter a node through one NIC, and two and one more through a port.
    assert min_rounds(on, chunks_of("allgather", 4, 0, 1)) == 3


def test_a_step_takes_the_latency_of_the_slowest_class(two_nodes: Layout, torus: Layout) -> None:
    """Of a large message, in whose protocol it is 4.5 µs between the nodes of the torus."""
    assert network.of_layout(torus).alpha_s == pytest.approx(4.5e-6)
    assert network.of_layout(two_nodes).alpha_s == pytest.approx(5.5e-6)


def test_a_schedule_of_one_step_has_the_rounds_of_what_goes_directly(two_nodes: Layout) -> None:
    """Four blocks leave a node through its NIC, of which three rounds are the bound of more steps."""
    search = pareto.Search(network.of_layout(two_nodes), "allgather", max_parts=1)
    fewest = {steps: next(s.rounds for s in search.shapes() if s.steps == steps) for steps in (1, 2)}
    assert fewest == {1: 4, 2: 3}


def test_a_link_of_a_torus_is_a_limit_of_the_routes_over_it(torus: Layout) -> None:
    on = network.of_layout(torus)
    of_link = next(x for x in on.limits if x.name == "link +1 from 0 to 1")
    assert of_link.pairs >= {(0, 1), (0, 2), (3, 1)} and (1, 0) not in of_link.pairs
    assert {x.chunks for x in on.limits} == {1}


def test_reversed_twice_is_the_same() -> None:
    dgx1 = published.networks()["dgx1"]
    assert dgx1.reversed().reversed() == dgx1
