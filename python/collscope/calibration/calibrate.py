"""Measures this machine point to point and writes its specification: platforms/this_machine/spec.toml, not tracked.

Collectives play no part: predicting those is what the specification is for.
"""

from __future__ import annotations

import datetime
from pathlib import Path

from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.calibration import topology
from collscope.calibration.fit import fit
from collscope.calibration.probe import probe
from collscope.calibration.spec_text import Made, eager_limit, spec_text
from collscope.machines import find
from collscope.machines.spec_reader import parse_spec
from collscope.sources import mpirun

MOST_RANKS = 16
LAUNCHES = 2  # they differ more than repetitions do


def calibrate(ranks: int | None = None, target: Path | None = None) -> Path:
    """Measures with `ranks` ranks (default: one a core, at most 16) and writes the specification, whole or not at all. UserError: there
    are not two cores, or the driver cannot measure."""
    machine = topology.read()
    ranks = ranks or min(len(machine.cores), MOST_RANKS)
    if ranks < 2:
        raise UserError("calibrating needs two cores: two ranks that share one measure the scheduler")
    lines = [line for _ in range(LAUNCHES) for line in probe(ranks)]
    when = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    text = spec_text(fit(lines, machine), machine, eager_limit(), Made(ranks, when, mpirun.library()))
    path = target or find.PLATFORMS / "this_machine" / "spec.toml"
    parse_spec(text, str(path))
    write_atomically(path, text)
    return path
