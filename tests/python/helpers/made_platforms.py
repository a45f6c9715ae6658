"""Specifications and platform files for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from collscope.machines.machine import UNIFORM, Curve, Machine, WirePiece
from collscope.machines.platform import Node, Platform

SMALL = """\
name = "small"
nodes = 3
complete = false
sockets = 2
cores_per_socket = 2
nic_bytes_per_s = 1e9
[curve]
socket = [[0, 1e-6, 2e-10]]
network = [[0, 3e-6, 2e-9], [1024, 4e-6, 1e-9]]
"""


def curve(*pieces: tuple[Any, ...]) -> Curve:
    """Pieces as (from bytes, latency, seconds per byte, traffic[, gap, gap per byte])."""
    return tuple(WirePiece(*p[:4], p[4:] or None) for p in pieces)


def rows(pieces: Curve) -> list[tuple[float, ...]]:
    """The same the other way round."""
    return [(p.start, p.latency_s, p.s_per_byte, p.traffic, *(p.gap or ())) for p in pieces]


def machine(curves: Mapping[str, Curve] | None = None, priced_by: str = UNIFORM, **fields: Any) -> Machine:
    """All messages 1 µs + 1 ns per byte, but for those of `curves`."""
    classes = Machine("", "", {}, levels=fields.get("levels", ()), socket_links=fields.get("socket_links", ())).classes
    plain = dict.fromkeys(classes, curve((0, 1e-6, 1e-9, 1.0)))
    return Machine("mine", priced_by, {**plain, **(curves or {})}, **fields)


def platform(nodes: Sequence[Node], of: Machine | None = None) -> Platform:
    """A platform whose file nobody reads."""
    return Platform("mine", of or machine(), nodes, Path("mine.xml"))


def write(folder: Path, text: str, name: str = "small.toml") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


# Every number another prime, so that each shows where it goes; three nodes of two sockets with two caches of three cores.
PRIME = """\
name = "prime"
about = "primes"
nodes = 3
sockets = 2
cores_per_socket = 6
cores_per_cache = 3
gamma_s_per_byte = 3.1e-10
copy_s_per_byte = 7e-11
overhead_s = 1.3e-7
eager_bytes = 1009
core_bytes_per_s = 23e9
memory_bytes_per_s = 41e9
interconnect_bytes_per_s = 17e9
nic_bytes_per_s = 5e9
switch_bytes_per_s = 11e9
[curve]
cache = [[0, 5e-7, 1.1e-10, 1.9], [2003, 7.3e-7, 1.3e-10]]
socket = [[0, 6.1e-7, 1.7e-10]]
node = [[0, 8.3e-7, 2.3e-10, 2.9]]
network = [[0, 1.9e-6, 3.7e-10], [64, 1.7e-6, 4.1e-10], [5003, 2.9e-6, 3.1e-10, 1.3]]
"""

# Two sockets of sixteen cores: caches of two, dies of four, quarters of the memory of eight. Every class has a curve of its own.
LAYERED = """\
name = "layered"
nodes = 2
complete = false
sockets = 2
cores_per_socket = 16
cores_per_cache = 2
eager_bytes = 1009
core_bytes_per_s = 23e9
cache_bytes_per_s = 19e9
memory_bytes_per_s = 41e9
across_bytes_per_s = 11e9
interconnect_bytes_per_s = 17e9
nic_bytes_per_s = 7e9
nic_socket = 1
nic_other_socket_s = 1.3e-7
[[level]]
name = "ccd"
cores = 4
[[level]]
name = "numa"
cores = 8
bytes_per_s = 13e9
[curve]
cache = [[0, 2e-7, 1.1e-10, 1.9]]
ccd = [[0, 3e-7, 1.3e-10]]
numa = [[0, 5e-7, 1.7e-10], [3001, 9e-7, 1.5e-10]]
socket = [[0, 6.1e-7, 1.9e-10]]
node = [[0, 8.3e-7, 2.3e-10]]
network = [[0, 1.9e-6, 3.7e-10], [5003, 2.9e-6, 3.1e-10, 1.3]]
"""

# Four sockets in a square, as quad-socket Opterons had them: no link joins 0 and 3, nor 1 and 2.
SQUARE = """\
name = "square"
nodes = 3
complete = false
sockets = 4
cores_per_socket = 3
eager_bytes = 100
core_bytes_per_s = 4.1e9
memory_bytes_per_s = 5.3e9
interconnect_bytes_per_s = 2.9e9
interconnect_links = [[0, 1], [0, 2], [1, 3], [2, 3]]
nic_bytes_per_s = 1.9e9
nic_socket = 2
[curve]
socket = [[0, 6e-7, 5.1e-10]]
node = [[0, 9e-7, 5.7e-10]]
far = [[0, 1.3e-6, 6.3e-10]]
network = [[0, 2.9e-6, 7.1e-10]]
"""


# Every element of a node's model; four nodes of two sockets with two caches of two cores.
ELEMENTS = """\
name = "elements"
nodes = 4
sockets = 2
cores_per_socket = 4
cores_per_cache = 2
eager_bytes = 65536
eager_bytes_nonblocking = 900
memory_bytes_per_s = 30e9
nic_bytes_per_s = 10e9
overhead_s = 5e-8
in_order = true
nic_gap_s = 2e-7
invalidation_s_per_byte = 9e-11
first_touch_s_per_byte = 3e-10
fresh_from_bytes = 2000
[curve]
cache = [[0, 3e-7, 2e-10, 1, 1e-7, 0, 9e-8, 0, 1.7e-7, 0], [1024, 3.5e-7, 1.6e-10, 1, 1e-7, 5e-11, 1.1e-7, 3e-11]]
node = [[0, 6e-7, 3e-10, 1, 2e-7, 1e-11], [1024, 9e-7, 1.5e-10, 1, 0, 0, 0, 4e-11]]
network = [[0, 1.5e-6, 4e-10, 1, 3e-7, 1e-11, 2e-7, 2e-11], [2048, 2.5e-6, 1.5e-10, 1, 4e-7, 2e-11, 3e-7, 3e-11, 5e-7, 1e-10]]
[[curve.socket]]
from_bytes = 0
latency_s = 4e-7
s_per_byte = 2e-10
gap_s = 1.3e-7
gap_s_per_byte = 2e-11
[[curve.socket]]
from_bytes = 4096
latency_s = 9e-7
s_per_byte = 1.5e-10
receive_gap_s = 2.3e-7
turnaround_s_per_byte = 7e-11
[curve_nonblocking]
socket = [[0, 5e-7, 2e-10], [2048, 1.1e-6, 1.7e-10, 1, 3e-7, 0]]
network = [[0, 1.6e-6, 4e-10, 1, 3.2e-7, 1e-11], [1024, 3.5e-6, 1.6e-10, 1, 5e-7, 2e-11]]
[[curve_nonblocking.node]]
from_bytes = 0
latency_s = 7e-7
s_per_byte = 3e-10
turnaround_s = 1.9e-7
turnaround_s_per_byte = 3e-11
"""
