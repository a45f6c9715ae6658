"""collscope.machines.spec, collscope.machines.xml_writer: levels of a node, sockets joined by given links, the NIC's place."""

from __future__ import annotations

import heapq
import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from collscope.base.errors import UsageError
from collscope.machines import find, spec_reader
from collscope.machines.spec import narrowest, occurring, socket_distances, socket_path
from made_platforms import LAYERED, SQUARE, write

SIX = ("cache", "ccd", "numa", "socket", "node", "network")


def test_the_classes_of_a_machine_go_from_closest_to_widest(tmp_path: Path) -> None:
    made = find.load(write(tmp_path, LAYERED))
    assert made.machine.classes == tuple(made.curve) == made.classes(2) == SIX
    assert made.classes(1) == SIX[:-1]
    assert [made.machine.half_round_trip_s(level, 3000) for level in SIX[1:3]] == pytest.approx([6.9e-7, 1.01e-6])
    square = find.load(write(tmp_path, SQUARE))
    assert square.machine.classes == ("cache", "socket", "node", "far", "network")
    assert square.classes(2) == ("cache", "node", "far", "network")
    flat = find.load(write(tmp_path, LAYERED.replace("cores_per_cache = 2", "cores_per_cache = 1")))
    assert flat.classes(1) == SIX[1:-1]


def test_a_level_without_a_curve_takes_that_of_the_next_wider_class_and_far_that_of_node() -> None:
    made = spec_reader.parse_spec(LAYERED.replace("\nccd =", "\n# ccd ="), "layered.toml")
    assert made.curve["ccd"] is made.curve["numa"]
    assert (
        spec_reader.parse_spec(LAYERED.replace("\nnuma =", "\n# numa ="), "").curve["numa"][0].latency.value == 6.1e-7
    )
    square = spec_reader.parse_spec(SQUARE.replace("\nfar =", "\n# far ="), "square.toml")
    assert square.curve["far"] is square.curve["node"]


def links_between(path: Path, node: int = 0) -> dict[tuple[str, str], list[str]]:
    """The links between any two places of a node on the path with the fewest links, and of those with the fewest routes, as SimGrid's
    Floyd zone finds it. Fails where two such paths lead from core to core."""
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    zone = next(z for z in root.iter("zone") if z.attrib["id"] == f"node{node}")
    routes: dict[str, list[tuple[str, list[str]]]] = {}
    for r in zone.iter("route"):
        links = [link.attrib["id"].removeprefix(f"node{node}_") for link in r.iter("link_ctn")]
        source, target = (r.attrib[end].removeprefix(f"node{node}_") for end in ("src", "dst"))
        routes.setdefault(source, []).append((target, links))
    found = {}
    for start in routes:
        best: dict[str, tuple[int, int, list[list[str]]]] = {}
        heap = [(0, 0, start, list[str]())]
        while heap:
            count, steps, at, path = heapq.heappop(heap)
            if at in best and (count, steps) > best[at][:2]:
                continue
            best.setdefault(at, (count, steps, []))[2].append(path)
            for target, links in routes.get(at, []):
                heapq.heappush(heap, (count + len(links), steps + 1, target, path + links))
        for target, (_, _, several) in best.items():
            hosts = all(end.startswith(("core", "shared")) for end in (start, target))
            assert len(several) == 1 or not hosts, (start, target, several)
            found[start, target] = several[0]
    return found


def test_a_message_crosses_the_links_of_the_units_that_it_leaves_and_enters(tmp_path: Path) -> None:
    path = links_between(find.load(write(tmp_path, LAYERED)).xml)
    assert path["core0", "core1"] == ["core0_up", "memory0", "core1_down"]
    assert path["core0", "core2"] == ["core0_up", "cache0_up", "memory0", "cache1_down", "core2_down"]
    assert path["core0", "core7"] == ["core0_up", "cache0_up", "memory0", "cache3_down", "core7_down"]
    assert path["core0", "core8"] == [
        *("core0_up", "cache0_up", "numa0_up", "memory0", "numa1_down", "cache4_down", "core8_down")
    ]
    assert path["core17", "core3"] == [
        *("core17_up", "cache8_up", "numa2_up", "across17_up", "socket1_to_0", "memory0"),
        *("across3_down", "numa0_down", "cache1_down", "core3_down"),
    ]
    assert path["core0", "nic"] == ["core0_up", "cache0_up", "numa0_up", "socket0_to_1", "nic_up"]
    assert path["nic_in", "core17"] == ["nic_down", "memory1", "numa2_down", "cache8_down", "core17_down"]
    assert ("core0", "nic_in") not in path, "no path between two cores leads through the NIC"


