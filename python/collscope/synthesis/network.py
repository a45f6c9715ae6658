"""What a synthesis knows of a machine: which ranks can send to which, and how many chunks cross each link in a round.

A limit is a set of pairs of ranks and how many chunks all of them together may send in a round, as in SCCL: a link between two GPUs is
a limit of one pair, a NIC one of all pairs that leave its node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from collscope.base.errors import UserError
from collscope.machines import topology
from collscope.machines.placement import places

if TYPE_CHECKING:
    from collscope.points.plan import Layout

Pair = tuple[int, int]  # sender, receiver

LARGE_BYTES = 1 << 20  # a message of so many bytes has the rate of its class


@dataclass(frozen=True)
class Limit:
    """Pairs that share something, and the chunks that it lets through in a round."""

    name: str
    pairs: frozenset[Pair]
    chunks: int


@dataclass(frozen=True)
class Network:
    """Ranks and what is between them. `alpha_s`: a step; `beta_s_per_byte`: of a round, the slowest limit with one chunk."""

    name: str
    ranks: int
    limits: tuple[Limit, ...]
    alpha_s: float = 0.0
    beta_s_per_byte: float = 0.0

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All that some limit names, in order."""
        return tuple(sorted(frozenset().union(*(limit.pairs for limit in self.limits))))

    @cached_property
    def distances(self) -> tuple[tuple[int, ...], ...]:
        """Steps between any two ranks; as many as there are ranks where no path leads."""
        near: list[list[int]] = [[] for _ in range(self.ranks)]
        for source, target in self.pairs:
            near[source].append(target)
        return tuple(_steps_from(start, near) for start in range(self.ranks))

    def reversed(self) -> Network:
        """With every link the other way."""
        turned = tuple(replace(x, pairs=frozenset((b, a) for a, b in x.pairs)) for x in self.limits)
        return replace(self, limits=turned)

    def entering(self, ranks: frozenset[int]) -> int:
        """At least so many chunks can enter these ranks in a round, and no more: by limits that cover all pairs into them."""
        return self._covered({(a, b) for a, b in self.pairs if b in ranks and a not in ranks})

    def _covered(self, left: set[Pair]) -> int:
        """Chunks of a few limits that cover these pairs: what they have in common is never more."""
        total = 0
        while left:
            best = max(self.limits, key=lambda x: (len(x.pairs & left) / x.chunks, x.name))
            covered = best.pairs & left
            total += min(best.chunks, sum(self._alone(pair) for pair in covered))
            left = left - covered
        return total

    def _alone(self, pair: Pair) -> int:
        return self._of_pair[pair]

    @cached_property
    def _of_pair(self) -> Mapping[Pair, int]:
        """Chunks that a pair can send in a round when nobody else does."""
        return {pair: min(x.chunks for x in self.limits if pair in x.pairs) for pair in self.pairs}

    @cached_property
    def groups(self) -> tuple[frozenset[int], ...]:
        """Sets of ranks that are worth a look when a bound is sought: each rank, and those that a limit leads into or out of."""
        every = frozenset(range(self.ranks))
        found = [frozenset([rank]) for rank in range(self.ranks)]
        for limit in self.limits:
            into = frozenset(b for _, b in limit.pairs) - frozenset(a for a, _ in limit.pairs)
            out = frozenset(a for a, _ in limit.pairs) - frozenset(b for _, b in limit.pairs)
            found += [into, every - into, out, every - out]
        return tuple(dict.fromkeys(g for g in found if g and g != every))


def _steps_from(start: int, near: Sequence[Sequence[int]]) -> tuple[int, ...]:
    steps = [len(near)] * len(near)
    steps[start] = 0
    queue = [start]
    for at in queue:
        for other in near[at]:
            if steps[other] == len(near) and other != start:
                steps[other] = steps[at] + 1
                queue.append(other)
    return tuple(steps)


# ---- of links ------------------------------------------------------------------------------------------------


def of_links(name: str, links: Sequence[Sequence[int]]) -> Network:
    """A network of links alone: links[a][b] chunks go from a to b in a round."""
    limits = [
        Limit(f"{a} to {b}", frozenset([(a, b)]), chunks)
        for a, row in enumerate(links)
        for b, chunks in enumerate(row)
        if chunks
    ]
    return Network(name, len(links), tuple(limits))


# ---- of a machine --------------------------------------------------------------------------------------------


def of_layout(layout: Layout) -> Network:
    """What contends on a machine, in whole chunks: ranks' ports, nodes' NICs and the links between nodes.

    The slowest of them lets one chunk through in a round, a faster one as many whole chunks as it is faster. What else contends
    (memory, sockets, the order of messages) is for the engine to judge. UserError: a platform without curves."""
    platform = layout.platform
    assert platform is not None
    machine = platform.machine
    if not machine.curve:
        raise UserError(
            f"{platform.name}: routes without curves of messages; a synthesis needs a specification (.toml)"
        )
    nodes = [node for node, _, _ in places(platform, layout.nodes, layout.ranks, layout.mapping)]
    every = [(a, b) for a in range(layout.ranks) for b in range(layout.ranks) if a != b]
    across = [(a, b) for a, b in every if nodes[a] != nodes[b]]
    per_byte = min(machine.curve[name][-1].s_per_byte for name in platform.classes(layout.nodes))
    rates: dict[str, tuple[frozenset[Pair], float]] = {}
    for direction, end in (("out", 0), ("in", 1)):
        for rank in range(layout.ranks):
            of_rank = frozenset(pair for pair in every if pair[end] == rank)
            rates[f"port of rank {rank}, {direction}"] = of_rank, 1 / per_byte
        for node in sorted(set(nodes)):
            of_node = frozenset(pair for pair in across if nodes[pair[end]] == node)
            rates[f"NIC of node {node}, {direction}"] = of_node, machine.links.get("nic", 0.0)
    rates |= _between(layout, nodes, across)
    rates = {name: (pairs, rate) for name, (pairs, rate) in rates.items() if pairs and rate > 0}
    slowest = min(rate for _, rate in rates.values())
    limits = [Limit(name, pairs, max(1, int(rate / slowest + 1e-9))) for name, (pairs, rate) in rates.items()]
    alpha_s = max(_latency_s(layout, name) for name in platform.classes(layout.nodes))
    return Network(platform.name, layout.ranks, tuple(limits), alpha_s, 1 / slowest)


def _latency_s(layout: Layout, class_: str) -> float:
    """Of a large message."""
    assert layout.platform
    machine = layout.platform.machine
    last = machine.curve[class_][-1]
    return machine.half_round_trip_s(class_, LARGE_BYTES) - LARGE_BYTES * last.s_per_byte


def _between(layout: Layout, nodes: Sequence[int], across: Iterable[Pair]) -> dict[str, tuple[frozenset[Pair], float]]:
    """The links of the topology, with the pairs whose routes cross them."""
    assert layout.platform
    found = layout.platform.machine.network
    if not found:
        return {}
    positions = found.positions(layout.nodes)
    crossing: dict[topology.Link, set[Pair]] = {}
    for pair in across:
        source, target = (positions[nodes[rank]] for rank in pair)
        for link in topology.route(found.kind, found.shape, source, target):
            crossing.setdefault(link, set()).add(pair)
    return {
        f"link {kind} from {a} to {b}": (
            frozenset(pairs),
            found.global_bytes_per_s if kind == "global" else found.link_bytes_per_s,
        )
        for (kind, a, b), pairs in crossing.items()
    }
