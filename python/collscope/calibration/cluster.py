"""Measures a cluster point to point, over its launcher, and writes its specification: platforms/NAME/spec.toml.

Three launches: a first look (who sits where, how long a message takes), the survey, and the sizes between which a send begins to wait
for its receive. Collectives play no part: predicting those is what the specification is for.
"""

from __future__ import annotations

import datetime
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from collscope.base import paths, programs
from collscope.base.errors import UsageError, UserError
from collscope.base.files import write_atomically
from collscope.base.statistics import quantile
from collscope.base.units import counted, format_size, format_time
from collscope.calibration import survey, topology
from collscope.calibration.cluster_text import About, text_of
from collscope.calibration.numbers import Found, eager_limits, numbers, residual
from collscope.calibration.p2p import Answers, Wanted, ask
from collscope.calibration.survey import Shape
from collscope.machines import find
from collscope.machines.spec_reader import parse_spec
from collscope.sources.launcher import Launcher
from collscope.testbed import bed
from collscope.testbed.network import Network

MAX_RANKS_PER_NODE = 64
MAX_NODES = 8
BETWEEN = 15  # sizes that are tried where sends begin to wait

Measure = Callable[[Sequence[Wanted]], Answers]
"""Measures a plan in one launch."""


@dataclass(frozen=True)
class Calibrated:
    """What was written, and how it came about."""

    path: Path
    found: Found
    seen: Answers
    shape: Shape
    source: str


def measured(measure: Measure, quick: bool = False) -> tuple[Shape, Answers]:
    """All answers, of three launches; a quick survey has fewer of them."""
    first = measure([Wanted("pingpong", ((0, 1),), 1, 1, 1)])
    shape = Shape(tuple(first.places))
    known = survey.paces(shape, measure(survey.scout(shape)))
    wanted = survey.plan(shape, known)
    seen = measure(survey.fewer(wanted, shape) if quick else wanted)
    finer = list(between(shape, seen, known))
    if finer:
        seen.all += measure(finer).all
    return shape, seen


