"""Which endings a schedule can be written to, and what each file holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from collscope.base import leftovers, programs
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.points.plan import plan_text
from collscope.schedules.exports import chrome, document, goal, msccl, paje
from collscope.schedules.trace import Trace


def schedule_text(t: Trace) -> str:
    """The schedule in our own text, as core/schedule/text.h has it: of the file that was traced, or recorded once more."""
    if t.file:
        return t.file.read_text(encoding="utf-8")
    assert t.point
    with leftovers.scratch() as folder:
        write_atomically(folder / "machine.txt", t.machine)
        write_atomically(folder / "plan.txt", plan_text([("1", t.point)], t.ranks))
        done = programs.answer(
            [programs.PROVER, "--model", folder / "machine.txt", "--write", "--plan", folder / "plan.txt"]
        )
    if done.returncode:
        raise UserError(done.stderr.strip() or f"the prover failed: exit status {done.returncode}")
    return done.stdout


WRITERS: dict[str, Callable[[Trace], str]] = {
    ".schedule": schedule_text,
    ".goal": goal.text,
    ".xml": msccl.text,
    ".trace.json": chrome.text,
    ".paje": paje.text,
    ".json": document.text,
}


def ending_of(name: str) -> str | None:
    """The ending of WRITERS that a file's name has."""
    return next((ending for ending in WRITERS if name.lower().endswith(ending)), None)


def write(t: Trace, path: Path) -> Path:
    """Writes the file that its ending says; returns its path. A UsageError says why this format cannot hold the schedule."""
    ending = ending_of(path.name)
    assert ending
    text = WRITERS[ending](t)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)
    return path
