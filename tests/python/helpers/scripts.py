"""Schedules as scripts, which the timing engine and a real MPI program under SMPI both play: see tests/model/script.h."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

from collscope.base import paths
from collscope.machines.placement import hosts_of
from collscope.machines.platform import Platform, smpirun_args
from collscope.points.plan import Layout
from collscope.sources.smpirun import environment

SCRIPT = paths.BUILD / "prove" / "timing_script"
SCRIPT_MPI = paths.BUILD / "smpi" / "script_mpi"

Operations = list[list[str]]


def scatter_at_once(ranks: int) -> Operations:
    ops: Operations = [[] for _ in range(ranks)]
    for to in range(1, ranks):
        ops[0].append(f"isend {to} {1000 * to * to}")
        ops[to].append(f"recv 0 {1000 * to * to}")
    ops[0] += [f"wait {i}" for i in range(ranks - 1)]
    return ops


def all_to_all_at_once(ranks: int) -> Operations:
    ops: Operations = []
    for me in range(ranks):
        others = [r for r in range(ranks) if r != me]
        mine = [f"irecv {r} {1000 * (1 + (7 * me + 3 * r) % 11)}" for r in others]
        mine += [f"isend {r} {1000 * (1 + (7 * r + 3 * me) % 11)}" for r in others]
        ops.append(mine + [f"wait {i}" for i in range(len(mine))])
    return ops


def pipeline(ranks: int, segments: int) -> Operations:
    """Two receives posted at a time."""
    ops: Operations = [[f"send 1 {8192}" for _ in range(segments)]]
    for me in range(1, ranks):
        mine, posted = [f"irecv {me - 1} 8192"], 0
        for k in range(segments):
            following = len(mine)
            if k + 1 < segments:
                mine.append(f"irecv {me - 1} 8192")
            mine.append(f"wait {posted}")
            if me + 1 < ranks:
                mine.append(f"send {me + 1} 8192")
            posted = following
        ops.append(mine)
    return ops


def exchange(ranks: int) -> Operations:
    ops: Operations = [[] for _ in range(ranks)]
    distance = 1
    while distance < ranks:
        for me, mine in enumerate(ops):
            at = len(mine)
            mine += [
                f"irecv {me ^ distance} {3000 * distance}",
                f"send {me ^ distance} {3000 * distance}",
                f"wait {at}",
            ]
            mine.append(f"compute {3e-6 * distance}")
        distance *= 2
    return ops


def at_random(seed: int) -> Operations:
    """Messages in one global order, so that nothing can wait for ever."""
    choose = random.Random(seed)
    ranks = choose.choice([2, 3, 5, 8, 16])
    ops: Operations = [[] for _ in range(ranks)]
    pending: list[list[int]] = [[] for _ in range(ranks)]
    for _ in range(choose.choice([5, 30, 200])):
        src, dst = choose.sample(range(ranks), 2)
        size = choose.choice([0, 1, 16, 100, 1000, 10_000, choose.randrange(100_000), 1_000_000])
        for me, other, what in ((src, dst, "send"), (dst, src, "recv")):
            later = choose.random() < 0.5
            if later:
                pending[me].append(len(ops[me]))
            ops[me].append(f"{'i' * later}{what} {other} {size}")
        for me in (src, dst):
            while pending[me] and choose.random() < 0.35:
                ops[me].append(f"wait {pending[me].pop(choose.randrange(len(pending[me])))}")
        if choose.random() < 0.3:
            ops[src].append(f"compute {round(choose.random() * 1e-4, 9)}")
    for me in range(ranks):
        ops[me] += [f"wait {at}" for at in pending[me]]
    return ops


def ends(text: str) -> list[float]:
    return [float(line.split()[1]) for line in text.splitlines()]


def written(schedules: Sequence[Operations], folder: Path) -> list[Path]:
    """A script of each schedule."""
    scripts = []
    for i, ops in enumerate(schedules):
        scripts.append(folder / f"{i}.script")
        lines = [f"ranks {len(ops)}", *(f"{me} {op}" for me, mine in enumerate(ops) for op in mine)]
        scripts[-1].write_text("\n".join(lines) + "\n")
    return scripts


def modelled(scripts: Sequence[Path], machine: str, folder: Path) -> list[float]:
    """When each rank of each script is done on a machine file's machine; its gamma is a picosecond, as timing_script has it."""
    file = folder / "machine.txt"
    kept = [line for line in machine.splitlines() if not line.startswith("gamma ")]
    file.write_text("\n".join([*kept, "gamma 1e-12"]) + "\n")
    done = subprocess.run([SCRIPT, file, *scripts], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ends(done.stdout)


def simulated(scripts: Sequence[Path], on: Platform, nodes: int, ranks: int, folder: Path) -> list[float]:
    """The same under SMPI."""
    hosts = folder / "hosts.txt"
    hosts.write_text("\n".join(hosts_of(on, nodes, ranks)) + "\n")
    command = ["smpirun", "-np", str(ranks), "-hostfile", *map(str, [hosts, *smpirun_args(on), SCRIPT_MPI, *scripts])]
    env = {**os.environ, **environment(Layout(on, nodes, ranks)), "TMPDIR": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    return ends(done.stdout)
