"""Platform files that somebody wrote by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.machines import find
from collscope.machines.machine_file import PLACE_LINES, machine_file, places_in
from collscope.machines.placement import OWN_MAPPINGS, hosts_of, places
from collscope.machines.platform import smpirun_args
from collscope.machines.xml_reader import read_xml
from made_platforms import write
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
    ],
)
def test_a_platform_is_what_its_file_says(name: str) -> None:
    """A platform is made by arithmetic from its specification; the file that SimGrid reads says the same of every core."""
    made = find.load(name)
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
    with pytest.raises(UserError, match=r"cluster\.xml:2: there is no <host>.*<cluster>"):
        find.load(write(tmp_path, '<platform version="4.1">\n<cluster id="a"/></platform>', "cluster.xml"))
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
def test_what_a_platform_file_must_not_hold(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UserError) as caught:
        find.load(write(tmp_path, text, "own.xml"))
    assert says in str(caught.value)
    assert len(str(caught.value).removeprefix(str(tmp_path))) < 300


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("collscope.eager_bytes", "nan", "eager_bytes must be a finite number"),
        ("collscope.overhead_s", "1e300", "overhead_s must be 0 or 1e-18 to 1000"),
        ("collscope.nic_bytes_per_s", "fast", "nic_bytes_per_s must be a number"),
        ("curve.network", "0 inf 1e-9 1", "curve.network must be a finite number"),
        ("curve.network", "0 -1 1e-9 1", "curve.network must not be negative"),
    ],
)
def test_numbers_of_the_outermost_zone(tmp_path: Path, name: str, value: str, says: str) -> None:
    generated = find.load("schooner").xml.read_text()
    changed = re.sub(rf'(<prop id="{name}" value=)"[^"]*"', rf'\1"{value}"', generated)
    assert changed != generated
    with pytest.raises(UserError) as caught:
        find.load(write(tmp_path, changed, "own.xml"))
    assert says in str(caught.value)
