"""Samples of point-to-point messages: what the driver is asked to measure (driver/p2p/p2p.h has the patterns), and what it answers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from collscope.base import leftovers, programs
from collscope.base.errors import UserError
from collscope.base.statistics import lower_quartile, quantile
from collscope.machines.spec import CLASSES
from collscope.sources import mpirun
from collscope.sources.launch import check_ranks

MAX_LAUNCH_S = 600.0
MAX_PAIRS = 64  # that are measured side by side
PAIRS = 3  # of a class
RING = 4  # ranks that relay a token
STREAM = (1, 8)  # messages, whose times' difference is that of the others
FEW = (1, 4)
*_, NETWORK = CLASSES

Flow = tuple[int, int]  # from rank, to rank
Place = tuple[int, int, int]  # node, socket, cache: numbers that are unique in the cluster


@dataclass(frozen=True)
class Probe:
    """A measurement to make: `count` is round trips, messages per flow, milliseconds, or ranks, as the pattern has it. `single`: it shows
    how much single messages vary, not how long they take."""

    pattern: str
    flows: tuple[Flow, ...] = ()
    bytes: int = 1
    count: int = 1
    samples: int = 9
    single: bool = False

    @property
    def text(self) -> str:
        """Its line of a plan."""
        flows = f" flows={','.join(f'{a}>{b}' for a, b in self.flows)}" if self.flows else ""
        return f"{self.pattern}{flows} bytes={self.bytes} count={self.count} samples={self.samples}"


Start = Callable[[Path], Sequence[str | Path]]
"""The words that start the driver with a plan's file."""


@dataclass(frozen=True)
class Reading:
    """What a probe measured: samples in seconds (of local work seconds per byte); issue and first only of flows."""

    probe: Probe
    samples: tuple[float, ...]
    issue: tuple[float, ...] = ()
    first: tuple[float, ...] = ()

    @property
    def typical(self) -> float:
        """The lower quartile."""
        return lower_quartile(self.samples)


@dataclass(frozen=True)
class Placement:
    """Where the ranks of a launch sit."""

    places: tuple[Place, ...] = ()

    @property
    def nodes(self) -> list[list[int]]:
        """The ranks of each node."""
        found: dict[int, list[int]] = {}
        for rank, (node, _, _) in enumerate(self.places):
            found.setdefault(node, []).append(rank)
        return [*found.values()]

    def node_of(self, rank: int) -> int:
        """The node's number."""
        return self.places[rank][0]

    def level(self, a: int, b: int) -> str:
        """The class of a message between two ranks."""
        one, other = self.places[a], self.places[b]
        return next((name for at, name in ((0, NETWORK), (1, "node"), (2, "socket")) if one[at] != other[at]), "cache")

    def pairs(self) -> dict[str, list[Flow]]:
        """Class → the pairs that stand for it, closest class first. Those on a node are of the first one; the others of its first rank."""
        all_pairs: dict[str, list[Flow]] = {}
        first = self.nodes[0]
        for a in first:
            for b in (r for r in first if r > a):
                all_pairs.setdefault(self.level(a, b), []).append((a, b))
        for ranks in self.nodes[1:]:
            all_pairs.setdefault(NETWORK, []).append((first[0], ranks[-1]))
        order = [lv for lv in ("cache", "socket", "node", NETWORK) if lv in all_pairs]
        return {lv: spread(all_pairs[lv], PAIRS) for lv in order}

    def ring(self, level: str) -> tuple[Flow, ...]:
        """A ring of three or four ranks of which any two neighbours are of this class; (): too few ranks."""
        depth = (NETWORK, "node", "socket", "cache").index(level)
        units: dict[Sequence[int], dict[Sequence[int], list[int]]] = {}
        for rank, place in enumerate(self.places):
            part = (*place, rank)[: depth + 1]
            units.setdefault(part[:-1], {}).setdefault(part, []).append(rank)
        for parts in map(list, map(dict.values, units.values())):
            ranks = [of[0] for of in parts[:RING]]
            if len(parts) == 2 and min(map(len, parts)) > 1:
                ranks += [of[1] for of in parts]
            if len(ranks) > 2:
                return tuple(zip(ranks, [*ranks[1:], ranks[0]], strict=True))
        return ()

    def disjoint(self, level: str) -> list[Flow]:
        """Pairs of a class that have no rank in common: on the first node, those within a socket within its first; between nodes, from
        each rank of the first to one of the second."""
        if level == NETWORK:
            return [*zip(self.nodes[0], self.nodes[1], strict=False)][:MAX_PAIRS] if len(self.nodes) > 1 else []
        taken: set[int] = set()
        found = []
        ranks = [r for r in self.nodes[0] if level == "node" or self.places[r][1] == self.places[self.nodes[0][0]][1]]
        for a in ranks:
            b = next((b for b in ranks if b > a and not {a, b} & taken and self.level(a, b) == level), None)
            if b is not None:
                taken |= {a, b}
                found.append((a, b))
        return found

    def between_sockets(self) -> list[tuple[Flow, ...]]:
        """One pair of two sockets of the first node, and several side by side; [] where there is one pair at most."""
        side = self.disjoint("node")
        return [tuple(side[:k]) for k in (1, *doubling(len(side)))] if len(side) > 1 else []

    def groups(self, level: str) -> list[tuple[Flow, ...]]:
        """The flows of each measurement of a class with several pairs: side by side, one to many, many to one (of ranks of one node, or
        of the first rank of each node), and a ring of the nodes."""
        side = self.disjoint(level)
        found = [tuple(side[:k]) for k in doubling(len(side))]
        first, *others = self.nodes[0]
        heads = [ranks[0] for ranks in self.nodes[1:]]
        around = heads if level == NETWORK else [r for r in others if self.level(first, r) == level]
        for k in doubling(len(around)):
            found.append(tuple((first, to) for to in around[:k]))
            found.append(tuple((of, first) for of in around[:k]))
        if level == NETWORK and len(heads) > 1:
            found.append(tuple(zip([first, *heads], [*heads, first], strict=True)))
        return found


