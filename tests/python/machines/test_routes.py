"""collscope.machines.topology: routes against closed forms that share no code with them."""

from __future__ import annotations

import math
from itertools import product

import pytest

from collscope.machines.topology import coordinates, route

TORI = [(5,), (2, 3), (4, 4, 4), (3, 1, 5), (2, 3, 2, 4)]


@pytest.mark.parametrize("shape", TORI)
def test_a_torus_route_has_as_many_links_as_the_shorter_directions_round(shape: tuple[int, ...]) -> None:
    for a, b in product(range(math.prod(shape)), repeat=2):
        links = route("torus", shape, a, b)
        away = zip(coordinates(shape, a), coordinates(shape, b), shape, strict=True)
        assert len(links) == sum(min((x - y) % n, (y - x) % n) for x, y, n in away)


@pytest.mark.parametrize("shape", TORI)
def test_links_of_a_torus_join_neighbours_dimension_after_dimension(shape: tuple[int, ...]) -> None:
    for a, b in product(range(math.prod(shape)), repeat=2):
        at, dimensions = a, []
        for name, here, there in route("torus", shape, a, b):
            assert here == at
            differ = [
                d
                for d, (x, y) in enumerate(zip(coordinates(shape, here), coordinates(shape, there), strict=True))
                if x != y
            ]
            assert differ == [int(name[1:])]
            step = 1 if name[0] == "+" else -1
            d = differ[0]
            assert coordinates(shape, there)[d] == (coordinates(shape, here)[d] + step) % shape[d]
            dimensions.append(d)
            at = there
        assert at == b
        assert dimensions == sorted(dimensions)


def test_a_torus_goes_upwards_where_both_directions_round_are_as_long() -> None:
    assert route("torus", (4,), 3, 1) == [("+0", 3, 0), ("+0", 0, 1)]
    assert route("torus", (25, 32, 24), 0, 24 * 16)[0][0] == "+1"


def test_the_last_dimension_of_a_torus_has_consecutive_numbers() -> None:
    assert route("torus", (25, 32, 24), 0, 1) == [("+2", 0, 1)]
    assert coordinates((25, 32, 24), 24 * 32 * 3 + 24 * 5 + 7) == (3, 5, 7)


def test_a_fat_tree_route_goes_up_to_the_core_switch_of_its_destination() -> None:
    shape = (3, 4, 2)  # leaves, nodes, uplinks
    for a, b in product(range(12), repeat=2):
        links = route("fat_tree", shape, a, b)
        assert links == ([] if a // 4 == b // 4 else [("up", a // 4, b % 2), ("down", b // 4, b % 2)])


@pytest.mark.parametrize("shape", [(5, 2, 3), (9, 4, 2), (3, 5, 1), (1, 4, 2), (2, 1, 2)])
def test_a_dragonfly_route_crosses_one_global_link_at_most_and_is_minimal(shape: tuple[int, int, int]) -> None:
    groups, routers, nodes = shape
    holder = {  # the router of group a with the link to group b, from the list of each group's links in order
        (a, (a + 1 + i) % groups): a * routers + i % routers for a in range(groups) for i in range(groups - 1)
    }
    for a, b in product(range(groups * routers * nodes), repeat=2):
        at, there = a // nodes, b // nodes
        links = route("dragonfly", shape, a, b)
        for kind, x, y in links:
            if kind == "local":
                assert x == at != y
                assert x // routers == y // routers
                at = y
            else:
                assert at == holder[x, y]
                at = holder[y, x]
        assert at == there
        same_group = at // routers == a // nodes // routers
        assert [kind for kind, _, _ in links].count("global") == (not same_group)
        ends = (
            holder.get((a // nodes // routers, there // routers)),
            holder.get((there // routers, a // nodes // routers)),
        )
        least = (a // nodes != there) if same_group else 1 + (ends[0] != a // nodes) + (ends[1] != there)
        assert len(links) == least
