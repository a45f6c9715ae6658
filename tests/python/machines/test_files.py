"""Platform files and machine files of machines that have everything, word by word, as they are kept beside (files.txt)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from collscope.machines import find
from collscope.machines.hosts import machine_file
from collscope.machines.spec_reader import parse_spec
from collscope.machines.xml_cluster import cluster_xml
from collscope.machines.xml_writer import ideal_xml, xml_of

KEPT = Path(__file__).with_name("files.txt")

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

# Four sockets in a square, and two nodes.
JOINED = """\
name = "joined"
nodes = 2
sockets = 4
cores_per_socket = 1
interconnect_links = [[0, 1], [0, 2], [1, 3], [2, 3]]
nic_socket = 2
[curve]
node = [[0, 9e-7, 5.7e-10]]
far = [[0, 1.3e-6, 6.3e-10]]
network = [[0, 2.9e-6, 7.1e-10, 1, 0, 0, 0, 3e-11]]
"""

# Three nodes at the corners of a torus, and the same of a dragonfly's routers.
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
DRAGONFLY = TORUS.replace('name = "torus"', 'name = "dragonfly"').replace(
    'kind = "torus"\ndims = [3, 2]', 'kind = "dragonfly"\ngroups = 3\nrouters = 2\nnodes_per_router = 1\nglobal_bytes_per_s = 8e9'
)  # fmt: skip


def texts() -> Iterator[str]:
    for text in (LEVELS, JOINED, TORUS, DRAGONFLY):
        spec = parse_spec(text, "made.toml")
        on = find.platform_of(spec, spec.name)
        yield xml_of(spec)
        yield machine_file(on, spec.nodes, spec.nodes * on.cores_per_node, "cyclic", noise=True)
    yield cluster_xml(parse_spec(TORUS, "made.toml"))
    yield ideal_xml(2e-6, 4e-10, 3e-10, 2, 3)


def test_files_are_the_kept_ones(tmp_path: Path) -> None:
    made = "\n".join(texts())
    (tmp_path / KEPT.name).write_text(made, encoding="utf-8")
    assert made == KEPT.read_text(encoding="utf-8"), f"if it is meant, copy {tmp_path / KEPT.name}"
