"""collscope.machines.xml_writer: the platform file of a small machine, link by link, as a reader without the plug-in takes it."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import made_platforms
from collscope.machines import find

OWN = """
overhead_s = 1e-7
core_bytes_per_s = 6e9
memory_bytes_per_s = 2e10
interconnect_bytes_per_s = 8e9
switch_bytes_per_s = 3e9
cores_per_cache = 1
[curve]
node = [[0, 1.5e-6, 4e-10, 2.0], [64, 1.2e-6, 4e-10]]
"""


def number(element: ET.Element, key: str) -> float:
    return float(element.attrib[key].rstrip("Bps"))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> ET.Element:
    text = made_platforms.SMALL.replace("\n[curve]\n", OWN)
    path = made_platforms.write(tmp_path_factory.mktemp("small"), text)
    return ET.fromstring(find.load(path).xml.read_text(encoding="utf-8"))


def test_any_about_is_a_comment_of_xml(tmp_path: Path) -> None:
    for about in ("a --- b----", "--", "\\u001b[31mred", "\\uffff"):
        path = made_platforms.write(tmp_path, f'about = "{about}"\n{made_platforms.SMALL}')
        assert find.load(path).max_nodes == 3


def test_latencies_of_a_route_are_the_first_piece_without_overheads(root: ET.Element) -> None:
    links = {link.attrib["id"]: link for link in root.iter("link")}
    latency = {name: number(link, "latency") for name, link in links.items()}
    close = 1e-6 - 2e-7
    for node in range(3):
        for core in range(4):
            assert (
                latency[f"node{node}_core{core}_up"]
                == latency[f"node{node}_core{core}_down"]
                == pytest.approx(close / 2)
            )
        assert latency[f"node{node}_socket0_to_1"] == latency[f"node{node}_socket1_to_0"]
        assert latency[f"node{node}_socket0_to_1"] == pytest.approx(1.5e-6 - 2e-7 - close)
        assert {latency[f"node{node}_{name}"] for name in ("memory0", "memory1", "nic_up", "nic_down")} == {0}
    assert latency["switch"] == pytest.approx(3e-6 - 2e-7 - close)
    assert latency["node1_shared0_up"] == latency["node1_shared3_down"] == latency["node1_core0_up"]
    assert len(links) == 3 * (8 + 8 + 2 + 2 + 2) + 1
    assert links["switch"].attrib["sharing_policy"] == "FATPIPE"
    assert sum("sharing_policy" in link.attrib for link in links.values()) == 1


def test_every_link_has_the_bandwidth_of_its_kind(root: ET.Element) -> None:
    kinds = {"core": 6e9, "shared": 1e15, "memory": 2e10, "socket": 8e9, "nic": 1e9, "switch": 3e9}
    for link in root.iter("link"):
        kind = link.attrib["id"].rpartition("node")[2].lstrip("0123456789_")
        (rate,) = [rate for name, rate in kinds.items() if kind.startswith(name)]
        assert number(link, "bandwidth") == rate, link.attrib["id"]


def test_hosts_say_where_they_are(root: ET.Element) -> None:
    hosts = [
        {prop.attrib["id"]: prop.attrib["value"] for prop in host.iter("prop")} | {"id": host.attrib["id"]}
        for host in root.iter("host")
    ]
    memories = [h for h in hosts if "stands_for" in h]
    hosts = [h for h in hosts if "stands_for" not in h]
    assert (
        [h["id"] for h in memories]
        == [h["shared"] for h in hosts]
        == [f"node{n}_shared{c}" for n in range(3) for c in range(4)]
    )
    assert [[m[k] for k in ("node", "socket", "cache")] for m in memories] == [
        [h[k] for k in ("node", "socket", "cache")] for h in hosts
    ]
    assert [h["id"] for h in hosts] == [f"node{n}_core{c}" for n in range(3) for c in range(4)]
    assert [int(h["node"]) for h in hosts] == [0] * 4 + [1] * 4 + [2] * 4
    assert [int(h["socket"]) for h in hosts] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert [int(h["cache"]) for h in hosts] == list(range(12))


def test_a_message_passes_port_memory_of_the_receiver_and_port(root: ET.Element) -> None:
    zone = next(z for z in root.iter("zone") if z.attrib["id"] == "node1")
    routes = {
        (r.attrib["src"], r.attrib["dst"]): [link.attrib["id"] for link in r.iter("link_ctn")]
        for r in zone.iter("route")
    }

    def crossed(*stops: str) -> list[str]:
        ends = [f"node1_{stop}" for stop in stops]
        return [link.removeprefix("node1_") for pair in itertools.pairwise(ends) for link in routes[pair]]

    assert crossed("core0", "socket0", "socket0_memory", "core1") == ["core0_up", "memory0", "core1_down"]
    across = crossed("core0", "socket0", "socket1", "socket1_memory", "core3")
    assert across == ["core0_up", "socket0_to_1", "memory1", "core3_down"]
    assert crossed("core2", "socket1", "nic") == ["core2_up", "nic_up"]
    assert crossed("nic", "socket0", "socket0_memory", "core1") == ["nic_down", "memory0", "core1_down"]
    assert crossed("shared0", "socket0", "socket0_memory", "core1") == ["shared0_up", "memory0", "core1_down"]
    assert crossed("core3", "socket1", "socket0", "socket0_memory", "shared1") == [
        "core3_up",
        "socket1_to_0",
        "memory0",
        "shared1_down",
    ]
    assert len(routes) == 2 * 8 + 2 * 3 + 2
    between = {(r.attrib["src"], r.attrib["dst"]) for r in root.iter("zoneRoute")}
    assert between == {("node0", "node1"), ("node0", "node2"), ("node1", "node2")}


def test_the_ideal_network_has_alpha_on_a_route_and_no_other_times() -> None:
    root = ET.fromstring(find.load("ideal[beta=1e-9,gamma=2e-10,cores=2,nodes=3]").text)
    hosts = [
        {prop.attrib["id"]: float(prop.attrib["value"]) for prop in host.iter("prop")} for host in root.iter("host")
    ]
    assert (
        [h["node"] for h in hosts] == [h["socket"] for h in hosts] == [h["cache"] for h in hosts] == [0, 0, 1, 1, 2, 2]
    )
    assert {(h["gamma"], h["copy"]) for h in hosts} == {(2e-10, 0.0)}
    links = list(root.iter("link"))
    assert len(links) == 12
    assert {(number(link, "latency"), number(link, "bandwidth")) for link in links} == {(5e-7, 1e9)}


def props(element: ET.Element) -> dict[str, str]:
    return {prop.attrib["id"]: prop.attrib["value"] for prop in element.findall("prop")}


@pytest.mark.parametrize(
    ("change", "present"),
    [
        (("x = 0", "x = 0"), ""),
        (("nodes = 3", "nodes = 1"), ""),
        (("\nnetwork =", "\n# network ="), "collscope.no_network"),
        (("nodes = 3", "oversubscribe = true\nnodes = 3"), "collscope.oversubscribe"),
    ],
)
def test_optional_properties_stand_in_the_file_only_where_they_hold(
    tmp_path: Path, change: tuple[str, str], present: str
) -> None:
    text = find.load(made_platforms.write(tmp_path, made_platforms.PRIME.replace(*change))).xml.read_text()
    printed = {name for name in ("collscope.no_network", "collscope.oversubscribe", "least.") if name in text}
    assert printed == {present} - {""}
    assert ('id="switch"' in text) == ("nodes = 1" not in change)
