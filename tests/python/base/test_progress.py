"""What is said of long work."""

from __future__ import annotations

import time

import pytest

from collscope.base import progress
from collscope.base.progress import Progress, duration


def test_a_line_names_what_runs_and_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    told = Progress("simulating", 8, start=100.0)
    told.now("a", "bcast/mst")
    now[0] += 5
    told.now("b", "bcast/linear")
    told(2, share=0.25)
    now[0] += 25
    assert told.line() == ("simulating: 2 of 8, 30 s, about 90 s left; now bcast/mst, for 30 s; bcast/linear, for 25 s")
    assert told.running(after_s=28) == ["bcast/mst, for 30 s"]
    told.now("a", None)
    assert told.running() == ["bcast/linear, for 25 s"]


def test_without_a_terminal_a_line_comes_though_nothing_is_finished(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PERIOD_S", 0.02)
    with progress.progress("simulating", 2, "be patient") as told:
        told.now(0, "bcast/mst")
        time.sleep(0.3)
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("collscope: simulating: 0 of 2, 0 s; now bcast/mst, for")
    assert said.count("collscope: be patient") == 1


def test_durations_are_for_people() -> None:
    assert [duration(s) for s in (0.2, 42, 150, 9000)] == ["1 s", "42 s", "2 min", "2.5 h"]
