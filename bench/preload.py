#!/usr/bin/env python3
"""What libcollscope.so adds to a call of MPI_Bcast of 8 bytes: passed on to the MPI library, executed by an algorithm, and recorded for a
profile; and to an MPI_Ibcast and an MPI_Wait. Build first (cmake --preset mpi && cmake --build --preset mpi), then:

    .venv/bin/python bench/preload.py [--ranks 2] [--runs 5]

The same call with the library and without takes turns in batches of 200; a run is the median of 2000 differences of neighbouring batches,
and the table has the median of the runs. Machines are noisy: give it idle cores."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.sources import mpirun

COST = ROOT / "build" / "mpi" / "collscope-preload-cost"
ALGORITHM = "bcast/binomial"
TARGETS = {
    "passed on": "≤ 100",
    "profiled": "≤ 1000 (1 % of 100 µs)",
    "executed": "≤ 150",
    "executed and reported": "",
    "MPI_Ibcast passed on": "≤ 100",
    "MPI_Ibcast executed": "",
    "MPI_Wait": "≤ 100",
}


def adds_ns(ranks: int, call: str, variables: dict[str, str]) -> tuple[float, float]:
    """(nanoseconds added to a call, nanoseconds of the call without) of one run; call: see preload.c."""
    words = [*mpirun.command(ranks)]
    for name, value in ({"LD_PRELOAD": str(programs.needed(programs.PRELOAD))} | variables).items():
        words += ["-x", f"{name}={value}"]
    done = programs.answer(
        [*words, programs.needed(COST), call], timeout=600, env=os.environ | {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    )
    if done.returncode:
        raise UserError(f"{COST.name}: status {done.returncode}: {done.stderr.strip()[-300:]}")
    line = json.loads(done.stdout.splitlines()[-1])
    return line["adds_ns"], line["other_ns"]


def main() -> int:
    """Prints the table."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--ranks", type=int, default=2)
    options.add_argument("--runs", type=int, default=5)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        report = {"COLLSCOPE_REPORT": f"{name}/report.json"}
        chosen = {"COLLSCOPE_BCAST": ALGORITHM}
        cases = {
            "passed on": ("bcast", report),
            "profiled": ("bcast", report | {"COLLSCOPE_PROFILE": "1"}),
            "executed": ("bcast", chosen),
            "executed and reported": ("bcast", report | chosen),
            "MPI_Ibcast passed on": ("ibcast", report),
            "MPI_Ibcast executed": ("ibcast", chosen),
            "MPI_Wait": ("wait", report | chosen),
        }
        print(f"load {os.getloadavg()[0]:.1f}; {mpirun.library()}, {given.ranks} ranks; nanoseconds per call")
        print(f"{'':24s} {'adds':>8s} {'lowest':>8s} {'highest':>8s} {'to':>8s}   target")
        for case, (call, variables) in cases.items():
            runs = [adds_ns(given.ranks, call, variables) for _ in range(given.runs)]
            added = [a for a, _ in runs]
            other = statistics.median(o for _, o in runs)
            print(
                f"{case:24s} {statistics.median(added):8.1f} {min(added):8.1f} {max(added):8.1f} {other:8.1f}   {TARGETS[case]}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"preload: {error}")
