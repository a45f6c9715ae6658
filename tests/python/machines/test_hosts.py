"""collscope.machines.placement, collscope.machines.machine_file: where ranks sit, and the machine file of the prover."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import made_platforms
from collscope.base.errors import UsageError
from collscope.machines import find
from collscope.machines.machine_file import PLACE_LINES, machine_file, places_in
from collscope.machines.placement import OWN_MAPPINGS, fitted, hosts_of, places, used_nodes
from collscope.machines.platform import Host, Platform, nodes_of
from collscope.machines.spec import CLASSES
from made_platforms import PRIME, write
from tiny_platform import tiny


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
    for mapping in OWN_MAPPINGS:
        for nodes, ranks in ((1, 1), (2, 40), (3, 17), (16, 320)):
            hosts = hosts_of(p, nodes, ranks, mapping)
            assert len(set(hosts)) == ranks
    with pytest.raises(UsageError, match="unknown mapping"):
        hosts_of(p, 2, 4, "blok")


def test_ranks_that_do_not_fit() -> None:
    p = find.load("schooner")
    with pytest.raises(
        UsageError, match=r"20 cores per node; 100 ranks do not fit on 4 nodes \(80\); use 5 nodes or more"
    ):
        hosts_of(p, 4, 100)
    with pytest.raises(UsageError, match=r"schooner has 16 nodes; 17 were requested; say --on 'schooner\[nodes=17\]'$"):
        hosts_of(p, 17, 17)
    with pytest.raises(UsageError, match=r"ideal has 1 core per node; .*; use 8 nodes or more"):
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
    assert places_in(machine_file(p, 2, 4))[3] == (1, 3, 3)
    assert {rest[0] for rest in by_key["class"]} == set(CLASSES)
    first = next(rest for rest in by_key["class"] if rest[:2] == ["network", "0"])
    assert float(first[2]) == pytest.approx(1.4e-6)  # 1.6 µs less two overheads
    assert "nic" not in machine_file(find.load("ideal"), 2, 2)
    assert "control 16" in machine_file(find.load("ideal"), 2, 2)


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


PRIME_LINES = """\
ports fluid
control 16
gamma 3.1e-10
copy 7e-11
eager 1009
overhead 1.3e-07
class cache 0 2.4e-07 1.1e-10 1.9
class cache 1010 5e-07 1.1e-10 1.9
class cache 2003 7.3e-07 1.3e-10 1
class socket 0 3.5e-07 1.7e-10 1
class socket 1010 6.1e-07 1.7e-10 1
class node 0 5.7e-07 2.3e-10 2.9
class node 1010 8.3e-07 2.3e-10 2.9
class network 0 1.64e-06 3.7e-10 1
class network 64 1.44e-06 4.1e-10 1
class network 1010 1.7e-06 4.1e-10 1
class network 5003 2.9e-06 3.1e-10 1.3
core 23000000000.0
memory 41000000000.0
interconnect 17000000000.0
nic 5000000000.0
switch 11000000000.0
"""


def stated(text: str) -> str:
    """A machine file without where ranks sit."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(PLACE_LINES))


def test_the_machine_file_says_every_number(tmp_path: Path) -> None:
    p = find.load(write(tmp_path, PRIME))
    alpha = {1: "8.3e-07 2.3e-10", 2: "1.9e-06 3.1e-10"}
    for nodes, bound in alpha.items():
        assert stated(machine_file(p, nodes, 4)) == f"{PRIME_LINES}bound {bound} 3.1e-10\n"
    ideal = find.load("ideal[alpha=3us,beta=7e-10,gamma=1.1e-10,nodes=2,cores=2]")
    assert stated(machine_file(ideal, 2, 4)) == (
        "ports fluid\ncontrol 16\ngamma 1.1e-10\ncopy 0\neager -1\noverhead 0\n"
        + "".join(f"class {level} 0 3e-06 7e-10\n" for level in CLASSES)
        + "bound 3e-06 7e-10 1.1e-10\n"
    )
    assert machine_file(p, 2, 4, "block") != machine_file(p, 2, 4, "cyclic")


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


def test_a_platform_says_its_numbers(tmp_path: Path) -> None:
    p = find.load(write(tmp_path, PRIME))
    assert (p.name, p.max_nodes, p.cores_per_node) == ("prime", 3, 12)
    assert (p.gamma_s_per_byte, p.copy_s_per_byte) == (3.1e-10, 7e-11)
    assert [p.classes(nodes) for nodes in (1, 2)] == [("cache", "socket", "node"), CLASSES]
    times = {1009: 1.7e-6 + 1009 * 4.1e-10, 5002: 1.7e-6 + 5002 * 4.1e-10, 5003: 2.9e-6 + 5003 * 3.1e-10}
    assert {n: p.machine.half_round_trip_s("network", n) for n in times} == pytest.approx(times)
    assert [tiny().classes(nodes) for nodes in (1, 2)] == [("cache",), ("cache", "network")]
    assert [find.load("ideal[cores=2]").classes(nodes) for nodes in (1, 2)] == [("network",)] * 2


@pytest.mark.parametrize(
    ("change", "levels"),
    [
        ("cores_per_cache = 6", ("cache", "node")),
        ("cores_per_cache = 1", ("socket", "node")),
        ("cores_per_cache = 1\nsockets = 1", ("socket",)),
        ("cores_per_cache = 1\nsockets = 1\ncores_per_socket = 1", ("cache",)),  # none: the closest
    ],
)
def test_classes_within_a_node(tmp_path: Path, change: str, levels: tuple[str, ...]) -> None:
    text = PRIME
    for line in change.splitlines():
        text = re.sub(rf"(?m)^{line.split()[0]} = .*", line, text)
    assert find.load(write(tmp_path, text)).classes(1) == levels


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
