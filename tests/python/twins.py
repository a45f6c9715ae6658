"""Twins: what our schedules send, beside what Open MPI itself hands to its point-to-point layer.

`tests/twins/messages.c` writes down the library's messages, `tests/twins/recorded.c` ours, one launch for many calls.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "twins"
ROOTED = ("bcast", "reduce", "gather", "scatter")
BLOCKS = ("gather", "scatter", "allgather", "alltoall", "reduce_scatter_block")  # count is one block's
OPERATOR = ("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
MPIRUN = ("mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1")

BASE = ("-std=gnu11", "-O0", "-w")

Messages = list[tuple[str, int, int]]  # S or R, the other rank (-1: any), bytes


@dataclass(frozen=True)
class Call:
    """One call, of floats, and the key that should send the same."""

    key: str  # an algorithm's, or decision/NAME:COLLECTIVE
    collective: str
    count: int
    root: int = 0
    commutes: bool = True
    in_place: bool = False
    forced: tuple[tuple[str, int], ...] = ()  # coll_tuned's variables, without their prefix

    @property
    def shape(self) -> str:
        return f"{self.count} {self.root} {int(self.commutes)} {int(self.in_place)}"


@dataclass
class Outcome:
    """How many calls are alike, and the others in words."""

    same: int = 0
    order: list[str] = field(default_factory=list)  # each pair's messages are alike, a rank's order is not
    different: list[str] = field(default_factory=list)
    unsupported: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))

    def __str__(self) -> str:
        lines = [f"{self.same} alike, {len(self.order)} in another order, {len(self.different)} different, "
                 f"{sum(map(len, self.unsupported.values()))} unsupported"]  # fmt: skip
        return "\n".join(lines + self.order[:20] + self.different[:20])


def missing() -> str | None:
    """Why these tests cannot run here, or None: the prover's library built, and an Open MPI whose insides are known."""
    if not shutil.which("mpicc") or not shutil.which("mpirun"):
        return "needs Open MPI's mpicc and mpirun"
    said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    if "Open MPI) 4.1" not in said:
        return f"needs Open MPI 4.1; mpirun says {said.splitlines()[:1]}"
    return None


def compile_both(folder: Path) -> None:
    """Builds `messages` with MPI and `recorded` without, from sources alone: no build tree is needed."""
    subprocess.run(["mpicc", *BASE, "-o", str(folder / "messages"), str(SOURCES / "messages.c")], check=True)
    compile_ours(folder)


def compile_ours(folder: Path) -> None:
    library = re.search(r"add_library\(algorithms STATIC(.*?)\)", (ROOT / "CMakeLists.txt").read_text(), re.DOTALL)
    assert library, "CMakeLists.txt names the algorithms"
    names = [line.split("#")[0].strip() for line in library.group(1).splitlines()]
    recorder = sorted((ROOT / "algorithms/operations").glob("record*.c"))
    sources = [str(ROOT / name) for name in names if name] + [str(path) for path in recorder]
    ours = ["cc", *BASE, "-I", str(ROOT / "algorithms"), "-o", str(folder / "recorded"), str(SOURCES / "recorded.c")]
    subprocess.run([*ours, *sources, "-lm"], check=True)


def parse(words: Iterable[str]) -> Messages:
    made = []
    for word in words:
        if word == "refused":  # unlike anything of ours
            return [("refused", 0, 0)]
        peer, size = word[1:].split(":")
        made.append((word[0], int(peer), int(size)))
    return made


def library_messages(folder: Path, ranks: int, calls: Sequence[Call]) -> dict[tuple[int, int], Messages]:
    """What Open MPI sends: call's index and rank → messages. One launch."""
    lines: list[str] = []
    now: tuple[tuple[str, int], ...] = ()
    for i, call in enumerate(calls):
        if call.forced != now:
            off = [(name, 0) for name, _ in now if name not in dict(call.forced)]
            lines += [f"set coll_tuned_{name} {value}" for name, value in (*off, *call.forced)] + ["comm"]
            now = call.forced
        lines.append(f"call {i} {call.collective} {call.shape}")
    plan, out = folder / "plan", folder / "out"
    plan.write_text("\n".join(lines) + "\n")
    rules = ("--mca", "coll_tuned_use_dynamic_rules", "1") if any(call.forced for call in calls) else ()
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [*MPIRUN, *rules, "-np", str(ranks), str(folder / "messages"), str(plan), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=500)
    assert done.returncode == 0, done.stderr[-2000:]
    found = {}
    for rank in range(ranks):
        for line in Path(f"{out}.{rank}").read_text().splitlines():
            index, *words = line.split()
            found[int(index), rank] = parse(words)
    return found


def own_messages(
    folder: Path, ranks: int, calls: Sequence[Call]
) -> tuple[dict[tuple[int, int], Messages], dict[int, str], dict[int, str]]:
    """What our schedules send, the reasons of calls that are not supported, and the full keys."""
    text = "".join(f"{i} {c.key} {ranks} {c.shape}\n" for i, c in enumerate(calls))
    done = subprocess.run([str(folder / "recorded")], input=text, capture_output=True, text=True, check=True)
    found: dict[tuple[int, int], Messages] = {}
    why: dict[int, str] = {}
    keys: dict[int, str] = {}
    for line in done.stdout.splitlines():
        index, second, *rest = line.split()
        if second == "-":
            why[int(index)] = " ".join(rest)
        elif second == "key":
            keys[int(index)] = rest[0]
        else:
            found[int(index), int(second)] = parse(rest)
    return found, why, keys


def sends(messages: Messages) -> list[tuple[int, int]]:
    return [(peer, size) for kind, peer, size in messages if kind != "R"]


def by_peer(messages: Messages) -> dict[int, list[int]]:
    made: dict[int, list[int]] = defaultdict(list)
    for peer, size in sends(messages):
        made[peer].append(size)
    return made


def same_order(theirs: Messages, ours: Messages) -> bool:
    """Sends in one order, and receives: those of Open MPI may be from any rank, and their bytes are room, not need."""
    if sends(theirs) != sends(ours):
        return False
    from_a, from_b = ([peer for kind, peer, _ in m if kind == "R"] for m in (theirs, ours))
    return len(from_a) == len(from_b) and all(a in (-1, b) for a, b in zip(from_a, from_b, strict=True))


def compare(folder: Path, ranks: int, calls: Sequence[Call], outcome: Outcome) -> None:
    theirs = library_messages(folder, ranks, calls)
    ours, why, keys = own_messages(folder, ranks, calls)
    for i, call in enumerate(calls):
        if i in why:
            outcome.unsupported[why[i]].append(call)
            continue
        pairs = [r for r in range(ranks) if by_peer(theirs[i, r]) != by_peer(ours[i, r])]
        order = [r for r in range(ranks) if not same_order(theirs[i, r], ours[i, r])]
        if not order:
            outcome.same += 1
            continue
        r = (pairs or order)[0]
        text = (f"  {call.key} = {keys[i]} ranks={ranks} count={call.count} root={call.root} commutes={call.commutes} "
                f"in_place={call.in_place}: rank {r}: Open MPI {theirs[i, r][:8]}, here {ours[i, r][:8]}")  # fmt: skip
        (outcome.different if pairs else outcome.order).append(text)
