#!/usr/bin/env python3
"""A program on a test bed, with Open MPI's own choice and with the rules that `tune --profile` makes for it: how much less time it spends
in collectives, beside what the model predicts.

    cd FOLDER_OF_ITS_INPUT
    .venv/bin/python bench/tune_program.py --work DIR [--pairs 3] [--budget 60s] -- PROGRAM [WORDS …]

The bed is calibrated in short form if DIR has no bed.toml yet. The program is profiled, its calls are tuned and confirmed within the
budget, and then it is run in pairs, with the file and without, in an order that changes; a row has the medians of the pairs. Times are
those that libcollscope.so measures in both, of each rank on average; it passes all calls on."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.base.units import format_time
from collscope.calibration import calibrate
from collscope.commands import tune_rules
from collscope.sources.launcher import launcher_of
from collscope.testbed import bed
from collscope.testbed.network import Network
from collscope.tuning import openmpi_rules, profiles
from collscope.tuning.uses import Profile

HOSTS = 8
PATIENCE_S = 1800


def ran(there: bed.Bed, words: Sequence[str], report: Path, variables: Mapping[str, str]) -> Profile:
    """Runs the program once, with these variables; its profile. UserError: it failed."""
    report.unlink(missing_ok=True)
    line = there.mpirun(there.network.hosts, list(words), preload=str(programs.needed(programs.PRELOAD)))
    own = {"COLLSCOPE_REPORT": str(report), "COLLSCOPE_PROFILE": "1"}
    done = programs.answer(line, timeout=PATIENCE_S, env={**os.environ, **own, **variables})
    if done.returncode:
        raise UserError(f"{words[0]}: status {done.returncode}: {(done.stdout + done.stderr).strip()[-400:]}")
    return profiles.read(str(report))


def tuned(work: Path, profile: Path, budget: str) -> Path:
    """The rules for the calls of the profile. UserError: none stands."""
    request = tune_rules.Request(
        platform=str(work / "bed.toml"), library="openmpi", collectives=None, ranks="", ranks_per_node=None, sizes="", loss="2%",
        verify=False, mpi=None, confirm="real", budget=budget, launcher="testbed", hosts=None, remeasure=False,
        profiles=(str(profile),), assume_world=False, out=str(work / "rules"),
    )  # fmt: skip
    tune_rules.run(request)
    return work / "rules" / openmpi_rules.FILE


def by_collective(profile: Profile) -> dict[str, float]:
    """Seconds of each rank."""
    made: dict[str, float] = {}
    for use in profile.uses:
        made[use.collective] = made.get(use.collective, 0.0) + use.seconds
    return made


def row(what: str, own: Iterable[float], rules: Iterable[float]) -> None:
    """Medians, and the range of the pairs."""
    pairs = list(zip(own, rules, strict=True))
    a, b = (statistics.median(pair[i] for pair in pairs) for i in (0, 1))
    less = [100 * (1 - with_s / without_s) for without_s, with_s in pairs if without_s]
    span = f"{statistics.median(less):6.1f} % ({min(less):.1f} to {max(less):.1f})" if less else ""
    print(f"{what:24s} {format_time(a):>10s} {format_time(b):>10s} {span}", flush=True)


def main() -> int:
    """Prints a line per collective, then the sum and the run."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    options.add_argument(
        "--work", type=Path, required=True, help="a folder for the bed's specification, the profile and the rules"
    )
    options.add_argument("--pairs", type=int, default=3)
    options.add_argument("--budget", default="60s", help="of tune --confirm")
    options.add_argument("words", nargs="+", metavar="PROGRAM", help="with its words, behind --")
    given = options.parse_args()
    work = given.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    with bed.standing_or_made(Network(hosts=HOSTS)) as there:
        print(f"load {os.getloadavg()[0]:.1f}; {there.network.describe()}", flush=True)
        if not (work / "bed.toml").exists():
            began = time.monotonic()
            calibrate.calibrate("bed", launcher_of("testbed"), target=work / "bed.toml", quick=True)
            print(f"calibrated in {time.monotonic() - began:.0f} s", flush=True)
        ran(there, given.words, work / "profile.json", {})
        began = time.monotonic()
        follows = openmpi_rules.variables(tuned(work, work / "profile.json", given.budget), without_han=False)
        print(f"tuned in {time.monotonic() - began:.0f} s; load {os.getloadavg()[0]:.1f}", flush=True)
        pairs: list[tuple[Profile, Profile]] = []
        for pair in range(given.pairs):
            order = [{}, follows] if pair % 2 == 0 else [follows, {}]
            two = [ran(there, given.words, work / "run.json", variables) for variables in order]
            pairs.append((two[0], two[1]) if pair % 2 == 0 else (two[1], two[0]))
        print(f"load {os.getloadavg()[0]:.1f}\n{'':24s} {'own':>10s} {'rules':>10s}  less")
        names = dict.fromkeys(name for two in pairs for profile in two for name in by_collective(profile))
        for name in names:
            row(name, *([by_collective(two[i]).get(name, 0.0) for two in pairs] for i in (0, 1)))
        row("in collectives", *([two[i].seconds for two in pairs] for i in (0, 1)))
        row("run", *([two[i].run_s or 0.0 for two in pairs] for i in (0, 1)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (UserError, subprocess.TimeoutExpired) as error:
        sys.exit(f"tune_program: {error}")
