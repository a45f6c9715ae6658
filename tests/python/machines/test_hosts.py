"""Where ranks sit, and the machine file of the prover."""

from __future__ import annotations

import pytest

from collscope.base.errors import UsageError
from collscope.machines import find
from collscope.machines.hosts import MAPPINGS, fit_nodes, hosts_of, machine_file, places
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
    assert fit_nodes(p, 41) == 3


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
