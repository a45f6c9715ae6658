"""The prover as a program: replies to a few words, or a stream of replies to points, whose progress can be seen and of which none can keep
it for ever. prove/main.c says what is in a reply."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from collscope.base import cache, depends, leftovers, programs
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.base.progress import Progress

REFUSAL = "collscope-prove: "
"""How the prover begins to say what is wrong with its input."""
Reply = dict[str, Any]
T = TypeVar("T")
R = TypeVar("R")

_started_now: set[subprocess.Popen[str]] = set()
"""Provers that stream."""


def made_by() -> tuple[str, str]:
    """What kept replies are known by, beside the question: the sources, and what was built of them, which may be older."""
    return cache.sources_hash(*depends.MODEL), cache.build_hash(programs.PROVER)


def replies(words: Sequence[str | Path], text: str = "") -> list[dict[str, Any]]:
    """The prover's JSON lines to these words and this standard input; prove/main.c says what is in them.

    UserError when it cannot be run or fails. Exit status 1 with lines is an answer: a proof that failed."""
    try:
        done = programs.answer([programs.PROVER, *words], input=text)
    except OSError as error:
        raise UserError(f"{programs.PROVER}: {error.strerror}; run ./collscope doctor") from error
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode not in (0, 1) or (done.returncode and not lines):
        why = done.stderr.strip()
        if why.startswith(REFUSAL):  # the prover works, what it was given does not
            raise UserError(why.removeprefix(REFUSAL))
        raise UserError(f"the prover failed: {why or f'exit status {done.returncode}'}")
    return lines


@dataclass(frozen=True)
class Question:
    """A point of a plan."""

    name: str  # its id
    key: str  # of its algorithm
    what: str  # for people who wait
    line: str  # of the plan


@dataclass(frozen=True)
class Abandoned:
    """A point without a reply, and why."""

    reason: str
    limit: bool  # it took too long; else another point of its algorithm goes on for ever, so that it was not tried


def stream(
    words: Sequence[str | Path],
    questions: Sequence[Question],
    folder: Path,
    progress: Progress,
    limit_s: float | None = None,
) -> Iterator[tuple[str, Reply | Abandoned]]:
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
            raise UserError(f"the prover failed: {run.printed() or f'exit status {run.status}'}")
        if run.late and left:
            slow = left.pop(next(iter(left)))
            why = f"took longer than {limit_s:g} s (--point-timeout)"
            yield slow.name, Abandoned(": ".join(filter(None, [why, run.printed()])), limit=True)
            progress(1)


def side_by_side(ask: Callable[[T], R], parts: Sequence[T]) -> list[R]:
    """`ask` of each part, as many at a time as there are cores: each reads a stream of its own. Where one of them fails, or the user
    stops, the provers of the others are ended: nobody reads what they say."""
    before = set(_started_now)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        running = [pool.submit(ask, part) for part in parts]
        try:
            ended = wait(running, return_when=FIRST_EXCEPTION).done
            for one in ended:
                one.result()  # raises what it raised, though an earlier one still runs
            return [one.result() for one in running]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in _started_now - before:
                process.kill()
            raise


def _not_tried(endless: Question, left: dict[str, Question], progress: Progress) -> Iterator[tuple[str, Abandoned]]:
    others = [name for name, q in left.items() if q.key == endless.key]
    for name in others:
        del left[name]
        yield name, Abandoned(f"{endless.what}, goes on for ever", limit=False)
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

    def printed(self) -> str:
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
    _started_now.add(process)
    try:
        yield run
    finally:
        _started_now.discard(process)
        run._stop()
        if process.poll() is None:
            process.kill()
        assert process.stdout
        process.stdout.close()
        process.wait()
