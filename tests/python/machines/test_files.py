"""collscope.machines.machine_file, collscope.machines.xml_writer: every number of a machine stands in its files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.machines.platform import Platform
from collscope.machines.spec_reader import parse_spec
from made_platforms import ELEMENTS, PRIME, SMALL, SQUARE, write

# One node of two sockets: caches of one core and dies of two, each with a link; a NIC at the second socket; noise and elements.
LEVELS = """\
name = "levels"
about = "a <node> -- of dies"
nodes = 1
sockets = 2
cores_per_socket = 4
cores_per_cache = 1
overhead_s = 1e-7
eager_bytes = 1009
eager_bytes_nonblocking = 2003
in_order = true
nic_gap_s = 3e-7
first_touch_s_per_byte = 3e-10
cache_bytes_per_s = 19e9
across_bytes_per_s = 11e9
nic_bytes_per_s = 7e9
nic_socket = 1
nic_other_socket_s = 1.3e-7
oversubscribe = true
[least]
o = 1e-8
g = 2e-8
L = 3e-7
G = 5e-11
gamma = 7e-11
[[level]]
name = "ccd"
cores = 2
bytes_per_s = 13e9
[curve]
ccd = [[0, 5e-7, 1.3e-10, 1, 2e-7, 1e-11, 1e-8, 2e-12]]
socket = [[0, 7e-7, 1.9e-10]]
node = [[0, 1.1e-6, 2.3e-10], [3001, 1.3e-6, 2.1e-10]]
network = [[0, 1.9e-6, 3.7e-10]]
[curve_nonblocking]
node = [[0, 1.2e-6, 2.3e-10]]
[[noise.node]]
from_bytes = 0
quantiles_s = [[0, -1e-7], [1, 2e-6]]
"""

# Two nodes of two sockets of two cores, which share no cache.
PLAIN = """\
name = "plain"
nodes = 2
sockets = 2
cores_per_socket = 2
cores_per_cache = 1
overhead_s = 1e-7
core_bytes_per_s = 6e9
memory_bytes_per_s = 2e10
interconnect_bytes_per_s = 8e9
nic_bytes_per_s = 1e9
switch_bytes_per_s = 3e9
[curve]
socket = [[0, 1e-6, 2e-10]]
node = [[0, 1.5e-6, 4e-10, 2.0], [64, 1.2e-6, 4e-10]]
network = [[0, 3e-6, 2e-9], [1024, 4e-6, 1e-9]]
"""

# Three nodes of a torus.
TORUS = """\
name = "torus"
nodes = 3
sockets = 1
cores_per_socket = 1
[curve]
socket = [[0, 4e-7, 1e-10]]
network = [[0, 2e-6, 2e-10], [4096, 3e-6, 1.6e-10]]
[topology]
kind = "torus"
dims = [3, 2]
link_bytes_per_s = 9e9
hop_latency_s = 1e-7
allocation = "0+3+5"
"""


SHAPE = 'kind = "torus"\ndims = [3, 2]'
DRAGONFLY = 'kind = "dragonfly"\ngroups = 3\nrouters = 2\nnodes_per_router = 1\nglobal_bytes_per_s = 8e9'
FAT_TREE = 'kind = "fat_tree"\nleaves = 3\nnodes_per_leaf = 4\noversubscription = 2'


def platform_of(text: str) -> Platform:
    spec = parse_spec(text, "made.toml")
    return find.platform_of(spec, spec.name)


def test_every_number_of_a_machine_stands_in_its_files(golden: Callable[[str, str], None]) -> None:
    """Machine files; of platform files two whole ones, what is said of a machine with levels, and what lies between nodes of a torus."""
    levels, torus, square = platform_of(LEVELS), platform_of(TORUS), platform_of(SQUARE)
    ideal = find.load("ideal[alpha=3us,beta=7e-10,gamma=1.1e-10,nodes=2,cores=2]")
    machines = [machine_file(levels, 1, 8, "cyclic", noise=True), machine_file(square, 3, 4), machine_file(ideal, 2, 4)]
    machines.append(machine_file(platform_of(ELEMENTS), 2, 4))
    networks = [torus, *(platform_of(TORUS.replace(SHAPE, shape)) for shape in (DRAGONFLY, FAT_TREE))]
    machines += [
        line for on in networks for line in machine_file(on, 3, 3).splitlines() if line.startswith(("topo", "posi"))
    ]
    head = levels.text.partition("    <zone ")[0]
    between = [line for line in torus.text.splitlines() if 'id="hop_' in line or "<zoneRoute" in line]
    golden("files", "\n".join([*machines, head, *between, platform_of(PLAIN).text, ideal.text]))


def test_links_between_groups_of_a_dragonfly_have_their_own_bandwidth() -> None:
    found = dict(
        re.findall(
            r'<link id="(hop_[^"]*)" bandwidth="([^"]*)Bps" latency="1e-07s"',
            platform_of(TORUS.replace(SHAPE, DRAGONFLY)).text,
        )
    )
    assert {name: float(rate) for name, rate in found.items() if "_1_0" in name} == {
        "hop_global_1_0": 8e9,
        "hop_local_1_0": 9e9,
    }
    assert len(found) == 12


def test_any_about_is_a_comment_of_xml(tmp_path: Path) -> None:
    for about in ("a --- b----", "--", "\\u001b[31mred", "\\uffff"):
        path = write(tmp_path, f'about = "{about}"\n{SMALL}')
        assert find.load(path).max_nodes == 3


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
    text = find.load(write(tmp_path, PRIME.replace(*change))).xml.read_text()
    printed = {name for name in ("collscope.no_network", "collscope.oversubscribe", "least.") if name in text}
    assert printed == {present} - {""}
    assert ('id="switch"' in text) == ("nodes = 1" not in change)
