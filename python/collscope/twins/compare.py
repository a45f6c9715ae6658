"""What our schedules send, beside what Open MPI itself hands to its point-to-point layer.

`validate/twins/messages.c` writes down the library's messages, `prove/messages.c` ours, one launch for many calls.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from collscope.base import cache, paths, programs
from collscope.base.errors import UsageError, UserError

SOURCE = paths.ROOT / "validate" / "twins" / "messages.c"
HEADERS = (paths.ROOT / "validate" / "twins" / "calls.h", paths.ROOT / "core" / "runtime" / "variables.h")  # of SOURCE
KNOWN = ("4.0", "4.1", "5.0")  # whose tables messages.c knows
TIMEOUT_S = 1200.0  # of one launch

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

    @property
    def words(self) -> str:
        rest = f", root {self.root}" * bool(self.root) + ", in place" * self.in_place
        return f"{self.key}, count {self.count}{rest}" + ", an operator that does not commute" * (not self.commutes)


@dataclass(frozen=True)
class Compared:
    """What became of one call."""

    ranks: int
    call: Call
    verdict: str  # same; order: each pair's messages are alike, a rank's order is not; different; unsupported
    key: str = ""  # ours, in full
    text: str = ""  # where they differ, or why ours cannot
    theirs: tuple[Messages, ...] = ()  # by rank; kept where ours cannot

    def __str__(self) -> str:
        return f"{self.ranks} ranks, {self.call.words}: {self.verdict}{': ' * bool(self.text)}{self.text}"


# ---- the library ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Library:
    """An Open MPI: its compiler and launcher, and what they need in the environment."""

    mpicc: str
    mpirun: str
    env: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.env, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def call(self, *command: str | Path) -> str:
        """What a program says; a UserError when it fails."""
        try:
            done = subprocess.run(
                [str(c) for c in command],
                capture_output=True,
                text=True,
                env=self.environment,
                timeout=TIMEOUT_S,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except OSError as error:
            raise UserError(f"{command[0]}: {error.strerror}") from error
        except subprocess.TimeoutExpired as error:
            raise UserError(f"{Path(command[0]).name}: no end after {TIMEOUT_S:.0f} s") from error
        if done.returncode:
            raise UserError(f"{Path(command[0]).name} failed: {(done.stderr or done.stdout).strip()[-2000:]}")
        return done.stdout

    @cached_property
    def version(self) -> str:
        """Of the library: 4.1.4."""
        said = self.call(self.mpirun, "--version")
        found = re.search(r"Open MPI\)? v?(\d+\.\d+\.\d+)", said)
        if not found:
            raise UserError(f"{self.mpirun}: not Open MPI's; it says {said.strip().splitlines()[:1]}")
        return found[1]

    @cached_property
    def numbers(self) -> frozenset[tuple[str, int]]:
        """(collective, number) of all algorithms that coll/tuned lists."""
        info = Path(shutil.which(self.mpirun, path=self.environment.get("PATH")) or self.mpirun).with_name("ompi_info")
        said = self.call(info, "--parsable", "--param", "coll", "tuned", "--level", "9")
        listed = re.findall(r"param:coll_tuned_(\w+)_algorithm:enumerator:value:(\d+):", said)
        return frozenset((collective, int(number)) for collective, number in listed if int(number))

    def check(self) -> None:
        if self.version.rpartition(".")[0] not in KNOWN:
            raise UserError(f"Open MPI {self.version}: its insides are not known here; known: {', '.join(KNOWN)}")


def find_library(folder: str | None = None) -> Library:
    """The Open MPI of this folder (which has bin/mpicc), or the one in PATH."""
    if folder is None:
        mpicc, mpirun = (shutil.which(name) for name in ("mpicc", "mpirun"))
        if not mpicc or not mpirun:
            raise UserError("mpicc, mpirun: not found; install openmpi-bin and libopenmpi-dev, or name a folder: --mpi")
        return Library(mpicc, mpirun)
    programs = Path(folder).expanduser().resolve() / "bin"
    for name in ("mpicc", "mpirun"):
        if not (programs / name).exists():
            raise UsageError(f"--mpi {folder}: {programs / name} is not there")
    path = os.pathsep.join((str(programs), os.environ.get("PATH", "")))
    return Library(str(programs / "mpicc"), str(programs / "mpirun"), {"PATH": path})


def compiled(library: Library) -> Path:
    """The program `messages`, made by this library's compiler; kept until either changes."""
    library.check()
    stamp = cache.digest(
        library.mpicc, library.version, *(file.read_text(encoding="utf-8") for file in (SOURCE, *HEADERS))
    )[:16]
    program = paths.cache_dir() / "twins" / f"messages-{library.version}-{stamp}"
    if not program.exists():
        program.parent.mkdir(exist_ok=True)
        made = program.with_suffix(f".{os.getpid()}")
        library.call(library.mpicc, "-std=gnu11", "-O1", f"-I{paths.ROOT}", "-o", made, SOURCE)
        os.replace(made, program)
    return program


# ---- the messages of both ---------------------------------------------------------------------------------


def parse(words: Iterable[str]) -> Messages:
    made = []
    for word in words:
        if word == "refused":  # unlike anything of ours
            return [("refused", 0, 0)]
        peer, size = word[1:].split(":")
        made.append((word[0], int(peer), int(size)))
    return made


