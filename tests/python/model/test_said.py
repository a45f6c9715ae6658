"""model: what the prover's programs say, word for word (said.txt), of calls that are odd and of requests that cannot be.

Numbers count to nine digits; of a long answer a sum stands for its end.
`PYTHONPATH=python .venv/bin/python tests/python/model/test_said.py` writes the file anew."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from collscope.base import programs
from rounded import rounded

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs build/prove")
KEPT = Path(__file__).with_name("said.txt")

PLACES = "".join(f"place {r} {r // 3} {r // 3} {r // 2}\n" for r in range(8))
FLUID = f"""ports fluid
control 16
eager 2000
gamma 1e-10
copy 5e-11
overhead 2e-7
first_touch 1e-10 64
in_order
nic_gap 1e-7
receive_gap network 0 1e-7 1e-10
class cache 0 2e-7 1e-10
class socket 0 3e-7 2e-10
class node 0 4e-7 2e-10
class network 0 1e-6 4e-10 1 2e-7 1e-10
class_nonblocking network 0 2e-6 4e-10
eager_nonblocking 100
noise network 0 0 0
noise network 0 0.5 1e-7
noise network 0 1 1e-6
core 6e9
memory 7e9
nic 2.5e9
switch 2.4e9
bound 1e-6 4e-10 1e-10
{PLACES}"""
SEATS = ((0, 0, 0), (0, 0, 0), (0, 0, 1), (0, 1, 2), (0, 2, 4), (1, 3, 6), (1, 5, 10), (2, 6, 12), (2, 7, 14))
INSIDE = """control 16
gamma 1e-10
level die 2 5e9
class cache 0 1e-7 1e-10
class die 0 2e-7 1.5e-10
class socket 0 3e-7 2e-10
class node 0 4e-7 2e-10
class far 0 5e-7 3e-10
class network 0 1e-6 4e-10
core 6e9
cache 8e9
memory 7e9
across 6e9
interconnect 4e9
mesh 0 1
mesh 1 2
nic_socket 1 3 1e-7
nic 2.5e9
switch 2.4e9
bound 1e-6 4e-10 1e-10
topology torus 1e-7 1.5e9 4
positions 0 2
positions 3 1
""" + "".join(f"place {r} {n} {s} {c}\n" for r, (n, s, c) in enumerate(SEATS))
ODD = (
    "algorithm=bcast/mst ranks=4 count=9 metric=loop",
    "algorithm=bcast/mst ranks=4 count=9 buffers=cold",
    "algorithm=bcast/mst ranks=4 count=900 buffers=fresh",
    "algorithm=allgather/leaders[aggregate=shm] ranks=6 count=900 buffers=fresh",
    "algorithm=bcast/builtin ranks=4 count=9",
    "algorithm=bcast/mst ranks=4 count=9 metric=osu_avg[barrier=barrier/tree] repetitions=3 warmup=2",
    "algorithm=bcast/mst ranks=4 count=9 metric=osu_avg[barrier=barrier/two_proc]",
    "algorithm=bcast/mst ranks=4 count=9 metric=osu_avg[barrier=decision/nobody]",
    "algorithm=bcast/hierarchical_unknown_root ranks=6 count=9 metric=osu_avg[barrier=barrier/tree]",
    "algorithm=bcast/mst ranks=4 count=9 metric=delay skew=linear:9e-6",
    "algorithm=gather/mst ranks=4 count=9 root=2 metric=root skew=random:1e-5:3",
    "algorithm=barrier/tree ranks=4 metric=delay skew=one_late:1e-5:2",
    "algorithm=barrier/tree ranks=4 skew=file:late",
    "algorithm=allreduce/bucket ranks=4 count=30 type=affine",
    "algorithm=decision/ompi_4_1 collective=allreduce ranks=6 count=3000",
    "algorithm=decision/rd_ring collective=gather ranks=6 count=3000",
    "algorithm=reduce/binomial ranks=7 count=3000 root=3 op=max type=double",
    "algorithm=alltoall/linear ranks=7 count=700 metric=osu_avg",
    "algorithm=scan/linear ranks=1 count=7",
    "algorithm=bcast/mst ranks=4 count=0",
)
BY_HAND = """collscope-schedule 1
call collective=bcast ranks=2 count=2
rank 0
  send out+0 8 to 1
