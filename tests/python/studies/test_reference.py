"""The committed reference: whole, and the same digits again."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points import table
from collscope.sources import simulate
from collscope.studies import reader
from collscope.studies import rows as study_rows
from collscope.studies.agreement import compare
from collscope.studies.study import Study
from reference import skip_without_the_simulator

REFERENCE = paths.ROOT / "results" / "bird_schooner" / "table.csv"
CHECKED = ("bcast", "allgather", "allreduce", "rotation")


@pytest.fixture(scope="module")
def bird() -> Study:
    return reader.load("bird_schooner")


def test_the_reference_says_the_same_again(bird: Study, workplace: Path) -> None:
    """A part of the study through the real simulator: the same digits as in the committed table."""
    skip_without_the_simulator(REFERENCE)
    checked = reader.check_keys(bird, registry.load())
    platform = find.load(bird.platform)
    tasks = [
        task for task, entry, size in study_rows.tasks_of(checked, platform, quick=False)
        if entry.collective in CHECKED and task[0].nodes == 2 and size in (128, 4096, 65536)
    ]  # fmt: skip
    rows = simulate.run_tasks(tasks)
    assert len(rows) == len(CHECKED) * 4 * 3
    agreement = compare(table.csv_text(rows), REFERENCE.read_text())
    assert list(agreement.lines()) == [f"{len(rows)} of {len(rows)} rows equal the reference"]


def test_the_reference_is_whole(bird: Study) -> None:
    folder = REFERENCE.parent
    record = json.loads((folder / "run.json").read_text())
    assert not [name for name in record["files"] if not (folder / name).is_file()]
    with REFERENCE.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["source"] == "sim" and row["metric"] == bird.metric]
    assert len(rows) == sum(1 for _ in bird.points())
    assert {row["status"] for row in rows} == {"ok"}
