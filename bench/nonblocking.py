#!/usr/bin/env python3
"""What non-blocking calls cost and hide. Build first (cmake --preset mpi && cmake --build --preset mpi), then:

    .venv/bin/python bench/nonblocking.py [--ranks 2] [--runs 3]

cost      a call started and waited for at once, beside the blocking call of the same algorithm: the median over 300 neighbouring batches,
          then of the runs; with the plan's operations and its bytes per operation at rank 0
overlap   an allreduce of 1 MiB beside work that takes as long, by OSU's definition: ours and the library's own MPI_Iallreduce; of the times
          of 400 calls the lowest tenth

Machines are noisy: give it idle cores, and for a thread a core of its own."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.sources import mpirun

PROGRAM = ROOT / "build" / "mpi" / "collscope-nonblocking"
KEYS = ("bcast/binomial", "allreduce/recursive_doubling", "allreduce/ring", "allgather/bucket", "alltoall/linear")
BYTES = (8, 4096, 65536, 1 << 20)
FLOAT_BYTES = 4


def answers(ranks: int, *words: str) -> list[dict[str, Any]]:
    """The lines of one run."""
    done = programs.answer(
        [*mpirun.command(ranks), programs.needed(PROGRAM), *words],
        timeout=900,
        env=os.environ | {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    )
    if done.returncode:
        raise UserError(f"{PROGRAM.name}: status {done.returncode}: {done.stderr.strip()[-300:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def print_costs(ranks: int, runs: int) -> None:
    """A row for each algorithm and size."""
    print(
        f"{'':32s} {'bytes':>8s} {'blocking':>10s} {'ratio':>7s} {'lowest':>7s} {'highest':>7s} {'operations':>10s} {'bytes each':>10s}"
    )
    for key in KEYS:
        for size in BYTES:
            rows = [answers(ranks, "cost", key, str(size // FLOAT_BYTES))[0] for _ in range(runs)]
            ratios = [row["ratio"] for row in rows]
            blocking = statistics.median(row["blocking_s"] for row in rows)
            operations = rows[0]["operations"]
            print(
                f"{key:32s} {size:8d} {blocking * 1e6:8.2f}us {statistics.median(ratios):7.3f} {min(ratios):7.3f} {max(ratios):7.3f}"
                f" {operations:10d} {rows[0]['bytes'] / max(operations, 1):10.1f}",
                flush=True,
            )


def print_overlaps(ranks: int, runs: int) -> None:
    """A row for each kind of progress."""
    rows = [
        row for _ in range(runs) for row in answers(ranks, "overlap", "allreduce/ring", str((1 << 20) // FLOAT_BYTES))
    ]
    print(f"{'':32s} {'call':>10s} {'together':>10s} {'overlap':>8s} {'lowest':>8s} {'highest':>8s}")
    for kind in dict.fromkeys(row["progress"] for row in rows):
        mine = [row for row in rows if row["progress"] == kind]
        overlaps = [100 * row["overlap"] for row in mine]
        call, together = (statistics.median(row[name] for row in mine) * 1e6 for name in ("call_s", "together_s"))
        print(
            f"{kind:32s} {call:8.1f}us {together:8.1f}us {statistics.median(overlaps):7.1f}% {min(overlaps):7.1f}% {max(overlaps):7.1f}%",
            flush=True,
        )


def main() -> int:
    """Prints both tables."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--ranks", type=int, default=2)
    options.add_argument("--runs", type=int, default=3)
    given = options.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}; {mpirun.library()}, {given.ranks} ranks")
    print_costs(given.ranks, given.runs)
    print_overlaps(given.ranks, given.runs)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"nonblocking: {error}")
