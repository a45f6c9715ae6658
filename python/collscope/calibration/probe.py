"""Measuring point to point: the driver's --pingpong under mpirun, each rank on a core of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from collscope.base import leftovers, programs
from collscope.base.errors import UserError
from collscope.sources import mpirun

LARGEST_BYTES = 4 << 20
PROBE_S = 300


def probe(ranks: int, driver: Path = programs.MPI_DRIVER) -> list[dict[str, Any]]:
    """The driver's JSON lines, each with one key: place, pingpong, overhead, gap, copy or gamma (driver/pingpong). UserError: what could
    not be measured and why."""
    size = f"0..{LARGEST_BYTES}"
    probe_words = ["--bind-to", "core", str(programs.needed(driver)), "--pingpong", "--bytes", size]
    if mpirun.share_cores(ranks):
        raise UserError(f"{ranks} ranks do not have a core each; calibrate with at most {len(os.sched_getaffinity(0))}")
    leftovers.watch()
    try:
        command = [*mpirun.command(ranks), *probe_words]
        done = programs.answer(command, timeout=PROBE_S)
    except FileNotFoundError:
        raise UserError("mpirun: not found; install openmpi-bin (./collscope doctor says more)") from None
    except subprocess.TimeoutExpired:
        raise UserError(f"measuring took more than {PROBE_S} s; is the machine busy?") from None
    lines = []
    for text in done.stdout.splitlines():
        if text.startswith("{"):
            try:
                lines.append(json.loads(text))
            except json.JSONDecodeError:
                raise UserError(f"the driver printed a line that is not JSON: {text[:80]}") from None
    if done.returncode or not any("pingpong" in line for line in lines):
        said = mpirun.reason(done.stderr) or (done.stdout.strip() or "nothing").splitlines()[-1]
        raise UserError(f"the driver's --pingpong failed (exit {done.returncode}): {said}")
    return lines
