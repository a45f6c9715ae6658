#!/usr/bin/env python3
"""What the proof before every number adds to `run -a all`: processor time of proofs beside that of the times themselves.

Both are measured in this process, one after the other, with an empty cache, so that other programs on the machine change neither.
With --pairs the whole command is run instead, with and without its proofs in turn, each time with an empty cache: its processor time and
its time by the clock, which other programs do change.

    bench/proof.py [--ranks 64] [--source sim] [--pairs 5]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points.plan import Layout
from collscope.points.sweep import Sweep
from collscope.sources import proven
from collscope.sources.rows import SOURCES
from collscope.sources.source import Options

SIZES = (1 << 10, 1 << 14, 1 << 20)  # bytes of the vector
PLATFORM, NODES = "schooner", 4


def cpu_s(work: Callable[[], object]) -> float:
    """Seconds of all processors that this process and its children spend on it."""
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    work()
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(before, after, strict=True))


def beside_each_other(collectives: Sequence[str], ranks: int, source: str) -> None:
    """Prints a row per collective: the proofs' processor time beside that of the times."""
    known = registry.load()
    layout = Layout(find.load(PLATFORM), NODES, ranks)
    print("collective  points  proof s  times s  proof/times")
    with tempfile.TemporaryDirectory() as folder:
        paths.CACHE = Path(folder)
        for collective in collectives:
            keys = [(collective, a.full_key()) for a in known.of(collective)]
            tasks = Sweep(keys, SIZES, [layout], fit="round").tasks()
            proof = cpu_s(lambda tasks=tasks: proven.failures(tasks))  # type: ignore[misc]
            times = cpu_s(lambda tasks=tasks: SOURCES[source].rows(tasks, Options(quiet=True)))  # type: ignore[misc]
            print(f"{collective:<10} {len(tasks):>7} {proof:>8.2f} {times:>8.2f} {proof / times:>11.1%}", flush=True)


def in_pairs(collectives: Sequence[str], ranks: int, source: str, pairs: int) -> None:
    """Prints a row per collective: medians of the command's times with and without proofs, and of the ratios of each pair."""
    print("collective  CPU s without    with  ratio  (least, greatest)  clock s without    with  ratio")
    for collective in collectives:
        cpu: dict[bool, list[float]] = {False: [], True: []}
        clock: dict[bool, list[float]] = {False: [], True: []}
        for number in range(pairs):
            for proves in (number % 2 == 0, number % 2 != 0):
                began = time.monotonic()
                cpu[proves].append(cpu_s(lambda c=collective, p=proves: command(c, ranks, source, p)))  # type: ignore[misc]
                clock[proves].append(time.monotonic() - began)
        row = f"{collective:<10}"
        for seconds in (cpu, clock):
            ratios = [a / b for a, b in zip(seconds[True], seconds[False], strict=True)]
            row += f" {statistics.median(seconds[False]):>14.2f} {statistics.median(seconds[True]):>7.2f} {statistics.median(ratios):>6.3f}"
            row += f"   ({min(ratios):.3f}, {max(ratios):.3f})  " * (seconds is cpu)
        print(row, flush=True)


def command(collective: str, ranks: int, source: str, proves: bool) -> None:
    """`run -a all` in a process of its own, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        words = [
            sys.executable,
            __file__,
            "--ranks",
            ranks,
            "--source",
            source,
            "--only",
            "with" if proves else "without",
        ]
        subprocess.run(
            [*map(str, words), collective],
            env=os.environ | {"COLLSCOPE_CACHE": folder},
            stdout=subprocess.DEVNULL,
            check=True,
        )


def whole(collective: str, ranks: int, source: str, proves: bool) -> int:
    """The command, in this process; without proofs a simulation is forecast by its messages."""
    from collscope.commands import run

    def refuse(*_: object) -> NoReturn:
        raise UserError("not proven")

    if not proves:
        proven.failures = lambda *_, **__: {}
        proven.operations = refuse
    words = {"collective": collective, "algorithms": "all", "sizes": ",".join(map(str, SIZES)), "source": source}
    return run.run(run.Request(platform=PLATFORM, nodes=str(NODES), ranks=str(ranks), **words))  # type: ignore[arg-type]


def main() -> int:
    """Prints a row per collective."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--ranks", type=int, default=64)
    options.add_argument("--source", choices=("sim", "model"), default="sim")
    options.add_argument("--pairs", type=int, default=0, help="run the whole command so often with and without proofs")
    options.add_argument("--only", choices=("with", "without"), help="run the whole command once, for --pairs")
    options.add_argument("collectives", nargs="*", default=("bcast", "allreduce", "allgather", "alltoall", "barrier"))
    given = options.parse_args()
    if given.only:
        return whole(given.collectives[0], given.ranks, given.source, given.only == "with")
    print(f"{given.source}, {given.ranks} ranks on {NODES} nodes, load {os.getloadavg()[0]:.1f}")
    if given.pairs:
        in_pairs(given.collectives, given.ranks, given.source, given.pairs)
    else:
        beside_each_other(given.collectives, given.ranks, given.source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
