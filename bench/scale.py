#!/usr/bin/env python3
"""How many ranks the model takes, and how fast: whole commands, then the engine alone; then how long simulations take. Set up first
(./collscope list), then:

    .venv/bin/python bench/scale.py [--only model,dense,sim,study] [--ranks 65536,262144,1048576]

What limits a simulation is SimGrid's solver: whenever a message starts or ends, it gives every message under way a new share.
network/maxmin-selective-update:yes would leave out those that do not hang together with it, but SimGrid has a fault there
(model/timing.h), so it is not used.

A command is timed from its start to its table; memory is that of its largest process. The engine's rate is messages divided by processor
seconds of collscope-prove, recording and matching included. Machines are noisy: compare processor seconds.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from measure_numbers import Cost, measured

from collscope.base import programs
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Point, plan_text

TARGETS = {65536: "≤ 3 s, ≤ 1024 MiB", 262144: "≤ 8 s, ≤ 3072 MiB", 1048576: "≤ 30 s, ≤ 8192 MiB"}
PER_NODE = 16
SIM_TARGETS = {1024: "≤ 2 s", 4096: "≤ 20 s"}
STUDY_TARGET = "≤ 120 s on two idle cores"
JAGUAR = 49152, 12  # ranks, of a node
JAGUAR_TARGET = "≤ 60 s, ≤ 8192 MiB"
PEER = """LogGOPSim, as published (Hoefler, Schneider, Lumsdaine 2010): 655,000 messages per second at 16,384 ranks; 339,000 at
262,144, after 17 s of preparation. It has no contention within the network."""


@dataclass(frozen=True)
class Case:
    """A schedule for the engine: one call on so many ranks."""

    what: str
    platform: str
    nodes: int
    ranks: int
    point: Point
    messages: int
    target: str


def barrier(platform: str, what: str, nodes: int, ranks: int, target: str) -> Case:
    """A dissemination barrier."""
    messages = ranks * (ranks - 1).bit_length()
    return Case(what, platform, nodes, ranks, Point("barrier", "barrier/dissemination", 0), messages, target)


def cases(ranks: int) -> Iterator[Case]:
    """Schedules of which no two messages share a link, and of which a node's ranks share its NIC."""
    nodes, few = ranks // PER_NODE, max(PER_NODE, min(1024, ranks // 64))
    yield barrier(f"ideal[nodes={ranks}]", "barrier, no contention", ranks, ranks, "≥ 2,000,000")
    yield barrier(f"schooner[nodes={nodes},topology=switch]", "barrier, shared NICs", nodes, ranks, "≥ 500,000")
    exchange = Point("alltoall", "alltoall/pairwise_exchange", 256)
    for platform, on, share in (
        ("ideal", few, "no contention"),
        ("schooner[nodes=64,topology=switch]", few // PER_NODE, "shared NICs"),
    ):
        target = "≥ 2,000,000" if platform == "ideal" else "≥ 500,000"
        yield Case(f"alltoall of 1 KiB blocks, {share}", platform, on, few, exchange, few * (few - 1), target)


TREE = "schooner[nodes={nodes},topology.leaves={leaves}]"
SWITCH = "schooner[nodes={nodes},topology=switch]"
TREE_LEAF = 27  # nodes
FEW = 1024  # ranks


def dense_cases(most: int) -> Iterator[Case]:
    """Schedules whose messages crowd: all of an alltoall at once, or one after the other while ranks part; then a barrier on a tree."""
    few = min(FEW, most)
    for key, on, ranks, target in (
        ("alltoall/linear", SWITCH, few, "≤ 10 s, ≤ 1024 MiB"),
        ("alltoall/linear", TREE, few, "≤ 10 s, ≤ 1024 MiB"),
        ("alltoall/pairwise", TREE, few, "≤ 3 s"),
        ("alltoall/pairwise", TREE, 4 * few, "≤ 60 s, ≤ 4096 MiB"),
        ("barrier/dissemination", TREE, most, "≤ 30 s"),
    ):
        nodes = ranks // PER_NODE
        platform = on.format(nodes=nodes, leaves=max(2, -(-nodes // TREE_LEAF)))
        collective = key.partition("/")[0]
        point = Point(collective, key, 0 if collective == "barrier" else 256)
        messages = ranks * (ranks - 1 if point.count else (ranks - 1).bit_length())
        what = f"{key}, {'switch' if on == SWITCH else 'fat tree'}"
        yield Case(what, platform, nodes, ranks, point, messages, target if few == FEW else "")


def dense(most: int) -> None:
    """The engine where traffic is dense: blocks of 1 KiB."""
    print(
        f"\n{'dense traffic':46s} {'ranks':>9s} {'wall s':>8s} {'cpu s':>8s} {'MiB':>7s} {'messages/s':>12s}   target"
    )
    for case in dense_cases(most):
        cost = engine(case)
        rate = case.messages / cost.cpu_s
        print(f"{case.what:46s} {case.ranks:9,} {cost} {rate:12,.0f}   {case.target}".rstrip(), flush=True)
    few = min(FEW, most)
    cost = command("schooner", few, PER_NODE, "-c", "alltoall", "-a", "all", "--block-bytes", "1KiB")
    print(
        f"{'run -c alltoall -a all, switch':46s} {few:9,} {cost} {'':12s}   {'≤ 60 s' if few == FEW else ''}".rstrip()
    )


def engine(case: Case) -> Cost:
    """What the engine takes for a case."""
    with tempfile.TemporaryDirectory() as name:
        machine, plan = Path(name) / "machine.txt", Path(name) / "plan.txt"
        machine.write_text(machine_file(find.load(case.platform), case.nodes, case.ranks), encoding="utf-8")
        plan.write_text(plan_text([("0", case.point)], case.ranks), encoding="utf-8")
        return measured([programs.PROVER, "--model", machine, "--plan", plan])


def command(machine: str, ranks: int, per_node: int, *call: str, source: str = "model") -> Cost:
    """What the whole command takes. A gamma that no run before had keeps it out of the cache; these calls do not use it."""
    nodes, gamma = max(1, ranks // per_node), 2.5e-10 + time.time_ns() % 10**9 * 1e-24
    wide = "topology=switch," if machine == "schooner" else ""  # its tree has places for 405 nodes
    on = f"{machine}[{wide}nodes={nodes},gamma_s_per_byte={gamma!r}]"
    words = ["run", "--on", on, "--nodes", str(nodes), "--ranks", str(ranks), "--source", source]
    return measured([ROOT / "collscope", *words, *call])


def jaguar() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Calls on a torus, where messages share the links of their routes: (what, words of the command)."""
    for name in ("dissemination", "hierarchical"):
        yield f"barrier/{name}", ("-c", "barrier", "-a", name)
    for name in ("binomial", "hierarchical_known_root"):
        for size in ("32", "2KiB", "1MiB"):
            yield f"bcast/{name}, {size}", ("-c", "bcast", "-a", name, "--bytes", size)


def simulations() -> None:
    """The same barrier, simulated."""
    print(f"\n{'barrier/dissemination, --source sim':54s} {'wall s':>8s} {'cpu s':>8s} {'MiB':>7s}   target")
    for p, target in SIM_TARGETS.items():
        cost = command("schooner", p, PER_NODE, "-c", "barrier", "-a", "dissemination", source="sim")
        print(f"{f'{p:,} ranks, {PER_NODE} per node':54s} {cost}   {target}", flush=True)


def study() -> None:
    """A whole study, nothing of it cached, into a folder that goes away."""
    print(f"\n{'study':54s} {'wall s':>8s} {'cpu s':>8s} {'MiB':>7s}   target")
    with tempfile.TemporaryDirectory() as name:
        cost = measured([ROOT / "collscope", "study", "run", "bird_schooner", "--force", "--out", name])
    print(f"{'bird_schooner, nothing cached':54s} {cost}   {STUDY_TARGET}", flush=True)


def model(ranks: list[int]) -> None:
    """The model: commands on so many ranks, then the engine on the first of them."""
    print(
        f"{'barrier/dissemination, from the command to the table':54s} {'wall s':>8s} {'cpu s':>8s} {'MiB':>7s}   target"
    )
    for p in ranks:
        cost = command("schooner", p, PER_NODE, "-c", "barrier", "-a", "dissemination")
        print(f"{f'{p:,} ranks, {PER_NODE} per node':54s} {cost} {TARGETS.get(p, '')}".rstrip(), flush=True)
    there, per_node = JAGUAR
    title = f"jaguar, {there:,} ranks, {per_node} per node, links of the torus shared"
    print(f"\n{title:54s} {'wall s':>8s} {'cpu s':>8s} {'MiB':>7s}   target")
    for what, words in jaguar() if max(ranks) >= there else ():
        print(f"{what:54s} {command('jaguar', there, per_node, *words)} {JAGUAR_TARGET}", flush=True)
    print(
        f"\n{'the engine alone':46s} {'ranks':>9s} {'wall s':>8s} {'cpu s':>8s} {'MiB':>7s} {'messages/s':>12s}   target"
    )
    for case in cases(ranks[0]):
        cost = engine(case)
        rate = case.messages / cost.cpu_s
        print(f"{case.what:46s} {case.ranks:9,} {cost} {rate:12,.0f}   {case.target}", flush=True)
    print(f"\n{PEER}")


WHAT = ("model", "dense", "sim", "study")


def main() -> None:
    """Prints the tables."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--only", default=",".join(WHAT), help="what is measured, a comma between two")
    options.add_argument("--ranks", default=",".join(map(str, TARGETS)), help="of the model; a comma between two")
    given = options.parse_args()
    only, ranks = given.only.split(","), [int(word) for word in given.ranks.split(",")]
    if unknown := set(only) - set(WHAT):
        raise SystemExit(f"--only: {', '.join(sorted(unknown))}: not one of {', '.join(WHAT)}")
    if min(ranks) < PER_NODE or any(p % PER_NODE for p in ranks):
        raise SystemExit(f"--ranks: give multiples of {PER_NODE}")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if "model" in only:
        model(ranks)
    if "dense" in only:
        dense(max(ranks))
    if "sim" in only:
        simulations()
    if "study" in only:
        study()


if __name__ == "__main__":
    main()
