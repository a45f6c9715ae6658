"""collscope.base.progress: what is said of long work."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console

from collscope.base import progress
from collscope.base.progress import Progress, duration


def test_a_line_names_what_runs_and_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    reported = Progress("simulating", 8, start=100.0)
    reported.now("a", "bcast/mst")
    now[0] += 5
    reported.now("b", "bcast/linear")
    now[0] += 5
    reported(2, share=0.25)
    now[0] += 20
    assert reported.line() == (
        "simulating: 2 of 8, 30 s, about 10 s left; now bcast/mst, for 30 s; bcast/linear, for 25 s"
    )
    assert reported.running(after_s=28) == ["bcast/mst, for 30 s"]
    reported.now("a", None)
    assert reported.running() == ["bcast/linear, for 25 s"]


def test_the_time_left_counts_down_while_a_step_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long step of small share does not make what is left grow; past the estimate, that is said."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    reported = Progress("x", 8, start=0.0)
    now[0] = 10
    reported(4, share=0.5)
    printed = []
    for moment in (10, 14, 17, 24, 26):
        now[0] = moment
        printed.append(reported.left())
    assert printed == ["about 10 s left", "about 6 s left", "", "", "longer than was estimated"]
    reported(1, share=0.25)
    assert reported.left() == "about 9 s left"


def test_without_a_terminal_a_line_comes_though_nothing_is_finished(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every ten seconds; what to do about it after half a minute, once."""
    waited: list[float] = []

    class Over:
        def wait(self, seconds: float) -> bool:
            waited.append(seconds)
            return len(waited) > 4

        def set(self) -> None:
            waited.append(0)

    monkeypatch.setattr(progress, "threading", SimpleNamespace(Event=Over, Thread=threading.Thread))
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: 7.0))
    made = Progress("simulating", 2, "be patient", start=7.0)
    made.now(0, "bcast/mst")
    with progress._lines(made):
        pass
    line = "collscope: simulating: 0 of 2, 0 s; now bcast/mst, for 0 s"
    assert capsys.readouterr().err.splitlines() == [line, line, line, "collscope: be patient", line]
    assert sorted(waited) == [0, *[10.0] * 5]
    waited.clear()
    with progress._lines(replace(made, hint="")):
        pass
    assert capsys.readouterr().err.splitlines() == [line] * 4


@pytest.mark.parametrize(
    ("share", "says"),
    [(0.0, False), (0.049, False), (0.05, True), (0.66, True), (0.67, False), (1.0, False), (1.2, False)],
)
def test_the_rest_is_printed_once_it_is_known(monkeypatch: pytest.MonkeyPatch, share: float, says: bool) -> None:
    """From a twentieth of the work on, and only where five seconds or more are left."""
    monkeypatch.setattr(time, "monotonic", lambda: 10.0)
    reported = Progress("x", 8, share=share, start=0.0)
    assert bool(reported.left()) == says
    reported(1, 0.0)
    reported(2, 0.0)
    assert reported.done == 3 and reported.share == share


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "1 s"), (99.4, "99 s"), (99.9, "100 s"), (100, "2 min"), (5999, "100 min"), (6000, "1.7 h")],
)
def test_durations_change_their_unit(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_three_of_many_are_named_the_longest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    reported = Progress("x", 8)
    for i in range(5):
        reported.now(i, f"w{i}")
        now[0] += 1
    assert reported.running() == ["w0, for 5 s", "w1, for 4 s", "w2, for 3 s"]
    assert reported.running(5.0) == ["w0, for 5 s"] and reported.running(5.1) == []
    reported.now(0, "again")
    assert reported.running()[0] == "w1, for 4 s"


@pytest.mark.parametrize(
    ("total", "terminal", "shows"), [(0, True, ""), (0, False, ""), (3, True, "bar"), (3, False, "lines")]
)
def test_on_a_terminal_it_is_a_bar(monkeypatch: pytest.MonkeyPatch, total: int, terminal: bool, shows: str) -> None:
    shown: list[str] = []

    def fake(name: str) -> object:
        @contextlib.contextmanager
        def show(made: Progress) -> Iterator[None]:
            shown.append(name)
            yield

        return show

    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(progress, "_bar", fake("bar"))
    monkeypatch.setattr(progress, "_lines", fake("lines"))
    with progress.progress("x", total, "hint") as reported:
        assert (reported.what, reported.total, reported.hint) == ("x", total, "hint")
    assert "".join(shown) == shows


@pytest.mark.parametrize(("since", "hint"), [(29.0, False), (31.0, True)])
def test_the_bar_names_what_takes_long(monkeypatch: pytest.MonkeyPatch, since: float, hint: bool) -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, width=100)
    monkeypatch.setattr("collscope.base.console.err", lambda: screen)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: 100.0))
    made = Progress("simulating", 4, "be patient", done=2, start=100.0 - since, share=0.5)
    made._running = {0: ("slow", 97.0), 1: ("quick", 99.0)}
    with progress._bar(made):
        pass
    printed = screen.file.getvalue()  # type: ignore[attr-defined]
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", printed.rpartition("\r\x1b[2K")[0].rpartition("\r")[2])
    left = duration(since)
    assert shown.rstrip("\n").split("\n") == [
        f"simulating {'━' * 10}╺{'━' * 9} 2/4 0:00:00 about {left} left", "  slow, for 3 s", *["  be patient"] * hint
    ]  # fmt: skip
    lines = 2 + hint
    assert printed.endswith("\r" + "\x1b[1A\x1b[2K" * lines), "and is gone in the end"
