"""collscope.analysis.what_if, collscope.studies.report.analysis: what a study with [vary] says of its variants."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import drawn
import made_table
import same_picture
from collscope.analysis import what_if
from collscope.base import paths
from collscope.catalogue import registry
from collscope.figures import files
from collscope.machines import find
from collscope.points import table
from collscope.sources import simulate
from collscope.studies import one_figure, reader
from collscope.studies import rows as study_rows
from collscope.studies.agreement import compare
from collscope.studies.origin import Origin
from collscope.studies.report import analysis, pictures, report
from collscope.studies.request import Request
from collscope.studies.study import Study
from reference import skip_without_the_simulator

TEXT = """
title = "Twice the NIC"
setting = { platform = "schooner", nodes = [2], ranks = [8] }
sizes = { bytes = "4KiB,64KiB,1MiB" }
[vary]
nic_bytes_per_s = ["1x", "2x"]
mapping = ["block", "cyclic"]
[[collective]]
name = "bcast"
title = "Broadcast"
algorithms = ["bcast/mst", "bcast/linear"]
"""


@pytest.fixture
def study(tmp_path: Path, known: registry.Registry) -> Study:
    path = tmp_path / "twice.toml"
    path.write_text(TEXT)
    return reader.load(path)


def time(platform: str, mapping: str, key: str, size: int) -> float:
    """mst takes half as long on twice the NIC where it is mapped around the nodes; linear always takes 3 µs a KiB."""
    if key == "bcast/linear":
        return 3e-6 * size / 1024
    faster = 0.5 if "x2" in platform and mapping == "cyclic" else 1.0
    return 4e-6 * size / 1024 * faster


def rows(study: Study) -> list[table.Row]:
    made = []
    for variant in study.variants:
        for row in made_table.rows(study):
            seconds = time(variant.platform, variant.mapping, row["algorithm"], row["bytes"])
            times = dict.fromkeys(("median_s", "q1_s", "q3_s", "min_s", "max_s"), seconds)
            made.append({**row, **times, "platform": variant.platform, "mapping": variant.mapping})
    return made


def compared(study: Study) -> what_if.WhatIf:
    found = analysis.compare_variants(analysis.analyse(study, table.to_frame(rows(study))))
    assert found
    return found


def test_each_algorithm_is_described_by_itself_where_the_best_stays(study: Study) -> None:
    made = [
        {**row, "median_s": row["median_s"] * (0.1 if row["algorithm"] == "bcast/linear" else 1)} for row in rows(study)
    ]
    found = analysis.compare_variants(analysis.analyse(study, table.to_frame(made)))
    assert found
    assert found.sentence() == (
        "With nic_bytes_per_s 2× instead of 1× the best time is the same everywhere, by the same algorithm. Each algorithm by itself takes "
        "so many times as long, as geometric mean: mst 0.71; linear 1.00."
    )


def test_each_variant_stands_beside_the_first_value_with_all_else_alike(study: Study) -> None:
    blocks = compared(study).blocks()
    assert [(b["column"], b["row"], b["best"], b["ratio"], b["changes"]) for b in blocks] == [
        ("nic_bytes_per_s 1×", "mapping block", "linear at every size", 1.0, 0),
        ("nic_bytes_per_s 1×", "mapping cyclic", "linear at every size", 1.0, 0),
        ("nic_bytes_per_s 2×", "mapping block", "linear at every size", 1.0, 0),
        ("nic_bytes_per_s 2×", "mapping cyclic", "mst at every size", pytest.approx(2 / 3), 3),
    ]


def test_a_block_and_a_winner_are_known_whole(study: Study) -> None:
    found = compared(study)
    assert found.blocks()[3] == {
        "title": "Broadcast", "nodes": 2, "ranks": 8, "column": "nic_bytes_per_s 2×", "row": "mapping cyclic", "best": "mst at every size",
        "ratio": pytest.approx(2 / 3), "least": pytest.approx(2 / 3), "most": pytest.approx(2 / 3), "changes": 3, "sizes": 3,
    }  # fmt: skip
    last = found.winners.iloc[-1]
    assert last[list(what_if.COLUMNS)].to_dict() == {
        "collective": "bcast", "nodes": 2, "ranks": 8, "bytes": 1 << 20, "platform": "schooner[nic_bytes_per_s=x2]", "mapping": "cyclic",
        "winner": "mst", "time_s": 2e-6 * 1024, "before": "linear", "before_s": 3e-6 * 1024, "ratio": pytest.approx(2 / 3),
    }  # fmt: skip
    assert list(zip(found.winners["variant"], found.winners["bytes"], strict=True)) == [
        (variant, size << 10) for variant in range(4) for size in (4, 64, 1024)
    ]


@pytest.mark.parametrize(
    ("winners", "text"),
    [("aaa", "a at every size"), ("aab", "a to 8 B and b to 1 KiB"), ("aba", "a to 4 B, b to 8 B and a to 1 KiB")],
)
def test_winners_are_named_by_runs_of_sizes(winners: str, text: str) -> None:
    assert what_if._sequence(list(winners), [4, 8, 1024]) == text


@pytest.mark.parametrize(
    ("faster", "expected"), [(0.996, "is the same everywhere"), (0.994, "is 0.99 to 1.00 times as long")]
)
def test_a_change_of_half_a_percent_is_spoken_of(study: Study, faster: float, expected: str) -> None:
    made = [{**r, "median_s": 1e-6 * r["bytes"] * (1 if r["algorithm"] == "bcast/mst" else 2)} for r in rows(study)]
    for row in made:
        if row["platform"] != "schooner" and row["mapping"] == "block":
            row["median_s"] *= faster
    found = analysis.compare_variants(analysis.analyse(study, table.to_frame(made)))
    assert found and found.sentence().startswith(f"With nic_bytes_per_s 2× instead of 1× the best time {expected}")


def test_a_sentence_says_what_is_gained_and_where(study: Study) -> None:
    assert compared(study).sentence() == (
        "With nic_bytes_per_s 2× instead of 1× the best time is 0.67 to 1.00 times as long (least: bcast, 4 KiB, mapping cyclic), and "
        "another algorithm wins at 3 of 6 points."
    )


def test_the_other_sections_are_about_the_first_variant(study: Study) -> None:
    made = analysis.analyse(study, table.to_frame(rows(study)))
    assert len(made.sim) == 6
    assert set(made.sim[made.sim["key"] == "bcast/mst"]["time_s"]) == {4e-6 * size for size in (4, 64, 1024)}


@pytest.mark.parametrize(("apart", "winner"), [(0.5e-9, "mst"), (1.5e-9, "linear")])
def test_equal_times_have_the_winner_that_stands_first(study: Study, apart: float, winner: str) -> None:
    frame = table.to_frame(
        [{**r, "median_s": 1e-6 * (1 + apart * (r["algorithm"] == "bcast/mst"))} for r in rows(study)]
    )
    found = analysis.compare_variants(analysis.analyse(study, frame))
    assert found
    assert set(found.winners["winner"]) == {winner}


def test_the_picture_is_the_kept_one(study: Study, tmp_path: Path) -> None:
    of = analysis.analyse(study, table.to_frame(rows(study)))
    (made,) = (p for p in pictures.pictures(of, analysis.changes(of), None, quick=False) if p.stem == "what_if")
    same_picture.check(files.render(made.make(), "svg"), same_picture.EXPECTED / "what_if.svg", tmp_path)


def test_the_report_has_a_section_a_table_and_a_figure(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn.stand_ins(monkeypatch)
    origin = Origin(False, 24, 24, 1.0, 1, 1 << 20, {}, {})
    names = report.write(study, find.load("schooner"), table.to_frame(rows(study)), origin, tmp_path)
    assert {"what_if.csv", "figures/what_if.svg", "figures/what_if.png"} <= set(names)
    text = (tmp_path / "report.md").read_text()
    assert (
        "| Broadcast | 2 | 8 | nic_bytes_per_s 2×, mapping cyclic | mst at every size | 0.67× | 0.67× | 0.67× | 3 of 3 |"
        in text
    )
    assert '<h2 id="what-if">' in (tmp_path / "report.html").read_text()
    with (tmp_path / "what_if.csv").open(newline="") as file:
        last = list(csv.DictReader(file))[-1]
    found = [last[c] for c in ("platform", "mapping", "winner", "before")]
    assert found == ["schooner[nic_bytes_per_s=x2]", "cyclic", "mst", "linear"]


def test_it_can_be_drawn_alone(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_rows, "rows_of", lambda s, *_: rows(s))
    drawn.stand_ins(monkeypatch)
    made = one_figure.run(str(study.path), "what_if", Request(out=str(tmp_path / "one")))
    assert [p.name for p in made] == ["what_if.svg", "what_if.png"]


# ---- the study that is kept with the sources ---------------------------------------------------------------


REFERENCE = paths.ROOT / "results" / "what_if_nic"


def test_the_reference_of_the_nic_s_study_is_whole_and_says_the_same_again(workplace: Path) -> None:
    skip_without_the_simulator(REFERENCE / "table.csv")
    record = json.loads((REFERENCE / "run.json").read_text())
    assert not [name for name in record["files"] if not (REFERENCE / name).is_file()]
    study = reader.check_keys(reader.load("what_if_nic"), registry.load())
    every = study_rows.tasks_of(study, find.load(study.platform), quick=True)
    tasks = [task for task, entry, size in every if entry.collective == "allreduce" and size == min(study.quick)]
    made = simulate.run_tasks(tasks)
    assert len(made) == 6 * 3
    agreement = compare(table.csv_text(made), (REFERENCE / "table.csv").read_text())
    assert list(agreement.lines()) == ["18 of 18 rows equal the reference"]
