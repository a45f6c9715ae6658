"""A platform for planning and for a simulator that is not there: four nodes of four cores, all messages 1 µs + 1 ns a byte."""

from __future__ import annotations

from pathlib import Path

from collscope.machines.machine import UNIFORM, Machine, WirePiece
from collscope.machines.platform import Host, Platform, nodes_of
from collscope.machines.spec import CLASSES


def tiny() -> Platform:
    """The platform. Its file is never read as one; any will do that has a hash."""
    hosts = tuple(Host(f"host{h}", h // 4, h // 4, h // 4, 1e-10, 1e-10) for h in range(16))
    curve = dict.fromkeys(CLASSES, (WirePiece(0, 1e-6, 1e-9, 1.0),))
    return Platform("tiny", Machine("tiny", UNIFORM, curve, eager_bytes=-1), nodes_of(hosts), Path(__file__))
