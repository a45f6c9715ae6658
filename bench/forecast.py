#!/usr/bin/env python3
"""How long simulations are said to take beside what they take: a row per run.

What is compared is one core's time: the estimate before a run, and the processor time of its launches, which other programs on the
machine change little. The first column of factors is that of the constants alone, the second what is said once runs have been seen.

    bench/forecast.py [--jobs 1]
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from collscope.base import paths
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points.plan import Layout
from collscope.points.sweep import Sweep
from collscope.sources import forecast, simulate
from collscope.sources.source import Options

RUNS = (  # platform, nodes, ranks, collective, algorithms ("": all), bytes of the vector
    ("ideal", 8, 8, "bcast", "", (8, 1 << 20)),
    ("ideal", 64, 64, "allgather", "", (1 << 10, 1 << 20)),
    ("ideal", 1024, 1024, "bcast", "bcast/mst", (8,)),
    ("schooner", 2, 8, "reduce", "", (8, 1 << 14, 1 << 20)),
    ("schooner", 4, 64, "bcast", "", (1 << 10, 1 << 16, 1 << 20)),
    ("schooner", 4, 64, "allreduce", "", (1 << 10, 1 << 16, 1 << 20)),
    ("schooner", 4, 64, "alltoall", "", (1 << 14, 1 << 18)),
    ("schooner", 4, 64, "barrier", "", (0,)),
    ("schooner", 16, 256, "gather", "", (1 << 14,)),
    ("schooner", 16, 256, "allgather", "allgather/bucket", (1 << 14, 1 << 22)),
    ("schooner", 16, 256, "bcast", "bcast/pipeline", (1 << 20,)),
    ("orfeo_epyc", 2, 128, "scatter", "", (1 << 14,)),
    ("orfeo_epyc", 2, 128, "allreduce", "allreduce/recursive_doubling", (8, 1 << 20)),
    ("orfeo_epyc", 2, 256, "bcast", "bcast/linear", (8, 1 << 16)),
    ("ideal", 512, 512, "allreduce", "allreduce/ring", (1 << 14,)),
)


def children_s() -> float:
    """Processor time of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--jobs", type=int, default=1)
    jobs = options.parse_args().jobs
    known = registry.load()
    print("run                                                        points  said s  took s  factor  after runs")
    before: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        paths.CACHE = Path(folder)
        for platform, nodes, ranks, collective, key, sizes in RUNS:
            names = [known.resolve(key, collective)[1]] if key else [a.full_key() for a in known.of(collective)]
            layout = Layout(find.load(platform), nodes, ranks)
            tasks = Sweep([(collective, name) for name in names], sizes, [layout], fit="round").tasks()
            expected = forecast.work_s(tasks, jobs)
            start = children_s()
            simulate.run_tasks(tasks, Options(quiet=True, jobs=jobs))
            took = children_s() - start
            learnt = expected * forecast.usual(before)
            name = f"{platform}, {ranks} ranks on {nodes}: {key or f'{collective}, all'}"
            factors = f"{expected / took:>7.2f} {learnt / took:>11.2f}"
            print(f"{name:<58} {len(tasks):>6} {expected:>7.1f} {took:>7.1f} {factors}", flush=True)
            if min(expected, took) >= forecast.WORTH_S:
                before.append(took / expected)


if __name__ == "__main__":
    main()
