"""What the tests of synthesis share: a small machine with two nodes, and a torus."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.machines import find
from collscope.points.plan import Layout, check_layout

TORUS = """\
name = "torus_2x4"
about = "a torus of 2 x 4 nodes"
nodes = 8
sockets = 2
cores_per_socket = 8
nic_bytes_per_s = 6.0e9
[topology]
kind = "torus"
dims = [2, 4]
link_bytes_per_s = 5.0e9
hop_latency_s = 5e-8
[curve]
socket = [[0, 0.4e-6, 2.0e-10]]
network = [[0, 1.8e-6, 1.0e-9], [4096, 4.5e-6, 2.2e-10]]
"""


@pytest.fixture
def torus(tmp_path: Path) -> Layout:
    path = tmp_path / "torus_2x4.toml"
    path.write_text(TORUS)
    return check_layout(find.load(str(path)), 8, 8, "block")


@pytest.fixture
def two_nodes() -> Layout:
    """Two ranks on each of two nodes of ib_multicore."""
    return check_layout(find.load("ib_multicore"), 2, 4, "block")


@pytest.fixture
def four_nodes() -> Layout:
    """Four ranks, one per socket, on each of four nodes of ib_multicore."""
    return check_layout(find.load("ib_multicore"), 4, 16, "block")
