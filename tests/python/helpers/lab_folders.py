"""Students' folders for tests: a lab's reference solution, whole or with one of its common mistakes."""

from __future__ import annotations

import shutil
from pathlib import Path

from collscope.labs.check import Report
from collscope.labs.formats import reasons
from collscope.labs.lab import Lab, Mistake


def solution(lab: Lab, folder: Path) -> Path:
    """The reference solution as a folder of a student."""
    shutil.copytree(lab.folder / "solution", folder)
    return folder


def with_mistake(lab: Lab, mistake: Mistake, folder: Path) -> Path:
    """The solution with the mistake made in it."""
    solution(lab, folder)
    path = folder / (mistake.file or lab.file.file)
    text = path.read_text(encoding="utf-8")
    assert text.count(mistake.replace) == 1, (
        f"{lab.name}, {mistake.name}: {mistake.replace!r} stands {text.count(mistake.replace)} times"
    )
    path.write_text(text.replace(mistake.replace, mistake.by), encoding="utf-8")
    return folder


def words_of(report: Report, task: str) -> str:
    """All that is said of a task, in one line."""
    (graded,) = [graded for graded in report.tasks if graded.task.name == task]
    assert graded.earned == 0, f"{task} has its points"
    return " ".join(reasons(graded).split())
