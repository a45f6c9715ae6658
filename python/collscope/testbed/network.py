"""A test bed in numbers: how many hosts, how fast, how far apart. Rates are in bits a second, times in seconds.

Standard library only: the process that makes the network has nothing else.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from collscope.base.errors import UsageError

MAX_HOSTS = 64
MTU = 1500
FRAME_BYTES = MTU + 14  # what the switch counts of a full packet
PAYLOAD_BYTES = MTU - 40  # of it, without the headers of IP and TCP (no timestamps)


@dataclass(frozen=True)
class Network:
    """Hosts behind one switch, or behind several leaves of equal size.

    `oversubscription`: what the hosts of a leaf can send, divided by what its uplink carries, each way. `own_limits`: Open MPI's
    own eager limits hold; else no message waits for its receive."""

    hosts: int = 8
    bits_per_s: float = 50e6
    latency_s: float = 500e-6
    leaves: int = 1
    oversubscription: float = 1.0
    uplink_latency_s: float = 0.0
    own_limits: bool = False

    def check(self) -> None:
        """UsageError: what cannot be."""
        if not 2 <= self.hosts <= MAX_HOSTS:
            raise UsageError(f"--hosts {self.hosts}: a test bed has 2 to {MAX_HOSTS} hosts")
        if not 1 <= self.leaves <= self.hosts or self.hosts % self.leaves:
            raise UsageError(f"--leaves {self.leaves}: must divide the {self.hosts} hosts")
        if not 1e5 <= self.bits_per_s <= 1e9:
            raise UsageError(
                "--rate: from 100kbit to 1Gbit; a user-space switch carries about 1 Gbit/s of all hosts together"
            )
        if not 0 <= self.latency_s <= 1 or not 0 <= self.uplink_latency_s <= 1:
            raise UsageError("--latency: from 0 to 1 s")
        if not 1 <= self.oversubscription <= 64:
            raise UsageError("--oversubscription: from 1 to 64")

    @property
    def uplink_bits_per_s(self) -> float:
        """Of a leaf, each way."""
        return self.bits_per_s * self.hosts / self.leaves / self.oversubscription

    @property
    def ceiling_bytes_per_s(self) -> float:
        """Payload that TCP moves at most over one NIC."""
        return self.bits_per_s / 8 * PAYLOAD_BYTES / FRAME_BYTES

    def leaf(self, host: int) -> int:
        """The leaf that a host hangs on."""
        return host * self.leaves // self.hosts

    def names(self) -> list[str]:
        """The hosts' names, as mpirun is given them."""
        return [f"h{n}" for n in range(self.hosts)]

    def text(self) -> str:
        """As JSON; `network_of` reads it."""
        return json.dumps(asdict(self), sort_keys=True)

    def describe(self) -> str:
        """In words: "8 hosts, 50 Mbit/s, 500 µs"."""
        parts = [f"{self.hosts} hosts", f"{self.bits_per_s / 1e6:g} Mbit/s each way", f"{self.latency_s * 1e6:g} µs"]
        if self.leaves > 1:
            parts.append(f"{self.leaves} leaves, {self.oversubscription:g}:1 oversubscribed")
        if self.own_limits:
            parts.append("Open MPI's own eager limits")
        return ", ".join(parts)


def network_of(text: str) -> Network:
    """The network of `Network.text`."""
    return Network(**json.loads(text))


def address(host: int, control: bool = False) -> str:
    """IPv4 of a host: on the shaped network, or on the one that carries mpirun's own messages."""
    return f"10.{9 if control else 8}.0.{host + 1}"


CONTROL_GATE = "10.9.0.254"  # where mpirun itself is


def hardware_address(host: int) -> str:
    """The switch knows hosts by these."""
    return f"02:00:00:00:00:{host:02x}"
