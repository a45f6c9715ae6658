"""Starting the benchmark driver, under smpirun or mpirun, and reading what it says while it says it.

Both back-ends print the same JSON lines. A launch that dies names the point it died on; the points after it are run again in
a launch of their own, so one bad algorithm does not take its neighbours' numbers with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from collscope.base.errors import UserError, disk_error

Outcome = dict[str, Any]
"""What a program said of a point: status, reps (a list of [min, mean, max, root] in seconds), chose, wrong, back_end."""

DIED = "the simulation of this point"  # how the driver begins to say that a point took its copy of the simulation down


class Interrupted(Exception):
    """The user wants to stop; children are gone."""


@dataclass
class Children:
    """The programs running now, so that Ctrl-C can end them all."""

    stopped: threading.Event = field(default_factory=threading.Event)
    _running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, command: Sequence[str | Path], stderr: IO[bytes], env: dict[str, str], cwd: Path) -> Any:
        with self._lock:
            if self.stopped.is_set():
                raise Interrupted
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**os.environ, **env},
                cwd=cwd,
                start_new_session=True,
            )
            self._running.add(process)
        return process

    def finished(self, process: Any) -> None:
        with self._lock:
            self._running.discard(process)

    def stop(self) -> None:
        """Ends every child and whatever it started."""
        self.stopped.set()
        with self._lock:
            running = list(self._running)
        for process in running:
            end_group(process)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Asks a child's process group to end, then makes it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            continue
        if number == signal.SIGTERM:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # those that outlived their parent
        return


@dataclass
class Report:
    """How a launch ended."""

    status: int = 0
    meta: dict[str, Any] = field(default_factory=dict)
    unfinished: list[str] = field(default_factory=list)  # ids, in the plan's order
    silent: bool = False  # ended because nothing was heard for too long
    complaint: str = ""  # the last words on standard error
    traces: list[dict[str, Any]] = field(default_factory=list)  # what the driver's --trace adds


def run(
    command: Sequence[str | Path],
    ids: Sequence[str],
    on_outcome: Callable[[str, Outcome], None],
    *,
    children: Children,
    folder: Path,
    env: dict[str, str] | None = None,
    silence_s: float | None = None,
    raw: IO[bytes] | None = None,
) -> Report:
    """Runs one launch and hands over each point as soon as it is done. `folder` is scratch space of this launch."""
    report = Report()
    left = dict.fromkeys(ids)
    reps: dict[str, list[list[Any]]] = {}
    try:
        with open(folder / "stderr.txt", "wb") as errors:
            process = children.start(command, errors, env or {}, folder)
            try:
                for line in _lines(process, silence_s, report):
                    if raw:
                        raw.write(line)
                    said = _parse(line)
                    if said is None:
                        continue
                    if "meta" in said:
                        report.meta = said["meta"]
                        continue
                    name = str(said.get("id"))
                    if name not in left:
                        continue
                    if "trace" in said:
                        report.traces.append(said)
                    if "rep" in said:
                        reps.setdefault(name, []).append([said.get(k) for k in ("min_s", "mean_s", "max_s", "root_s")])
                    if said.get("done"):
                        del left[name]
                        outcome = _outcome(said, reps.pop(name, []), report.meta)
                        if outcome["status"].startswith(DIED):
                            outcome["status"] = f"simulation failed: {_news(folder / 'stderr.txt', outcome['status'])}"
                        on_outcome(name, outcome)
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
    report.unfinished = list(left)
    if report.unfinished or report.status:
        report.complaint = _last_words(folder / "stderr.txt", report)
    return report


def _lines(process: subprocess.Popen[bytes], silence_s: float | None, report: Report) -> Any:
    """Lines of standard output; ends the process when none comes for `silence_s`."""
    assert process.stdout
    if silence_s is None:
        yield from process.stdout
        return
    os.set_blocking(process.stdout.fileno(), False)
    pending = b""
    heard = time.monotonic()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(timeout=1.0):
                if time.monotonic() - heard > silence_s:
                    report.silent = True
                    end_group(process)
                    return
                continue
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                return
            heard = time.monotonic()
            *whole, pending = (pending + data).split(b"\n")
            yield from (line + b"\n" for line in whole)


def _parse(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(b"{"):
        return None
    try:
        said = json.loads(line)
    except ValueError:
        return None
    return said if isinstance(said, dict) else None


def _outcome(said: dict[str, Any], reps: list[list[Any]], meta: dict[str, Any]) -> Outcome:
    status = str(said.get("status", "ok"))
    if status == "ok" and said.get("wrong"):
        status = f"wrong data: {said['wrong']} elements differ"
    if status == "ok" and not reps:
        status = "the driver gave no repetition"
    return {
        "status": status,
        "reps": reps if status == "ok" else [],
        "chose": said.get("chose") or "",
        "checked": int(bool(said.get("checked"))),
        "back_end": describe(meta),
    }


def describe(meta: dict[str, Any]) -> str:
    """The back-end with its version, short: the column back_end."""
    for name in ("library", "back_end"):
        if meta.get(name):
            return str(meta[name]).splitlines()[0].partition(",")[0].strip()
    return ""


def _last_words(path: Path, report: Report) -> str:
    if report.silent:
        return "nothing was heard from it for too long (a deadlock?)"
    words = _telling(path)[:2]
    if report.status < 0:
        words.append(f"ended by signal {-report.status}")
    elif not words:
        words.append(f"exit status {report.status}" if report.status else "it ended early")
    return "; ".join(words)[:400]


def _news(path: Path, otherwise: str) -> str:
    """The last telling line on standard error: that of the point which has just died."""
    return next(iter(_telling(path)[-1:]), otherwise)[:300]


_TELLING = ("error", "deadlock", "assert", "abort", "fault", "collscope", "cannot", "fail")


def _telling(path: Path) -> list[str]:
    """Lines that say what is wrong, or all lines when none looks like it; without SimGrid's time and place."""
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return []
    lines = [re.sub(r"^(\[[^]]*\]\s*)+(\S+:\d+: )?(\[[^]]*\]\s*)*", "", line.strip()) for line in text.splitlines()]
    lines = ["deadlock: ranks wait for what never comes" if "Deadlock detected" in line else line for line in lines]
    lines = list(dict.fromkeys(filter(None, lines)))
    return [line for line in lines if any(word in line.lower() for word in _TELLING)] or lines


def summarise(reps: Sequence[Sequence[Sequence[float]]], metric: str) -> dict[str, float | None]:
    """Median, quartiles and extremes of a point's time over the repetitions of all launches (reps[launch][repetition]).

    makespan: the last rank's time of each repetition; root: the root's; osu_avg: what OSU prints, one mean over ranks and
    repetitions a launch; loop: the mean over ranks of each loop."""
    if metric == "osu_avg":
        values = [sum(r[1] for r in launch) / len(launch) for launch in reps if launch]
    else:
        column = {"makespan": 2, "root": 3, "loop": 1}[metric]
        values = [r[column] for launch in reps for r in launch if r[column] is not None]
    if not values:
        return dict.fromkeys(("median_s", "q1_s", "q3_s", "min_s", "max_s"))
    values.sort()
    return {
        "median_s": _quantile(values, 0.5),
        "q1_s": _quantile(values, 0.25),
        "q3_s": _quantile(values, 0.75),
        "min_s": values[0],
        "max_s": values[-1],
    }


def _quantile(values: Sequence[float], part: float) -> float:
    """Linear between the neighbours, as numpy's default. Equal neighbours give exactly their value."""
    at = part * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] if values[low] == values[high] else values[low] + (values[high] - values[low]) * (at - low)
