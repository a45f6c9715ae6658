"""collscope.setup.steps: steps of set-up that fail."""

from __future__ import annotations

import io
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from collscope.setup import steps
from collscope.setup.machine import Setup
from collscope.setup.steps import Background, SetupError, Steps


def test_a_failed_step_shows_its_errors(tree: Path) -> None:
    setup = Setup(tree)
    log = tree / ".cache" / "log" / "x.log"
    script = "echo working; echo 'mst.c:3: error: no such thing'; echo more; exit 3"
    with pytest.raises(SetupError) as error:
        setup.steps.run("building x", ["sh", "-c", script], log)
    assert "building x failed (exit status 3)" in str(error.value)
    assert "mst.c:3: error: no such thing" in str(error.value)
    assert str(log) in str(error.value)
    with pytest.raises(SetupError, match="no-such-program"):
        setup.steps.run("starting", ["no-such-program"], log)


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("terminal", [False, True])
def test_each_step_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    printed = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", printed)
    monkeypatch.setattr(steps, "time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((9, 9)))
    reported, watched = Steps(), list[str]()
    monkeypatch.setattr(steps.leftovers, "watch", lambda: watched.append("what is left when we are killed"))
    reported.run("quick", ["true"], tmp_path / "new" / "log")
    assert len(watched) == 1
    clear = "\r\033[K"
    lines = f"{clear}collscope: quick …\n{clear}collscope: quick: done in 0 s\n"
    assert printed.getvalue() == (lines if terminal else "collscope: quick …\n")
    reported.run("quiet", ["echo", "words"], tmp_path / "new" / "log", quiet=True)
    reported.tick("0123456789")
    assert printed.getvalue() == (f"{lines}{clear}01234567" if terminal else "collscope: quick …\n")
    assert (tmp_path / "new" / "log").read_text() == "$ true\n$ echo words\nwords\n"


@pytest.mark.parametrize(("seconds", "says"), [(0.9, False), (1.0, True), (12.4, True)])
def test_the_end_of_a_long_step_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seconds: float, says: bool
) -> None:
    times = iter([50.0, 50 + seconds])
    monkeypatch.setattr(steps, "time", SimpleNamespace(monotonic=lambda: next(times, 50 + seconds)))
    Steps().run("x", ["true"], tmp_path / "log")
    assert capsys.readouterr().err == "collscope: x …\n" + f"collscope: x: done in {seconds:.0f} s\n" * says


def test_a_long_step_shows_the_last_line_of_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    news: list[str] = []
    monkeypatch.setattr(Steps, "tick", lambda self, text: news.append(text))
    for quiet in (True, False):
        assert not news
        command = ["sh", "-c", "echo a; printf 'b\\rc'; sleep 0.7"]
        Steps().run("slow", command, tmp_path / "log", quiet=quiet)
    assert news and news[0].endswith(" s  c") and news[0].startswith("  slow, ")


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ([f"l{i}" for i in range(20)], [f"l{i}" for i in range(8, 20)]),
        (["before", "last", "x: ERROR: y", *"abcdefghijklmnop"], ["last", "x: ERROR: y", *"abcdefghijklm"]),
        (["E: locked", "z"], ["E: locked", "z"]),
        (["a", "b", "FAILED: t", "c", "error"], ["b", "FAILED: t", "c", "error"]),
        ([], []),
    ],
)
def test_a_failure_shows_what_tells_why(tmp_path: Path, lines: list[str], shown: list[str]) -> None:
    log = tmp_path / "log"
    log.write_text("error of the step before\n" + "".join(f"{line}\n" for line in lines))
    assert steps._excerpt(log, 25).split("\n") == ([f"    {line}" for line in shown] or [""])


@pytest.mark.parametrize("error", [SetupError("not there"), OSError("disk full"), KeyboardInterrupt("stopped")])
def test_an_exception_on_the_side_is_raised_at_its_end(error: BaseException) -> None:
    def fail() -> None:
        raise error

    background = Background(fail)
    background.join()
    with pytest.raises(type(error), match=str(error)):
        background.result()
    fine = Background(lambda: None)
    fine.join()
    fine.result()
