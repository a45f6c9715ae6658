"""Priors for numbers that a machine's file leaves open: what other machines have, as shares of what such a file does give. docs/priors.md
is made of them.

A processor's part of a message's time, a rate in messages of 1 MiB. Of processors only what was measured counts; rates are those of
platforms/ (a test holds them against its files), some of them data sheets. Few machines were looked at, so the next one may lie beyond
all of them: a range goes a quarter further on either side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

Range = tuple[float, float, float]
"""Least, middle and greatest; as many draws lie below the middle as above it."""

BEYOND = 1.25  # times the least and the greatest that was seen
MAX_BUSY = 0.95  # of a message's time, both processors together

# Where machines of others were measured: github.com/Ezibenroc/platform-calibration, the calibrations of SimGrid platforms; medians of
# MPI_Send in a ping-pong and of MPI_Recv of a message that was there already, over half of the round trip, at up to 16 B and in
# its growth up to the end of the eager sizes. Stampede's MPI_Recv follows a sleep and takes twice as long as the message: it is left out.
SOURCES = {
    "orfeo_epyc": "platforms/orfeo_epyc.toml: gaps from flat trees",
    "orfeo_thin": "platforms/orfeo_thin.toml",
    "schooner": "platforms/schooner.toml",
    "ib_multicore": "platforms/ib_multicore.toml",
    "jaguar": "platforms/jaguar.toml",
    "sirocco": "sirocco_26_08_2016: InfiniBand, Open MPI",
    "miriel": "miriel_27_06_2016: 10-Gbit Ethernet",
    "taurus": "taurus_26_07_2016: 10-Gbit Ethernet; within a node by its loopback",
    "graphene": "examples/graphene_eth: Gbit Ethernet",
    "stampede": "stampede_17_06_01: InfiniBand FDR, MVAPICH; one node and two",
    "virtual_epyc": "a virtual machine of two cores (AMD EPYC), by ./collscope calibrate: 16 MiB of newly mapped memory",
    "one copy": "assumed: through the kernel (CMA, KNEM, XPMEM) a message is copied once, an eager one twice",
}


@dataclass(frozen=True)
class Prior:
    """A share by machine; what it is of is said in `meaning`. greatest: what it cannot exceed; least: of the range, whatever was seen;
    fixed: the range where at most one machine tells it."""

    meaning: str
    machines: Mapping[str, tuple[float, ...]]
    greatest: float = float("inf")
    least: float | None = None
    fixed: Range | None = None

    def range(self, without: str = "") -> Range:
        """Over all machines but one, of which nothing is to be known."""
        if self.fixed:
            return self.fixed
        samples = [v for machine, values in self.machines.items() if machine != without for v in values]
        least = min(samples) / BEYOND if self.least is None else self.least
        return least, median(samples), min(max(samples) * BEYOND, self.greatest)


PRIORS = {
    "busy inside": Prior(
        "within a node, both processors' part of a message's time; of loopback and of Stampede more than all, as calls include waiting",
        {"orfeo_epyc": (0.65, 0.68), "stampede": (MAX_BUSY,), "taurus": (MAX_BUSY,)},
        MAX_BUSY,
    ),
    "busy inside byte": Prior(
        "the same of each byte: there is no wire", {"orfeo_epyc": (0.84, MAX_BUSY), "taurus": (MAX_BUSY,)}, MAX_BUSY
    ),
    "sender inside": Prior(
        "the sender's part of that",
        {"orfeo_epyc": (0.67, 0.68, 0.85), "stampede": (0.42, 0.79), "taurus": (0.46, 0.56)},
        1.0,
    ),
    "send network": Prior(
        "the sender's part of a small message's time",
        {
            "orfeo_epyc": (0.29,),
            "sirocco": (0.13,),
            "miriel": (0.11,),
            "taurus": (0.24,),
            "graphene": (0.11,),
            "stampede": (0.46,),
        },
    ),
    "send network byte": Prior(
        "the same of each byte",
        {
            "orfeo_epyc": (0.17, 0.26),
            "sirocco": (0.16,),
            "miriel": (0.04,),
            "taurus": (0.02,),
            "graphene": (0.03,),
            "stampede": (0.15,),
        },
    ),
    "receive network": Prior(
        "the receiver's part of a small message's time; at most what MPI_Recv takes, which others called after a sleep",
        {"orfeo_epyc": (0.0,), "sirocco": (0.44,), "miriel": (0.21,), "taurus": (0.22,), "graphene": (0.36,)},
        least=0.0,
    ),
    "receive network byte": Prior(
        "the same of each byte",
        {"orfeo_epyc": (0.13, 0.32), "sirocco": (0.42,), "miriel": (0.14,), "taurus": (0.12,), "graphene": (0.13,)},
        least=0.0,
    ),
    "waiting": Prior(
        "within a node, a message that waits for its receive over one of its size that does not",
        {"orfeo_epyc": (0.34, 1.0, 2.08), "stampede": (1.09,), "taurus": (1.15,), "one copy": (0.5,)},
    ),
    "memory": Prior(
        "a socket's memory, in messages of 1 MiB within a node; one at least, which may need all of it",
        {"orfeo_epyc": (13.3,), "orfeo_thin": (5.83,), "schooner": (4.81,), "ib_multicore": (1.49,), "jaguar": (5.71,)},
        least=1.0,
    ),
    "across": Prior(
        "what one core moves to other sockets, likewise",
        {"orfeo_epyc": (1.31,), "orfeo_thin": (1.14,), "schooner": (2.07,), "ib_multicore": (3.25,), "jaguar": (3.73,)},
    ),
    "cache": Prior(
        "what the cores of a cache move to others of the socket, likewise",
        {"orfeo_epyc": (2.28,), "orfeo_thin": (1.11,), "schooner": (1.57,), "ib_multicore": (2.57,), "jaguar": (3.43,)},
    ),
    "copy": Prior(
        "a local copy, over a message of 1 MiB: the value, and the least of its range, as buffers of a loop are in cache",
        {
            "orfeo_epyc": (0.51,),
            "orfeo_thin": (1.54, 0.77),
            "schooner": (1.6, 0.76),
            "ib_multicore": (0.98, 0.52),
            "jaguar": (0.7, 0.35),
        },
    ),
    "copy by itself": Prior(
        "the same in seconds per byte, where no message within a node is known",
        {
            "orfeo_epyc": (4.2e-11,),
            "orfeo_thin": (1e-10, 5e-11),
            "schooner": (2.1e-10, 1e-10),
            "ib_multicore": (5.6e-10, 3e-10),
            "jaguar": (4e-10, 2e-10),
        },
    ),
    "gamma": Prior(
        "a local reduction, over a copy: both follow from where the data are",
        {"orfeo_epyc": (0.89,), "orfeo_thin": (1.5,), "schooner": (1.19,), "ib_multicore": (1.21,), "jaguar": (1.25,)},
    ),
    "interconnect": Prior(
        "the rate between two sockets, over the memory's",
        {"orfeo_epyc": (0.63,), "orfeo_thin": (0.33,), "schooner": (0.55,), "ib_multicore": (0.54,), "jaguar": (0.64,)},
    ),
    "nic": Prior(
        "a NIC's time per message, over the network's latency: zero to twice what was measured",
        {"orfeo_epyc": (0.06,)},
        fixed=(0.0, 0.06, 0.12),
    ),
    # Where a token was relayed, across a test bed, a hop took no longer than half a round trip (by 1 % at most), but processors spend 0.2 %
    # of a message's time there; it has been measured of no machine with more than two ranks in shared memory.
    "turnaround": Prior(
        "what a rank spends before it sends on to another rank, over what both processors spend on a message: assumed, between nothing "
        "and as much again, as it was measured nowhere in shared memory",
        {},
        fixed=(0.0, 0.5, 1.0),
    ),
    "first touch": Prior(
        "newly mapped memory that is written for the first time, in seconds per byte: zero to twice what was measured",
        {"virtual_epyc": (5.1e-10,)},
        fixed=(0.0, 5.1e-10, 1.02e-9),
    ),
}
MIN_EAGER_BYTES = 4096
"""The least eager limit that MPI libraries come with (Open MPI's shared memory): from there on non-blocking sends may wait."""


def ranges(without: str = "") -> dict[str, Range]:
    """Of all priors; `without`: a machine that they are to be tried on."""
    return {name: prior.range(without) for name, prior in PRIORS.items()}