def between(shape: Shape, seen: Answers, known: dict[str, survey.Pace]) -> Iterator[Wanted]:
    """Sizes between the largest message that did not wait for its receive and the smallest that did, of the widest class."""
    coarse = Found()
    eager_limits(shape, seen, coarse)
    *_, (level, pairs) = shape.pairs().items()
    asked: set[int] = set()
    for low, high in (coarse.eager, coarse.eager_nonblocking):
        if low and high:
            asked |= {low + k * (high - low) // (BETWEEN + 1) for k in range(1, BETWEEN + 1)}
            asked |= {high - 1}
    yield from survey.late(pairs[0], sorted(asked), known[level])


def calibrate(
    name: str,
    launcher: Launcher,
    nodes: int | None = None,
    ranks_per_node: int | None = None,
    target: Path | None = None,
    quick: bool = False,
) -> Calibrated:
    """Measures on `nodes` nodes (default: those that the launcher reaches, at most 8) with so many ranks on each (default: one a core; one
    a host of the test bed) and writes the specification, whole or not at all. `quick`: fewer pairs, sizes and samples. UsageError: it
    cannot be written there; UserError: it cannot be measured."""
    path = target or find.PLATFORMS / name / "spec.toml"
    if not paths.is_writable(path.parent) or path.is_dir():
        raise UsageError(f"{paths.display(path)} cannot be written; --out FILE writes elsewhere, for --on FILE")
    if not target and (beside := find.PLATFORMS / f"{name}.toml").exists():
        raise UsageError(f"--name {name}: there is {paths.display(beside)} already; take another name, or --out FILE")
    driver = programs.needed(programs.MPI_DRIVER)
    nodes = nodes or min(launcher.nodes() or 0, MAX_NODES)
    if not nodes:
        raise UsageError(f"{launcher.describe()} does not say how many nodes there are; add --nodes N")
    on_bed = launcher.kind == "testbed"
    machine = topology.read()  # of this node: the others are taken to be the same
    each = ranks_per_node or (1 if on_bed else min(len(machine.cores), MAX_RANKS_PER_NODE))
    ranks = nodes * each
    if ranks < 2:
        raise UsageError("one rank alone sends no message; add --nodes or --ranks-per-node")

    def measure(plan: Sequence[Wanted]) -> Answers:
        return ask(plan, ranks, lambda file: launcher.command([driver, "--p2p", file], ranks, nodes), launcher.folder)

    load, began = os.getloadavg()[0], time.monotonic()
    when = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    shape, seen = measured(measure, quick)
    if len(shape.nodes) != nodes:
        raise UserError(
            f"{counted(nodes, 'node')} were asked for and ranks sit on {len(shape.nodes)}: {', '.join(sorted({h for h, _ in seen.hosts}))}"
        )
    sockets, per_socket, per_cache = (1, each, each) if on_bed else machine.shape
    about = About(
        name,
        f"{name}: {counted(nodes, 'node')} as measured point to point",
        (nodes, sockets, per_socket, per_cache),
        f"collscope calibrate, {when}, {seen.library}, {counted(ranks, 'rank')} on {counted(nodes, 'node')} of {launcher.describe()}, "
        f"load of this one {load:.1f} before and {os.getloadavg()[0]:.1f} after, in {time.monotonic() - began:.0f} s",
        *(leaves_of(there.network) if on_bed and (there := bed.standing()) else ((), math.inf)),
    )
    found = numbers(shape, seen)
    text = text_of(found, about)
    parse_spec(text, paths.display(path))
    write_atomically(path, text)
    return Calibrated(path, found, seen, shape, about.source)


def leaves_of(network: Network) -> tuple[Sequence[str], float]:
    """The leaf switches of a test bed, as a specification's topology, and an uplink's bytes a second: what was asked for, not measured.
    Bytes are TCP's payload."""
    if network.leaves < 2:
        return (), math.inf
    each, said = network.hosts // network.leaves, 'tag = "documented", source = "what the bed was made with"'
    rate = network.uplink_bits_per_s / network.bits_per_s * network.ceiling_bytes_per_s
    lines = (
        'kind = "fat_tree"',
        f"leaves = {{ value = {network.leaves}, {said} }}",
        f"nodes_per_leaf = {{ value = {each}, {said} }}",
        f"oversubscription = {{ value = {each}, {said} }}    # one uplink a leaf, of this rate:",
        f"link_bytes_per_s = {{ value = {rate!r}, {said} }}",
        f"hop_latency_s = {{ value = {network.uplink_latency_s!r}, {said} }}",
    )
    return lines, rate


def describe(made: Calibrated) -> Iterator[str]:
    """A line each: of each class its pieces and residuals, links, a node's elements, what was left out."""
    found = made.found
    yield made.source
    for level, pieces in found.curves.items():
        missed = sorted(abs(m) for _, m in residual(found, level))
        yield (
            f"{level}: {len(missed)} sizes in {counted(len(pieces), 'piece')}; missed by {quantile(missed, 0.5):.1%} (median), "
            f"{missed[-1]:.1%} (most)"
        )
        for start, latency, slope in pieces:
            yield f"  from {format_size(start):>8}: α = {format_time(latency)}, β = {slope * 1e9:.3g} ns/B"
    for link, (rate, told) in found.rates.items():
        yield f"{link}: {'' if told else 'at least '}{rate / 1e6:.4g} MB/s"
    yield f"overhead {format_time(found.overhead_s)}; eager up to {format_size(found.eager[0])}"
    if found.in_order is not None:
        yield f"messages of one pair flow {'one after the other' if found.in_order else 'side by side'}"
    if found.nic_gap_s:
        yield f"NIC: {format_time(found.nic_gap_s)} between messages"
    yield from (f"note: {note}" for note in found.notes)
