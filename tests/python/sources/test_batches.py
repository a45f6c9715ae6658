"""How work is cut into launches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.catalogue.registry import Registry
from collscope.points.plan import Layout, Point
from collscope.sources import batches
from collscope.sources.launch import Report
from collscope.sources.outcome import Outcome
from tiny_platform import tiny


def test_work_is_cut_for_the_jobs(known: Registry) -> None:
    platform = tiny()
    layout = Layout(platform, 1, 64)
    todo = {str(i): (layout, Point("allgather", "allgather/bucket", i + 1)) for i in range(40)}
    made = batches.batches(todo, jobs=2)
    assert len(made) > 2
    assert sorted(int(key) for batch in made for key, _ in batch.points) == list(range(40))
    counts = [[point.count for _, point in batch.points] for batch in made]
    assert [c for batch in counts for c in batch] == list(range(40, 0, -1))  # the largest first
    assert len(batches.batches({"0": todo["0"]}, jobs=2)) == 1
    crowded = Point("bcast", "bcast/pipeline[s=1024]", 1 << 16)  # thousands of small segments on their way at once
    made = batches.batches(todo | {"long": (layout, crowded)}, jobs=2)
    assert [key for key, _ in made[0].points] == ["long"]


POINTS = [(name, Point("bcast", "bcast/linear", 1)) for name in "abcde"]


def test_a_launch_that_dies_is_followed_by_one_of_what_is_left() -> None:
    launched: list[str] = []
    made: dict[str, Outcome] = {}

    def launch(points: Sequence[batches.Numbered], folder: Path) -> Report:
        """Dies on b and d."""
        assert folder.is_dir()
        names = "".join(name for name, _ in points)
        launched.append(names)
        good = re.split("[bd]", names)[0]
        made.update((name, Outcome("ok", "ok")) for name in good)
        return Report(meta={"library": "x"}, unfinished=list(names[len(good) :]), reason="a fault")

    batches.finish(POINTS, launch, made.__setitem__, died="launch failed", not_started="nothing started")
    assert launched == ["abcde", "cde", "e"]
    assert {name for name, outcome in made.items() if outcome == Outcome("died", "launch failed: a fault")} == set("bd")
    assert sorted(made) == list("abcde")


def test_a_program_that_does_not_start_is_an_error() -> None:
    def launch(points: Sequence[batches.Numbered], folder: Path) -> Report:
        return Report(unfinished=["a"], reason="no such file")

    with pytest.raises(UserError, match="nothing started: no such file"):
        batches.finish(POINTS, launch, print, died="launch failed", not_started="nothing started")
