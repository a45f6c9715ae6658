"""collscope.machines.platform: what its numbers mean, and when its file is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import made_platforms
from collscope.base import paths
from collscope.base.errors import UserError
from collscope.machines import find, placement
from collscope.machines.machine import PLUG_IN, Machine, NodeLevel
from collscope.machines.machine_file import machine_file
from collscope.machines.platform import WHOLE_CORES, EqualNodes, Host, Platform
from collscope.machines.spec_reader import parse_spec
from made_platforms import ELEMENTS, LAYERED, PRIME, SMALL, curve, machine


def platform(nodes: int = 2, of: Machine | None = None) -> Platform:
    """Nodes of two sockets of three cores, with one cache each."""
    return made_platforms.platform(EqualNodes(nodes, 6, 2, 2, 1e-10, 2e-10), of)


def test_the_printed_bound_has_the_overheads_that_a_curve_does_not_contain() -> None:
    two = machine(
        {"node": curve((0, 1e-6, 1e-9, 2.0), (64, 2e-6, 5e-10, 1.0, 1e-7, 1e-11))}, eager_bytes=100, overhead_s=1e-7
    )
    assert platform(of=two).bound_parameters(1) == (pytest.approx(1.2e-6), 5e-10, 1e-10)
    gap = machine({"network": curve((0, 1e-6, 1e-9, 1.0, 1e-7, 0.0))}, eager_bytes=0, overhead_s=1e-7)
    assert platform(of=gap).bound_parameters(2)[0] == pytest.approx(1.1e-6)
    assert platform(of=replace(gap, eager_bytes=-1)).bound_parameters(2)[0] == 1e-6


def test_a_machine_without_curves_is_not_modelled() -> None:
    silent = platform(of=Machine("mine", "", {}))
    with pytest.raises(
        UserError, match=r"^mine\.xml: this platform file holds no curves .* neither modelled nor bounded"
    ):
        silent.bound_parameters(1)
    with pytest.raises(UserError, match="holds no curves"):
        machine_file(silent, 1, 1)


def test_equal_nodes_are_computed_when_they_are_needed() -> None:
    nodes = EqualNodes(3, 6, 2, 3, 1e-10, 2e-10)
    assert len(nodes) == 3 and nodes.place(4) == (1, 2)
    assert nodes[1] == tuple(Host(f"node1_core{c}", 1, 2 + c // 3, 3 + c // 2, 1e-10, 2e-10) for c in range(6))
    assert nodes[1:] == (nodes[1], nodes[2]) and nodes[::2] == (nodes[0], nodes[2])
    for outside in (3, -1):
        with pytest.raises(IndexError):
            nodes[outside]
    assert [h.name for h in replace(nodes, host="h{number}")[2]] == [f"h{12 + c}" for c in range(6)]


def test_classes_that_two_ranks_may_be_in() -> None:
    square = machine(socket_links=((0, 1), (0, 2), (1, 3), (2, 3)))
    four = made_platforms.platform(EqualNodes(2, 4, 4, 4, 0.0, 0.0), square)
    assert (four.classes(1), four.classes(2)) == (("node", "far"), ("node", "far", "network"))
    assert platform().classes(1) == ("cache", "node")
    ccd = machine(levels=(NodeLevel("ccd", 2, 0.0),))
    of_cores = {8: ("cache", "ccd", "socket"), 4: ("ccd", "socket"), 2: ("ccd",)}
    for cores, classes in of_cores.items():
        assert made_platforms.platform(EqualNodes(1, cores, 1, min(cores, 4), 0.0, 0.0), ccd).classes(1) == classes
    assert replace(platform(), name="idealist").classes(1) == ("network",)
    assert replace(platform(of=machine(priced_by=PLUG_IN)), name="idealist").classes(1) == ("cache", "node")


def test_a_platform_s_file_is_written_when_it_is_needed_and_again_where_it_is_gone(workplace: Path) -> None:
    calls: list[int] = []
    made = Platform(
        "mine", Machine("m", "", {}), EqualNodes(4, 2, 1, 1, 0.0, 0.0), lambda n: calls.append(n) or f"{n} nodes"
    )
    assert not (paths.CACHE / "platforms").exists()
    file = made.xml
    assert file.parent == paths.CACHE / "platforms" and file.read_text() == "4 nodes"
    assert re.fullmatch(r"m-[0-9a-f]{16}\.xml", file.name)
    file.unlink()
    assert made.xml.read_text() == "4 nodes" and calls == [4], "its text is kept"
    file.write_text("mine")
    assert replace(made, name="again").xml.read_text() == "mine", "known by its name"
    assert made.identity == b"4 nodes"


def test_a_large_machine_is_known_by_two_of_its_nodes() -> None:
    def of(nodes: int, cores: int) -> bytes:
        return Platform("m", machine(), EqualNodes(nodes, cores, 1, 1, 0.0, 0.0), lambda n: f"{n} of {cores}").identity

    assert of(WHOLE_CORES // 4, 4) == b"512 of 4"
    assert of(WHOLE_CORES // 4 + 1, 4) == b"2 of 4513 nodes"
    assert of(1, WHOLE_CORES + 1) == b"1 of 20491 nodes"


def test_a_machine_that_is_not_simulated_says_what_to_do() -> None:
    many = replace(platform(nodes=2049), file=lambda n: "", typed="mine.toml[nodes=2049]")
    printed = "mine.toml[nodes=2049]: 2049 nodes are too many for a simulation: at most 2048; --source model has no such limit"
    assert many.beyond_simulation() == printed
    assert replace(many, typed="").beyond_simulation().startswith("mine: 2049 nodes")
    with pytest.raises(UserError) as refused:
        _ = many.xml
    assert str(refused.value) == printed
    assert platform(nodes=2048).beyond_simulation() == ""


# ---- where ranks sit ----------------------------------------------------------------------------------------


def test_as_many_nodes_as_ranks_fill(tmp_path: Path) -> None:
    p = platform(nodes=3)
    assert [placement.fit_nodes(p, ranks) for ranks in (1, 6, 7, 18, 19)] == [1, 1, 2, 3, 3]
    assert placement.fit_nodes(replace(p, grows=True), 19) == 4
    file = tmp_path / "ranks"
    file.write_text("rank 0=node0 slot=0\nrank 1=node2 slot=0\n")
    assert placement.fit_nodes(p, 2, f"file:{file}") == 2


def test_a_platform_grows_where_it_may() -> None:
    p = replace(platform(nodes=3), grows=True)
    assert placement.grown(p, 5).max_nodes == 5 and placement.grown(p, 5).grows
    assert placement.grown(p, 3) is p and placement.grown(p, 2) is p
    fixed = platform(nodes=3)
    assert placement.grown(fixed, 5) is fixed
    assert placement.grown(p, (1 << 22) // 6 + 1) is p, "too large"
    assert placement.grown(p, (1 << 22) // 6).max_nodes == (1 << 22) // 6


# ---- specifications in words and lists ------------------------------------------------------------------------


def test_a_machine_s_shape_in_words() -> None:
    assert parse_spec(LAYERED, "").shape == (
        "2 nodes of 2 sockets of 16 cores (4 numa of 8, 8 ccd of 4, 16 caches per node)"
    )
    one = (
        SMALL.replace("nodes = 3", "nodes = 1")
        .replace("sockets = 2", "sockets = 1")
        .replace("socket = 2", "socket = 1")
    )
    assert parse_spec(one, "").shape == "1 node of 1 socket of 1 core (1 cache per node)"


def test_every_number_of_a_specification_is_listed_once_with_its_value(golden: Callable[[str, str], None]) -> None:
    listed = [
        f"{name} {number.value:g}"
        for text in (ELEMENTS, LAYERED, PRIME, SMALL)
        for name, number in parse_spec(text, "").numbers()
    ]
    golden("numbers", "\n".join(listed))


NAMED = PRIME.replace("nodes = 3", "nodes = 2") + (
    '[topology]\nkind = "torus"\ndims = [3, 2]\nlink_bytes_per_s = 9e9\nallocation = "0+3+5"\n'
)


@pytest.mark.parametrize(
    ("calls", "nodes"),
    [
        ({}, 2),
        ({"gamma_s_per_byte": "0"}, 2),  # an allocation that stands in the file says nothing of how many
        ({"topology.allocation": "0+1+2+3"}, 4),
        ({"topology.allocation": "0+1+2+3", "nodes": "3"}, 3),
        ({"topology.allocation": "contiguous"}, 2),
    ],
)
def test_an_allocation_given_in_brackets_says_how_many_nodes(calls: dict[str, str], nodes: int) -> None:
    assert parse_spec(NAMED, "x.toml", calls).nodes == nodes


def test_a_platform_is_made_of_its_specification() -> None:
    p = find.platform_of(parse_spec(PRIME, ""), "shown")
    assert (p.name, p.nodes, p.grows, p.typed) == ("shown", EqualNodes(3, 12, 2, 4, 3.1e-10, 7e-11), False, "")
    assert p.file(1) == p.file(1) and '"node1"' not in p.file(1) and '"node1"' in p.file(2)  # type: ignore[operator]
    ideal = find.load("ideal[cores=2,nodes=3]")
    assert (ideal.nodes, ideal.grows) == (EqualNodes(3, 2, 1, 1, 2.5e-10, 0.0, "host{number}"), False)
    assert find.load("ideal[cores=2]").grows and ideal.file(2).count("<host ") == 4  # type: ignore[operator]
