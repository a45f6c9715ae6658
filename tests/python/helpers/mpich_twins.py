"""What a decision table sends, beside what MPICH itself hands to its network (tests/libraries/mpich_messages.c)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import libraries
from collscope.base import paths
from collscope.twins import messages
from collscope.twins.call import Messages
from library_calls import Call, Compared, compared, own_messages

SOURCE = Path(__file__).parents[2] / "libraries" / "mpich_messages.c"
# Every rank alone on a node, so that the flat selection runs and all messages pass the network's layer.
ENVIRONMENT = {"MPIR_CVAR_CH4_NETMOD": "ucx", "MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "posix,self"}


def compile_theirs(folder: Path) -> None:
    mpicc = libraries.mpich().mpicc
    command = [
        str(mpicc),
        "-std=gnu11",
        "-O1",
        "-w",
        f"-I{paths.ROOT}",
        "-o",
        str(folder / "mpich_messages"),
        str(SOURCE),
        "-ldl",
    ]
    subprocess.run(command, check=True)


def library_messages(folder: Path, ranks: int, calls: Sequence[Call]) -> dict[tuple[int, int], Messages]:
    """What MPICH sends: call's index and rank → messages. One launch."""
    plan, out = folder / "mpich.plan", folder / "mpich.out"
    plan.write_text("".join(f"call {i} {c.collective} {c.shape}\n" for i, c in enumerate(calls)))
    command = [str(libraries.mpich().mpirun), "-np", str(ranks), str(folder / "mpich_messages"), str(plan), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | ENVIRONMENT, timeout=500)
    assert done.returncode == 0, done.stderr[-2000:]
    found = {}
    for rank in range(ranks):
        for line in Path(f"{out}.{rank}").read_text().splitlines():
            index, *words = line.split()
            found[int(index), rank] = messages.parse(words)
    return found


def compare(folder: Path, ranks: int, calls: Sequence[Call], keys: Sequence[str] | None = None) -> list[Compared]:
    """Each call of MPICH beside decision/mpich_4's choice, or beside the keys given."""
    keys = keys or [f"decision/mpich_4:{c.collective}" for c in calls]
    theirs = library_messages(folder, ranks, calls)
    own = own_messages(ranks, calls, keys)
    sent = [tuple(theirs[i, r] for r in range(ranks)) for i in range(len(calls))]
    return [compared(call, keys[i], "MPICH", sent[i], own, i) for i, call in enumerate(calls)]
