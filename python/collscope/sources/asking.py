"""Asking the prover about points, one after the other: what it is at can be seen, and one point cannot keep it for ever."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collscope.base import leftovers, programs
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.base.progress import Progress

Reply = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """A point of a plan."""

    name: str  # its id
    key: str  # of its algorithm
    what: str  # for people who wait
    line: str  # of the plan


@dataclass(frozen=True)
class GivenUp:
    """A point without a reply, and why."""

    reason: str
    limit: bool  # it took too long; else another point of its algorithm goes on for ever, so that it was not tried


def ask(
    words: Sequence[str | Path],
    questions: Sequence[Question],
    folder: Path,
    progress: Progress,
    limit_s: float | None = None,
) -> Iterator[tuple[str, Reply | GivenUp]]:
    """(id, reply) of each point as soon as it is known; prove/main.c says what is in a reply to these words.

    A point that takes longer than `limit_s` is given up. One whose algorithm goes on for ever (endless, or kind "endless") has
    its reply, and the other points of this algorithm are given up. `folder` is scratch. UserError: the prover cannot be run, or fails."""
    left = {q.name: q for q in questions}
    while left:
        plan = folder / "plan.txt"
        write_atomically(plan, "".join(f"{q.line.rstrip()}\n" for q in left.values()))
        with _started([*words, "--plan", plan], folder, limit_s) as run:
            progress.now(0, next(iter(left.values())).what)
            for reply in run.replies():
                question = left.pop(str(reply["id"]))
                yield question.name, reply
                progress(1)
                run.late = False  # the point that seemed to take too long is this one
                if reply.get("endless") or reply.get("kind") == "endless":
                    run.end()
                    yield from _not_tried(question, left, progress)
                if left:
                    progress.now(0, next(iter(left.values())).what)
                if run.ended:
                    break
        progress.now(0, None)
        if not run.ended and left:
            raise UserError(f"the prover failed: {run.said() or f'exit status {run.status}'}")
        if run.late and left:
            slow = left.pop(next(iter(left)))
            why = f"took longer than {limit_s:g} s (--point-timeout)"
            yield slow.name, GivenUp(": ".join(filter(None, [why, run.said()])), limit=True)
            progress(1)


def _not_tried(endless: Question, left: dict[str, Question], progress: Progress) -> Iterator[tuple[str, GivenUp]]:
    others = [name for name, q in left.items() if q.key == endless.key]
    for name in others:
        del left[name]
        yield name, GivenUp(f"{endless.what}, goes on for ever", limit=False)
    progress(len(others))


class _Run:
    """A prover at work, and the clock of its point."""

    def __init__(self, process: subprocess.Popen[str], errors: Path, limit_s: float | None) -> None:
        self.process, self.errors, self.limit_s = process, errors, limit_s
        self.late = self.ended = False
        self.status = 0
        self._clock: threading.Timer | None = None

    def replies(self) -> Iterator[Reply]:
        """Its lines while it prints them."""
        assert self.process.stdout
        self._wind()
        for line in self.process.stdout:
            self._stop()
            if line.startswith("{") and line.endswith("}\n"):
                yield json.loads(line)
            self._wind()
        self._stop()
        self.status = self.process.wait()

    def end(self) -> None:
        """Asks it to say what it is at, and to end."""
        self.ended = True
        self.process.terminate()

    def said(self) -> str:
        """What stands on its standard error."""
        return self.errors.read_text(encoding="utf-8", errors="replace").strip()

    def _wind(self) -> None:
        if self.limit_s is not None and not self.ended:
            self._clock = threading.Timer(self.limit_s, self._too_late)
            self._clock.daemon = True
            self._clock.start()

    def _stop(self) -> None:
        if self._clock:
            self._clock.cancel()

    def _too_late(self) -> None:
        self.late = True
        self.end()


@contextmanager
def _started(words: Sequence[str | Path], folder: Path, limit_s: float | None) -> Iterator[_Run]:
    errors = folder / "stderr.txt"
    leftovers.watch()
    try:
        with open(errors, "wb") as file:
            process = subprocess.Popen(
                [str(programs.PROVER), *map(str, words)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
    except OSError as error:
        raise UserError(f"{programs.PROVER}: {error.strerror}; run ./collscope doctor") from error
    run = _Run(process, errors, limit_s)
    try:
        yield run
    finally:
        run._stop()
        if process.poll() is None:
            process.kill()
        assert process.stdout
        process.stdout.close()
        process.wait()
