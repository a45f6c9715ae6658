"""collscope.machines.topology: the table [topology]: where nodes sit, what a variant changes, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.base.number import Number
from collscope.machines import find, topology
from collscope.machines.machine_file import machine_file
from collscope.machines.spec import Topology
from collscope.machines.topology import links_nodes, named_nodes, positions, runs
from collscope.studies import sensitivity

TEMPLATES = paths.ROOT / "platforms" / "templates"
TORUS = Topology("torus", (4, 3, 2))


def at(allocation: str, nodes: int, **more: int) -> list[int]:
    return list(positions(Topology("torus", (4, 3, 2), allocation=allocation, **more), nodes))


def test_an_allocation_is_contiguous_a_block_named_or_scattered() -> None:
    assert at("contiguous", 5) == [0, 1, 2, 3, 4]
    assert at("contiguous", 3, first=21) == [21, 22, 23]
    assert at("2x1x2", 4) == [0, 1, 6, 7]
    assert at("2x1x2", 3, first=2) == [2, 3, 8]
    assert at("7+3-5", 4) == [7, 3, 4, 5]
    assert at("3.2.1+0.0.1", 2) == [23, 1]
    assert at("scattered", 24) == list(range(24))
    drawn = at("scattered", 6, seed=1)
    assert drawn == sorted(set(drawn)) == at("scattered", 6, seed=1) != at("scattered", 6, seed=2)


def test_an_allocation_by_file_has_numbers_or_coordinates(tmp_path: Path) -> None:
    (tmp_path / "nodes").write_text("# two of them\n3 2 1\n\n5   # by number\n0,1,0\n")
    assert at(f"file:{tmp_path / 'nodes'}", 3) == [23, 5, 2]


@pytest.mark.parametrize(
    ("allocation", "nodes", "wrong"),
    [
        ("contiguous", 25, "node 24 at position 24 leaves the torus of 24 positions (4 x 3 x 2)"),
        ("scattered", 25, "25 nodes leaves the torus"),
        ("5x1x1", 1, "leaves the torus of 4 x 3 x 2 in dimension 0"),
        ("2x2", 1, "one number for each dimension"),
        ("24", 1, "position 24 leaves the torus"),
        ("3.2.2", 1, "position 3 2 2 leaves the torus"),
        ("3-1", 1, "write the smaller position first"),
        ("1+1", 1, "names position 1 twice"),
        ("0-3", 5, "has 4 positions for 5 nodes"),
        ("scatered", 1, 'did you mean "scattered"'),
    ],
)
def test_an_allocation_that_cannot_be_says_why(allocation: str, nodes: int, wrong: str) -> None:
    with pytest.raises(ValueError) as error:
        at(allocation, nodes)
    assert wrong in str(error.value)


def test_a_file_that_leaves_the_torus_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "nodes"
    for text, wrong in (
        ("0\n24\n", ":2: position 24 leaves the torus"),
        ("0 0\n", ":1: 2 numbers do not name a position"),
        ("\nx\n", ":2: x: write a position's number"),
    ):
        path.write_text(text)
        with pytest.raises(UserError, match="nodes" + wrong):
            at(f"file:{path}", 1)


def specification(tmp_path: Path, template: str, old: str, new: str) -> Path:
    text = (TEMPLATES / f"{template}.toml").read_text()
    assert old in text
    (tmp_path / "mine.toml").write_text(text.replace(old, new))
    return tmp_path / "mine.toml"


def lines(name: str) -> list[str]:
    on = find.load(f"{TEMPLATES}/{name}")
    text = machine_file(on, on.max_nodes, on.max_nodes)
    return [line for line in text.splitlines() if line.startswith(("topology", "positions"))]


def test_a_variant_changes_numbers_allocation_and_seed() -> None:
    assert lines("torus.toml[topology.link_bytes_per_s=x2,nodes=3]") == [
        "topology torus 5e-08 10000000000.0 4 4 4",
        "positions 0 3",
    ]
    assert lines("torus.toml[topology.allocation=1x2x2]")[1:] == ["positions 0 2", "positions 4 2"]
    assert lines("fat_tree.toml[topology.oversubscription=4]")[0].split()[-3:] == ["4", "16", "4"]
    assert lines("dragonfly.toml[topology.first=3,nodes=2]")[1:] == ["positions 3 2"]
    with pytest.raises(UserError, match=r"topology\.allocation=0-99: position 99 leaves the torus"):
        find.load(f"{TEMPLATES}/torus.toml[topology.allocation=0-99]")
    with pytest.raises(UserError, match=r'no parameter "topology\.sed"; did you mean "topology\.seed"'):
        find.load(f"{TEMPLATES}/torus.toml[topology.sed=1]")
    with pytest.raises(UserError, match="node 64 at position 64 leaves the torus"):
        find.load(f"{TEMPLATES}/torus.toml[nodes=65]")


def test_positions_that_no_node_takes_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    find.load(f"{TEMPLATES}/torus.toml[topology.allocation=0-9,nodes=10]")
    assert capsys.readouterr().err == ""
    find.load(f"{TEMPLATES}/torus.toml[topology.allocation=0-9,nodes=7]")
    assert "topology.allocation names more positions than 7 nodes; the last 3 are not used" in capsys.readouterr().err


def test_the_platform_of_another_allocation_is_another_platform() -> None:
    names = [f"{TEMPLATES}/torus.toml[nodes=2,topology.allocation={a}]" for a in ("0+1", "0+2", "1+2")]
    assert len({find.load(name).identity for name in names}) == 3
    large = [f"jaguar[nodes=2000,topology.allocation={a}]" for a in ("0-1999", "0-1998+3000")]
    assert len({find.load(name).identity for name in large}) == 2, (
        "though its first nodes sit where those of the other do"
    )


def test_a_variant_has_more_leaves_or_one_switch_for_all() -> None:
    wide = find.load("schooner[nodes=1000,topology.leaves=38]").machine.network
    assert wide and wide.shape == (38, 27, 9)
    assert not find.load("schooner[nodes=1000,topology=switch]").machine.network
    with pytest.raises(
        UserError, match=r"position 64 leaves the fat tree .*; say topology\.leaves=5, or topology=switch"
    ):
        find.load(f"{TEMPLATES}/fat_tree.toml[topology.first=60,nodes=5]")
    with pytest.raises(UserError, match=r'no parameter "topology\.leaves"'):
        find.load(f"{TEMPLATES}/torus.toml[topology.leaves=2]")


def test_a_shape_has_its_provenance(tmp_path: Path) -> None:
    leaves = '{ value = 4, tag = "documented", source = "them" }'
    path = specification(tmp_path, "fat_tree", "leaves = 4", f"leaves = {leaves}")
    numbers = dict(find.load_spec(str(path)).numbers())
    assert numbers["topology.leaves"] == Number(4.0, "documented", "them")
    assert numbers["topology.nodes_per_leaf"] == Number(16.0)
    assert dict(find.load_spec("jaguar").numbers())["topology.dims[1]"] == Number(32.0, "documented", "charm")


def test_links_between_nodes_are_varied_where_the_study_crosses_them() -> None:
    def moved(name: str, nodes: int) -> set[str]:
        return {v.number for v in sensitivity.variants(find.load_spec(name), nodes) if v.number.startswith("topology")}

    assert moved("schooner", 27) == set()
    assert moved("schooner[nodes=28]", 28) == {
        f"topology.{n}" for n in ("hop_latency_s", "link_bytes_per_s", "oversubscription")
    }
    assert moved("jaguar", 2) == {"topology.hop_latency_s", "topology.link_bytes_per_s"}
    assert moved("ib_multicore", 2) == set()


@pytest.mark.parametrize(
    ("kind", "shape", "printed"),
    [
        ("switch", (), ""),
        ("torus", (4194305,), "has 4194305 positions; at most 4194304"),
        ("torus", (512,), ""),
        ("torus", (513, 3), "has routes of 257 links; at most 256"),
        ("torus", (140, 141, 141), ""),
        ("torus", (140, 141, 142), "has 16818480 links; at most 16777216"),
        ("fat_tree", (2048, 2048), ""),
        ("fat_tree", (8192, 512), "has 20971520 links; at most 16777216"),
        ("dragonfly", (4095, 1, 1), ""),
        ("dragonfly", (4096, 1, 1), "has 16781312 links; at most 16777216"),
        ("dragonfly", (4, 2048, 2), "has 16777232 links; at most 16777216"),
    ],
)
def test_a_network_has_at_most_so_many_positions_and_links(kind: str, shape: tuple[int, ...], printed: str) -> None:
    uplinks = 512 / 1280 if shape[:1] == (8192,) else 1.0
    rates = {"link_bytes_per_s": Number(1e9), "global_bytes_per_s": Number(1e9), "oversubscription": Number(uplinks)}
    assert topology.problem_of(Topology(kind, shape, **rates)) == printed


def test_a_network_needs_its_links_bandwidth() -> None:
    assert topology.problem_of(Topology("torus", (2,))) == "needs the bandwidth of its links: link_bytes_per_s"
    both = "needs the bandwidth of its links: link_bytes_per_s, global_bytes_per_s"
    one = Topology("dragonfly", (2, 2, 2), link_bytes_per_s=Number(1e9))
    assert topology.problem_of(one) == both
    assert Topology().narrowest == float("inf") and one.narrowest == 0
    assert replace(one, global_bytes_per_s=Number(2e9)).narrowest == 1e9
    assert [replace(one, global_bytes_per_s=Number(2e9)).rate((kind, 0, 1)) for kind in ("local", "global")] == [
        1e9,
        2e9,
    ]


def varied(t: Topology, **values: str) -> Topology:
    for key, text in values.items():
        t = topology.varied(t, "topology" if key == "topology" else f"topology.{key}", text)
    return t


def test_a_variant_changes_shape_rates_and_allocation_of_a_topology() -> None:
    tree = Topology("fat_tree", (4, 8), (Number(4.0, "documented", "us"), Number(8.0)), Number(1e-7), Number(1e9))
    given = "given with the platform's name"
    wide = varied(
        tree,
        leaves="6",
        link_bytes_per_s="x2",
        hop_latency_s="0",
        oversubscription="2",
        allocation="0+1",
        first="3",
        seed="9",
    )
    assert wide == Topology(
        "fat_tree", (6, 8), (Number(6.0, "assumed", given), Number(8.0)), Number(0.0, "assumed", given), Number(2e9, "assumed", given),
        oversubscription=Number(2.0, "assumed", given), allocation="0+1", first=3, seed=9,
    )  # fmt: skip
    assert varied(tree, nodes_per_leaf="9").shape == (4, 9) and varied(tree, topology="switch") == Topology()
    assert (wide.whole_shape, tree.whole_shape, wide.total) == ((6, 8, 4), (4, 8, 8), 48)
    assert varied(tree, oversubscription="100").whole_shape == (4, 8, 1)
    assert topology.variables(Topology()) == () and list(Topology().numbers()) == []


def test_links_lie_between_nodes_of_several_leaves_or_positions() -> None:
    tree = Topology("fat_tree", (4, 8), link_bytes_per_s=Number(1e9))
    assert [links_nodes(tree, nodes) for nodes in (1, 8, 9)] == [False, False, True]
    assert [links_nodes(replace(tree, first=7), nodes) for nodes in (1, 2)] == [False, True]
    assert [links_nodes(Topology("dragonfly", (2, 2, 3)), nodes) for nodes in (3, 4)] == [False, True]
    assert [links_nodes(TORUS, nodes) for nodes in (1, 2)] == [False, True]
    assert not links_nodes(Topology(), 99)
    assert [named_nodes(Topology("torus", (4, 3, 2), allocation=a)) for a in ("contiguous", "scattered", "0+3", "2x1x2")] == [
        None, None, 2, 4,
    ]  # fmt: skip
    assert runs([3, 4, 5, 9, 8, 0, 1]) == [(3, 3), (9, 1), (8, 1), (0, 2)] and runs(range(4, 9)) == [(4, 5)]
