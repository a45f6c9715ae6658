"""One launch of a program that prints the driver's lines: what is handed over, and how it ends."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.sources import launch
from collscope.sources.launch import Children, Interrupted, Report
from collscope.sources.outcome import Outcome

REP = '{"id":"%s","rep":0,"min_s":1,"mean_s":2,"max_s":3,"root_s":2}'
DONE = '{"id":"%s","done":true,"kind":"%s","status":"%s"}'


def run(folder: Path, program: str, ids: str, **options: float) -> tuple[Report, dict[str, Outcome]]:
    """Runs Python lines in place of a launcher."""
    made: dict[str, Outcome] = {}
    command = [sys.executable, "-u", "-c", program]
    return launch.run(command, list(ids), made.__setitem__, children=Children(), folder=folder, **options), made  # type: ignore[arg-type]


def lines(*texts: str) -> str:
    """A program that prints these."""
    return f"print({chr(10).join(texts)!r})"


def test_points_are_handed_over_and_strange_lines_are_not(tmp_path: Path) -> None:
    printed = ['{"meta":{"library":"MPICH 4.0.2"}}', "hello", "{broken", REP % "a", DONE % ("x", "ok", "ok")]
    report, made = run(tmp_path, lines(*printed, DONE % ("a", "ok", "ok"), DONE % ("b", "unsupported", "odd")), "ab")
    assert made["a"] == Outcome("ok", "ok", [[1.0, 2.0, 3.0, 2.0]], back_end="MPICH 4.0.2")
    assert made["b"] == Outcome("unsupported", "odd", back_end="MPICH 4.0.2")
    assert (report.status, report.unfinished, report.reason) == (0, [], "")


def test_a_point_that_died_says_what_stood_last_on_standard_error(tmp_path: Path) -> None:
    told = "import sys; sys.stderr.write('[0.1] [xbt/INFO] all fine\\n[0.2] [s4u/CRITICAL] Deadlock detected\\n')"
    _, made = run(tmp_path, f"{told}; sys.stderr.flush(); {lines(DONE % ('a', 'died', 'ended by signal 6'))}", "a")
    assert (made["a"].kind, made["a"].status) == (
        "died",
        "simulation failed: deadlock: ranks wait for what never comes",
    )


def test_a_launch_that_breaks_names_what_is_left_and_why(tmp_path: Path) -> None:
    program = f"import sys; {lines(REP % 'a', DONE % ('a', 'ok', 'ok'))}; sys.exit('error: no room')"
    report, made = run(tmp_path, program, "abc")
    assert list(made) == ["a"]
    assert (report.status, report.unfinished, report.reason) == (1, ["b", "c"], "error: no room")
    report, _ = run(tmp_path, "import os; os.kill(os.getpid(), 9)", "a")
    assert report.reason == "ended by signal 9"


def test_silence_ends_a_launch(tmp_path: Path) -> None:
    start = time.monotonic()
    report, _ = run(tmp_path, "import time; time.sleep(60)", "a", silence_s=0.1)
    assert report.silent
    assert "a deadlock?" in report.reason
    assert time.monotonic() - start < 20


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no_such_launcher: not found"):
        launch.run(["no_such_launcher"], [], print, children=Children(), folder=tmp_path)


def test_after_a_stop_nothing_starts(tmp_path: Path) -> None:
    children = Children()
    children.stop()
    with pytest.raises(Interrupted):
        launch.run([sys.executable, "-c", ""], [], print, children=children, folder=tmp_path)
