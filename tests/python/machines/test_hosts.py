"""collscope.machines.placement, collscope.machines.machine_file: where ranks sit, and the machine file of the prover."""

from __future__ import annotations

from pathlib import Path

import pytest

import made_platforms
from collscope.base.errors import UsageError
from collscope.machines import find
from collscope.machines.placement import OWN_MAPPINGS, fitted, hosts_of, places, used_nodes
from collscope.machines.platform import Host, Platform, nodes_of
from made_platforms import PRIME, write


def test_cyclic_and_fill() -> None:
    p = find.load("schooner")
    assert [n for n, _, _ in places(p, 4, 6, "cyclic")] == [0, 1, 2, 3, 0, 1]
    cyclic = places(p, 2, 16, "cyclic")
    assert [s for n, s, _ in cyclic if n == 0] == [0] * 4 + [1] * 4, (
        "a node's ranks take its sockets in turn, not its cores"
    )
    assert hosts_of(p, 2, 8, "cyclic")[::2] == hosts_of(p, 2, 8, "block")[:4]
    assert hosts_of(p, 2, 8, "cyclic")[1::2] == hosts_of(p, 2, 8, "block")[4:]
    fill = places(p, 2, 32, "fill")
    assert [n for n, _, _ in fill] == [0] * 20 + [1] * 12
    assert [s for _, s, _ in fill[:20]] == [0] * 10 + [1] * 10
    for mapping in OWN_MAPPINGS:
        for nodes, ranks in ((1, 1), (2, 40), (3, 17), (16, 320)):
            hosts = hosts_of(p, nodes, ranks, mapping)
            assert len(set(hosts)) == ranks
    with pytest.raises(UsageError, match="unknown mapping"):
        hosts_of(p, 2, 4, "blok")


def machine(*sockets: int, nodes: int = 1, **fields: bool) -> Platform:
    """Equal nodes of sockets with so many cores each."""
    places = [s for s, cores in enumerate(sockets) for _ in range(cores)]
    hosts = [
        Host(f"n{n}s{s}c{c}", n, n * len(sockets) + s, n * len(sockets) + s, 1e-10, 1e-10)
        for n in range(nodes)
        for c, s in enumerate(places)
    ]
    return made_platforms.platform(nodes_of(hosts), made_platforms.machine(**fields))


