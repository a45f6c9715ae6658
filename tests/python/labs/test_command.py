"""collscope.commands.lab, collscope.labs.start, collscope.labs.formats, collscope.labs.grade, collscope.labs.hand_in:
what students and teachers type, and what they get."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

import document_keys
from collscope.commands import cli
from collscope.labs import grade as grading
from collscope.labs import hand_in, rules
from collscope.labs import lab as labs
from collscope.labs.check import Graded, Part, Report
from lab_folders import solution
from open_mpi import needs_prover


def call(*words: str) -> int:
    """The exit status of a command."""
    try:
        cli.main(["lab", *words])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_labs_are_listed_and_described_in_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, golden: Callable[[str, str], None]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert call("list") == 0 and call("list", "2") == 0
    out = capsys.readouterr().out
    golden("list", out)
    assert max(map(len, out.splitlines())) <= 80


def test_a_lab_begins_with_handout_skeleton_and_every_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And not in a folder that has something."""
    folder = tmp_path / "lab2"
    assert call("start", "broadcast", str(folder), "--no-figures") == 0
    assert sorted(path.name for path in folder.iterdir()) == ["answers.toml", "bcast.c", "handout.md"]
    assert (folder / "answers.toml").read_text(encoding="utf-8").count('= "?"') == 10
    assert f"read {folder}/handout.md;" in capsys.readouterr().out
    assert call("start", "broadcast", str(folder)) == 2
    assert call("start", "broadcats", str(tmp_path / "x")) == 2
    assert 'did you mean "broadcast"?' in capsys.readouterr().err


@needs_prover
@pytest.mark.full
def test_a_handout_is_a_page_with_its_figures_inside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "lab1"
    assert call("start", "latency", str(folder)) == 0
    page = (folder / "handout.html").read_text(encoding="utf-8")
    assert page.count('src="data:image/svg+xml') == len(labs.load("latency").file.figure)
    assert f"read {folder}/handout.html" in capsys.readouterr().out


