"""collscope.studies.run, collscope.studies.results: what a run of a study writes, and what it leaves alone."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import drawn
import fake_list
import made_table
from collscope.base import paths
from collscope.base.errors import UsageError, UserError
from collscope.catalogue import registry
from collscope.points import table
from collscope.sources.source import Options
from collscope.studies import reader, results, run
from collscope.studies import rows as study_rows
from collscope.studies.origin import Origin
from collscope.studies.report import pictures
from collscope.studies.request import Request
from collscope.studies.study import Study


@pytest.fixture(scope="module")
def bird() -> Study:
    """A part of the study: enough for every section of its report."""
    whole = reader.load("bird_schooner")
    few = tuple(c for c in whole.collectives if c.name in ("bcast", "gather", "rotation"))
    return replace(whole, collectives=few, layouts=whole.layouts[:2], sizes=(128, 4096, *whole.focus[:3]), quick=(4096, 4 << 20),
                   focus=whole.focus[:3])  # fmt: skip


class Fake:
    """A study whose numbers come from formulas; counts how often it is drawn. Its pictures are stand-ins."""

    def __init__(self, bird: Study, monkeypatch: pytest.MonkeyPatch, workplace: Path) -> None:
        self.time: made_table.Time = made_table.paper
        self.options: list[Options] = []
        self.requests = drawn.stand_ins(monkeypatch)
        monkeypatch.setattr(paths, "RESULTS", workplace / "results")
        monkeypatch.setattr(run, "load", lambda name: bird)
        monkeypatch.setattr(run, "check_keys", lambda s, r: s)
        known = registry.parse(fake_list.TEXT)
        monkeypatch.setattr("collscope.catalogue.registry.load", lambda: known)

        def of_study(s: Study, platform: object, quick: bool, options: Options) -> tuple[list[table.Row], Origin]:
            self.options.append(options)
            rows = made_table.rows(s, self.time, quick)
            return rows, Origin(quick, len(rows), len(rows), 1.0, 1, 1 << 20, {"SimGrid": "0"}, {"sources": "0"})

        monkeypatch.setattr(study_rows, "of_study", of_study)
        # Of all pictures three, whose captions take little time.
        whole = pictures.pictures
        keep = ("5.1.1_bcast_2_nodes", "crossovers", "decision_tree")
        monkeypatch.setattr(pictures, "pictures", lambda *a: [p for p in whole(*a) if p.stem in keep])


@pytest.fixture
def fake(bird: Study, monkeypatch: pytest.MonkeyPatch, workplace: Path) -> Fake:
    return Fake(bird, monkeypatch, workplace)


def test_a_run_writes_everything_once(fake: Fake, workplace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = run.run("bird_schooner", Request(quick=True))
    assert folder == workplace / "results" / "bird_schooner" / "fresh"
    out, err = capfd.readouterr()
    assert out.splitlines() == [str(folder / "report.html")]
    first, second = err.splitlines()
    assert first == "collscope: bird_schooner: drawing figures and writing the report"
    assert re.fullmatch(r"collscope: bird_schooner: 14 files in \d+\.\d s", second), second
    record = json.loads((folder / "run.json").read_text())
    assert {*record} == {"stamp", "files", "origin"} and record["origin"]["versions"] == {"SimGrid": "0"}
    names = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert names >= {
        "table.csv", "claims.csv",
        "report.md", "report.html", "crossovers.csv", "winners.csv", "decision_tree.txt", "decision_tree.json", "run.json",
        "figures/5.1.1_bcast_2_nodes.svg", "figures/5.1.1_bcast_2_nodes.png", "figures/crossovers.svg",
    }  # fmt: skip
    assert [p.name for p in folder.parent.iterdir()] == ["fresh"], "nothing half-written is left"
    page = (folder / "report.html").read_text()
    assert "Quick run.</strong> Only a few of the study's sizes were simulated." in page
    assert page.count("data:image/svg+xml;base64") == 3
    text = (folder / "report.md").read_text()
    assert "| Broadcast | **builtin** | builtin<br>" in text
    assert "nan" not in text.lower().replace("nanosecond", "")
    run.run("bird_schooner", Request(quick=True))
    assert [p.stem for p in fake.requests] == ["5.1.1_bcast_2_nodes", "crossovers", "decision_tree"], "once"


@pytest.fixture
def table_alone(monkeypatch: pytest.MonkeyPatch) -> list[run.Numbers]:
    """Of the files of a run its table alone is written; the list holds the numbers of each writing."""
    written: list[run.Numbers] = []

    def write(study: Study, platform: Any, numbers: run.Numbers, new: Path, options: Options) -> list[str]:
        (new / "table.csv").write_text(numbers.csv)
        written.append(numbers)
        return ["table.csv"]

    monkeypatch.setattr(run, "_write", write)
    return written


def test_unchanged_results_are_not_written_again(fake: Fake, table_alone: list[run.Numbers]) -> None:
    folder = run.run("bird_schooner", Request(quick=True))
    for count, change in (
        (1, lambda: None), (2, lambda: setattr(fake, "time", made_table.swap("bcast", "builtin", 1.1))),
        (3, lambda: (folder / "table.csv").unlink()), (4, lambda: (folder / "run.json").unlink()),
    ):  # fmt: skip
        change()
        run.run("bird_schooner", Request(quick=True))
        assert len(table_alone) == count and (folder / "table.csv").exists()


def test_a_failure_leaves_the_old_results(
    fake: Fake, table_alone: list[run.Numbers], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run.run("bird_schooner", Request(quick=True))
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}

    def full(*_: object, **__: object) -> list[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run, "_write", full)
    fake.time = made_table.swap("bcast", "builtin", 1.1)
    with pytest.raises(UserError, match="the disk is full"):
        run.run("bird_schooner", Request(quick=True))
    assert {p: p.read_bytes() for p in folder.parent.rglob("*") if p.is_file()} == before


def test_the_reference_is_the_whole_study(fake: Fake, table_alone: list[run.Numbers]) -> None:
    for less, message in (
        ({"quick": True}, "the reference is made of the whole study: leave --quick out"),
        ({"point_timeout": 60.0}, "the reference has a number for every point: leave --point-timeout out"),
    ):
        with pytest.raises(UsageError, match=f"^{message}$"):
            run.run("bird_schooner", Request(write_reference=True, **less))
    folder = run.run("bird_schooner", Request(write_reference=True))
    kept = folder.parent
    assert (kept / "table.csv").read_bytes() == (folder / "table.csv").read_bytes()
    stale = kept / "figures" / "old.png"
    stale.parent.mkdir()
    stale.write_bytes(b"")
    run.run("bird_schooner", Request(write_reference=True))
    assert not stale.exists()


def test_a_run_ends_with_how_it_agrees_with_the_reference(
    fake: Fake, table_alone: list[run.Numbers], capfd: pytest.CaptureFixture[str]
) -> None:
    run.run("bird_schooner")
    assert "the reference" not in capfd.readouterr().err, "no reference yet"
    run.run("bird_schooner", Request(write_reference=True))
    rows = len((paths.RESULTS / "bird_schooner" / "table.csv").read_text().splitlines()) - 1
    capfd.readouterr()
    run.run("bird_schooner")
    assert capfd.readouterr().err.splitlines()[-1].endswith(f"bird_schooner: {rows} of {rows} rows equal the reference")
    fake.time = made_table.swap("bcast", "builtin", 1.1, only=lambda nodes, size: nodes == 2 and size == 4096)
    run.run("bird_schooner", Request(write_reference=True))
    *_, count, first, second = capfd.readouterr().err.splitlines()[:-2]
    assert count.endswith(f"{rows - 4} of {rows} rows equal the reference"), "the one that the new one replaces"
    assert "decision/" in first and "2 nodes, 32 ranks, 4096 B: median_s is" in first
    assert "2 nodes, 32 ranks, 4096 B, root: median_s is" in second


def test_rows_are_made_as_the_request_says_and_force_writes_the_same_numbers_again(
    fake: Fake, table_alone: list[run.Numbers], workplace: Path
) -> None:
    out = workplace / "out"
    for more in ({"jobs": 3, "point_timeout": 2.5}, {"force": True}, {}):
        assert run.run("bird_schooner", Request(quick=True, out=str(out), **more)) == out
    assert fake.options == [Options(jobs=3, point_timeout_s=2.5), Options(force=True), Options()]
    assert len(table_alone) == 2


@pytest.mark.parametrize("taken", [False, True])
def test_results_of_one_that_was_killed_stand_in_their_place_again(
    taken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, other = tmp_path / ".fresh-1-x-old", tmp_path / ".fresh-2-y"
    for folder in (old, other):
        folder.mkdir()
        (folder / "file").write_text(folder.name)
    target = tmp_path / "fresh"
    if taken:
        target.mkdir()
    monkeypatch.setattr(
        results.leftovers, "abandoned", lambda folder, prefix: [old, other] if folder == tmp_path else []
    )
    results.recover(target)
    assert old.exists() == taken and other.exists()
    assert [p.read_text() for p in target.iterdir()] == ([] if taken else [old.name])


def test_a_study_without_any_point_is_an_error(fake: Fake, bird: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = replace(bird, layouts=((2, 72),), collectives=tuple(c for c in bird.collectives if c.name == "gather"))
    monkeypatch.setattr(run, "load", lambda name: empty)
    with pytest.raises(UsageError) as error:
        run.run("bird_schooner")
    assert str(error.value) == (
        "sim/bird_schooner.toml: sizes: none can be cut into a block of whole elements for each rank; take multiples of 72 ranks times "
        "the element's bytes"
    )
    assert not fake.requests


@pytest.mark.parametrize(
    ("own", "reference", "taken"),
    [(None, None, ""), ("p1", None, "own"), ("p2", "p1", "reference"), ("p1", "p1", "own"), ("p2", None, "")],
)
def test_verdicts_over_the_ranges_are_kept_for_their_platform(
    bird: Study, workplace: Path, monkeypatch: pytest.MonkeyPatch, own: str | None, reference: str | None, taken: str
) -> None:
    monkeypatch.setattr(paths, "RESULTS", workplace)
    (workplace / bird.name).mkdir()
    texts = {}
    for folder, name, of in ((workplace, "own", own), (workplace / bird.name, "reference", reference)):
        if of:
            texts[name] = f"number,platform_hash\n{name},{of}\n"
            (folder / results.SENSITIVITY).write_text(texts[name])
    origin = Origin(False, 1, 1, 1.0, 1, 1, {}, {"platform": "p1"})
    assert run._varied(bird, origin, workplace, False, Options()) == texts.get(taken, "")
    assert run._varied(replace(bird, prior_sizes=()), origin, workplace, True, Options()) == texts.get(taken, "")
    monkeypatch.setattr("collscope.studies.sensitivity.run", lambda *words: pd.DataFrame({"a": [len(words)]}))
    assert run._varied(bird, origin, workplace, True, Options(jobs=3)) == "a\n3\n"


@pytest.mark.parametrize(("files", "whole"), [([], False), (["a"], True), (["a", "b"], False)])
def test_results_are_complete_with_every_file_of_their_record(tmp_path: Path, files: list[str], whole: bool) -> None:
    (tmp_path / "a").touch()
    assert results.is_complete(tmp_path, {"files": files}) == whole
    assert not results.is_complete(tmp_path, {})
    for text in ("no json", "[]"):
        (tmp_path / results.RUN).write_text(text)
        assert results.record(tmp_path) == {}


def test_results_go_to_a_fresh_empty_or_earlier_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    assert results.fresh_folder("s") == tmp_path / "results" / "s" / "fresh" and capsys.readouterr().err == ""
    monkeypatch.setattr(paths, "fresh", lambda name: tmp_path / "else" / name)
    assert results.fresh_folder("s") == tmp_path / "else" / "s"
    assert capsys.readouterr().err == (
        f"collscope: {tmp_path / 'results'} cannot be written to; results go to {tmp_path / 'else' / 's'} (--out DIR: elsewhere)\n"
    )
    monkeypatch.chdir(tmp_path)
    assert results.fresh_folder("s", "new") == tmp_path / "new"
    folder = tmp_path / "mine"
    folder.mkdir()
    assert results.fresh_folder("s", str(folder)) == folder, "an empty one"
    (folder / results.RUN).write_text('{"stamp": ""}')
    assert results.fresh_folder("s", str(folder)) == folder, "one with results"
    (folder / results.RUN).rename(folder / "other")
    for out, printed in (
        (folder, "contains files that are not study results; name an empty or a new folder"),
        (folder / "other", "not a folder"),
        (folder / "other" / "x", f"{folder / 'other'} is not a folder"),
    ):
        with pytest.raises(UsageError) as error:
            results.fresh_folder("s", str(out))
        assert str(error.value) == f"--out {out}: {printed}"


def test_the_ten_most_frequent_reasons_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    run.report_failures(
        [
            {"collective": "bcast", "algorithm": f"a{k}", "status": "no", "metric": "makespan"}
            for k in range(12)
            for _ in range(k)
        ]
    )
    printed = capsys.readouterr().err.splitlines()
    assert printed[0] == "collscope: a11: 11 points without a number: no" and len(printed) == 10
    row = {"collective": "bcast", "algorithm": "bcast/a", "status": "no", "metric": "makespan"}
    run.report_failures([row, row, {**row, "status": "other"}, {**row, "metric": "root"}])
    assert capsys.readouterr().err.splitlines() == [
        "collscope: bcast/a: 2 points without a number: no", "collscope: bcast/a: 1 point without a number: other",
    ]  # fmt: skip


def test_a_reference_has_the_figures_that_are_made_and_no_others(tmp_path: Path) -> None:
    fresh, reference = tmp_path / "fresh", tmp_path / "reference"
    for folder, names in ((fresh, ("new.svg", "old.svg")), (reference, ("old.svg", "gone.svg"))):
        (folder / "figures").mkdir(parents=True)
        for name in names:
            (folder / "figures" / name).write_text(folder.name)
    (fresh / results.RUN).write_text('{"files": ["figures/new.svg", "figures/old.svg"]}')
    (reference / "notes.md").write_text("kept")
    results.publish(fresh, reference)
    made = {str(p.relative_to(reference)): p.read_text() for p in reference.rglob("*") if p.is_file()}
    assert {name: made[name] for name in sorted(made) if name != results.RUN} == {
        "figures/new.svg": "fresh", "figures/old.svg": "fresh", "notes.md": "kept",
    }  # fmt: skip
    assert results.RUN in made
    assert results.stamp("a", "b") != results.stamp("ab") != results.stamp("a")


@pytest.mark.parametrize("error", [None, ValueError("x"), OSError(28, "full")])
def test_results_take_their_place_whole_or_leave_no_trace(tmp_path: Path, error: Exception | None) -> None:
    target = tmp_path / "fresh"
    target.mkdir()
    (target / "old").touch()
    kind = UserError if isinstance(error, OSError) else type(error)
    with pytest.raises(kind) if error else contextlib.nullcontext(), results.replacing(target) as new:
        (new / "new").touch()
        assert new.stat().st_mode & 0o777 == 0o755
        if error:
            raise error
    assert [p.name for p in tmp_path.iterdir()] == ["fresh"]
    assert [p.name for p in target.iterdir()] == ["old" if error else "new"]


def test_results_that_cannot_be_placed_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(UserError) as error, results.replacing(file / "fresh"):
        pass
    assert str(file) in str(error.value)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    target = tmp_path / "fresh"
    with pytest.raises(UserError, match="the disk is full") as error, results.replacing(target):
        monkeypatch.setattr(results.os, "replace", full)
    assert str(target) in str(error.value)
