#!/usr/bin/env python3
"""Measures the speed and memory that collscope promises, on this machine. Set it up first (./collscope list), then:

    .venv/bin/python bench/measure_numbers.py [start] [allgather] [prove] [study] [overhead]

Times are of whole processes: wall and processor seconds, and the memory of the largest process; machines are noisy, so compare
processor seconds, and ratios where there are any.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from collscope.base import programs
from collscope.machines import find
from collscope.machines.placement import hosts_of
from collscope.machines.platform import smpirun_args, smpirun_env
from collscope.points.plan import Point, plan_text

HEADER = f"{'what':58s} {'wall s':>8s} {'cpu s':>8s} {'MiB':>7s}   target"


@dataclass(frozen=True)
class Cost:
    """What a command took: wall and processor seconds, MiB of its largest process."""

    wall_s: float
    cpu_s: float
    mib: float

    def __str__(self) -> str:
        return f"{self.wall_s:8.2f} {self.cpu_s:8.2f} {self.mib:7.0f}"


def measured(command: Sequence[str | Path], env: dict[str, str] | None = None, shown: bool = False) -> Cost:
    """Runs a command; ends everything when it fails."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with subprocess.Popen(
        command, stdout=None if shown else subprocess.DEVNULL, env={**os.environ, **(env or {})}, cwd=ROOT
    ) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {child.returncode}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, usage.ru_maxrss / 1024)


def run(
    what: str, command: Sequence[str | Path], target: str, env: dict[str, str] | None = None, shown: bool = False
) -> None:
    """Runs a command and prints its line of the table."""
    print(f"{what:58s} {measured(command, env, shown)}   {target}", flush=True)


def start() -> None:
    """The time until the first line, when all is built."""
    run("./collscope list, a second time", [ROOT / "collscope", "list"], "< 1 s wall")


def allgather() -> None:
    """64 ranks, blocks of 1 B to 1 MiB, each size simulated once."""
    on = find.load("schooner")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "hosts.txt").write_text("\n".join(hosts_of(on, 4, 64, "block")) + "\n", encoding="utf-8")
        for algorithm, target in (("recursive_doubling", "≤ 0.6 s, ≤ 200 MiB"), ("bucket", "≤ 2 s, ≤ 200 MiB")):
            points = [
                Point(collective="allgather", algorithm=f"allgather/{algorithm}", count=1 << k, type="byte")
                for k in range(21)
            ]
            (folder / "plan.txt").write_text(
                plan_text((str(i), point) for i, point in enumerate(points)), encoding="utf-8"
            )
            command = [
                "smpirun",
                "-np",
                "64",
                "-hostfile",
                folder / "hosts.txt",
                *smpirun_args(on),
                programs.SIM_DRIVER,
            ]
            run(
                f"allgather/{algorithm}, 64 ranks, 21 sizes",
                [*command, "--plan", folder / "plan.txt", "--shared-buffers"],
                target,
                smpirun_env(on),
            )


def prove() -> None:
    """The prover over the catalogue, and single algorithms on thousands of ranks."""
    catalogue = "1..17,24,32,48,64"
    run("prove everything, p = 1…64", [programs.PROVER, "--sweep", "--no-variants"], "≤ 10 s")
    run(
        f"the catalogue, p = {catalogue}", [programs.PROVER, "--sweep", "--no-variants", "--ranks", catalogue], "≤ 60 s"
    )
    run("the same, other parameters and places too", [programs.PROVER, "--sweep", "--ranks", catalogue], "≤ 60 s")
    with tempfile.TemporaryDirectory() as name:
        plan = Path(name) / "plan.txt"
        for key, ranks, target in PROVE_AT_SCALE:
            plan.write_text(
                f"algorithm={key} ranks={ranks} count={0 if key.startswith('barrier') else 1000}\n", encoding="utf-8"
            )
            run(f"prove {key}, p = {ranks}", [programs.PROVER, "--plan", plan], target)


PROVE_AT_SCALE = [
    ("allgather/bucket", 1024, "≤ 1 s"),
    ("allgather/bucket", 4096, "≤ 20 s, ≤ 4096 MiB"),
    *(
        (key, 4096, "≤ 1 s")
        for key in (
            "bcast/binomial",
            "bcast/mst",
            "bcast/knomial",
            "reduce/binomial",
            "gather/binomial",
            "barrier/dissemination",
            "allgather/recursive_doubling",
            "allreduce/recursive_doubling",
        )
    ),
]


def study() -> None:
    """A whole study, simulated and then from the cache."""
    collscope = ROOT / "collscope"
    run("bird_schooner, nothing cached", [collscope, "study", "run", "bird_schooner", "--force"], "≤ 240 s, ≤ 2048 MiB")
    run("bird_schooner, everything cached", [collscope, "study", "run", "bird_schooner"], "≤ 3 s")


def overhead() -> None:
    """Ours beside Open MPI's own on two real ranks: bench/overhead.py has options for more."""
    run("overhead of every twin, 2 ranks", [sys.executable, ROOT / "bench" / "overhead.py"], "≤ 180 s wall", shown=True)


WHAT = {"start": start, "allgather": allgather, "prove": prove, "overhead": overhead, "study": study}

if __name__ == "__main__":
    chosen = sys.argv[1:] or list(WHAT)
    unknown = [name for name in chosen if name not in WHAT]
    if unknown:
        raise SystemExit(f"{', '.join(unknown)}: not one of {', '.join(WHAT)}")
    print(HEADER)
    for name in chosen:
        WHAT[name]()
