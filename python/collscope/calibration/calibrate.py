"""Measures this machine point to point and writes its specification: platforms/this_machine/spec.toml, not tracked.

Collectives play no part: predicting those is what the specification is for.
"""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from collscope.base import console, paths
from collscope.base.errors import UsageError, UserError
from collscope.base.files import write_atomically
from collscope.base.units import format_size, format_time
from collscope.calibration import topology
from collscope.calibration.fit import Fit, Line, fit, level_in
from collscope.calibration.probe import probe
from collscope.calibration.spec_text import Made, eager_limit, spec_text
from collscope.machines import find
from collscope.machines.spec_reader import parse_spec
from collscope.sources import mpirun

MAX_RANKS = 16
LAUNCHES = 5  # they differ more than repetitions do
PAIRS = 3  # of a class; the first launch has all, which on many cores takes as long as the rest together
ASIDE = 0.5  # of a core: what a machine does beside, without disturbing anybody


@dataclass(frozen=True)
class Calibration:
    """What was written, and how it came about."""

    path: Path
    fitted: Fit
    load: tuple[float, float]  # of the machine, before and after
    seconds: float  # that measuring took


def calibrate(ranks: int | None = None, target: Path | None = None) -> Calibration:
    """Measures with `ranks` ranks (default: one a core, at most 16) and writes the specification, whole or not at all. UserError: there
    are not two cores, or the driver cannot measure; UsageError: the specification cannot be written there."""
    path = target or find.PLATFORMS / "this_machine" / "spec.toml"
    if not paths.is_writable(path.parent) or path.is_dir():
        raise UsageError(f"{paths.display(path)} cannot be written; --out FILE writes elsewhere, for --on FILE")
    machine = topology.read()
    ranks = ranks or min(len(machine.cores), MAX_RANKS)
    if ranks < 2:
        raise UserError("calibrating needs two cores: two ranks that share one measure the scheduler")
    before, began = os.getloadavg()[0], time.monotonic()
    if warning := busy(before, ranks, len(machine.cores)):
        console.note(warning)
    lines = probe(ranks, range(1, ranks))
    few = few_of_each_class(ranks, lines, machine)
    lines += [line for _ in range(1, LAUNCHES) for line in probe(ranks, few)]
    load, seconds = (before, os.getloadavg()[0]), time.monotonic() - began
    when = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    fitted = fit(lines, machine)
    text = spec_text(fitted, machine, eager_limit(), Made(ranks, when, mpirun.library(), load))
    parse_spec(text, str(path))
    write_atomically(path, text)
    return Calibration(path, fitted, load, seconds)


def few_of_each_class(ranks: int, lines: Sequence[Line], machine: topology.Topology) -> list[int]:
    """The first ranks of each class of messages to rank 0, at most PAIRS; `lines` say where ranks ran."""
    level, found = level_in(lines, machine), dict[str, list[int]]()
    for other in range(1, ranks):
        found.setdefault(level({"a": 0, "b": other}), []).append(other)
    return sorted(other for others in found.values() for other in others[:PAIRS])


def busy(load: float, ranks: int, cores: int) -> str:
    """The warning where others compute on the cores that are to be measured; "" where they do not."""
    if load + ranks <= cores + ASIDE:
        return ""
    return (
        f"the machine is busy: load {load:.1f} on {cores} cores, of which {ranks} are measured; times will be too long: "
        "measure again when it is quiet"
    )


def describe(made: Calibration) -> Iterator[str]:
    """Load, and of each class its pieces and how well they meet what was measured; a line each."""
    yield f"measured in {made.seconds:.0f} s; load: {made.load[0]:.1f} before, {made.load[1]:.1f} after, the ranks themselves included"
    for level, pieces in sorted(made.fitted.curves.items()):
        yield f"{level}: {made.fitted.quality[level].text}"
        for start, latency, slope in pieces:
            yield f"  from {format_size(start):>8}: α = {format_time(latency)}, β = {slope * 1e9:.3g} ns/B"