@needs_prover
def test_a_check_says_what_is_there_and_what_held(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status is 0 only where nothing is missing."""
    folder = solution(labs.load("broadcast"), tmp_path / "lab2")
    assert call("check", str(folder), "--task", "flat") == 0
    out = capsys.readouterr().out
    assert "2 of 2 points" in out and "[x] bcast/my_flat: the proof" in out and "kept in by" in out
    (folder / "answers.toml").write_text('lab = "broadcast"\n')
    assert call("check", str(folder), "--task", "expect") == 1
    assert "missing: write down what you expect" in capsys.readouterr().out
    assert call("check", str(folder), "--task", "none") == 2


@needs_prover
def test_grades_are_written_in_every_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that names no lab, one without a C file: each a grade with its reason, in all of them."""
    empty, none = tmp_path / "empty", tmp_path / "none"
    empty.mkdir()
    none.mkdir()
    (empty / "answers.toml").write_text(
        'lab = "broadcast"\n[answers]\nflat_rounds_16 = 15\nbinomial_rounds_16 = 4\nbinomial_rounds_17 = 5\n'
    )
    made = {}
    for form in ("csv", "junit", "classroom", "otter"):
        assert call("grade", str(empty), str(none), "--format", form) == 0
        made[form] = capsys.readouterr().out
    assert call("grade", str(empty), str(none), "--json") == 0
    text = capsys.readouterr().out
    document = document_keys.check(text, "lab")
    assert [folder["earned"] for folder in document["folders"]] == [2, 0]
    rows = list(csv.DictReader(io.StringIO(made["csv"])))
    assert [row["earned"] for row in rows if row["task"] in ("count", "total")] == ["2", "2", "0"]
    assert (
        any("bcast.c is missing" in row["reasons"] for row in rows) and "answers.toml is missing" in rows[-1]["reasons"]
    )
    suites = ElementTree.fromstring(made["junit"])
    assert [suite.get("failures") for suite in suites] == ["6", "1"]
    first, second = (json.loads(base64.b64decode(line)) for line in made["classroom"].splitlines())
    assert (first["version"], first["max_score"], first["status"]) == (1, 15, "fail")
    assert [test["score"] for test in first["tests"]] == [0, 0, 0, 0, 0, 2, 0] and second["tests"][0][
        "status"
    ] == "error"
    otter = json.loads(made["otter"].splitlines()[0])
    assert (otter["score"], {test["visibility"] for test in otter["tests"]}) == (2, {"visible"})
    assert call("grade", str(empty), str(tmp_path / "absent")) == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--out grades.csv", "--out grades.csv: choose --json or --format"),
        ("--json --format csv", "--json and --format: choose one"),
        ("--format csv --out .", "--out .: is a folder; name a file"),
        ("--json --out=", "--out needs the name of a file"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_anything_is_judged(
    options: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folders are not looked at: what would be said of them is that they are empty, or name no lab."""
    for what in ("check", "grade"):
        assert call(what, str(tmp_path), *options.split()) == 2
        assert capsys.readouterr().err == f"collscope: {says}\n"


def test_a_file_among_the_hand_ins_costs_the_others_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An archive that was not unpacked, one that was unpacked a folder too deep."""
    (tmp_path / "anna.zip").touch()
    (tmp_path / "bob" / "lab2").mkdir(parents=True)
    (tmp_path / "bob" / "lab2" / "answers.toml").touch()
    assert call("grade", *map(str, sorted(tmp_path.iterdir())), "--format", "csv") == 0
    first, second = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert "not a folder: unpack it" in first["reasons"]
    assert "answers.toml is missing; there is one in lab2/: name that folder" in second["reasons"]


def test_a_folder_that_is_no_hand_in_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("check", str(tmp_path)) == 1
    assert capsys.readouterr().err == f"collscope: {tmp_path}/answers.toml is missing\n"


@pytest.mark.parametrize("form", ["csv", "junit", "classroom", "otter", ""])
def test_a_folder_s_name_that_is_not_utf_8_is_printed_as_far_as_it_is(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / os.fsdecode(b"M\xfcller")
    folder.mkdir()
    assert call("grade", str(folder), *(("--format", form, "--out", str(tmp_path / "out")) if form else ())) == 0
    text = (tmp_path / "out").read_text(encoding="utf-8") if form else capsys.readouterr().out
    assert "M\ufffdller" in text or form in ("classroom", "otter")


def test_a_byte_order_mark_costs_nothing(tmp_path: Path) -> None:
    """Editors put it before what they save as UTF-8."""
    (tmp_path / "answers.toml").write_text('lab = "broadcast"\n', encoding="utf-8-sig")
    assert hand_in.table(tmp_path, "answers.toml") == {"lab": "broadcast"}
    (tmp_path / "my.rules").write_text("bcast bytes 1KiB.. binomial\n", encoding="utf-8-sig")
    assert rules.read(tmp_path, "my.rules", tmp_path / "scratch").startswith("decision/file:")


def test_an_error_of_the_check_itself_costs_the_others_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(folder: Path, lab: labs.Lab, **_: object) -> Report:
        if folder.name == "a":
            raise OverflowError("int too large to convert to float")
        return Report(folder, lab, ())

    monkeypatch.setattr(grading, "check", check)
    for name in "ab":
        (tmp_path / name).mkdir()
    first, second = grading.grade([tmp_path / "a", tmp_path / "b"], labs.load("broadcast"))
    assert "OverflowError: int too large" in first.fault and f"lab check {first.folder} shows where" in first.fault
    assert second.fault == ""


@pytest.mark.full
@needs_prover
def test_a_challenge_has_a_leaderboard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The fastest first, over the hidden machines; who is not right has no place."""
    lab = labs.load("challenge")
    good, slow, wrong = (solution(lab, tmp_path / name) for name in ("good", "slow", "wrong"))
    changes = {
        slow: ("child, n, bytes <= 40000 ? 2048 : 4096)", "child, n, 0)"),
        wrong: ("length = s <", "length = 1 + s <"),
    }
    for folder, (old, new) in changes.items():
        path = folder / "best.c"
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
    assert call("grade", str(wrong), str(slow), str(good)) == 0
    board = capsys.readouterr().out.partition("leaderboard")[2].splitlines()
    rows = [line.split() for line in board if len(line.split()) == 3 and line.split()[0].isdigit()]
    assert [row[:2] for row in rows] == [["1", "good"], ["2", "slow"]]
    assert float(rows[0][2]) <= 1.1 < float(rows[1][2])


def test_grades_are_a_table_with_reasons_and_a_leaderboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reasons once for each folder, the fastest first, and equal scores in one place."""
    lab = labs.load("challenge")
    first, *_ = lab.file.task
    lacks = ("a reason", "in two lines")
    reports = [
        Report(
            tmp_path / name, lab, tuple(Graded(first, (Part("x", faults, score=score),)) for _ in range(tasks)), held
        )
        for name, faults, score, tasks, held in (
            ("slow", (), 1.5, 1, "landlock"),
            ("fast", (), 1.25, 1, "landlock"),
            ("wrong", lacks, None, 2, ""),
            ("equal", (), 1.25, 1, "namespaces"),
        )
    ]
    monkeypatch.setattr(grading, "grade", lambda *_, **__: reports)
    assert call("grade", *(str(report.folder) for report in reports)) == 0
    table, _, rest = capsys.readouterr().out.partition("\nwrong\n")
    points = [line.split() for line in table.splitlines() if "challenge" in line]
    assert [(row[0], " ".join(row[2:5])) for row in points] == [
        ("slow", f"{first.points} of {lab.points}"),
        ("fast", f"{first.points} of {lab.points}"),
        ("wrong", f"0 of {lab.points}"),
        ("equal", f"{first.points} of {lab.points}"),
    ]
    assert rest.startswith(f"  {first.name}:\n    x: a reason\n")
    assert points[2][-1] == first.name and rest.count("a reason") == 1 and f"{first.name}: as above" in rest
    board = [line.split() for line in rest.partition("leaderboard")[2].splitlines()]
    assert [row for row in board if len(row) == 3 and row[0].isdigit()] == [
        ["1", "equal", "1.250"],
        ["1", "fast", "1.250"],
        ["3", "slow", "1.500"],
    ]
    assert "2 folders kept in by Landlock" in rest and "1 folder kept in by namespaces" in rest
