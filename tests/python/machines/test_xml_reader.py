"""collscope.machines.xml_reader: platform files that somebody wrote by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import made_platforms
from collscope.base.errors import UserError
from collscope.machines import find
from collscope.machines.machine import Machine
from collscope.machines.machine_file import PLACE_LINES, machine_file, places_in
from collscope.machines.placement import OWN_MAPPINGS, hosts_of, places
from collscope.machines.platform import smpirun_args
from collscope.machines.spec import CLASSES
from collscope.machines.xml_reader import read_xml
from made_platforms import rows, write
from refusals import refusal
from xml_of_one_host import platform_xml


def assert_same_machine(text: str, other: str) -> None:
    """The same lines, and ranks at the same places, however these are written."""

    def numbers(machine: str) -> list[str]:
        return [line for line in machine.splitlines() if line.split()[0] not in PLACE_LINES]

    assert numbers(text) == numbers(other)
    assert places_in(text) == places_in(other)


@pytest.mark.parametrize(
    "name",
    [
        "schooner",
        "schooner[nodes=3,cores_per_socket=6,cores_per_cache=2]",
        "schooner[nodes=1,sockets=4]",
        "schooner[nodes=5,sockets=1,cores_per_socket=3]",
        "ideal[nodes=7]",
        "ideal[cores=4,nodes=5,gamma=0]",
        made_platforms.LAYERED,
        made_platforms.SQUARE,
    ],
)
def test_a_platform_is_what_its_file_says(name: str, tmp_path: Path) -> None:
    """A platform is made by arithmetic from its specification; the file that SimGrid reads says the same of every core."""
    made = find.load(write(tmp_path, name) if "\n" in name else name)
    read = read_xml(made.xml, made.name)
    assert replace(read.machine, about=made.machine.about) == made.machine
    assert [*read.nodes] == [*made.nodes]
    assert (read.max_nodes, read.cores_per_node) == (made.max_nodes, made.cores_per_node)
    cores = made.cores_per_node
    for nodes in {1, min(2, made.max_nodes), made.max_nodes}:
        assert read.classes(nodes) == made.classes(nodes)
        for ranks in {1, nodes, nodes + 1, nodes * cores - 1, nodes * cores} & {*range(1, nodes * cores + 1)}:
            for mapping in OWN_MAPPINGS:
                assert hosts_of(made, nodes, ranks, mapping) == hosts_of(read, nodes, ranks, mapping)
                seated = places(read, nodes, ranks, mapping)
                assert places(made, nodes, ranks, mapping) == seated
                assert places_in(machine_file(made, nodes, ranks, mapping)) == seated
                assert_same_machine(
                    machine_file(made, nodes, ranks, mapping), machine_file(read, nodes, ranks, mapping)
                )


def test_complaints_about_a_platform_file(tmp_path: Path) -> None:
    good = find.load("ideal[cores=512]").xml.read_text()
    with pytest.raises(UserError, match=r"broken\.xml:\d+: "):
        find.load(write(tmp_path, good[: len(good) // 2], "broken.xml"))
    bare = write(tmp_path, good.replace('<prop id="socket" value="0"/>', "", 1), "bare.xml")
    with pytest.raises(UserError, match=r'bare\.xml:\d+: host host0 has no property "socket"'):
        find.load(bare)
    shared = good.replace(
        '<prop id="node" value="0"/>', '<prop id="node" value="0"/><prop id="shared" value="far"/>', 1
    )
    with pytest.raises(UserError, match=r'shared\.xml:\d+: host host0: no host "far" stands for memory'):
        find.load(write(tmp_path, shared, "shared.xml"))
    cluster = good.replace("</platform>", '<cluster id="a"/></platform>')
    with pytest.raises(UserError, match=r"cluster\.xml:\d+: hosts of a <cluster> cannot say where they sit"):
        find.load(write(tmp_path, cluster, "cluster.xml"))
    with pytest.raises(UserError, match="starts with <platform>"):
        find.load(write(tmp_path, "<html/>", "page.xml"))


def test_a_platform_file_of_ones_own(tmp_path: Path) -> None:
    generated = find.load("schooner").xml.read_text()
    own = find.load(write(tmp_path, generated, "own.xml"))
    assert_same_machine(machine_file(own, 2, 32), machine_file(find.load("schooner"), 2, 32))
    silent = re.sub(r' *<prop id="(collscope|curve)\..*/>\n', "", generated)
    p = find.load(write(tmp_path, silent, "silent.xml"))
    assert places(p, 2, 32) == places(own, 2, 32)
    assert not [a for a in smpirun_args(p) if "network/model" in a]  # its own <config> counts
    with pytest.raises(UserError, match="neither modelled nor bounded"):
        machine_file(p, 2, 32)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            platform_xml(config='<prop id="tracing/filename" value="x"/>'),
            "3: the setting tracing/filename is not taken",
        ),
        (platform_xml(config='<prop id="tracing" value="yes"/>'), "3: the setting tracing is not taken"),
        (platform_xml(head='<!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/passwd">]>'), "declares an entity"),
        (platform_xml(head='<!DOCTYPE p [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>', gamma="&b;"), "declares an entity"),
        (platform_xml().replace('<host id="h0"', "<host"), "5: a <host> has no id"),
        (platform_xml().replace('<host id="h0"', '<host id="h 0"'), "5: host 'h 0': a host's id is made of letters"),
        (
            platform_xml().replace('<prop id="cache"', '<prop id="cash"'),
            '5: host h0 has no property "cache"; each host needs',
        ),
        (platform_xml(gamma="nan"), "5: host h0: gamma must be a finite number"),
        (platform_xml(copy="1e300"), "host h0: copy must be 0 or"),
        (platform_xml(copy="-1e-10"), "host h0: copy must be 0 or 1e-18"),
        (platform_xml(node="9" * 5000), "is not the number it should be"),
        (platform_xml(node="²"), "is not the number it should be"),
        (platform_xml(node="99999999999"), "are numbers from 0 to 2147483647"),
        (platform_xml(socket="-1"), "are numbers from 0"),
        (platform_xml(host="h:99999999"), "a host's id is made of"),
        (platform_xml(host="a b"), "a host's id is made of"),
    ],
)
def test_dangerous_or_impossible_platform_files_are_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UserError) as caught:
        find.load(write(tmp_path, text, "own.xml"))
    assert says in str(caught.value)
    assert len(str(caught.value).removeprefix(str(tmp_path))) < 300


CURVES = "".join(f'<prop id="curve.{name}" value="0 1e-6 1e-9 1"/>' for name in CLASSES)


def xml_with(folder: Path, name: str, value: str) -> Path:
    """A file of one host whose outermost zone has curves and one more property."""
    kept = "".join(one + "/>" for one in CURVES.split("/>")[:-1] if f'"{name}"' not in one)
    curves = "" if name == "collscope.curves" else '<prop id="collscope.curves" value="plug-in"/>'
    path = folder / "mine.xml"
    path.write_text(platform_xml().replace("<host ", f'{curves}{kept}<prop id="{name}" value="{value}"/>\n<host ', 1))
    return path


def test_properties_become_numbers(tmp_path: Path) -> None:
    def read(name: str, value: str) -> Machine:
        return read_xml(xml_with(tmp_path, name, value), "mine").machine

    node = read("curve.node", "0 1e-6 1e-9 2; 64 2e-6 5e-10 1 1e-7 1e-11;").curve["node"]
    assert rows(node) == [(0, 1e-6, 1e-9, 2.0), (64, 2e-6, 5e-10, 1.0, 1e-7, 1e-11)]
    assert rows(read("curve_nonblocking.node", "0 3e-6 1e-9 1").curve_nonblocking["node"]) == [(0, 3e-6, 1e-9, 1.0)]
    gaps = read("receive_gap.node", "0 1e-7 0; 64 2e-7 1e-11").receive_gap
    assert gaps == {"node": ((0, 1e-7, 0.0), (64, 2e-7, 1e-11))}
    noise = read("noise.node", "0 0 -1e-7 1 2e-6; 64 0 0 1 1e-6").noise
    assert noise == {"node": ((0, ((0.0, -1e-7), (1.0, 2e-6))), (64, ((0.0, 0.0), (1.0, 1e-6))))}
    later = read("noise.node", "0 0 0 1 0; 4096 0 -2e-6 1 0").noise["node"][1]
    assert later == (4096, ((0.0, -2e-6), (1.0, 0.0))), "less than what messages of that size take"
    assert read("collscope.eager_bytes_nonblocking", "7").own_eager_nonblocking == 7
    assert read("collscope.eager_bytes", "9").eager_nonblocking == 9
    assert read("collscope.in_order", "1").in_order and read("collscope.oversubscribe", "1").oversubscribes
    assert read("least.o", "1e-8").least == {"o": 1e-8}
    assert read("collscope.nic_gap_s", "1e-7").nic_gap_s == 1e-7
    torus = read("collscope.topology", "torus 1e-7 1e9 4 2").network
    assert torus and torus.text == "torus 1e-07 1000000000.0 4 2" and torus.runs == ()
    dragonfly = read("collscope.topology", "dragonfly 0 1e9 5e8 3 4 2").network
    assert dragonfly and (dragonfly.shape, dragonfly.global_bytes_per_s) == ((3, 4, 2), 5e8)


IMPOSSIBLE = (
    ("collscope.overhead_s", "fast"),
    ("collscope.curves", "straight"),
    ("curve.node", "0 1 2"),
    ("curve.node", "0 1 2 3 4"),
    ("curve.node", "inf 1 2 3"),
    ("curve.node", "1 1e-6 1e-9 1"),
    ("curve.node", "0 1e-6 1e-9 1; 0 1e-6 1e-9 1"),
    ("curve.node", ""),
    ("receive_gap.node", "0 1"),
    ("receive_gap.node", "0 -1e-7 0"),
    ("noise.node", "0 1"),
    ("noise.node", "0 -1 0 1 0"),
    ("noise.node", "0 0 0 0.9 0"),
    ("noise.node", "0 0 1e-6 1 0"),
    ("noise.node", "0 0 nan 1 0"),
    ("noise.node", "0 0 -1e-6 1 0"),
    ("collscope.topology", "ring 0 1e9 4"),
    ("collscope.topology", "fat_tree 0 1e9 4 8"),
    ("collscope.topology", "torus -1 1e9 4"),
    ("collscope.positions", "0 two"),
    ("collscope.levels", "ccd 2 0; numa 3 0"),
    ("collscope.levels", "ccd two 0"),
    ("collscope.mesh", "0 1; 2 3"),
    ("collscope.mesh", "0"),
    ("collscope.nic_socket", "2 2 0"),
    ("collscope.nic_socket", "0 2 nan"),
    ("collscope.mesh", "0 1; 1 2"),
    ("collscope.levels", "ccd 2 0; die 4 0"),
    ("collscope.eager_bytes", "nan"),
    ("collscope.overhead_s", "1e300"),
    ("collscope.nic_bytes_per_s", "fast"),
    ("curve.network", "0 inf 1e-9 1"),
    ("curve.network", "0 -1 1e-9 1"),
)


def test_a_property_that_cannot_be_is_named_with_its_line(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    printed = [refusal(read_xml, xml_with(tmp_path, name, value), "mine") for name, value in IMPOSSIBLE]
    golden("properties", "\n".join(text.replace(f"{tmp_path}/", "") for text in printed))


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('bandwidth="1GBps" latency="-1us"', 'latency must not be negative, not "-1us"'),
        ('bandwidth="1GBps" latency="nans"', 'latency must be a finite number, not "nans"'),
        ('bandwidth="1GBps" latency="1.2.3us"', 'latency must be a number with a unit, such as 1.5us, not "1.2.3us"'),
        ('bandwidth="1GBps" latency="1 parsec"', "latency must be a number with a unit"),
        ('bandwidth="infBps" latency="0"', "bandwidth must be a finite number"),
        ('bandwidth="12GB" latency="0"', "bandwidth must be a number with a unit, such as 12.5GBps"),
        ('bandwidth="1.5e9Bps" latency="1e-6s"', ""),
        ('bandwidth="10Gbps" latency="0.5ms"', ""),
        ('bandwidth="1MiBps"', ""),
    ],
)
def test_latency_and_bandwidth_of_a_link_are_times_and_rates(tmp_path: Path, attributes: str, message: str) -> None:
    path = tmp_path / "mine.xml"
    path.write_text(platform_xml().replace("</zone>", f'<link id="up" {attributes}/>\n</zone>'))
    if not message:
        assert read_xml(path, "mine").max_nodes == 1
        return
    with pytest.raises(UserError) as caught:
        read_xml(path, "mine")
    assert "mine.xml:6: link up: " in str(caught.value) and message in str(caught.value)
