"""What a student's algorithm takes by the model of a machine: alone, over references, and over the best of the catalogue."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from collscope.base.units import format_size
from collscope.labs import proof, quantities
from collscope.labs.hand_in import Built
from collscope.labs.lab import Crossings, Machine, Time
from collscope.labs.proof import Call
from collscope.machines.machine_file import machine_file, places_in
from collscope.points.plan import Layout, Point
from collscope.points.sweep import count_of


def _calls(algorithm: str, where: Layout, sizes: Sequence[int]) -> tuple[list[Call], list[str]]:
    """The calls of so many bytes, and the machine file for each."""
    assert where.platform
    machine = machine_file(where.platform, where.nodes, where.ranks, where.mapping)
    collective = algorithm.split("/")[0]
    counts = [count_of(collective, n, where.ranks, "float", fit="round") or 0 for n in sizes]
    calls = [Call(where.ranks, Point(collective, algorithm, count)) for count in counts]
    return calls, [machine] * len(calls)


def seconds(built: Built, algorithm: str, where: Layout, sizes: Sequence[int]) -> list[float]:
    """The time of each size, once its schedule is proven. Wrong: it is not right; UserError: it cannot be recorded."""
    calls, machines = _calls(algorithm, where, sizes)
    return proof.trusted(built, calls, proof.schedules(built, calls, machines), machines)


def over_references(built: Built, algorithm: str, goal: Time) -> list[str]:
    """Sizes at which it takes longer than the goal allows."""
    where = quantities.layout(goal.platform, goal.nodes, goal.ranks, goal.mapping)
    faults = []
    for size, taken in zip(goal.bytes, seconds(built, algorithm, where, goal.bytes), strict=True):
        best = min(quantities.seconds(where, goal.reference, size))
        if taken > goal.at_most * best:
            faults.append(
                f"Too slow: {format_size(size)} take {taken * 1e6:.4g} µs, "
                f"the fastest of {', '.join(goal.reference)} {best * 1e6:.4g} µs: "
                f"{taken / best:.2f} times as long, at most {goal.at_most:g} times are allowed."
            )
    return faults


def crossings(built: Built, algorithm: str, goal: Crossings) -> list[str]:
    """Messages that go between nodes where fewer do."""
    where = quantities.layout(goal.platform, goal.nodes, goal.ranks, goal.mapping)
    calls, machines = _calls(algorithm, where, [4096])
    (text,) = proof.schedules(built, calls, machines)
    proof.trusted(built, calls, [text], machines)
    nodes = [node for node, _, _ in places_in(machines[0])]
    found = [(a, b) for a, b in proof.messages(text) if nodes[a] != nodes[b]]
    if len(found) <= goal.nodes - 1:
        return []
    reached: dict[int, tuple[int, int]] = {}
    for a, b in found:
        if nodes[b] in reached or nodes[b] == nodes[calls[0].point.root]:
            twice = reached.get(nodes[b])
            also = (
                f", which rank {twice[0]} has sent to its rank {twice[1]} already" if twice else ", which has the root"
            )
            why = f"Rank {a} sends the data to rank {b} on node {nodes[b]}{also}."
            break
        reached[nodes[b]] = (a, b)
    return [
        f"{len(found)} messages go between nodes ({goal.ranks} ranks on {goal.nodes} nodes, {goal.mapping}), "
        f"{goal.nodes - 1} are enough: one for each node but the root's. {why} "
        "c->place[r].node says on which node rank r sits: neighbours in number need not share one."
    ]


@dataclass(frozen=True)
class Scored:
    """The geometric mean of its time over the best of the catalogue's, and a line for each call, the worst first."""

    score: float
    lines: tuple[str, ...]


def score(built: Built, algorithm: str, machines: Sequence[Machine]) -> Scored:
    """Over all machines and sizes; each counts the same."""
    collective = algorithm.split("/")[0]
    ratios: list[tuple[float, str]] = []
    for machine in machines:
        where = quantities.layout(machine.platform, machine.nodes, machine.ranks, machine.mapping)
        taken = seconds(built, algorithm, where, machine.bytes)
        for size, mine in zip(machine.bytes, taken, strict=True):
            best, key = min(
                zip(
                    quantities.seconds(where, quantities.catalogue(collective), size),
                    quantities.catalogue(collective),
                    strict=True,
                )
            )
            at = f"{format_size(size)} on {machine.ranks} ranks of {machine.platform.rpartition('/')[2]}, {machine.nodes} nodes"
            ratios.append((mine / best, f"{mine / best:.2f}: {at} ({mine * 1e6:.4g} µs; {key}: {best * 1e6:.4g} µs)"))
    mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
    return Scored(mean, tuple(line for _, line in sorted(ratios, reverse=True)))
