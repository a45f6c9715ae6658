"""The engine as the judge: what a schedule takes on a machine, what its critical path waits for, and whether it is right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from collscope.base import cache, leftovers
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.catalogue import prover
from collscope.sources.outcome import OK
from collscope.synthesis.schedule import Schedule


class Judge:
    """Times schedules by the model of a machine (the text of its file). Every schedule is timed once."""

    def __init__(self, machine: str, folder: Path) -> None:
        self.machine, self.file = folder / "machine.txt", folder / "tried.schedule"
        self.calls = 0
        self.known: dict[str, float | None] = {}
        write_atomically(self.machine, machine)

    def seconds(self, schedule: Schedule) -> float | None:
        """The makespan. None: it comes to no end, as one does whose ranks wait for each other."""
        key = cache.digest(schedule.text())
        if key not in self.known:
            self.calls += 1
            reply = self._ask(schedule, "--model", self.machine)
            self.known[key] = reply["model_s"] if reply["kind"] == OK else None
        return self.known[key]

    def critical(self, schedule: Schedule) -> dict[int, float]:
        """Rank → seconds of the critical path that it, or a message to or from it, is behind."""
        reply = self._ask(schedule, "--model", self.machine, "--explain")
        found: dict[int, float] = {}
        for _, rank, other, _, begin, end, _ in reply.get("path", ()):
            for one in {rank, other} - {-1}:
                found[one] = found.get(one, 0.0) + end - begin
        return found

    def fault(self, schedule: Schedule) -> str:
        """Why its proof fails; "" where it is right."""
        reply = self._ask(schedule)
        return "" if reply["verdict"] == "proven" else str(reply["failure"] or reply["kind"])

    def _ask(self, schedule: Schedule, *words: str | Path) -> prover.Reply:
        self.file.write_text(schedule.text(), encoding="utf-8")
        (reply,) = prover.replies([*words, "--schedule", self.file])
        return reply

    def recorded(self, plan: str) -> Schedule | None:
        """What an algorithm of the catalogue does, of a plan of one point. None: more than messages, reductions and copies."""
        from collscope.base import programs
        from collscope.synthesis import schedule

        path = self.file.with_name("plan.txt")
        write_atomically(path, plan)
        done = programs.answer([programs.PROVER, "--model", self.machine, "--write", "--plan", path])
        if done.returncode:
            raise UserError(done.stderr.strip() or f"the prover failed: exit status {done.returncode}")
        return schedule.read(done.stdout)


@contextmanager
def judging(machine: str) -> Iterator[Judge]:
    """A judge with a folder of its own."""
    with leftovers.scratch() as folder:
        yield Judge(machine, folder)
