"""Measures this machine, or a cluster over its launcher, point to point and writes its specification: NAME/spec.toml.

survey → samples → estimates → specification → text. Collectives play no part: predicting those is what the specification is for.
"""

from __future__ import annotations

import datetime
import os
import platform as python_platform
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from collscope.base import paths, programs
from collscope.base.errors import UsageError, UserError
from collscope.base.files import write_atomically
from collscope.base.number import Number
from collscope.base.units import counted
from collscope.calibration import estimates, remarks, stability, survey, topology
from collscope.calibration.estimates import Estimates
from collscope.calibration.samples import Probe, Samples, ask
from collscope.calibration.specification import About, spec_of
from collscope.machines import find
from collscope.machines.spec import COUNTS, Spec, Topology
from collscope.machines.spec_reader import parse_spec
from collscope.machines.spec_writer import spec_text
from collscope.sources import idle, mpirun
from collscope.sources.launcher import LOCAL, Launcher
from collscope.testbed import bed
from collscope.testbed.network import Network

MAX_RANKS = 16  # of this machine
MAX_RANKS_PER_NODE = 64
MAX_NODES = 8
USUAL_EAGER_BYTES = 4095


@dataclass(frozen=True)
class Calibration:
    """What was written, and how it came about. `source`: when, where and with what it was measured; `unstable`: what single messages that
    were timed again differ by, "" where they do not."""

    path: Path
    estimates: Estimates
    samples: Samples
    source: str
    unstable: str = ""


@dataclass(frozen=True)
class _Found:
    """One calibration, before it is written."""

    samples: Samples
    estimates: Estimates
    about: About

    @property
    def spec(self) -> Spec:
        """Its specification."""
        return spec_of(self.estimates, self.about)


def calibrate(
    name: str = find.HERE,
    launcher: Launcher | None = None,
    nodes: int | None = None,
    ranks_per_node: int | None = None,
    target: Path | None = None,
    quick: bool = False,
) -> Calibration:
    """Measures and writes the specification, whole or not at all. Without a launcher: of this machine, with one rank per core, at most 16.
    With one: on `nodes` nodes (default: those that it reaches, at most 8) with `ranks_per_node` ranks each (default: one per core; one per
    host of the test bed). `quick`: fewer pairs, sizes and samples. UsageError: it cannot be written there; UserError: it cannot be
    measured."""
    path = target or find.measured_path(name)
    if not paths.is_writable(path.parent) or path.is_dir():
        raise UsageError(f"{paths.display(path)} cannot be written; --out FILE writes elsewhere, for --on FILE")
    if not target and (beside := find.spec_path(name)).exists() and beside.name != path.name:
        raise UsageError(f"--name {name}: there is {paths.display(beside)} already; take another name, or --out FILE")
    machine = topology.read()  # of this node: the others are taken to be the same
    on = launcher or LOCAL
    nodes, each = (
        (1, ranks_per_node or min(len(machine.cores), MAX_RANKS))
        if not launcher
        else _size(launcher, nodes, ranks_per_node, len(machine.cores))
    )
    ranks = nodes * each
    if not launcher:
        check_cores(ranks)
    measure = _measuring(on, ranks, nodes, bound=not launcher)

    def found() -> _Found:
        when, began = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"), time.monotonic()
        before = idle.remark(on, nodes)
        samples = survey.of_cluster(measure, quick) if launcher else survey.of_machine(measure, ranks, quick)
        if (sat_on := len(samples.placement.nodes)) != nodes:
            hosts = ", ".join(sorted({*samples.hosts}))
            raise UserError(f"{counted(nodes, 'node')} were requested and ranks sit on {sat_on}: {hosts}")
        source = (
            f"collscope calibrate, {when}, {samples.library}, {counted(ranks, 'rank')} on {counted(nodes, 'node')} of {on.describe()}, "
            f"in {time.monotonic() - began:.0f} s; before: {before}, after: {idle.remark(on, nodes)}"
        )
        if not launcher:
            about = about_machine(machine, samples.variables, source)
            return _Found(samples, estimates.of_machine(samples, machine.shape[0]), about)
        about = _about_cluster(name, launcher, (nodes, each), machine, source)
        cores = about.counts["sockets"].value * about.counts["cores_per_socket"].value
        return _Found(samples, estimates.of_cluster(samples, int(cores)), about)

    def differs(of: _Found) -> str:
        probes = [r.probe for r in of.samples.readings]
        if not launcher:
            return _machine_differs(of.spec, measure, probes)
        return _differs(of.spec, estimates.messages_of_cluster(measure(survey.again(probes, "pingpong"))))

    try:
        calibrated, unstable = stability.settled(found, differs)
    except KeyboardInterrupt:
        raise UserError("stopped; nothing was written") from None
    made, spec = calibrated.estimates, replace(calibrated.spec, unstable=unstable)
    errors = {level: [f"{level}: {fit.text}"] for level, fit in made.curves.items()}
    disturbed = sorted({*made.nonblocking} - {*spec.curve_nonblocking})
    words = (
        "left out, its messages are shorter than what their two ends spend; measure again when the machines are quiet"
    )
    made = replace(made, notes=(*made.notes, *(f"curve_nonblocking.{level}: {words}" for level in disturbed)))
    doubts = remarks.of_spec(parse_spec(spec_text(spec), paths.display(path)))
    made = replace(made, notes=(*made.notes, *doubts))
    of_what = f"As `./collscope calibrate --name {name}` measured it, point to point: no collective's time is in it."
    here = "This machine, as `./collscope calibrate` measured it. Not tracked: measure again instead of editing."
    text = spec_text(spec, [of_what if launcher else here, *made.notes], errors)
    write_atomically(path, text)
    return Calibration(path, made, calibrated.samples, calibrated.about.source, unstable)


