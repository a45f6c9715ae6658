"""A platform in small cases: what its properties mean, what is wrong with them, and when its file is written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.machines import find, hosts
from collscope.machines.platform import WHOLE_CORES, EqualNodes, Host, Platform, WirePiece
from collscope.machines.spec_reader import parse_spec
from made_platforms import ELEMENTS, LAYERED, PRIME, SMALL

CURVES = {
    "collscope.curves": "plug-in",
    **{f"curve.{level}": "0 1e-6 1e-9 1" for level in ("cache", "socket", "node", "network")},
}


def platform(nodes: int = 2, **properties: str) -> Platform:
    """Nodes of two sockets of three cores, with one cache each."""
    said = {f"collscope.{k}": v for k, v in properties.items() if "__" not in k}
    said |= {k.replace("__", "."): v for k, v in properties.items() if "__" in k}
    return Platform("mine", Path("mine.xml"), CURVES | said, EqualNodes(nodes, 6, 2, 2, 1e-10, 2e-10))


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ({}, False),
        ({"eager_bytes_nonblocking": "4"}, True),
        ({"in_order": "1"}, True),
        ({"nic_gap_s": "1e-7"}, True),
        ({"first_touch_s_per_byte": "1e-10"}, False),
        ({"curve_nonblocking__node": "0 1e-6 1e-9 1"}, True),
        ({"receive_gap__node": "0 1e-7 0"}, True),
        ({"curve__node": "0 1e-6 1e-9 1 1e-7 0"}, True),
        ({"curves": "", "curve__node": "0 1e-6 1e-9 1 1e-7 0"}, False),
    ],
)
def test_it_matters_how_a_message_was_posted_where_an_element_says_so(said: dict[str, str], kinds: bool) -> None:
    assert platform(**said).has_kinds is kinds


def test_properties_become_numbers() -> None:
    p = platform(
        curve__node="0 1e-6 1e-9 2; 64 2e-6 5e-10 1 1e-7 1e-11", receive_gap__node="0 1e-7 0; 64 2e-7 1e-11",
        noise__node="0 0 -1e-7 1 2e-6; 64 0 0 1 1e-6",
        curve_nonblocking__network="0 3e-6 1e-9 1", eager_bytes="100", overhead_s="1e-7",
    )  # fmt: skip
    assert p.wire["node"] == (WirePiece(0, 1e-6, 1e-9, 2.0), WirePiece(64, 2e-6, 5e-10, 1.0, (1e-7, 1e-11)))
    assert p.wire_nonblocking == {"network": (WirePiece(0, 3e-6, 1e-9, 1.0),)}
    assert p.receive_gap == {"node": ((0, 1e-7, 0.0), (64, 2e-7, 1e-11))}
    assert p.noise == {"node": ((0, ((0.0, -1e-7), (1.0, 2e-6))), (64, ((0.0, 0.0), (1.0, 1e-6))))}
    assert (
        p.eager_bytes,
        p.eager_bytes_nonblocking,
        platform(eager_bytes_nonblocking="7").eager_bytes_nonblocking,
    ) == (100, 100, 7)
    # Of two pieces, the second has a gap, which contains its sender's overhead; above 100 bytes there are none.
    times = {63: 1e-6 + 63e-9 + 2e-7, 64: 2e-6 + 32e-9 + 1e-7, 100: 2e-6 + 50e-9 + 1e-7, 101: 2e-6 + 50.5e-9}
    assert {n: p.half_round_trip_s("node", n) for n in times} == pytest.approx(times)
    assert p.bound_parameters(1) == (pytest.approx(1.2e-6), 5e-10, 1e-10)
    gap = platform(curve__network="0 1e-6 1e-9 1 1e-7 0", overhead_s="1e-7", eager_bytes="0")
    assert gap.bound_parameters(2)[0] == pytest.approx(1.1e-6)
    assert replace(gap, properties=gap.properties | {"collscope.eager_bytes": "-1"}).bound_parameters(2)[0] == 1e-6


CURVE = "property curve.node: expected 'from latency s_per_byte traffic [gap gap_per_byte]; …'"
GAP = "property receive_gap.node: expected 'from seconds s_per_byte; …'"
NOISE = "property noise.node: expected 'from part seconds part seconds …; …'"


@pytest.mark.parametrize(
    ("said", "what", "words"),
    [
        ({"overhead_s": "fast"}, "overhead_s", "the property collscope.overhead_s is no number: fast"),
        ({"curve__node": "0 1 2"}, "wire", f"{CURVE}, not '0 1 2'"),
        ({"curve__node": "0 1 2 3 4"}, "wire", f"{CURVE}, not '0 1 2 3 4'"),
        ({"curve__node": "inf 1 2 3"}, "wire", f"{CURVE}, not 'inf 1 2 3'"),
        ({"receive_gap__node": "0 1"}, "receive_gap", f"{GAP}, not '0 1'"),
        ({"receive_gap__node": "x 1 2"}, "receive_gap", f"{GAP}, not 'x 1 2'"),
        ({"noise__node": "0 1"}, "noise", f"{NOISE}, not '0 1'"),
        ({"noise__node": "0 x 1"}, "noise", f"{NOISE}, not '0 x 1'"),
        ({"noise__node": "9" * 61 + " x"}, "noise", f"{NOISE}, not '{'9' * 60}'"),
        ({"levels": "ccd 2"}, "inside", "the property collscope.levels must be 'NAME CACHES BYTES_PER_S; …', not 'ccd 2'"),
        ({"curves": ""}, "wire", "this platform file holds no curves (properties curve.cache … curve.network of its outermost zone), so "
         "it can be simulated but neither modelled nor bounded; a specification in TOML has them: see platforms/README.md"),
    ],
)  # fmt: skip
def test_a_property_that_cannot_be_read_is_named(said: dict[str, str], what: str, words: str) -> None:
    with pytest.raises(UserError) as refused:
        getattr(platform(**said), what)
    assert str(refused.value) == f"mine.xml: {words}"


def test_equal_nodes_are_made_where_they_are_asked_for() -> None:
    nodes = EqualNodes(3, 6, 2, 3, 1e-10, 2e-10)
    assert len(nodes) == 3 and nodes.place(4) == (1, 2)
    assert nodes[1] == tuple(Host(f"node1_core{c}", 1, 2 + c // 3, 3 + c // 2, 1e-10, 2e-10) for c in range(6))
    assert nodes[1:] == (nodes[1], nodes[2]) and nodes[::2] == (nodes[0], nodes[2])
    for outside in (3, -1):
        with pytest.raises(IndexError):
            nodes[outside]
    assert [h.name for h in replace(nodes, host="h{number}")[2]] == [f"h{12 + c}" for c in range(6)]


def test_classes_that_two_ranks_may_be_in() -> None:
    far = platform(mesh="0 1; 0 2; 1 3; 2 3", curve__far="0 1e-6 1e-9 1")
    four = replace(far, nodes=EqualNodes(2, 4, 4, 4, 0.0, 0.0))
    assert (four.levels(1), four.levels(2)) == (("node", "far"), ("node", "far", "network"))
    assert platform().levels(1) == ("cache", "node")
    levels = replace(platform(levels="ccd 2 0"), nodes=EqualNodes(1, 8, 1, 4, 0.0, 0.0))
    assert levels.levels(1) == ("cache", "ccd", "socket")
    assert replace(levels, nodes=EqualNodes(1, 4, 1, 4, 0.0, 0.0)).levels(1) == ("ccd", "socket")
    assert replace(levels, nodes=EqualNodes(1, 2, 1, 2, 0.0, 0.0)).levels(1) == ("ccd",)
    uniform = replace(platform(curves="uniform"), name="idealist")
    assert uniform.levels(1) == ("network",) and replace(uniform, name="mine").levels(1) == ("cache", "node")


def test_a_platform_s_file_is_written_when_it_is_wanted_and_again_where_it_is_gone(workplace: Path) -> None:
    asked: list[int] = []
    made = Platform(
        "mine", lambda n: asked.append(n) or f"{n} nodes", {"collscope.name": "m"}, EqualNodes(4, 2, 1, 1, 0.0, 0.0)
    )
    assert not (paths.CACHE / "platforms").exists()
    file = made.xml
    assert file.parent == paths.CACHE / "platforms" and file.read_text() == "4 nodes"
    assert re.fullmatch(r"m-[0-9a-f]{16}\.xml", file.name)
    file.unlink()
    assert made.xml.read_text() == "4 nodes" and asked == [4], "its text is kept"
    file.write_text("mine")
    assert replace(made, name="again").xml.read_text() == "mine", "known by its name"
    assert made.identity == b"4 nodes"


def test_a_large_machine_is_known_by_two_of_its_nodes() -> None:
    def of(nodes: int, cores: int) -> bytes:
        return Platform("m", lambda n: f"{n} of {cores}", {}, EqualNodes(nodes, cores, 1, 1, 0.0, 0.0)).identity

    assert of(WHOLE_CORES // 4, 4) == b"512 of 4"
    assert of(WHOLE_CORES // 4 + 1, 4) == b"2 of 4513 nodes"
    assert of(1, WHOLE_CORES + 1) == b"1 of 20491 nodes"


def test_a_machine_that_is_not_simulated_says_what_to_do() -> None:
    many = replace(platform(nodes=2049), file=lambda n: "", asked="mine.toml[nodes=2049]")
    said = "mine.toml[nodes=2049]: 2049 nodes are too many for a simulation: at most 2048; --source model has no such limit"
    assert many.beyond_simulation() == said
    assert replace(many, asked="").beyond_simulation().startswith("mine: 2049 nodes")
    with pytest.raises(UserError) as refused:
        _ = many.xml
    assert str(refused.value) == said
    assert platform(nodes=2048).beyond_simulation() == ""


# ---- where ranks sit ----------------------------------------------------------------------------------------


def test_as_many_nodes_as_ranks_fill(tmp_path: Path) -> None:
    p = platform(nodes=3)
    assert [hosts.fit_nodes(p, ranks) for ranks in (1, 6, 7, 18, 19)] == [1, 1, 2, 3, 3]
    assert hosts.fit_nodes(replace(p, grows=True), 19) == 4
    file = tmp_path / "ranks"
    file.write_text("rank 0=node0 slot=0\nrank 1=node2 slot=0\n")
    assert hosts.fit_nodes(p, 2, f"file:{file}") == 2


def test_a_platform_grows_where_it_may() -> None:
    p = replace(platform(nodes=3), grows=True)
    assert hosts.grown(p, 5).max_nodes == 5 and hosts.grown(p, 5).grows
    assert hosts.grown(p, 3) is p and hosts.grown(p, 2) is p
    fixed = platform(nodes=3)
    assert hosts.grown(fixed, 5) is fixed
    assert hosts.grown(p, (1 << 22) // 6 + 1) is p, "too large"
    assert hosts.grown(p, (1 << 22) // 6).max_nodes == (1 << 22) // 6


# ---- specifications in words and lists ------------------------------------------------------------------------


def test_a_machine_s_shape_in_words() -> None:
    assert parse_spec(LAYERED, "").shape == (
        "2 nodes of 2 sockets of 16 cores (4 numa of 8, 8 ccd of 4, 16 caches a node)"
    )
    one = (
        SMALL.replace("nodes = 3", "nodes = 1")
        .replace("sockets = 2", "sockets = 1")
        .replace("socket = 2", "socket = 1")
    )
    assert parse_spec(one, "").shape == "1 node of 1 socket of 1 core (1 cache a node)"
    assert [unit[:2] for unit in parse_spec(LAYERED, "").linked_units()] == [("cache", 2), ("numa", 8)]


def test_every_number_of_a_specification_is_listed_once_with_its_value() -> None:
    listed = {name: number.value for name, number in parse_spec(ELEMENTS, "").numbers()}
    assert list(listed.items())[:20] == [
        ("nodes", 4), ("sockets", 2), ("cores_per_socket", 4), ("cores_per_cache", 2), ("gamma_s_per_byte", 2.5e-10),
        ("copy_s_per_byte", 2e-10), ("overhead_s", 5e-8), ("eager_bytes", 65536), ("core_bytes_per_s", 12.5e9),
        ("memory_bytes_per_s", 3e10), ("interconnect_bytes_per_s", 3e10), ("nic_bytes_per_s", 1e10), ("switch_bytes_per_s", 1e10),
        ("eager_bytes_nonblocking", 900), ("nic_gap_s", 2e-7), ("first_touch_s_per_byte", 3e-10), ("fresh_from_bytes", 2000),
        ("curve.cache[0].latency_s", 3e-7), ("curve.cache[0].s_per_byte", 2e-10), ("curve.cache[0].traffic", 1),
    ]  # fmt: skip
    assert {name: value for name, value in listed.items() if "network" in name} == {
        "curve.network[0].latency_s": 1.5e-6, "curve.network[0].s_per_byte": 4e-10, "curve.network[0].traffic": 1,
        "curve.network[0].gap_s": 3e-7, "curve.network[0].gap_s_per_byte": 1e-11, "curve.network[0].receive_gap_s": 2e-7,
        "curve.network[0].receive_gap_s_per_byte": 2e-11, "curve.network[2048].latency_s": 2.5e-6,
        "curve.network[2048].s_per_byte": 1.5e-10, "curve.network[2048].traffic": 1, "curve.network[2048].gap_s": 4e-7,
        "curve.network[2048].gap_s_per_byte": 2e-11, "curve.network[2048].receive_gap_s": 3e-7,
        "curve.network[2048].receive_gap_s_per_byte": 3e-11, "curve_nonblocking.network[0].latency_s": 1.6e-6,
        "curve_nonblocking.network[0].s_per_byte": 4e-10, "curve_nonblocking.network[0].traffic": 1,
        "curve_nonblocking.network[0].gap_s": 3.2e-7, "curve_nonblocking.network[0].gap_s_per_byte": 1e-11,
        "curve_nonblocking.network[1024].latency_s": 3.5e-6, "curve_nonblocking.network[1024].s_per_byte": 1.6e-10,
        "curve_nonblocking.network[1024].traffic": 1, "curve_nonblocking.network[1024].gap_s": 5e-7,
        "curve_nonblocking.network[1024].gap_s_per_byte": 2e-11,
    }  # fmt: skip
    layered = dict(parse_spec(LAYERED, "").numbers())
    assert [(name, layered[name].value) for name in list(layered)[4:8]] == [
        ("nic_socket", 1), ("ccd.cores", 4), ("numa.cores", 8), ("numa.bytes_per_s", 13e9),
    ]  # fmt: skip


NAMED = PRIME.replace("nodes = 3", "nodes = 2") + (
    '[topology]\nkind = "torus"\ndims = [3, 2]\nlink_bytes_per_s = 9e9\nallocation = "0+3+5"\n'
)


@pytest.mark.parametrize(
    ("asked", "nodes"),
    [
        ({}, 2),
        ({"gamma_s_per_byte": "0"}, 2),  # an allocation that stands in the file says nothing of how many
        ({"topology.allocation": "0+1+2+3"}, 4),
        ({"topology.allocation": "0+1+2+3", "nodes": "3"}, 3),
        ({"topology.allocation": "contiguous"}, 2),
    ],
)
def test_an_allocation_that_is_asked_for_says_how_many_nodes(asked: dict[str, str], nodes: int) -> None:
    assert parse_spec(NAMED, "x.toml", asked).nodes == nodes


def test_a_platform_is_made_of_its_specification() -> None:
    p = find.platform_of(parse_spec(PRIME, ""), "shown")
    assert (p.name, p.nodes, p.grows, p.asked) == ("shown", EqualNodes(3, 12, 2, 4, 3.1e-10, 7e-11), False, "")
    assert p.file(1) == p.file(1) and '"node1"' not in p.file(1) and '"node1"' in p.file(2)  # type: ignore[operator]
    ideal = find.load("ideal[cores=2,nodes=3]")
    assert (ideal.nodes, ideal.grows) == (EqualNodes(3, 2, 1, 1, 2.5e-10, 0.0, "host{number}"), False)
    assert find.load("ideal[cores=2]").grows and ideal.file(2).count("<host ") == 4  # type: ignore[operator]
