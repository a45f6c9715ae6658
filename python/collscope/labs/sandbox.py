"""Starting commands in the jail, and what became of them in words."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from collscope.base import leftovers, programs
from collscope.base.errors import UserError
from collscope.base.units import format_size

HELD = {
    "namespaces": "namespaces (files, network, processes), seccomp, limits of time, memory and output",
    "landlock": "Landlock (files), seccomp (network, processes), limits of time, memory and output",
}
"""What kept students' code in, in words."""
NOT_STARTED = 125  # the jail's exit status where a command could not be started
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/dev/null")


@dataclass(frozen=True)
class Limits:
    """Of each command."""

    wall_s: float = 20.0
    cpu_s: int = 8
    all_s: float = 60.0  # of all commands of a run together: those behind are not started
    data_bytes: int = 512 << 20
    file_bytes: int = 16 << 20
    forks: bool = False


@dataclass(frozen=True)
class Outcome:
    """One command: exit status, negative for a signal; what it printed; why it was ended or fell ("": neither)."""

    status: int
    output: str
    errors: str
    why: str = ""


@dataclass(frozen=True)
class Jail:
    """Where commands run: folders that they see, one that they may change, and by which means ("": the best there is)."""

    folder: Path  # theirs
    reads: tuple[Path, ...] = ()
    only: str = ""
    spent_s: list[float] = field(
        default_factory=list
    )  # processor time of its commands; whoever judges them may add his own

    def run(
        self, commands: Sequence[Sequence[str | Path]], limits: Limits, writes: bool = False
    ) -> tuple[str, list[Outcome]]:
        """(what held, the outcomes up to the first failure). UserError: nothing here can keep their code in."""
        leftovers.watch()
        with tempfile.TemporaryDirectory(prefix="jail-", dir=self.folder.parent) as name:
            out, root = Path(name) / "out", Path(name) / "root"
            out.mkdir()
            root.mkdir()
            system = [p for p in SYSTEM if Path(p).exists()]
            request = {
                "commands": [list(map(str, words)) for words in commands],
                "reads": [*system, *map(str, self.reads), *([] if writes else [str(self.folder)])],
                "writes": [str(self.folder)] if writes else [],
                "cwd": str(self.folder), "out": str(out), "root": str(root), "only": self.only,
                "wall_s": limits.wall_s, "cpu_s": limits.cpu_s, "all_s": limits.all_s, "data_bytes": limits.data_bytes,
                "file_bytes": limits.file_bytes, "forks": limits.forks,
            }  # fmt: skip
            script = str(Path(__file__).with_name("jail.py"))
            longest = (limits.wall_s + 2) * len(commands) + 10
            try:
                done = programs.answer([sys.executable, "-I", "-S", script], input=json.dumps(request), timeout=longest)
            except subprocess.TimeoutExpired as error:
                raise UserError(f"the jail did not end within {longest:.0f} s") from error
            reply = json.loads(done.stdout) if done.stdout.strip() else {"error": done.stderr.strip()}
            if "results" not in reply:
                raise UserError(
                    f"students' code cannot be kept in here: {reply.get('error')}; as root: sysctl user.max_user_namespaces=10000, "
                    "or a kernel with Landlock (5.13)"
                )
            made = []
            for i, result in enumerate(reply["results"]):
                self.spent_s.append(result["cpu_s"])
                text = {kind: _read(out / f"{i}.{kind}", limits.file_bytes) for kind in ("out", "err")}
                outcome = Outcome(result["status"], text["out"], text["err"])
                if outcome.status == NOT_STARTED and outcome.errors.startswith("jail: "):
                    raise UserError(f"students' code cannot be kept in here: {outcome.errors.strip()}")
                made.append(replace(outcome, why=_why(result["status"], result["late"], limits)))
            return reply["held"], made


def _read(path: Path, most: int) -> str:
    with open(path, "rb") as file:
        return file.read(most).decode(errors="replace")


def _why(status: int, late: bool, limits: Limits) -> str:
    """Why a command was ended, or fell by itself; "" where it exited."""
    if late:
        return f"it was ended after {limits.wall_s:g} s: does a loop never end?"
    if status >= 0:
        return ""
    number = -status
    if number in (signal.SIGXCPU, signal.SIGKILL):
        return f"it was ended after {limits.cpu_s} s of processor time: does a loop never end?"
    if number == signal.SIGXFSZ:
        return f"it printed more than {format_size(limits.file_bytes)}"
    if number == signal.SIGABRT:
        return f"it was ended at {format_size(limits.data_bytes)} of memory, or by abort(): does a loop never end?"
    if number == signal.SIGSYS:
        return "it was ended: it tried to reach the network, another process, or a file to write"
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"it crashed ({name})"


def compiler() -> str:
    """The C compiler's path. UserError: it does not exist."""
    found = shutil.which("cc")
    if not found:
        raise UserError("cc: there is no C compiler; run ./collscope doctor")
    return str(Path(found).resolve())  # /etc/alternatives is not seen inside
