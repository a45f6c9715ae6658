"""Where ranks sit, and the machine file of the prover."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UsageError
from collscope.machines import find
from collscope.machines.hosts import MAPPINGS, hosts_of, machine_file, places, used_nodes
from collscope.machines.platform import Host, Platform
from collscope.machines.spec import LEVELS


def test_block_is_an_even_share_a_node_and_socket() -> None:
    p = find.load("schooner")
    made = places(p, 4, 32, "block")
    assert [n for n, _, _ in made] == sorted(n for n, _, _ in made)
    assert all(sum(place[0] == n for place in made) == 8 for n in range(4))
    assert all(sum(place[1] == s for place in made) == 4 for s in range(8))
    assert [sum(place[0] == n for place in places(p, 4, 10)) for n in range(4)] == [3, 3, 2, 2]


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
    for mapping in MAPPINGS:
        for nodes, ranks in ((1, 1), (2, 40), (3, 17), (16, 320)):
            hosts = hosts_of(p, nodes, ranks, mapping)
            assert len(set(hosts)) == ranks
    with pytest.raises(UsageError, match="unknown mapping"):
        hosts_of(p, 2, 4, "blok")


def test_ranks_that_do_not_fit() -> None:
    p = find.load("schooner")
    with pytest.raises(
        UsageError, match=r"20 cores a node; 100 ranks do not fit on 4 nodes \(80\); use 5 nodes or more"
    ):
        hosts_of(p, 4, 100)
    with pytest.raises(UsageError, match=r"schooner has 16 nodes; 17 were asked for; say --on 'schooner\[nodes=17\]'$"):
        hosts_of(p, 17, 17)
    with pytest.raises(UsageError, match=r"ideal has 1 core a node; .*; use 8 nodes or more"):
        hosts_of(find.load("ideal"), 2, 8)


def test_machine_text() -> None:
    p = find.load("schooner")
    lines = [line.split() for line in machine_file(p, 2, 4).splitlines()]
    by_key: dict[str, list[list[str]]] = {}
    for key, *rest in lines:
        by_key.setdefault(key, []).append(rest)
    assert by_key["ports"] == [["fluid"]]
    assert by_key["control"] == [["16"]]
    links = {"core": 12e9, "memory": 55e9, "interconnect": 30e9, "nic": 4.5e9, "switch": 5e9}
    assert {link: float(by_key[link][0][0]) for link in links} == links
    assert [int(x) for x in by_key["place"][3]] == [3, 1, 3, 3]
    assert {rest[0] for rest in by_key["class"]} == set(LEVELS)
    first = next(rest for rest in by_key["class"] if rest[:2] == ["network", "0"])
    assert float(first[2]) == pytest.approx(1.4e-6)  # 1.6 µs less two overheads
    assert "nic" not in machine_file(find.load("ideal"), 2, 2)
    assert "control 16" in machine_file(find.load("ideal"), 2, 2)


def machine(*sockets: int, nodes: int = 1, **properties: str) -> Platform:
    """Equal nodes of sockets with so many cores each."""
    places = [s for s, cores in enumerate(sockets) for _ in range(cores)]
    hosts = [
        Host(f"n{n}s{s}c{c}", n, n * len(sockets) + s, n * len(sockets) + s, 1e-10, 1e-10)
        for n in range(nodes)
        for c, s in enumerate(places)
    ]
    return Platform("mine", Path("mine.xml"), {f"collscope.{k}": v for k, v in properties.items()}, tuple(hosts), {})


def sockets_of(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> list[int]:
    return [s for _, s, _ in places(platform, nodes, ranks, mapping)]


def test_what_is_left_over_goes_to_the_first_nodes_and_sockets() -> None:
    assert sockets_of(machine(4, 4), 1, 5) == [0, 0, 0, 1, 1]
    assert sockets_of(machine(4, 4, 4), 1, 7) == [0, 0, 0, 1, 1, 2, 2]
    assert sockets_of(machine(4, 4, nodes=3), 3, 8) == [0, 0, 1, 2, 2, 3, 4, 5]
    assert sockets_of(machine(4, 4, nodes=3), 3, 8, "cyclic") == [0, 2, 4, 0, 2, 5, 1, 3]


def test_what_does_not_fit_on_a_small_socket_goes_to_the_others() -> None:
    assert sockets_of(machine(1, 5), 1, 4) == [0, 1, 1, 1]
    assert sockets_of(machine(5, 1), 1, 4) == [0, 0, 0, 1]
    assert sockets_of(machine(1, 3, 2), 1, 6) == [0, 1, 1, 1, 2, 2]


def test_more_ranks_than_cores_are_dealt_out_evenly_neighbours_together() -> None:
    shared = machine(2, 2, oversubscribe="1")
    assert hosts_of(shared, 1, 8) == [name for name in hosts_of(shared, 1, 4) for _ in range(2)]
    assert hosts_of(shared, 1, 8, "fill") == 2 * hosts_of(shared, 1, 4)
    with pytest.raises(UsageError, match="4 cores a node; 8 ranks do not fit on 1 node "):
        hosts_of(machine(2, 2), 1, 8)


def test_filled_nodes() -> None:
    four = machine(2, 2, nodes=4)
    assert [used_nodes(four, 4, ranks, "fill") for ranks in (1, 4, 5, 8, 9, 16)] == [1, 1, 2, 2, 3, 4]
    assert used_nodes(four, 2, 16, "fill") == 2
    assert used_nodes(four, 4, 4, "block") == used_nodes(four, 4, 4, "cyclic") == 4


def test_a_node_has_as_many_cores_as_the_smallest() -> None:
    hosts = (*machine(2, 2).host_list, *(Host(f"x{c}", 1, 9, 9, 1e-10, 1e-10) for c in range(3)))
    uneven = Platform("mine", Path("mine.xml"), {}, hosts, {})
    assert uneven.cores_per_node == 3
    assert [n for n, _, _ in places(uneven, 2, 6, "fill")] == [0] * 3 + [1] * 3
