"""collscope.studies.one_figure: a figure of a study alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import drawn
import made_table
from collscope.base.errors import UsageError
from collscope.commands.cli import cli
from collscope.machines.study_variants import Variation
from collscope.points import table
from collscope.studies import one_figure, reader
from collscope.studies import rows as study_rows
from collscope.studies.report.analysis import analyse
from collscope.studies.report.pictures import pictures
from collscope.studies.request import Request
from collscope.studies.study import Study


def test_it_is_drawn_from_what_the_whole_study_draws_it_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bird = reader.load("bird_schooner")
    every = made_table.rows(bird, quick=True)
    requests: list[Any] = []
    made = drawn.stand_ins(monkeypatch)

    def rows_of(study: object, tasks: list[Any], options: object) -> list[table.Row]:
        requests.extend(tasks)
        return [r for r in every if (r["collective"], r["nodes"]) == ("gather", 4)]

    monkeypatch.setattr(study_rows, "rows_of", rows_of)
    monkeypatch.setattr(one_figure, "check_keys", lambda s, r: s)
    frame = table.to_frame([r for r in every if r["collective"] == "gather"])
    (whole,) = (p for p in pictures(analyse(bird, frame), [], None, True) if p.number == "5.4.2")
    names = one_figure.run("bird_schooner", "5.4.2", Request(quick=True, out=str(tmp_path / "one")))
    assert names == [tmp_path / "one" / f"5.4.2_gather_4_nodes.{kind}" for kind in ("svg", "png")]
    assert [drawn.plan(p) for p in made] == [drawn.plan(whole)]
    assert {(point.collective, layout.nodes) for layout, point in requests} == {("gather", 4)}, (
        "nothing else is simulated"
    )


def test_the_figure_of_one_layout_is_of_its_own_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bird = reader.load("bird_schooner")
    varied = (Variation("mapping", ("block", "fill"), 1),)
    several = replace(bird, layouts=((2, 16), (2, 32), (4, 32)), collectives=bird.collectives[:2], variations=varied)
    requests: list[Any] = []

    def rows_of(study: object, tasks: list[Any], options: object) -> list[table.Row]:
        requests.extend(tasks)
        raise UsageError("enough")

    monkeypatch.setattr(study_rows, "rows_of", rows_of)
    monkeypatch.setattr(one_figure, "load", lambda name: several)
    monkeypatch.setattr(one_figure, "check_keys", lambda s, r: s)
    with pytest.raises(UsageError, match="enough"):
        one_figure.run("bird_schooner", "bcast_2_nodes_32_ranks", Request(out=str(tmp_path / "one")))
    calls = {(point.collective, at.nodes, at.ranks, at.mapping) for at, point in requests}
    assert calls == {("bcast", 2, 32, "block")}


def test_figures_have_numbers_and_names() -> None:
    bird = reader.load("bird_schooner")
    assert one_figure.find_case(bird, "5.1.1") == one_figure.find_case(bird, "5.1.1_bcast_2_nodes") == ("bcast", 2, 32)
    assert one_figure.find_case(bird, "rotation_8_nodes") == ("rotation", 8, 32)
    with pytest.raises(UsageError, match=r"5\.1\.9.*5\.1\.1"):
        one_figure.find_case(bird, "5.1.9")


@pytest.mark.parametrize("option", ["--write-reference", "--vary-ranges"])
def test_a_figure_alone_is_no_reference(option: str) -> None:
    with pytest.raises(UsageError, match="leave --write-reference"):
        cli.main(["study", "run", "bird_schooner", "--figure", "5.1.1", option], standalone_mode=False)


def test_an_unknown_figure_is_refused_with_the_known_ones() -> None:
    whole = reader.load("bird_schooner")
    few = replace(
        whole,
        collectives=tuple(c for c in whole.collectives if c.name in ("bcast", "rotation")),
        layouts=whole.layouts[:1],
    )
    for study, message in (
        (few, "bird_schooner has 5.1.1, rotation_2_nodes"),
        (
            replace(few, variations=(Variation("mapping", ("block", "fill"), 1),)),
            "bird_schooner has 5.1.1, rotation_2_nodes, what_if",
        ),
        (reader.load("kandalla_allgather"), "kandalla_allgather has 3, 4, 5, 6, 7, 8, figure_placement, figure_copies"),
    ):
        with pytest.raises(UsageError) as error:
            one_figure.find_case(study, "nothing")
        assert str(error.value) == f"--figure nothing: {message}"


def test_a_folder_that_cannot_take_the_figure_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bird = reader.load("bird_schooner")
    monkeypatch.setattr(study_rows, "rows_of", lambda *_: made_table.rows(bird, quick=True)[:0])
    monkeypatch.setattr(one_figure, "check_keys", lambda s, r: s)
    monkeypatch.setattr(study_rows, "tasks_of", lambda *_, **__: [])
    file = tmp_path / "file"
    file.touch()
    for out, problem in (
        (file, "not a folder"),
        (file / "below", f"{file} is not a folder"),
        (tmp_path, "contains files that are not"),
    ):
        with pytest.raises(UsageError, match=f"^--out {out}: {problem}"):
            one_figure.run("bird_schooner", "5.1.1", Request(out=str(out)))


def test_a_drawing_alone_is_of_its_own_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = reader.load("kandalla_allgather")
    requests: list[Any] = []

    def rows_of(study: Study, tasks: list[Any], options: object) -> list[table.Row]:
        requests.extend(tasks)
        return made_table.rows(study)

    monkeypatch.setattr(study_rows, "rows_of", rows_of)
    monkeypatch.setattr(one_figure, "check_keys", lambda s, r: s)
    made = drawn.stand_ins(monkeypatch)
    one_figure.run("kandalla_allgather", "3", Request(out=str(tmp_path / "one")))
    drawing = next(d for d in study.drawings if d.number == "3")
    assert [p.stem for p in made] == ["figure_3"]
    keys = {e.key for c in study.collectives for e in c.entries if drawing.shows(e)}
    assert {point.algorithm for _, point in requests} == keys and {at.mapping for at, _ in requests} == {
        "block",
        "cyclic",
    }
