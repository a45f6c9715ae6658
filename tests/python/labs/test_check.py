"""collscope.labs.check: which score of a challenge counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.labs import check
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


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("of_the_other", "score"), [((), 1.5), (("a message has no partner",), None)])
def test_an_algorithm_that_failed_a_proof_of_any_task_has_no_score(
    of_the_other: tuple[str, ...], score: float | None, hidden: bool
) -> None:
    lab = labs.load("challenge")
    right, near = (next(task for task in lab.file.task if task.name == name) for name in ("right", "near"))
    assert right.algorithm == near.algorithm
    proven, scored = Part("proof", proof=True), Part("near", score=1.5)
    other = Graded(right, (proven, Part("proof", of_the_other, hidden, proof=True)))
    one = Graded(near, (proven, scored))
    assert [Report(Path("student"), lab, tasks).score for tasks in ((other, one), (one, other))] == [score] * 2


def test_the_proof_is_the_part_that_is_marked_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check._Checker, "_proof", lambda *_: ["a message has no partner"])
    checker = check._Checker(tmp_path, labs.load("challenge"), False, tmp_path, "")
    (part,) = checker.parts(next(task for task in checker.lab.file.task if task.name == "right"))
    assert part.proof and part.faults


TASK = {
    "name": "all",
    "points": 1,
    "algorithm": "bcast/mine",
    "cost": [{"what": "rounds", "at_most": 1}],
    "time": [{"platform": "schooner", "nodes": 2, "ranks": 4, "bytes": "8", "at_most": 1, "reference": ["bcast/mst"]}],
    "crossings": [{"platform": "schooner", "nodes": 2, "ranks": 4}],
    "rules": [
        {"collective": "bcast", "platform": "schooner", "nodes": [2], "bytes": "8", "at_most": 1, "worst": 1, "against": "x"}
    ],
    "predict": [
        {"algorithms": ["bcast/mst"], "platform": "schooner", "nodes": 2, "ranks": 4, "bytes": "8", "within": 0.1}
    ],
    "answer": [{"name": "t", "question": "?", "kind": "time", "algorithms": ["bcast/mst"]}],
}  # fmt: skip


def test_every_part_of_a_hidden_case_is_marked_as_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof, a cost, a time, messages between nodes, rules, a prediction and an answer; of all none is judged here."""
    for name in ("_proof", "_guarded", "_rules", "_prediction", "_answer"):
        monkeypatch.setattr(check._Checker, name, lambda *_: [])
    checker = check._Checker(tmp_path, labs.load("challenge"), False, tmp_path, "")
    checker.built = object()  # type: ignore[assignment]
    task = labs.Task.model_validate(TASK)
    known = list(checker.parts(task))
    checker.hidden = {"all": task}
    both = list(checker.parts(task))
    assert [part.hidden for part in known] == [False] * 7
    assert [part.hidden for part in both] == [False] * 7 + [True] * 7
