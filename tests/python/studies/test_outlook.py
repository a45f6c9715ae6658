"""What is said before a study begins."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tiny_platform
from collscope.base import paths
from collscope.points.plan import Layout, Point, Task
from collscope.studies import outlook, reader
from collscope.studies.study import Study


@pytest.fixture(scope="module")
def bird() -> Study:
    return reader.load("bird_schooner")


@pytest.fixture
def tasks() -> list[Task]:
    layout = Layout(tiny_platform.tiny(), 2, 4, "block")
    return [(layout, Point("bcast", "bcast/linear", count)) for count in (1, 2, 3, 4)]


def reference(workplace: Path, monkeypatch: pytest.MonkeyPatch, **changed: Any) -> None:
    monkeypatch.setattr(paths, "RESULTS", workplace)
    origin = {"wall_s": 300.0, "jobs": 2, "quick": False, "simulated": 4, **changed}
    (workplace / "bird_schooner").mkdir()
    (workplace / "bird_schooner" / "run.json").write_text(json.dumps({"origin": origin}))


def test_the_time_follows_from_that_of_the_reference(
    bird: Study, tasks: list[Task], workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference(workplace, monkeypatch)
    whole = outlook.sentence(bird, 4, tasks, tasks, 2)
    speed = "at the speed at which the reference was made"
    assert whole == f"bird_schooner: 4 points; 4 to simulate, 2 at a time: about 5 min {speed}"
    part = outlook.sentence(bird, 4, tasks[:1], tasks, 1)
    assert part == f"bird_schooner: 4 points, 3 of them cached; 1 to simulate, 1 at a time: about 2 min {speed}"
    assert outlook.sentence(bird, 4, [], tasks, 2) == "bird_schooner: 4 points, all of them cached"


@pytest.mark.parametrize("changed", [{"quick": True}, {"simulated": 3}, {"wall_s": "long"}, {"jobs": None}])
def test_no_time_is_said_where_none_is_known(
    changed: dict[str, Any], bird: Study, tasks: list[Task], workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference(workplace, monkeypatch, **changed)
    assert outlook.sentence(bird, 4, tasks, tasks, 2) == "bird_schooner: 4 points; 4 to simulate, 2 at a time"
    assert "about" not in outlook.sentence(replace(bird, name="mine"), 4, tasks, tasks, 2)