def _measuring(on: Launcher, ranks: int, nodes: int, bound: bool) -> survey.Measure:
    """What makes the measurements of a plan there, in one launch; `bound`: each rank to a core."""
    driver = programs.needed(programs.MPI_DRIVER)
    start: list[str | Path] = [*(["--bind-to", "core"] if bound else []), driver, "--p2p"]

    def measure(plan: Sequence[Probe]) -> Samples:
        with on.session() as more:
            return ask(plan, ranks, lambda file: on.command([*start, file], ranks, nodes), on.folder, os.environ | more)

    return measure


def _differs(spec: Spec, times: stability.Times, pattern: str = "") -> str:
    return "; ".join(difference.text for difference in stability.differences(spec, times, pattern))


def _machine_differs(spec: Spec, measure: survey.Measure, probes: Sequence[Probe]) -> str:
    """By how much single messages, and what two ranks send to and fro, which no number was found from, differ."""
    eager = int(spec.eager_bytes.value)
    found = measure([*survey.again(probes, "flows"), *survey.forwards(probes, eager + 1)])
    forwarded = estimates.forwarded(found)
    return "; ".join(
        filter(
            None,
            [
                _differs(spec, estimates.messages_of_machine(found)),
                *(_differs(spec, t, p) for p, t in forwarded.items()),
            ],
        )
    )


def differs_here(path: Path) -> str:
    """By how much single messages of this machine differ now from its specification there, in words; "" where they do not."""
    ranks = min(len(topology.read().cores), MAX_RANKS)
    check_cores(ranks)
    measure = _measuring(LOCAL, ranks, 1, bound=True)
    few = survey.few_of_each_class(measure(survey.LOOK).placement, survey.PAIRS)
    return _machine_differs(find.load_spec(str(path)), measure, survey.common_start(ranks, few))


def _size(launcher: Launcher, nodes: int | None, ranks_per_node: int | None, cores: int) -> tuple[int, int]:
    """Nodes of a cluster, and ranks on each."""
    nodes = nodes or min(launcher.nodes() or 0, MAX_NODES)
    if not nodes:
        raise UsageError(f"{launcher.describe()} does not say how many nodes there are; add --nodes N")
    each = ranks_per_node or (1 if launcher.kind == "testbed" else min(cores, MAX_RANKS_PER_NODE))
    if nodes * each < 2:
        raise UsageError("one rank alone sends no message; add --nodes or --ranks-per-node")
    return nodes, each


def check_cores(ranks: int) -> None:
    """UserError: two ranks would share a core, or there is only one."""
    if ranks < 2:
        raise UserError("calibrating needs two cores: two ranks that share one measure the scheduler")
    if mpirun.share_cores(ranks):
        raise UserError(f"{ranks} ranks do not have a core each; calibrate with at most {len(os.sched_getaffinity(0))}")


def _counts(shape: Sequence[int], source: str) -> dict[str, Number]:
    return {key: Number(n, "documented", source) for key, n in zip(COUNTS, shape, strict=True)}


def about_machine(machine: topology.Topology, variables: Mapping[str, Any], source: str) -> About:
    """This machine: its processor, its shape as hwloc has it, and its library's eager limit."""
    processor = re.sub(r"[^\w .,()@/+-]", "", machine.model) or python_platform.machine()
    about = f"{processor}: {len(machine.cores)} cores"
    known = {"eager_bytes": eager_limit(variables), "oversubscribe": True}  # as in real runs
    return About(find.HERE, about, _counts((1, *machine.shape), "hwloc"), source, known=known)


def eager_limit(variables: Mapping[str, Any]) -> Number:
    """Open MPI's limit for shared memory, from the library's variables; the usual one where they do not say."""
    for transport in ("vader", "sm"):
        if (limit := variables.get(name := f"btl_{transport}_eager_limit")) is not None:
            return Number(int(limit) - 1, "documented", f"{name} {limit} of the library, header included")
    return Number(USUAL_EAGER_BYTES, "assumed", "usual")


def _about_cluster(
    name: str, launcher: Launcher, size: tuple[int, int], machine: topology.Topology, source: str
) -> About:
    nodes, each = size
    on_bed = launcher.kind == "testbed"
    shape = (nodes, 1, each, each) if on_bed else (nodes, *machine.shape)
    about = f"{name}: {counted(nodes, 'node')} as measured point to point"
    leaves = leaves_of(there.network) if on_bed and (there := bed.standing()) else Topology()
    return About(name, about, _counts(shape, "where the ranks that measured sat"), source, leaves)


def leaves_of(network: Network) -> Topology:
    """The leaf switches of a test bed, with one uplink each: what was asked for, not measured. Bytes are TCP's payload."""
    if network.leaves < 2:
        return Topology()

    def number(value: float) -> Number:
        return Number(value, "documented", "what the bed was made with")

    each = network.hosts // network.leaves
    rate = network.uplink_bits_per_s / network.bits_per_s * network.ceiling_bytes_per_s
    return Topology(
        kind="fat_tree",
        shape=(network.leaves, each),
        shape_from=(number(network.leaves), number(each)),
        hop_latency_s=number(network.uplink_latency_s),
        link_bytes_per_s=number(rate),
        oversubscription=number(each),
    )
