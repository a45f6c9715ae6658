#!/usr/bin/env python3
"""OSU's unmodified benchmarks on a test bed, with Open MPI's own choice and with a rules file of `tune`.

    ./collscope testbed up
    .venv/bin/python bench/tune_osu.py --osu DIR --rules DIR/openmpi.conf [--pairs 2] [--calls 10]
    ./collscope testbed down

The folder of --osu has osu_bcast, osu_reduce, osu_allreduce, osu_allgather, osu_alltoall and osu_reduce_scatter, built with this machine's
mpicc. Each pair is two launches, one with the file and one without, in an order that changes; a row has the medians of the pairs."""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.base.units import format_size
from collscope.catalogue import registry
from collscope.commands.tune import COLLECTIVES
from collscope.testbed import bed
from collscope.tuning import openmpi_rules

MAX_BYTES = 1 << 20  # of a vector
PATIENCE_S = 900

Times = dict[int, float]  # size as the benchmark prints it → seconds


def printed(there: bed.Bed, program: Path, size: int, calls: int, variables: dict[str, str]) -> Times:
    """What a benchmark prints up to this size. UserError: it failed."""
    line = there.mpirun(there.network.hosts, [program, "-m", str(size), "-i", str(calls)])
    done = programs.answer(line, timeout=PATIENCE_S, env=os.environ | variables)
    rows = re.findall(r"^(\d+)\s+([\d.]+)", done.stdout, re.M)
    if done.returncode or not rows:
        raise UserError(f"{program.name}: status {done.returncode}: {done.stderr.strip()[-400:]}")
    return {int(size): float(us) * 1e-6 for size, us in rows}


def main() -> int:
    """Prints a line per collective and size, then the sums."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    options.add_argument("--osu", type=Path, required=True)
    options.add_argument("--rules", type=Path, required=True)
    options.add_argument("--pairs", type=int, default=2)
    options.add_argument("--calls", type=int, default=10)
    options.add_argument("--collectives", default=COLLECTIVES)
    given = options.parse_args()
    there = bed.standing()
    if there is None:
        raise UserError("no test bed is up; ./collscope testbed up makes one")
    if not given.rules.is_file():
        raise UserError(f"{given.rules}: not there; ./collscope tune writes it")
    follows = openmpi_rules.variables(given.rules.absolute(), without_han=False)
    gains = []
    print(f"load {os.getloadavg()[0]:.0f}; {there.network.describe()}")
    print(f"{'':16s} {'size':>8s} {'own, ms':>10s} {'rules, ms':>10s} {'less':>8s}")
    for name in given.collectives.split(","):
        whole = (
            there.network.hosts if registry.load().collective(name).counts_blocks and name != "reduce_scatter" else 1
        )
        pairs: list[tuple[Times, Times]] = []
        for pair in range(given.pairs):
            order = [{}, follows] if pair % 2 == 0 else [follows, {}]
            two = [printed(there, given.osu / f"osu_{name}", MAX_BYTES // whole, given.calls, v) for v in order]
            pairs.append((two[0], two[1]) if pair % 2 == 0 else (two[1], two[0]))
        mine = []
        for size in pairs[0][0]:
            own, rules = (statistics.median(pair[i][size] for pair in pairs) for i in (0, 1))
            mine.append((own, rules))
            print(
                f"{name:16s} {format_size(size):>8s} {own * 1e3:10.3f} {rules * 1e3:10.3f} {100 * (1 - rules / own):6.1f} %",
                flush=True,
            )
        gains += mine
        total(name, mine)
    total("all", gains)
    return 0


def total(what: str, found: list[tuple[float, float]]) -> None:
    """The time of one call of each size, and the geometric mean of what the rules save."""
    own, rules = (sum(pair[i] for pair in found) for i in (0, 1))
    mean = statistics.geometric_mean([rules / own for own, rules in found])
    print(
        f"{what}: a call of each size: {own * 1e3:.0f} ms, with the rules {rules * 1e3:.0f} ms, {100 * (1 - rules / own):.1f} % less; "
        f"{100 * (1 - mean):.1f} % less in the geometric mean of {len(found)} sizes",
        flush=True,
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (UserError, subprocess.TimeoutExpired) as error:
        sys.exit(f"tune_osu: {error}")