@pytest.mark.parametrize(("target", "seconds"), [(1, 2e-7), (2, 3e-7), (8, 6.1e-7), (17, 8.3e-7)])
def test_the_links_of_a_path_have_the_latency_of_its_class_between_them(
    tmp_path: Path, target: int, seconds: float
) -> None:
    """For a reader without the plug-in."""
    xml = find.load(write(tmp_path, LAYERED)).xml
    latency = {link.get("id", ""): float(link.get("latency", "")[:-1]) for link in ET.parse(xml).iter("link")}
    path = links_between(xml)["core0", f"core{target}"]
    assert sum(latency[f"node0_{link}"] for link in path) == pytest.approx(seconds)


def test_sockets_in_a_square_have_two_links_between_opposite_corners(tmp_path: Path) -> None:
    path = links_between(find.load(write(tmp_path, SQUARE)).xml)
    assert path["core0", "core11"] == ["core0_up", "socket0_to_1", "socket1_to_3", "memory3", "core11_down"]
    assert path["core3", "core6"] == ["core3_up", "socket1_to_0", "socket0_to_2", "memory2", "core6_down"]
    assert path["core3", "nic"] == ["core3_up", "socket1_to_0", "socket0_to_2", "nic_up"]
    assert path["nic_in", "core6"] == ["nic_down", "memory2", "core6_down"]


def test_a_path_over_given_links_is_a_shortest_one_to_the_lowest_socket_first() -> None:
    square = ((0, 1), (0, 2), (1, 3), (2, 3))
    assert socket_path(4, square, 3, 0) == [(3, 1), (1, 0)]
    assert socket_path(4, square, 2, 2) == []
    ring = tuple((s, (s + 1) % 7) for s in range(7))
    for a, b in itertools.permutations(range(7), 2):
        made = socket_path(7, ring, a, b)
        assert len(made) == min((a - b) % 7, (b - a) % 7) == socket_distances(7, ring)[a][b]
        assert [a, *(end for _, end in made)] == [*(start for start, _ in made), b]
    assert socket_distances(3, ((0, 1),))[0][2] == -1


def test_the_narrowest_link_of_a_path_may_be_one_of_a_level() -> None:
    made = spec_reader.parse_spec(LAYERED, "layered.toml")
    assert occurring(made) == SIX
    assert [narrowest(made, level) for level in SIX] == [23e9, 19e9, 19e9, 13e9, 11e9, 7e9]
    assert (
        narrowest(
            spec_reader.parse_spec(LAYERED, "", {"interconnect_bytes_per_s": "5e9", "node.s_per_byte": "x2"}), "network"
        )
        == 5e9
    )


def test_levels_links_can_be_overridden_and_their_sizes_must_still_fit() -> None:
    made = spec_reader.parse_spec(LAYERED, "layered.toml", {"numa.bytes_per_s": "x2", "ccd.s_per_byte": "x3"})
    assert made.levels[1].bytes_per_s.value == 26e9
    assert made.curve["ccd"][0].s_per_byte.value == 3.9e-10
    assert dict(made.numbers())["numa.cores"].value == 8
    with pytest.raises(UsageError, match="cores_per_socket must be a multiple of the 8 cores of a unit of numa"):
        spec_reader.parse_spec(LAYERED, "layered.toml", {"cores_per_socket": "12"})
    with pytest.raises(UsageError, match='no parameter "ccd.bytes_per_s"'):
        spec_reader.parse_spec(LAYERED, "layered.toml", {"ccd.bytes_per_s": "x2"})
