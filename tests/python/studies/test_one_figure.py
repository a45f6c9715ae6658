"""One figure of a study alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import drawn
import made_table
from collscope.base.errors import UsageError
from collscope.commands.cli import cli
from collscope.points import table
from collscope.studies import one_figure, reader
from collscope.studies import rows as study_rows
from collscope.studies.report.analysis import analyse
from collscope.studies.report.pictures import pictures


def test_it_is_drawn_from_what_the_whole_study_draws_it_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bird = reader.load("bird_schooner")
    every = made_table.rows(bird, quick=True)
    asked: list[Any] = []
    made = drawn.stand_ins(monkeypatch)

    def simulate_tasks(study: object, tasks: list[Any], **_: object) -> list[table.Row]:
        asked.extend(tasks)
        return [r for r in every if (r["collective"], r["nodes"]) == ("gather", 4)]

    monkeypatch.setattr(study_rows, "simulate_tasks", simulate_tasks)
    monkeypatch.setattr(one_figure, "check_keys", lambda s, r: s)
    frame = table.to_frame([r for r in every if r["collective"] == "gather"])
    (whole,) = (p for p in pictures(analyse(bird, frame), [], None, True) if p.number == "5.4.2")
    names = one_figure.run("bird_schooner", "5.4.2", quick=True, out=str(tmp_path / "one"))
    assert names == [tmp_path / "one" / f"5.4.2_gather_4_nodes.{kind}" for kind in ("svg", "png")]
    assert [drawn.plan(p) for p in made] == [drawn.plan(whole)]
    assert {(point.collective, layout.nodes) for layout, point in asked} == {("gather", 4)}, "nothing else is simulated"


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