def plan(calls: Sequence[Call]) -> str:
    """The lines of `messages`. Calls that force alike share a communicator."""
    lines: list[str] = []
    now: tuple[tuple[str, int], ...] = ()
    for i in sorted(range(len(calls)), key=lambda i: calls[i].forced):
        call = calls[i]
        if call.forced != now:
            lines += ["reset", *(f"set coll_tuned_{name} {value}" for name, value in call.forced), "comm"]
            now = call.forced
        lines.append(f"call {i} {call.collective} {call.shape}")
    return "\n".join(lines) + "\n"


def library_messages(library: Library, ranks: int, calls: Sequence[Call]) -> dict[tuple[int, int], Messages]:
    """What Open MPI sends: call's index and rank → messages. One launch."""
    program = compiled(library)
    options = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    options += ["--mca", "coll", "^hcoll,ucc"]  # what vendors add would go before coll/tuned
    if any(call.forced for call in calls):
        options += ["--mca", "coll_tuned_use_dynamic_rules", "1"]
    found = {}
    with tempfile.TemporaryDirectory(prefix="collscope-") as name:
        folder = Path(name)
        (folder / "plan").write_text(plan(calls), encoding="utf-8")
        library.call(library.mpirun, *options, "-np", str(ranks), program, folder / "plan", folder / "out")
        for rank in range(ranks):
            for line in (folder / f"out.{rank}").read_text(encoding="utf-8").splitlines():
                index, *words = line.split()
                found[int(index), rank] = parse(words)
    return found


@dataclass
class Own:
    """Of calls by index: full keys, messages by rank, and the reasons of those that are not supported."""

    keys: dict[int, str] = field(default_factory=dict)
    messages: dict[tuple[int, int], Messages] = field(default_factory=dict)
    why: dict[int, str] = field(default_factory=dict)


def own_messages(ranks: int, calls: Sequence[Call], *options: str) -> Own:
    """What our schedules send; with the option `keys`, only which they are."""
    return recorded("".join(f"{i} {c.key} {ranks} {c.shape}\n" for i, c in enumerate(calls)), *options)


def recorded(text: str, *options: str) -> Own:
    """What `recorded` answers to these lines."""
    try:
        done = subprocess.run(
            [str(programs.RECORDED), *options], input=text, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise UserError(f"{programs.RECORDED}: {error.strerror}; run ./collscope doctor") from error
    if done.returncode:
        raise UserError(f"{programs.RECORDED.name} failed: {done.stderr.strip() or done.returncode}")
    own = Own()
    for line in done.stdout.splitlines():
        index, second, *rest = line.split()
        if second == "-":
            own.why[int(index)] = " ".join(rest)
        elif second == "key":
            own.keys[int(index)] = rest[0]
        else:
            own.messages[int(index), int(second)] = parse(rest)
    return own


# ---- side by side -----------------------------------------------------------------------------------------


def sends(messages: Messages) -> list[tuple[int, int]]:
    return [(peer, size) for kind, peer, size in messages if kind != "R"]


def by_peer(messages: Messages) -> dict[int, list[int]]:
    made: dict[int, list[int]] = defaultdict(list)
    for peer, size in sends(messages):
        made[peer].append(size)
    return made


def same_order(theirs: Messages, ours: Messages) -> bool:
    """Sends in one order, and receives: those of Open MPI may be from any rank, and their bytes are room, not need."""
    if not same_sends(theirs, ours):
        return False
    from_a, from_b = ([peer for kind, peer, _ in m if kind == "R"] for m in (theirs, ours))
    return len(from_a) == len(from_b) and all(a in (-1, b) for a, b in zip(from_a, from_b, strict=True))


def same_sends(theirs: Messages, ours: Messages) -> bool:
    return sends(theirs) == sends(ours)


def judge(
    theirs: Sequence[Messages], ours: Sequence[Messages], name: str, same: Callable[[Messages, Messages], bool]
) -> tuple[str, str]:
    """same; order: each pair's messages are alike, a rank's order is not; or different. And where the first such rank is."""
    wrong = [r for r, (a, b) in enumerate(zip(theirs, ours, strict=True)) if not same(a, b)]
    if not wrong:
        return "same", ""
    pairs = [r for r in wrong if by_peer(theirs[r]) != by_peer(ours[r])]
    r = (pairs or wrong)[0]
    return "different" if pairs else "order", f"rank {r}: {name} {theirs[r][:8]}, here {ours[r][:8]}"


def alike(theirs: Sequence[Messages], ours: Sequence[Messages]) -> bool:
    return all(same_order(a, b) for a, b in zip(theirs, ours, strict=True))


def compare(library: Library, ranks: int, calls: Sequence[Call]) -> list[Compared]:
    """Every call of the list, in its order. One launch."""
    theirs = library_messages(library, ranks, calls)
    own = own_messages(ranks, calls)
    made = []
    for i, call in enumerate(calls):
        their = tuple(theirs[i, r] for r in range(ranks))
        if i in own.why:
            made.append(Compared(ranks, call, "unsupported", text=own.why[i], theirs=their))
            continue
        our = [own.messages[i, r] for r in range(ranks)]
        verdict, text = judge(their, our, "Open MPI", same_order)
        made.append(Compared(ranks, call, verdict, own.keys[i], text))
    return made
