"""Schedules from files: our own text (docs/schedules.md) and LogGOPSim's GOAL, of which only the time is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from collscope.base import leftovers
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.catalogue import prover, sizes
from collscope.points.plan import Point
from collscope.schedules import record
from collscope.schedules.exports import goal_reader
from collscope.schedules.modelled import by_calls
from collscope.schedules.one_port import nodes_in
from collscope.schedules.trace import Trace
from collscope.sources.outcome import OK


@dataclass(frozen=True)
class ScheduleFile:
    """A file that was read. `collective` is "" where it promises nothing, as GOAL does."""

    path: Path
    algorithm: str  # that the file says it is of; "" where it does not
    collective: str
    ranks: int
    count: int
    elem: int
    root: int
    commutes: bool
    in_place: bool
    goal: goal_reader.Goal | None = None

    @property
    def bytes(self) -> int:
        """Of the whole vector."""
        return sizes.vector_bytes(self.collective, self.count, self.ranks, self.elem) if self.collective else 0

    def point(self) -> Point:
        """The call, under the name of the file."""
        type_ = {4: "float", 8: "double"}.get(self.elem, "byte")
        op = "sum" if self.commutes else "affine"
        return Point(
            self.collective, self.path.name, self.count, type=type_, op=op, root=self.root, in_place=self.in_place
        )


def read(path: str | Path) -> ScheduleFile:
    """What a file says of itself. UserError, with its line, where it cannot be read."""
    path = Path(path)
    if path.suffix.lower() == ".goal":
        goal = goal_reader.read(path)
        return ScheduleFile(path, "", "", goal.ranks, 0, 4, 0, True, False, goal)
    (reply,) = prover.replies(["--schedule", path, "--describe"])
    shape = (reply[name] for name in ("ranks", "count", "elem", "root"))
    flags = (bool(reply[name]) for name in ("commutes", "in_place"))
    return ScheduleFile(path, reply["algorithm"], reply["collective"] or "", *shape, *flags)


def prove(file: ScheduleFile, messages: bool = False) -> dict[str, Any]:
    """The prover's reply. UserError where the file promises nothing that could be proved."""
    if file.goal:
        raise UserError(
            f"{file.path}: GOAL does not say which data move, so that nothing can be proved; ./collscope run times it"
        )
    words: list[str | Path] = ["--schedule", file.path, *(["--messages"] if messages else [])]
    (reply,) = prover.replies(words)
    return reply


def fault(file: ScheduleFile) -> str:
    """Why the proof of a file fails; empty where it does not, and where the file promises nothing."""
    if not file.collective:
        return ""
    reply = prove(file)
    return "" if reply["verdict"] == "proven" else str(reply["failure"])


def time(file: ScheduleFile, machine: str, noise: int = 0) -> dict[str, Any]:
    """The model's reply on a machine (the text of its file): model_s, rounds, noise_s. UserError where it comes to no end."""
    return _model(file, machine, ["--noise", str(noise)] if noise else [])


def trace(file: ScheduleFile, machine: str, where: str) -> Trace:
    """The schedule with its times, to be drawn; `where` says what the machine is. UserError without a promise, as of GOAL."""
    if not file.collective:
        raise UserError(
            f"{file.path}: it promises nothing (collective=none), so that there is nothing to show; ./collscope run times it"
        )
    reply = _model(file, machine, ["--trace"])
    made = record.read(reply, file.point(), file.ranks, nodes_in(machine), where)
    return by_calls(replace(made, machine=machine, file=file.path))


def holdings(path: Path, machine: str) -> dict[str, Any]:
    """What every rank holds after each round of a file that has been traced; without "holdings" where its proof fails."""
    file = read(path)
    return _model(file, machine, ["--holdings"]) if not fault(file) else {"kind": OK}


def _model(file: ScheduleFile, machine: str, words: Sequence[str]) -> dict[str, Any]:
    with leftovers.scratch() as folder, _as_text(file, folder) as text:
        write_atomically(folder / "machine.txt", machine)
        (reply,) = prover.replies(["--model", folder / "machine.txt", *words, "--schedule", text])
    if reply["kind"] != OK:
        raise UserError(f"{file.path}: {reply['status']}")
    return reply


@contextmanager
def _as_text(file: ScheduleFile, folder: Path) -> Iterator[Path]:
    """A file that the prover reads."""
    if file.goal:
        write_atomically(folder / "goal.schedule", file.goal.text)
    yield folder / "goal.schedule" if file.goal else file.path
