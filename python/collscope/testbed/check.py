"""Whether a test bed is what it claims: full duplex at its rate, its latency, nothing lost. By plain TCP, without MPI."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from collscope.base.errors import UserError
from collscope.base.statistics import quantile
from collscope.testbed.bed import RANK_PRIORITY, Bed
from collscope.testbed.network import Network, address

WITHIN = 0.03  # of the rate
STREAM_S = 0.6  # so long does the busiest direction of a pattern send
LEAD_S = 0.3  # from the order to the start: every host has connected by then
ECHOES = 300
OVERHEAD_S = 250e-6  # what two processes and the kernel may add to the latency of one byte

Sends = Mapping[int, Sequence[int]]  # host → hosts that it sends to


@dataclass(frozen=True)
class Finding:
    """One line of the check. `measured` and `claimed` are in `unit`; `fine`: near enough."""

    what: str
    claimed: float
    measured: float
    unit: str
    fine: bool

    @property
    def ratio(self) -> str:
        """Measured over claimed."""
        return f"{self.measured / self.claimed:.3f}" if self.claimed else ""

    @property
    def verdict(self) -> str:
        """In a word."""
        return "holds" if self.fine else "DOES NOT HOLD"


def patterns(network: Network) -> dict[str, Sends]:
    """Who sends to whom at once; in each the busiest direction of a NIC has as much to do as all others, or alone."""
    n = network.hosts
    return {
        "one direction": {0: [1]},
        "both directions": {0: [1], 1: [0]},
        "all pairs, both directions": {h: [h ^ 1] for h in range(n - n % 2)},
        "ring": {h: [(h + 1) % n] for h in range(n)},
        "one to all": {0: list(range(1, n))},
        "all to one": {h: [0] for h in range(1, n)},
    }


def carried(network: Network, sends: Sends) -> float:
    """Bytes per second of payload that each stream has at least, when all share evenly: the narrowest port on its path."""
    loads: dict[tuple[str, int], int] = {}
    for source, targets in sends.items():
        for target in targets:
            near, far = network.leaf(source), network.leaf(target)
            ports = [("out", source), ("in", target)] + ([("up", near), ("down", far)] if near != far else [])
            for port in ports:
                loads[port] = loads.get(port, 0) + 1
    wide = network.uplink_bits_per_s / network.bits_per_s
    most = max(load / (wide if kind in ("up", "down") else 1.0) for (kind, _), load in loads.items())
    return network.ceiling_bytes_per_s / most


class Peers:
    """The program `peer` on each host."""

    def __init__(self, bed: Bed):
        self.bed = bed
        source = Path(__file__).resolve().parents[2]
        first = ["chrt", "-f", str(RANK_PRIORITY)] if bed.realtime else []
        words = [*first, "env", f"PYTHONPATH={source}", sys.executable, "-S", "-m", "collscope.testbed.peer"]
        pipe = subprocess.PIPE
        self.running = [
            subprocess.Popen(bed.enter([*words, address(n)], name), stdin=pipe, stdout=pipe, stderr=pipe, text=True)
            for n, name in enumerate(bed.network.names())
        ]

    def ask(self, questions: Mapping[int, object]) -> dict[int, dict[str, object]]:
        """Host → its answer; all get theirs at once. UserError: one of them failed."""
        for host, question in questions.items():
            stdin = self.running[host].stdin
            assert stdin
            print(json.dumps(question), file=stdin, flush=True)
        answers = {}
        for host in questions:
            process = self.running[host]
            assert process.stdout and process.stderr
            line = process.stdout.readline()
            if not line:
                raise UserError(f"the check of the test bed failed on host {host}: {process.stderr.read().strip()}")
            answers[host] = json.loads(line)
        return answers

    def end(self) -> None:
        """Ends all of them."""
        for process in self.running:
            process.kill()
            process.wait()


@contextlib.contextmanager
def peers(bed: Bed) -> Iterator[Peers]:
    """The peers for the time of a block."""
    there = Peers(bed)
    try:
        everyone = {host: {"sent_again": True} for host in range(bed.network.hosts)}
        there.ask(everyone)  # all have started
        yield there
    finally:
        there.end()


def rate(there: Peers, sends: Sends) -> float:
    """Bytes per second of the slowest stream."""
    network = there.bed.network
    count = int(carried(network, sends) * STREAM_S)
    at = time.monotonic() + LEAD_S
    questions = {h: {"send": [address(t) for t in to], "bytes": count, "at": at} for h, to in sends.items()}
    ends = [float(str(answer["end"])) for answer in there.ask(questions).values()]
    return count / (max(ends) - at - network.latency_s)


def check(bed: Bed) -> Iterator[Finding]:
    """The findings, one after the other as they are made."""
    network = bed.network
    with peers(bed) as there:
        for what, sends in patterns(network).items():
            claimed, measured = carried(network, sends), rate(there, sends)
            yield Finding(what, claimed * 8e-6, measured * 8e-6, "Mbit/s", abs(measured / claimed - 1) <= WITHIN)
        answer = there.ask({0: {"echo": address(1), "times": ECHOES}})[0]["half_round_trips_s"]
        assert isinstance(answer, list)
        times = sorted(map(float, answer))
        for what, part in (("one byte, 10 %", 0.1), ("one byte, median", 0.5), ("one byte, 99 %", 0.99)):
            taken = quantile(times, part)
            fine = part > 0.5 or 0 <= taken - network.latency_s <= OVERHEAD_S
            yield Finding(what, network.latency_s * 1e6, taken * 1e6, "µs", fine)
        again = there.ask({host: {"sent_again": True} for host in range(network.hosts)})
        lost = sum(int(str(a["sent_again"])) for a in again.values())
        yield Finding("segments sent again", 0, lost, "", lost == 0)