rank 1
  recv out+0 8 from 0
  calc 1500
"""
FILES = {
    "fluid": FLUID,
    "inside": INSIDE,
    "nine": "algorithm=alltoall/linear ranks=9 count=3000\nalgorithm=allreduce/ring ranks=9 count=9000\n",
    "alone": "ports one_port\nclass network 0 1e-6 1e-9\ngamma 2e-10\ncopy 1e-10\noverhead 1e-7\nbound 1e-6 1e-9 2e-10\n",
    "wrong": "ports one_port\nspeed 3\n",
    "narrow": "class cache 0 1e-7 1e-10\nplace 0 0 0 0\nplace 1 1 1 1\n",
    "places": "0 0 0\n1 1 1\n1 1 1\n",
    "late": "3e-6\n1e-6\n2e-6\n9e-6\n",
    "odd": "".join(f"id={i} {line}\n" for i, line in enumerate(ODD)),
    "proofs": "".join(f"{line}\n" for line in ODD if "/builtin" not in line),
    "seven": "algorithm=allgather/bucket ranks=7 count=10\nalgorithm=bcast/chain[chains=2,s=16] ranks=6 count=10 root=1\n",
    "by_hand": BY_HAND,
    "deadlock": BY_HAND.replace("  send", "  recv nothing from 1\n  send").replace(
        "  calc", "  send nothing to 0\n  calc"
    ),
    "timed": "collscope-schedule 1\ncall collective=none ranks=1\nrank 0\n  calc 2500\n",
    "nobody": "algorithm=bcast/nothing ranks=4 count=1\n",
    "unranked": "\nalgorithm=bcast/mst count=1\n",
    "builtin": "algorithm=bcast/builtin ranks=4 count=1\n",
    "many": "algorithm=bcast/mst ranks=9 count=1\n",
    "absent_late": "algorithm=bcast/mst ranks=4 count=1 skew=file:nowhere\n",
    "beyond_late": "algorithm=bcast/mst ranks=4 count=1 skew=one_late:1:4\n",
}
BCAST = "collective=bcast ranks=8"
REQUESTS = [
    "", "--help", "--bogus", "more", "--plan", "--json --list more", "--model fluid", "--sweep --algorithm bcast/nothing --ranks 2",
    "--plan seven", "--plan seven --costs", "--plan seven --messages", "--plan proofs", "--plan odd", "--plan absent", "--plan nobody",
    "--plan unranked", "--plan builtin", "--plan many --places places", "--plan seven --places absent", "--plan seven --costs --trace",
    "--model fluid --plan odd", "--model fluid --plan odd --explain", "--model alone --plan odd --explain",
    "--model inside --plan nine --explain", "--model inside --plan nine --trace", "--model fluid --plan seven --noise 3",
    "--model alone --plan odd", "--model alone --plan odd --trace", "--model alone --plan seven --holdings",
    "--model alone --plan unranked",
    "--model fluid --plan many", "--model wrong --plan seven", "--model absent --plan seven", "--model alone --plan absent",
    "--model alone --plan nobody", "--model alone --plan absent_late", "--model alone --plan beyond_late",
    "--model narrow --plan seven",
    *(f"--model fluid --plan seven --noise {n}" for n in ("0", "x", "1x", "99999999999")),
    *(f"--ranks {n} --sweep" for n in ("0", "2..1", "1..5000", "x")), *(f"--counts {n} --sweep" for n in ("x", "1,", "1125899906842625")),
    "--sweep --no-variants --ranks 5 --counts 0,7 --algorithm bcast/mst --algorithm reduce/linear",
    "--sweep --ranks 5,31,64 --counts 3 --algorithm bcast/linear --algorithm allgather/leaders",
    "--sweep --no-costs --ranks 3 --algorithm scan/linear",
    " ".join(["--sweep --ranks 2", *["--algorithm bcast/mst"] * 400]),
    "--schedule by_hand", "--schedule by_hand --messages", "--schedule by_hand --describe", "--schedule deadlock", "--schedule timed",
    "--schedule timed --describe", "--schedule absent", "--schedule", "--schedule by_hand --costs", "--schedule by_hand --plan seven",
    "--model alone --schedule by_hand", "--model alone --schedule by_hand --trace", "--model alone --schedule by_hand --holdings",
    "--model alone --schedule by_hand --explain", "--model alone --schedule by_hand --plan seven", "--model alone --schedule deadlock",
    "--model alone --schedule timed", "--model alone --schedule timed --holdings", "--model alone --write --plan seven",
    "--model alone --write --plan many", "--model alone --write --plan builtin", "--write --plan many",
    "--trace --plan seven", "--costs --model alone --plan seven", "--holdings --sweep", "--explain --list", "--ranks 3 --rules",
    "--noise 3 --decide",
    "--decide", "--decide bcast", "--decide colour=red", f"--decide {BCAST}", f"--decide {BCAST} count=10 decision=decision/ompi_4_1",
    f"--decide {BCAST} count=10", "--decide collective=allreduce ranks=6 count=5 commutes=0 elem=8", f"--decide {BCAST} count=1 root=8",
    "--decide collective=gather ranks=3 count=9 root=1 in_place=1", "--decide collective=nothing ranks=3 count=1",
    f"--decide {BCAST} count=10 decision=decision/nobody", f"--decide {BCAST} count=1125899906842625",
    "--decide collective=bcast ranks=0 count=1",
    "--decide collective=bcast ranks=4194304 count=1125899906842624 elem=8", "--decide collective=bcast ranks=4194305 count=1",
    " ".join([f"--decide {BCAST} count=1", *["decision=decision/ompi_4_1"] * 32]), " ".join([f"--decide {BCAST} count=1",
    *["decision=decision/ompi_4_1"] * 33]),
]  # fmt: skip
RECORDED = ["keys", ""]
CALLS = (
    "a bcast/linear 4 10 0 1 0", "b reduce/chain 4 10 0 0 0", "c decision/ompi_4_1:alltoall 3 10 0 1 0 8",
    "d gather/binomial 5 3 1 1 0", "", " ",
    "e bcast/nothing 4 1 0 1 0", "f bcast/mst 0 1 0 1 0", "g bcast/mst 4 1 0 1 0 0", "h decision/ompi_4_1 3 1 0 1 0",
    "i bcast/mst:bcast 3 1 0 1 0",
    "j decision/ompi_4_1:nothing 3 1 0 1 0", "k bcast/mst 4", "bcast/mst", "l allgather/neighbor_exchange 5 4 0 1 0",
)  # fmt: skip


def lines_of(program: Path, request: str, given: str, folder: Path) -> Iterator[str]:
    env = {**os.environ, "COLUMNS": "100"}
    command = [program, *request.split()]
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, text=True, check=False, env=env)
    yield f"{program.name} {request[:120]} < {given.strip()!r}: {done.returncode}"
    for line in (done.stdout + done.stderr.partition("\nusage: ")[0]).splitlines():
        without_seconds = re.sub(r" *\b\d+\.\d+\b", "", line)
        line = json.dumps(rounded(json.loads(line))) if line.startswith("{") else without_seconds
        yield f"  {line}" if len(line) < 300 else f"  {line[:250]} … {zlib.crc32(line.encode()):08x}"


def said(folder: Path) -> list[str]:
    for name, text in FILES.items():
        (folder / name).write_text(text)
    recorded = programs.PROVER.with_name("collscope-recorded")
    asked = [(programs.PROVER, request, "") for request in REQUESTS] + [
        (recorded, way, f"{c}\n") for way in RECORDED for c in CALLS
    ]
    return [line for request in asked for line in lines_of(*request, folder)]


def test_everything_is_said_as_it_was(tmp_path: Path) -> None:
    assert said(tmp_path) == KEPT.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        KEPT.write_text("\n".join(said(Path(made))) + "\n", encoding="utf-8")
