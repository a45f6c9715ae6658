"""Specifications and platform files for tests."""

from __future__ import annotations

from pathlib import Path

SMALL = """\
name = "small"
nodes = 3
sockets = 2
cores_per_socket = 2
nic_bytes_per_s = 1e9
[curve]
socket = [[0, 1e-6, 2e-10]]
network = [[0, 3e-6, 2e-9], [1024, 4e-6, 1e-9]]
"""


def write(folder: Path, text: str, name: str = "small.toml") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)
