"""What a decision table sends, beside what MPICH itself hands to its network (tests/libraries/mpich_messages.c)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import libraries
from collscope import twin_compare as twins

SOURCE = Path(__file__).parents[1] / "libraries" / "mpich_messages.c"
# Every rank alone on a node, so that the flat selection runs and all messages pass the network's layer.
ENVIRONMENT = {"MPIR_CVAR_CH4_NETMOD": "ucx", "MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "posix,self"}


@dataclass(frozen=True)
class Call:
    collective: str
    count: int
    elem: int = 4
    root: int = 0
    commutes: bool = True
    in_place: bool = False

    @property
    def shape(self) -> str:
        return f"{self.count} {self.root} {int(self.commutes)} {int(self.in_place)} {self.elem}"


@dataclass(frozen=True)
class Compared:
    ranks: int
    call: Call
    verdict: str  # same; order: each pair's messages are alike, a rank's order is not; different; unsupported
    key: str = ""
    text: str = ""
    theirs: tuple[twins.Messages, ...] = ()  # by rank; kept where the two differ
    ours: tuple[twins.Messages, ...] = ()

    def __str__(self) -> str:
        return f"{self.ranks} ranks, {self.call}: {self.verdict}: {self.key} {self.text}"


def compile_theirs(folder: Path) -> None:
    mpicc = libraries.mpich().mpicc
    command = [str(mpicc), "-std=gnu11", "-O1", "-w", "-o", str(folder / "mpich_messages"), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True)


def library_messages(folder: Path, ranks: int, calls: Sequence[Call]) -> dict[tuple[int, int], twins.Messages]:
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
            found[int(index), rank] = twins.parse(words)
    return found


def compare(folder: Path, ranks: int, calls: Sequence[Call], keys: Sequence[str] | None = None) -> list[Compared]:
    """Each call of MPICH beside decision/mpich_4's choice, or beside the keys given."""
    keys = keys or [f"decision/mpich_4:{c.collective}" for c in calls]
    theirs = library_messages(folder, ranks, calls)
    text = "".join(f"{i} {key} {ranks} {c.shape}\n" for i, (key, c) in enumerate(zip(keys, calls, strict=True)))
    own = twins.recorded(text)
    made = []
    for i, call in enumerate(calls):
        if i in own.why:
            made.append(Compared(ranks, call, "unsupported", keys[i], own.why[i]))
            continue
        pairs = [r for r in range(ranks) if twins.by_peer(theirs[i, r]) != twins.by_peer(own.messages[i, r])]
        order = [r for r in range(ranks) if twins.sends(theirs[i, r]) != twins.sends(own.messages[i, r])]
        verdict = "different" if pairs else "order" if order else "same"
        r = ([*pairs, *order] or [0])[0]
        text = f"rank {r}: MPICH {theirs[i, r][:10]}, here {own.messages[i, r][:10]}" if verdict != "same" else ""
        differ = range(ranks) if verdict != "same" else ()
        both = tuple(tuple(of[i, r] for r in differ) for of in (theirs, own.messages))
        made.append(Compared(ranks, call, verdict, own.keys[i], text, *both))
    return made
