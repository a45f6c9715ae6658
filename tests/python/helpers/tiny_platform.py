"""A platform for planning and for a simulator that is not there: four nodes of four cores, all messages 1 µs + 1 ns a byte."""

from __future__ import annotations

from pathlib import Path

from collscope.machines.platform import Host, Platform, nodes_of
from collscope.machines.spec import LEVELS


def tiny() -> Platform:
    """The platform. Its file is never read as one; any will do that has a hash."""
    hosts = tuple(Host(f"host{h}", h // 4, h // 4, h // 4, 1e-10, 1e-10) for h in range(16))
    properties = {"collscope.curves": "uniform", "collscope.eager_bytes": "-1"}
    properties |= {f"curve.{level}": "0 1e-6 1e-9 1" for level in LEVELS}
    return Platform("tiny", Path(__file__), properties, nodes_of(hosts))
