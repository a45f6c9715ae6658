"""collscope.synthesis.symmetry, collscope.synthesis.pareto: where all ranks are alike, one rank's chunks tell the schedule of all."""

from __future__ import annotations

import math

import pytest

from collscope.points.plan import Layout
from collscope.synthesis import network, pareto, published, symmetry
from collscope.synthesis.demand import chunks_of
from collscope.synthesis.exact import FOUND


def test_shifts_of_a_torus_and_of_nodes_leave_every_limit_as_it_is(torus: Layout, two_nodes: Layout) -> None:
    for layout in (torus, two_nodes):
        on = network.of_layout(layout)
        found = symmetry.shifts(on)
        assert [shift[0] for shift in found] == list(range(on.ranks))
        limits = {(x.pairs, x.chunks) for x in on.limits}
        for shift in found:
            assert {(frozenset((shift[a], shift[b]) for a, b in x.pairs), x.chunks) for x in on.limits} == limits


def test_dgx1_has_no_shifts() -> None:
    assert symmetry.shifts(published.networks()["dgx1"]) == ()


@pytest.mark.parametrize(("collective", "shape"), [("allgather", (1, 1, 7)), ("alltoall", (1, 1, 8))])
def test_a_schedule_from_one_ranks_chunks_brings_all_of_them(
    collective: str, shape: tuple[int, int, int], torus: Layout
) -> None:
    pytest.importorskip("ortools")
    search = pareto.Search(network.of_layout(torus), collective, max_parts=1)
    answer = search.quick(pareto.Shape(*shape), math.inf)
    assert answer.status == FOUND
    chunks = chunks_of(collective, 8, 0, 1)
    has = {(c.source, i) for i, c in enumerate(chunks)}
    for s in answer.sends:
        assert (s.source, s.chunk) in has
        has.add((s.target, s.chunk))
    assert all((t, i) in has for i, c in enumerate(chunks) for t in c.targets)


def test_sixteen_ranks_on_four_nodes_gather_in_as_few_rounds_as_their_ports_allow(four_nodes: Layout) -> None:
    """In four steps; each block enters a node once."""
    pytest.importorskip("ortools")
    search = pareto.Search(network.of_layout(four_nodes), "allgather", max_parts=1)
    answer = search.quick(pareto.Shape(1, 4, 15), math.inf)
    assert answer.status == FOUND
    entering = [s for s in answer.sends if s.source // 4 != s.target // 4]
    assert len(entering) == len({(s.target // 4, s.chunk) for s in entering}) == 4 * 12


def test_the_narrowest_of_limits_of_the_same_pairs_holds_for_ranks_that_are_alike() -> None:
    """A rank alone on its node shares its port with nobody: two blocks leave it in two rounds, however wide its NIC is."""
    pytest.importorskip("ortools")
    pairs = [frozenset((a, b) for b in range(3) if b != a) for a in range(3)]
    limits = [network.Limit(f"{chunks} from rank {a}", pairs[a], chunks) for chunks in (1, 3) for a in range(3)]
    search = pareto.Search(network.Network("three", 3, tuple(limits)), "allgather", max_parts=1)
    assert search.same and [search.quick(pareto.Shape(1, 1, n), math.inf).status == FOUND for n in (1, 2)] == [
        False,
        True,
    ]
