"""Starting the benchmark driver, under smpirun or mpirun, and reading its JSON lines while it prints them.

Both back-ends print the same lines; driver/main.c says which.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from collscope.base.errors import UserError, disk_error
from collscope.base.programs import end_group
from collscope.sources.outcome import DIED, Outcome, Repetition, of_reply

OnOutcome = Callable[[str, Outcome], None]
"""Called with the id of each point that has just been finished, and what became of it."""

OnStart = Callable[[str], None]
"""Called with the id of each point that begins."""


class Interrupted(Exception):
    """The user wants to stop; children are gone."""


@dataclass
class Children:
    """The programs running now, so that Ctrl-C can end them all."""

    stopped: threading.Event = field(default_factory=threading.Event)
    _running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(
        self, command: Sequence[str | Path], stderr: IO[bytes], env: dict[str, str], folder: Path
    ) -> subprocess.Popen[bytes]:
        """Starts a program in a session of its own, with `env` added to the environment; raises Interrupted after `stop`."""
        with self._lock:
            if self.stopped.is_set():
                raise Interrupted
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**os.environ, **env},
                cwd=folder,
                start_new_session=True,
                restore_signals=False,  # SIGPIPE stays ignored: it would end mpirun before it takes away what it made
            )
            self._running.add(process)
        return process

    def finished(self, process: subprocess.Popen[bytes]) -> None:
        """Forgets a program that has ended."""
        with self._lock:
            self._running.discard(process)

    def stop(self) -> None:
        """Ends every child and whatever it started."""
        self.stopped.set()
        with self._lock:
            running = list(self._running)
        for process in running:
            end_group(process)


@dataclass
class Report:
    """How a launch ended."""

    status: int = 0  # exit status of the process, or minus the signal that ended it
    meta: dict[str, Any] = field(default_factory=dict)  # the driver's first line; empty: it did not start
    unfinished: list[str] = field(default_factory=list)  # ids, in the plan's order
    silent: bool = False  # ended because it printed nothing for too long
    over_limit_s: float = 0.0  # not 0: ended because its first unfinished point took longer than these seconds
    reason: str = ""  # why it ended early: the last telling lines on standard error
    traces: list[dict[str, Any]] = field(default_factory=list)  # the lines that the driver's --trace adds


def run(
    command: Sequence[str | Path],
    ids: Sequence[str],
    on_outcome: OnOutcome,
    *,
    children: Children,
    folder: Path,
    env: dict[str, str] | None = None,
    silence_s: float | None = None,
    limit_s: float | None = None,
    on_start: OnStart = lambda name: None,
    raw: IO[bytes] | None = None,
    explain: Callable[[str], str] = lambda errors: "",
    ranks: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Report:
    """Runs one launch and hands over each point as soon as it is done.

    `ids` are the points of its plan, in order; `folder` is scratch space of this launch; after `silence_s` without a line the
    launch counts as hung and is ended, and so it is when a point takes longer than `limit_s`; `on_start` is told which point is
    running; `raw` gets every line; `explain` makes a reason of standard error where the driver did not start; `ranks` is how
    many it must find; `clock` is what limits are measured by. Raises Interrupted when `children` were stopped, UserError when the program
    is not there, the disk is full, or ranks did not find each other."""
    errors = folder / "stderr.txt"
    replies = _Replies(dict.fromkeys(ids), on_outcome, on_start, errors, ranks, clock)
    report = replies.report
    try:
        with open(errors, "wb") as file:
            process = children.start(command, file, env or {}, folder)
            assert process.stdout
            try:
                for line in _lines(process, silence_s, limit_s, replies):
                    if raw:
                        raw.write(line)
                    replies.read(line)
            except BaseException:
                end_group(process)
                raise
            finally:
                process.stdout.close()
                report.status = process.wait()
                children.finished(process)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.filename == str(command[0]):
            raise UserError(f"{command[0]}: not found; run ./collscope doctor to see what is missing") from error
        raise disk_error(error, folder) from error
    if children.stopped.is_set():
        raise Interrupted
    report.unfinished = list(replies.left)
    if report.unfinished or report.status:
        report.reason = (not report.meta and explain(_text(errors))) or _reason(errors, report)
    return report


def check_ranks(meta: dict[str, Any], ranks: int | None) -> None:
    """UserError: the driver's first line counts other ranks than were started. A launcher of another library starts each by itself."""
    if ranks and (found := meta.get("ranks", ranks)) != ranks:
        raise UserError(
            f"{ranks} ranks were started, and the driver finds {found}: launcher and MPI library do not know each other; take the "
            "library's own mpirun, or with Slurm set SLURM_MPI_TYPE=pmix (srun --mpi=list names what there is)"
        )