def sockets_of(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> list[int]:
    return [s for _, s, _ in places(platform, nodes, ranks, mapping)]


def test_left_over_ranks_go_to_the_first_nodes_and_sockets() -> None:
    assert sockets_of(machine(4, 4), 1, 5) == [0, 0, 0, 1, 1]
    assert sockets_of(machine(4, 4, 4), 1, 7) == [0, 0, 0, 1, 1, 2, 2]
    assert sockets_of(machine(4, 4, nodes=3), 3, 8) == [0, 0, 1, 2, 2, 3, 4, 5]
    assert sockets_of(machine(4, 4, nodes=3), 3, 8, "cyclic") == [0, 2, 4, 0, 2, 5, 1, 3]


def test_ranks_that_do_not_fit_on_a_small_socket_go_to_the_others() -> None:
    assert sockets_of(machine(1, 5), 1, 4) == [0, 1, 1, 1]
    assert sockets_of(machine(5, 1), 1, 4) == [0, 0, 0, 1]
    assert sockets_of(machine(1, 3, 2), 1, 6) == [0, 1, 1, 1, 2, 2]


def test_more_ranks_than_cores_are_dealt_out_evenly_neighbours_together() -> None:
    shared = machine(2, 2, oversubscribes=True)
    assert hosts_of(shared, 1, 8) == [name for name in hosts_of(shared, 1, 4) for _ in range(2)]
    assert hosts_of(shared, 1, 8, "fill") == 2 * hosts_of(shared, 1, 4)
    with pytest.raises(UsageError, match="4 cores per node; 8 ranks do not fit on 1 node "):
        hosts_of(machine(2, 2), 1, 8)


def test_filled_nodes() -> None:
    four = machine(2, 2, nodes=4)
    assert [used_nodes(fitted(four, 4, ranks, "fill")) for ranks in (1, 4, 5, 8, 9, 16)] == [1, 1, 2, 2, 3, 4]
    assert used_nodes(fitted(four, 2, 8, "fill")) == 2
    assert used_nodes(fitted(four, 4, 4, "block")) == used_nodes(fitted(four, 4, 4, "cyclic")) == 4


def test_a_node_has_as_many_cores_as_the_smallest() -> None:
    hosts = (*machine(2, 2).nodes[0], *(Host(f"x{c}", 1, 9, 9, 1e-10, 1e-10) for c in range(3)))
    uneven = made_platforms.platform(nodes_of(hosts))
    assert uneven.cores_per_node == 3
    assert [n for n, _, _ in places(uneven, 2, 6, "fill")] == [0] * 3 + [1] * 3


@pytest.mark.parametrize(
    ("nodes", "ranks", "mapping", "seats"),
    [
        (2, 5, "block", [(0, 0, 0), (0, 0, 0), (0, 1, 2), (1, 2, 4), (1, 3, 6)]),
        (2, 5, "cyclic", [(0, 0, 0), (1, 2, 4), (0, 0, 0), (1, 3, 6), (0, 1, 2)]),
        (1, 5, "fill", [(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 1), (0, 0, 1)]),
        (3, 13, "fill", [(0, c // 6, c // 3) for c in range(12)] + [(1, 2, 4)]),
        (1, 8, "block", [(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 1), (0, 1, 2), (0, 1, 2), (0, 1, 2), (0, 1, 3)]),
    ],
)
def test_node_socket_and_cache_of_every_rank(
    tmp_path: Path, nodes: int, ranks: int, mapping: str, seats: list[tuple[int, int, int]]
) -> None:
    p = find.load(write(tmp_path, PRIME))
    assert places(p, nodes, ranks, mapping) == seats
    numbers = [(int(h[4 : h.index("_")]), int(h.rpartition("core")[2])) for h in hosts_of(p, nodes, ranks, mapping)]
    assert [(n, 2 * n + c // 6, 4 * n + c // 3) for n, c in numbers] == seats
    assert hosts_of(p, nodes, ranks) == hosts_of(p, nodes, ranks, "block")


@pytest.mark.parametrize(
    ("nodes", "ranks", "says"),
    [
        (0, 1, "0 nodes and 1 ranks; both must be 1 or more"),
        (1, 0, "1 nodes and 0 ranks; both must be 1 or more"),
        (1, 13, "12 cores per node; 13 ranks do not fit on 1 node (12); use 2 nodes or more"),
        (2, 25, "25 ranks do not fit on 2 nodes (24); use 3 nodes or more"),
        (2, 37, "37 ranks do not fit on 2 nodes (24); it has 36 cores in all; say --on 'FILE[nodes=4]' --nodes 4"),
        (3, 37, "37 ranks do not fit on 3 nodes (36); it has 36 cores in all; say --on 'FILE[nodes=4]' --nodes 4"),
        (4, 4, "prime has 3 nodes; 4 were requested; say --on 'FILE[nodes=4]'"),
        (4, 3, "prime has 3 nodes; 4 were requested; 3 ranks: use --nodes 3"),
        (40, 38, "prime has 3 nodes; 40 were requested; say --on 'FILE[nodes=38]' --nodes 38"),
    ],
)
def test_every_complaint_about_ranks_says_what_would_do(tmp_path: Path, nodes: int, ranks: int, says: str) -> None:
    path = write(tmp_path, PRIME)
    p = find.load(path)
    with pytest.raises(UsageError) as caught:
        hosts_of(p, nodes, ranks)
    assert str(caught.value).replace(path, "FILE").endswith(says)
    for fits in ((1, 12), (3, 36), (3, 3), (3, 1)):
        assert len(hosts_of(p, *fits)) == fits[1]