def doubling(most: int) -> list[int]:
    """2, 4, … and `most` itself."""
    return sorted({*(1 << k for k in range(1, most.bit_length()) if 1 << k <= most), most} - {0, 1})


def spread(items: Sequence[Flow], most: int) -> list[Flow]:
    """At most so many of them, from first to last."""
    if len(items) <= most:
        return [*items]
    return [items[k * (len(items) - 1) // (most - 1)] for k in range(most)]


@dataclass(frozen=True)
class Samples:
    """The readings of one or several launches with the same ranks. `hosts`: where each rank ran; `variables`: the library's settings."""

    placement: Placement = Placement()
    readings: tuple[Reading, ...] = ()
    library: str = ""
    hosts: tuple[str, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)

    def __add__(self, later: Samples) -> Samples:
        return replace(self, readings=self.readings + later.readings)

    def of(self, pattern: str, single: bool = False, **fields: object) -> list[Reading]:
        """The readings of a pattern whose probes have these fields."""
        return [
            r
            for r in self.readings
            if (r.probe.pattern, r.probe.single) == (pattern, single)
            and all(getattr(r.probe, k) == v for k, v in fields.items())
        ]


def ask(
    plan: Sequence[Probe],
    ranks: int,
    start: Start,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    limit_s: float = MAX_LAUNCH_S,
) -> Samples:
    """Makes all measurements of a plan in one launch of `ranks` ranks. `folder`: where its file must lie. UserError: what could not be
    measured and why."""
    with leftovers.scratch(folder) as scratch:
        file = scratch / "p2p.txt"
        file.write_text("".join(f"{probe.text}\n" for probe in plan), encoding="utf-8")
        words = start(file)
        try:
            # SIGPIPE stays ignored: it would end mpirun before it takes away what it made.
            done = programs.answer(words, timeout=limit_s, cwd=scratch, env=environment, restore_signals=False)
        except FileNotFoundError:
            raise UserError(f"{words[0]}: not found; install openmpi-bin (./collscope doctor says more)") from None
        except subprocess.TimeoutExpired:
            raise UserError(f"measuring took more than {limit_s:g} s; is the machine busy?") from None
    found = read(done.stdout, plan, ranks)
    if done.returncode or len(found.readings) < len(plan):
        why = mpirun.reason(done.stderr) or (done.stdout.strip() or "it printed nothing").splitlines()[-1]
        raise UserError(f"the driver's --p2p failed (exit {done.returncode}): {why[:300]}")
    return found


def read(text: str, plan: Sequence[Probe], ranks: int | None = None) -> Samples:
    """The driver's lines; readings come in the plan's order. UserError: a line is not JSON, or ranks did not find each other."""
    meta: dict[str, Any] = {}
    hosts: list[str] = []
    readings: list[Reading] = []
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        try:
            ((name, values),) = json.loads(line).items()
        except (json.JSONDecodeError, ValueError, AttributeError):
            raise UserError(f"the driver printed a line that is not JSON: {line[:80]}") from None
        if name == "meta":
            check_ranks(values, ranks)
            meta = values
        elif name == "place":
            hosts.append(values["host"])
        elif len(readings) < len(plan) and (probe := plan[len(readings)]).pattern == name:
            lists = [tuple(map(float, values.get(key, ()))) for key in ("samples", "issue", "first")]
            if not lists[0]:
                raise UserError(f"the driver measured nothing for: {probe.text}")
            readings.append(Reading(probe, *lists))
    placement = Placement(tuple((n, s, c) for n, s, c in meta.get("places", [])))
    library = str(meta.get("library", "")).partition(",")[0]
    variables = meta.get("environment", {}).get("library_variables", {})
    return Samples(placement, tuple(readings), library, tuple(hosts), variables)


def csv_text(samples: Samples) -> str:
    """All readings as a table: columns pattern, flows (FROM>TO, with blanks between), bytes, count, and the lower quartile, median and
    number of its samples; times in seconds, of local work seconds per byte."""
    lines = ["pattern,flows,bytes,count,lower_quartile_s,median_s,samples,issue_s,first_s"]
    for r in samples.readings:
        probe = r.probe
        more = ",".join(f"{lower_quartile(v):.6g}" if v else "" for v in (r.issue, r.first))
        middle = quantile(sorted(r.samples), 0.5)
        flows = " ".join(f"{x}>{y}" for x, y in probe.flows)
        pattern = f"{probe.pattern}_single" if probe.single else probe.pattern
        lines.append(
            f"{pattern},{flows},{probe.bytes},{probe.count},{r.typical:.6g},{middle:.6g},{len(r.samples)},{more}"
        )
    return "\n".join(lines) + "\n"
