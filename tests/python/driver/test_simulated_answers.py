"""driver: what the driver prints under smpirun, as it did before: a sum for each request (answers.txt), numbers to nine digits.

It detects a change of what is measured, traced or said, and proves nothing: that times are right is asked in tests/python/model and
tests/python/sources. `PYTHONPATH=python:tests/python/helpers .venv/bin/python tests/python/driver/test_simulated_answers.py` makes the
sums again; with a request's name behind it, it prints what was answered.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.machines import find
from collscope.machines.placement import hosts_of
from collscope.machines.platform import smpirun_args
from collscope.points.plan import Layout
from collscope.sources.smpirun import environment
from rounded import rounded

pytestmark = pytest.mark.skipif(
    not (shutil.which("smpirun") and programs.SIM_DRIVER.exists()), reason="needs smpirun and build/smpi"
)
KEPT = Path(__file__).with_name("answers.txt")
RANKS, NODES = 10, 2
ALGORITHMS = (
    "bcast/knomial[k=3,s=400] root=2",
    "bcast/split_binary[s=400]",
    "bcast/hierarchical_nary root=9",
    "bcast/builtin root=1",
    "reduce/in_order_binary type=affine root=3",
    "reduce/chain op=max type=int root=1",
    "scatter/linear_nb root=2",
    "gather/linear_sync[first=64] root=4",
    "gather/binomial root=9",
    "allgather/leaders",
    "allgather/leaders[aggregate=shm]",
    "allgather/leaders[aggregate=shm_in_place]",
    "allgather/bruck type=byte",
    "reduce_scatter/ring op=min",
    "reduce_scatter_block/butterfly type=double",
    "allreduce/hierarchical op=prod type=long",
    "allreduce/recursive_doubling",
    "alltoall/scattered[batch=3]",
    "scan/linear type=affine",
    "exscan/recursive_doubling",
    "barrier/hierarchical[shm=1] count=0",
    "rotation/serial",
    "allreduce/rabenseifner type=affine",
    "decision/ompi_4_1 collective=allreduce",
    "bcast/mst ranks=6 root=5",
)
REPEATED = {
    "makespan": "repetitions=3 warmup=1 check=1",
    "osu_avg": "metric=osu_avg repetitions=2",
    "root": "metric=root",
    "loop": "metric=loop repetitions=4 check=1",
    "in_place": "in_place=1 check=1",
}
# Times that are not simulated, and where somebody's files lie.
PASSING = (
    "status",
    "seconds",
    "versions",
    "flags",
    "mpi",
    "back_end",
    "wall_s",
    "hosts",
    "host",
    "library",
    "compiler",
)

OF_THIS_MACHINE = {"touch", "place"}  # what a processor takes, and which one: not simulated


def plan(name: str, more: str, count: int) -> list[str]:
    lines = []
    for i, algorithm in enumerate(ALGORITHMS):
        key, _, words = algorithm.partition(" ")
        size = "" if "count=" in words else f"count={count + i}"
        lines.append(f"id={name}-{i} algorithm={key} {words} {size} {more}")
    return lines


P2P = [
    *(
        f"{name} flows=0>1 bytes=3000 count=3 samples=2"
        for name in ("pingpong", "pingpong_nonblocking", "pingpong_fresh")
    ),
    *(f"{name} flows=0>2 bytes=4096 count=3 samples=2" for name in ("overhead", "receive", "late", "late_nonblocking")),
    "late flows=0>1 bytes=100000 count=3",
    "flows flows=0>1,1>0,0>2 bytes=100000 count=3 samples=2",
    *(f"{name} bytes=4096 count=2" for name in ("gamma", "copy", "touch")),
    *(f"{name} flows=0>2,2>1,1>0 bytes=4096 count=2" for name in ("relay", "relay_nonblocking")),
    "copy_exchanged flows=0>1 bytes=4096 count=2",
    *(f"{name} flows=0>1,1>0 bytes=9000 count=2" for name in ("gamma_exchanged", "flows_returned", "relay_copied")),
]

BUILTIN = (
    *("reduce", "scatter", "gather", "allgather", "reduce_scatter", "reduce_scatter_block", "allreduce", "alltoall"),
    *("scan", "exscan", "barrier"),
)
TYPES = ("float", "double", "int", "byte", "long")
# What cannot be, what is late, and what is done together. A loop and a library's own call have nothing to trace.
ODD = [
    f"id={i} {line}"
    for i, line in enumerate(
        (
            "algorithm=bcast/mst count=9 root=10",
            "algorithm=bcast/mst count=9 ranks=11",
            "algorithm=bcast/mst count=9 ranks=11 group=9",
            "algorithm=bcast/linear count=9 ranks=11 group=9",
            "algorithm=bcast/mst count=9 ranks=10 root=9",
            "algorithm=alltoall/linear count=140737488355328",
            "algorithm=rotation/builtin count=9",
            "algorithm=bcast/builtin count=9",
            "algorithm=bcast/builtin count=1073741825",
            "algorithm=allreduce/bucket count=30 type=affine",
            "algorithm=bcast/mst count=9 buffers=cold",
            "algorithm=bcast/mst count=9 buffers=fresh repetitions=2 warmup=2",
            "algorithm=allgather/leaders[aggregate=shm] count=9 buffers=fresh repetitions=2",
            "collective=gather algorithm=decision/rd_ring count=9",
            "collective=allreduce algorithm=decision/ompi_4_1 count=100000 root=3",
            "algorithm=bcast/mst count=9 metric=loop",
            "algorithm=bcast/mst count=9 metric=osu_avg[barrier=barrier/two_proc]",
            "algorithm=bcast/mst count=9 metric=osu_avg[barrier=decision/mpich_4] repetitions=2 warmup=1",
            "algorithm=bcast/mst count=9 metric=osu_avg[barrier=decision/nobody]",
            "algorithm=bcast/mst count=9 skew=linear:9e-6 repetitions=2",
            "algorithm=bcast/mst count=9 metric=delay skew=linear:9e-6 repetitions=2",
            "algorithm=gather/mst count=9 root=4 metric=root skew=random:1e-5:3",
            "algorithm=barrier/tree metric=delay skew=one_late:1e-5:4",
            "algorithm=barrier/tree metric=delay skew=one_late:1e-5:10",
            "algorithm=barrier/tree metric=delay skew=file:late",
            "algorithm=scan/linear count=9 until_ci=0.01 budget_s=1 repetitions=5 check=1",
            "algorithm=scan/linear count=9 metric=osu_avg until_ci=0.5 budget_s=1e-9 repetitions=5",
            "algorithm=bcast/mst count=70 group=1 repetitions=3 check=1",
            "algorithm=bcast/linear count=70 group=1 repetitions=1 warmup=3",
            "algorithm=bcast/chain count=70 group=1 repetitions=2",
            *(
                f"algorithm={collective}/builtin count={0 if collective == 'barrier' else 9} check=1 {more}"
                for collective in BUILTIN
                for more in ("", "in_place=1")
            ),
            *(
                f"algorithm=allreduce/linear count=9 check=1 op={op} type={of}"
                for op in ("sum", "prod", "max", "min")
                for of in TYPES
            ),
            "algorithm=reduce/builtin count=9 root=6 check=1 type=affine",
        )
    )
]

REQUESTS: dict[str, tuple[list[str], list[str]]] = {
    "repeated": (["--plan", "plan"], [line for name, more in REPEATED.items() for line in plan(name, more, 30)]),
    "large": (["--plan", "plan", "--shared-buffers"], plan("large", "", 4000)),
    "traced": (["--plan", "plan", "--trace"], plan("traced", "", 700)),
    "elsewhere": (["--plan", "plan", "--trace", "--places", "2x2x3,cyclic"], plan("elsewhere", "", 40)),
    "odd": (["--plan", "plan"], ODD),
    "odd, traced": (["--plan", "plan", "--trace"], ODD),
    "p2p": (["--p2p", "plan"], P2P),
    "sweep": (["--sweep", "--algorithm", "bcast/", "--roots", "2", "--part", "1/40"], []),
}


def answer(name: str, folder: Path) -> list[str]:
    """Status and lines of a request."""
    options, lines = REQUESTS[name]
    on = find.load("schooner")
    (folder / "plan").write_text("\n".join(lines) + "\n")
    ranks = 3 if name == "p2p" else RANKS
    (folder / "late").write_text("".join(f"{(7 * rank) % 5}e-6\n" for rank in range(RANKS)))
    (folder / "hosts").write_text("\n".join(hosts_of(on, NODES, ranks)) + "\n")
    launch = ["smpirun", "-np", str(ranks), "-hostfile", "hosts", *map(str, smpirun_args(on)), str(programs.SIM_DRIVER)]
    env = {**os.environ, **environment(Layout(on, NODES, ranks)), "TMPDIR": str(folder)}
    done = subprocess.run([*launch, *options], cwd=folder, capture_output=True, text=True, check=False, env=env)
    printed = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert printed and not done.returncode, done.stderr
    return [
        f"status {done.returncode}",
        *(json.dumps(rounded(line, PASSING)) for line in printed if not OF_THIS_MACHINE & {*line}),
    ]


def line_of(name: str, folder: Path) -> str:
    printed = answer(name, folder)
    return f"{name}: {printed[0]}, {len(printed) - 1} lines, {zlib.crc32(repr(printed).encode()):08x}"


@pytest.mark.parametrize("name", REQUESTS)
def test_the_driver_prints_what_it_printed(name: str, tmp_path: Path) -> None:
    kept = dict.fromkeys(KEPT.read_text(encoding="utf-8").splitlines())
    assert line_of(name, tmp_path) in kept


def main(named: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if named:
            print(*answer(named[0], Path(folder)), sep="\n")
        else:
            KEPT.write_text("".join(f"{line_of(name, Path(folder))}\n" for name in REQUESTS), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
