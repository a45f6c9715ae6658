#!/usr/bin/env python3
"""What the proof before every number adds to `run -a all`: processor time of proofs beside that of the times themselves.

Both are measured in this process, one after the other, with an empty cache, so that other programs on the machine change neither.

    bench/proof.py [--ranks 64] [--source sim]
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from collscope.base import paths
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points.plan import Layout
from collscope.points.sweep import Sweep
from collscope.sources import proven
from collscope.sources.rows import SOURCES
from collscope.sources.source import Options

SIZES = (1 << 10, 1 << 14, 1 << 20)  # bytes of the vector


def cpu_s(work: Callable[[], object]) -> float:
    """Seconds of all processors that this process and its children spend on it."""
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    work()
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(before, after, strict=True))


def main() -> None:
    """Prints a row per collective."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--ranks", type=int, default=64)
    options.add_argument("--source", choices=("sim", "model"), default="sim")
    options.add_argument("collectives", nargs="*", default=("bcast", "allreduce", "allgather", "alltoall", "barrier"))
    given = options.parse_args()
    known = registry.load()
    layout = Layout(find.load("schooner"), 4, given.ranks)
    print(f"{given.source}, {given.ranks} ranks on 4 nodes\ncollective  points  proof s  times s  proof/times")
    with tempfile.TemporaryDirectory() as folder:
        paths.CACHE = Path(folder)
        for collective in given.collectives:
            keys = [(collective, a.full_key()) for a in known.of(collective)]
            tasks = Sweep(keys, SIZES, [layout], fit="round").tasks()
            proof = cpu_s(lambda tasks=tasks: proven.failures(tasks))  # type: ignore[misc]
            times = cpu_s(lambda tasks=tasks: SOURCES[given.source].rows(tasks, Options(quiet=True)))  # type: ignore[misc]
            print(f"{collective:<10} {len(tasks):>7} {proof:>8.2f} {times:>8.2f} {proof / times:>11.1%}", flush=True)


if __name__ == "__main__":
    main()
