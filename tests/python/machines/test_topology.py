"""The table [topology]: where nodes sit, what a variant changes, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.base.number import Number
from collscope.machines import find
from collscope.machines.allocation import positions
from collscope.machines.hosts import machine_file
from collscope.machines.spec import Topology
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
        ("0 0\n", ":1: 2 numbers are no position"),
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


@pytest.mark.parametrize(
    ("template", "old", "new", "line", "wrong"),
    [
        ("torus", 'allocation = "contiguous"', 'allocation = "60-130"', "14", "position 130 leaves the torus of 64"),
        ("torus", "nodes = 64", "nodes = 65", "14", "leaves the torus"),
        ("torus", 'allocation = "contiguous"', "allocation = [[4, 0, 0]]", "14", "position 4 0 0 leaves the torus"),
        ("torus", "dims = [4, 4, 4] ", "leaves = 3", "11", "a torus has none; it has dims"),
        ("torus", 'kind = "torus"', 'kind = "tours"', "10", 'did you mean "torus"'),
        ("torus", "dims = [4, 4, 4]", "dims = [4, 0, 4]", "11", "should be greater than or equal to 1"),
        ("torus", "link_bytes_per_s = 5.0e9", "link_bytes_per_s = 0", "12", "must be more than 0"),
        ("torus", "link_bytes_per_s = 5.0e9", "#", "", "needs the bandwidth of its links"),
        ("torus", "dims = [4, 4, 4]", "dims = [4, 1000, 4]", "", "has routes of 504 links; at most 256"),
        ("fat_tree", "leaves = 4", "# ", "", "leaves says the shape of a fat_tree"),
        (
            "fat_tree",
            "link_bytes_per_s = 12.0e9",
            "link_bytes_per_s = 1e9",
            "",
            "faster than the narrowest link allows",
        ),
    ],
)
def test_a_topology_that_cannot_be_is_refused_with_file_and_line(
    template: str, old: str, new: str, line: str, wrong: str, tmp_path: Path
) -> None:
    path = specification(tmp_path, template, old, new)
    with pytest.raises(UserError) as error:
        find.load(path)
    assert wrong in str(error.value)
    assert f"mine.toml:{line}" in str(error.value)


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


def test_the_platform_of_another_allocation_is_another_platform() -> None:
    names = [f"{TEMPLATES}/torus.toml[nodes=2,topology.allocation={a}]" for a in ("0+1", "0+2", "1+2")]
    assert len({find.load(name).identity for name in names}) == 3


def test_a_variant_has_more_leaves_or_one_switch_for_all() -> None:
    with pytest.raises(UserError, match=r"leaves the fat tree of 405 .*; say topology\.leaves=38, or topology=switch"):
        find.load("schooner[nodes=1000]")
    assert find.load("schooner[nodes=1000,topology.leaves=38]").properties["collscope.topology"].endswith(" 38 27 9")
    assert "collscope.topology" not in find.load("schooner[nodes=1000,topology=switch]").properties
    with pytest.raises(UserError, match=r'topology is "switch" .*, not "torus"'):
        find.load("schooner[topology=torus]")
    with pytest.raises(UserError, match=r"topology\.leaves must be a whole number"):
        find.load("schooner[topology.leaves=0.5]")
    with pytest.raises(UserError, match=r"topology\.seed says nothing beside topology=switch"):
        find.load("schooner[topology=switch,topology.seed=1]")
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
    ("kind", "shape", "said"),
    [
        ("torus", (4, 2), "torus 1e-07 1000000000.0 4 2"),
        ("fat_tree", (4, 8), "fat_tree 1e-07 1000000000.0 4 8 4"),
        ("dragonfly", (3, 4, 2), "dragonfly 1e-07 1000000000.0 500000000.0 3 4 2"),
    ],
)
def test_the_machine_file_says_all_of_a_topology(kind: str, shape: tuple[int, ...], said: str) -> None:
    rates = {"hop_latency_s": 1e-7, "link_bytes_per_s": 1e9, "global_bytes_per_s": 5e8, "oversubscription": 2.0}
    made = Topology(kind, shape, **{name: Number(value) for name, value in rates.items()})
    assert made.described() == said
    assert made.narrowest == (5e8 if kind == "dragonfly" else 1e9)