@dataclass
class _Replies:
    """The driver's lines, put together by point."""

    left: dict[str, None]  # ids without a closing line, in order
    on_outcome: OnOutcome
    on_start: OnStart
    errors: Path  # standard error of the launch
    ranks: int | None = None  # that were started
    clock: Callable[[], float] = time.monotonic
    report: Report = field(default_factory=Report)
    reps: dict[str, list[Repetition]] = field(default_factory=dict)
    since: float | None = None  # when the point that runs began; None: none yet

    def read(self, line: bytes) -> None:
        """Takes one line; what is not a JSON object about a point of this launch counts for nothing."""
        reply = _parse(line)
        if reply is None:
            return
        if "meta" in reply:
            self.report.meta = reply["meta"]
            check_ranks(self.report.meta, self.ranks)
            self._next()
            return
        name = str(reply.get("id"))
        if name not in self.left:
            return
        if "trace" in reply:
            self.report.traces.append(reply)
        if "rep" in reply:
            times = [float(reply[k]) for k in ("min_s", "mean_s", "max_s", "root_s")]
            times += [float(reply[k]) for k in ("pure_s", "work_s", "available") if reply.get(k) is not None]
            self.reps.setdefault(name, []).append(times)
        if reply.get("done"):
            del self.left[name]
            outcome = of_reply(reply, self.reps.pop(name, []), self.report.meta)
            if outcome.kind == DIED:  # the last telling line is that of the point which has just died
                why = [outcome.status, *_telling(self.errors)][-1][:300]
                outcome = replace(outcome, status=f"simulation failed: {why}")
            self.on_outcome(name, outcome)
            self._next()

    def _next(self) -> None:
        """The first point that is left begins."""
        self.since = self.clock()
        if self.left:
            self.on_start(next(iter(self.left)))


def _lines(
    process: subprocess.Popen[bytes], silence_s: float | None, limit_s: float | None, replies: _Replies
) -> Iterator[bytes]:
    """Lines of standard output; ends the process when none comes for `silence_s`, or a point takes longer than `limit_s`."""
    assert process.stdout
    if silence_s is None and limit_s is None:
        yield from process.stdout
        return
    os.set_blocking(process.stdout.fileno(), False)
    pending = b""
    last_line = replies.clock()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            data = b""
            if ready := selector.select(timeout=min(1.0, limit_s or 1.0, silence_s or 1.0)):
                data = os.read(process.stdout.fileno(), 1 << 16)
                last_line = replies.clock()
                *whole, pending = (pending + data).split(b"\n")
                yield from (line + b"\n" for line in whole)
            if ready and not data:
                return
            now = replies.clock()
            replies.report.silent = silence_s is not None and now - last_line > silence_s
            if limit_s and replies.since and replies.left and now - replies.since > limit_s:
                replies.report.over_limit_s = limit_s
            if replies.report.silent or replies.report.over_limit_s:
                end_group(process)
                return


def _parse(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(b"{"):
        return None
    try:
        reply = json.loads(line)
    except ValueError:
        return None
    return reply if isinstance(reply, dict) else None


def _reason(errors: Path, report: Report) -> str:
    if report.silent:
        return "nothing was heard from it for too long (a deadlock?)"
    lines = _telling(errors)[:2]
    if report.status < 0:
        lines.append(f"ended by signal {-report.status}")
    elif not lines:
        lines.append(f"exit status {report.status}" if report.status else "it ended early")
    return "; ".join(lines)[:400]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


_TELLING = ("error", "deadlock", "assert", "abort", "fault", "collscope", "cannot", "fail")


def _telling(path: Path) -> list[str]:
    """Lines that say what is wrong, or all lines when none looks like it; without SimGrid's time and place."""
    text = _text(path)
    lines = [re.sub(r"^(\[[^]]*\]\s*)+(\S+:\d+: )?(\[[^]]*\]\s*)*", "", line.strip()) for line in text.splitlines()]
    lines = ["deadlock: ranks wait for what never comes" if "Deadlock detected" in line else line for line in lines]
    lines = list(dict.fromkeys(filter(None, lines)))
    return [line for line in lines if any(word in line.lower() for word in _TELLING)] or lines
