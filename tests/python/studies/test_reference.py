"""collscope.studies.reader, collscope.studies.rows, collscope.studies.agreement:
the committed references: whole, and the same digits again."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from collscope.base import paths
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points import table
from collscope.sources import model, simulate
from collscope.sources.source import Options
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


@pytest.mark.parametrize(
    ("name", "algorithms", "ranks", "block"),
    [
        ("kandalla_allgather", ("conventional", "4 ldr shm"), 64, 256),
        ("donninelli_gather", ("naive", "binary tree, in chunks", "ring"), 16, 1000000),
    ],
)
def test_references_in_blocks_say_the_same_again(
    name: str, algorithms: tuple[str, ...], ranks: int, block: int, workplace: Path
) -> None:
    reference = paths.RESULTS / name / "table.csv"
    skip_without_the_simulator(reference)
    study = reader.check_keys(reader.load(name), registry.load())
    tasks = [
        task for task, entry, size in study_rows.tasks_of(study, find.load(study.platform), quick=False)
        if entry.name in algorithms and task[0].ranks == ranks and size == block * ranks
    ]  # fmt: skip
    rows = simulate.run_tasks(tasks)
    assert len(rows) == 2 * len(algorithms), "in blocks and around the nodes"
    agreement = compare(table.csv_text(rows), reference.read_text())
    assert list(agreement.lines()) == [f"{len(rows)} of {len(rows)} rows equal the reference"]


def test_a_reference_behind_a_barrier_says_the_same_again(workplace: Path) -> None:
    """A loop with Open MPI's barrier before each call, simulated."""
    reference = paths.RESULTS / "alessio_orfeo" / "table.csv"
    skip_without_the_simulator(reference)
    study = reader.check_keys(reader.load("alessio_orfeo"), registry.load())
    tasks = [
        task for task, _, _ in study_rows.tasks_of(study, find.load(study.platform), quick=False)
        if task[0].ranks == 24 and task[1].block_bytes(24) in (4, 65536)
    ]  # fmt: skip
    rows = simulate.run_tasks(tasks)
    assert len(rows) == 2 * 9
    assert list(compare(table.csv_text(rows), reference.read_text()).lines()) == ["18 of 18 rows equal the reference"]


def test_a_reference_by_the_model_says_the_same_again(workplace: Path) -> None:
    """The part of the study on 192 ranks and below: the engine's own digits."""
    study = reader.check_keys(reader.load("cheetah_jaguar"), registry.load())
    tasks = [
        task for task, entry, size in study_rows.tasks_of(study, find.load(study.platform), quick=False)
        if task[0].ranks <= 192 and size <= 2048
    ]  # fmt: skip
    rows = model.run_tasks(tasks)
    text = (paths.RESULTS / "cheetah_jaguar" / "table.csv").read_text()
    assert list(compare(table.csv_text(rows), text).lines()) == [f"{len(rows)} of {len(rows)} rows equal the reference"]


VECTOR_FORMS = {"gatherv", "scatterv", "allgatherv", "alltoallv"}  # that a table made before they came does not have


def test_a_reference_on_several_networks_says_the_same_again(workplace: Path) -> None:
    """A point in so many on each of the networks: times, and bytes over links."""
    reference = paths.RESULTS / "newest" / "table.csv"
    with reference.open(newline="") as file:
        has = {row["collective"] for row in csv.DictReader(file)}
    study = reader.check_keys(reader.load("newest"), registry.load())
    tasks = [
        task for task, _, size in study_rows.tasks_of(study, find.load(study.platform), quick=False) if size <= 24576
    ][::61]  # fmt: skip
    rows = model.run_tasks(tasks, Options(traffic=True))
    assert {row["platform"] for row in rows} == {variant.platform for variant in study.variants}
    agreement = compare(table.csv_text(rows), reference.read_text())
    lacks = {str(row["collective"]) for row in rows} - has
    assert not agreement.different and lacks <= VECTOR_FORMS, list(agreement.lines())
    assert agreement.new == sum(row["collective"] in lacks for row in rows), "the table lacks rows: run the study again"


def test_the_sample_that_is_simulated_says_the_same_again(workplace: Path) -> None:
    """Short calls of it, on one of the networks."""
    reference = paths.RESULTS / "newest" / "table.csv"
    skip_without_the_simulator(reference)
    with reference.open(newline="") as file:
        sample = {(r["algorithm"], r["ranks"], r["bytes"]) for r in csv.DictReader(file) if r["source"] == "sim"}
    study = reader.check_keys(reader.load("newest"), registry.load())
    tasks = [
        task for task, entry, size in study_rows.tasks_of(study, find.load(study.platform), quick=False, first_alone=True)
        if (entry.key, str(task[0].ranks), str(size)) in sample and size <= 24576
    ]  # fmt: skip
    rows = simulate.run_tasks(tasks)
    agreement = compare(table.csv_text(rows), reference.read_text())
    equal = len(rows) - agreement.new
    assert not agreement.different and equal >= 3, "others of these calls were drawn on other networks"


EVERY = [
    "alessio_orfeo",
    "bird_schooner",
    "cheetah_jaguar",
    "donninelli_gather",
    "kandalla_allgather",
    "kandalla_cores",
]


@pytest.mark.parametrize("name", EVERY)
def test_a_reference_is_whole(name: str) -> None:
    study, folder = reader.check_keys(reader.load(name), registry.load()), paths.RESULTS / name
    record = json.loads((folder / "run.json").read_text())
    assert not [file for file in record["files"] if not (folder / file).is_file()]
    with (folder / "table.csv").open(newline="") as file:
        found = [row for row in csv.DictReader(file) if row["source"] == study.numbers_from]
    points = [point for *_, point, _ in study.points()]
    rows = [row for row in found if row["metric"] in {point.metric for point in points}]
    assert len(rows) == len(study.variants) * len(points)
    without = {row["algorithm"] for row in rows if row["status"] != "ok"}
    assert without == ({"bcast/scatter_recursive_doubling"} if name == "cheetah_jaguar" else set()), (
        "1 B has no block for each rank"
    )
