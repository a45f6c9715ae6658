"""collscope.labs.check: which score of a challenge counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.labs import lab as labs
from collscope.labs.check import Graded, Part, Report


@pytest.mark.parametrize(
    ("parts", "score"),
    [
        ([], None),
        ([Part("known", score=1.5), Part("proof")], 1.5),
        ([Part("known", score=1.5), Part("hidden", hidden=True, score=1.25)], 1.25),
        ([Part("known", score=1.25), Part("hidden", hidden=True, score=1.5)], 1.5),
    ],
)
def test_a_score_is_that_on_hidden_machines_where_there_are_any(parts: list[Part], score: float | None) -> None:
    lab = labs.load("challenge")
    assert Report(Path("student"), lab, (Graded(lab.file.task[0], tuple(parts)),)).score == score
