"""The timing engine beside SimGrid itself: random schedules on the ideal network, every algorithm on Schooner."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.catalogue import registry
from collscope.machines import find
from collscope.machines.hosts import hosts_of
from collscope.machines.simgrid import smpirun_args, smpirun_env
from collscope.points.plan import Layout, Point
from collscope.sources import model
from driven import drive
from made_platforms import LAYERED, SQUARE, write

SCRIPT = paths.BUILD / "prove" / "timing_script"
SCRIPT_MPI = paths.BUILD / "smpi" / "script_mpi"
needed = (SCRIPT, SCRIPT_MPI, programs.PROVER, programs.SIM_DRIVER)
missing = [str(p) for p in needed if not p.exists()] + ([] if shutil.which("smpirun") else ["smpirun"])
pytestmark = pytest.mark.skipif(bool(missing), reason=f"not there: {', '.join(missing)}")

Operations = list[list[str]]
PICOSECOND = 1e-12


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


@pytest.mark.parametrize(("alpha", "beta"), [("1e-06", "1e-09"), ("1.5e-06", "3.3e-10"), ("1e-03", "1e-09")])
def test_any_schedule_ends_when_simgrid_says(alpha: str, beta: str, tmp_path: Path) -> None:
    schedules = [scatter_at_once(16), all_to_all_at_once(16), pipeline(16, 40), exchange(16)]
    schedules += [at_random(seed) for seed in range(120)]
    scripts = []
    for i, ops in enumerate(schedules):
        scripts.append(tmp_path / f"{i}.script")
        lines = [f"ranks {len(ops)}", *(f"{me} {op}" for me, mine in enumerate(ops) for op in mine)]
        scripts[-1].write_text("\n".join(lines) + "\n")
    machine = tmp_path / "machine.txt"
    # A picosecond of computing is a byte, as timing_script has it.
    machine.write_text(f"ports fluid\ncontrol 16\neager -1\ngamma 1e-12\nclass network 0 {alpha} {beta}\n")
    ours = subprocess.run([SCRIPT, machine, *scripts], capture_output=True, text=True, check=True)

    on = find.load(f"ideal[alpha={alpha},beta={beta}]")
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("\n".join(hosts_of(on, 16, 16)) + "\n")
    command = ["smpirun", "-np", "16", "-hostfile", *map(str, [hosts, *smpirun_args(on), SCRIPT_MPI, *scripts])]
    theirs = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **smpirun_env(on)})
    assert theirs.returncode == 0, theirs.stderr
    assert ends(ours.stdout) == pytest.approx(ends(theirs.stdout), rel=1e-9, abs=PICOSECOND)
    assert len(ends(ours.stdout)) == sum(map(len, schedules))


@pytest.mark.parametrize(
    ("nodes", "ranks", "name"),
    [
        (1, 5, "schooner"),
        (2, 8, "schooner"),
        (4, 17, "schooner"),
        (2, 8, "schooner[memory_bytes_per_s=12.1e9,interconnect_bytes_per_s=12.2e9,switch_bytes_per_s=4.49e9]"),
    ],
)
def test_model_and_simulation_agree_on_schooner(nodes: int, ranks: int, name: str, tmp_path: Path) -> None:
    """Classes, protocols, processor overheads, shared memory links and NICs: the same rules twice, written independently. Where links
    are as narrow as they can be each of them holds somebody up."""
    counts = (1, 1000, 100_003) if name == "schooner" else (100_003,)
    assert_agreement(tmp_path, name, nodes, ranks, counts)


@pytest.mark.parametrize(
    ("text", "nodes", "ranks", "mapping"),
    [(LAYERED, 2, 33, "block"), (LAYERED, 1, 32, "fill"), (SQUARE, 3, 19, "cyclic"), (SQUARE, 1, 12, "block")],
)
def test_model_and_simulation_agree_on_nodes_with_levels_and_joined_sockets(
    text: str, nodes: int, ranks: int, mapping: str, tmp_path: Path
) -> None:
    """Units' links, a core's limit to other sockets, ways over sockets and to the NIC: all are narrow, so that each is shared."""
    assert_agreement(tmp_path, write(tmp_path, text), nodes, ranks, (10_007,), mapping)


@pytest.mark.parametrize(
    ("name", "nodes", "ranks", "mapping"), [("orfeo_epyc", 2, 19, "cyclic"), ("ib_multicore", 3, 14, "socket")]
)
def test_model_and_simulation_agree_on_machines_of_this_kind(
    name: str, nodes: int, ranks: int, mapping: str, tmp_path: Path
) -> None:
    assert_agreement(tmp_path, name, nodes, ranks, (10_007,), mapping)


@pytest.mark.parametrize(
    ("mapping", "nodes", "ranks"), [("core", 2, 23), ("socket", 2, 23), ("node", 3, 11), ("file", 2, 9)]
)
def test_model_and_simulation_agree_where_open_mpi_s_mappings_put_ranks(
    mapping: str, nodes: int, ranks: int, tmp_path: Path
) -> None:
    """Nodes that are full beside one that is not, neighbours on different sockets, ranks dealt out, and any seats at all."""
    if mapping == "file":
        lines = (f"rank {r}=node{7 * r % 2} slot={7 * r % 20}\n" for r in range(ranks))
        (tmp_path / "ranks").write_text("".join(lines))
        mapping = f"file:{tmp_path / 'ranks'}"
    assert_agreement(tmp_path, "schooner", nodes, ranks, (10_007,), mapping)


def assert_agreement(
    tmp_path: Path, name: str, nodes: int, ranks: int, counts: Sequence[int], mapping: str = "block"
) -> None:
    """Every algorithm, with the first and the last root."""
    points = []
    for algorithm in registry.load().algorithms:
        collective = algorithm.key.partition("/")[0]
        roots = (0, ranks - 1) if registry.load().collective(collective).has_root else (0,)
        points += [
            Point(collective=collective, algorithm=algorithm.key, count=count, root=root)
            for root in roots
            for count in counts
        ]
    times = drive(tmp_path, name, ranks, points, nodes=nodes, mapping=mapping)
    layout = Layout(find.load(name), nodes, ranks, mapping)
    compared = 0
    for at, time, said in zip(points, times, model.evaluate([(layout, p) for p in points]), strict=True):
        assert (time is None) == (said["status"] != "ok"), at
        if time is not None:
            assert said["model_s"] == pytest.approx(time, rel=1e-9, abs=PICOSECOND), at
            compared += 1
    assert compared > len(points) / 2
