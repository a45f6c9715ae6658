"""The report of a study: without classes, without a paper, and the committed one, which today's code must make again."""

from __future__ import annotations

from pathlib import Path

import pytest

import committed
import made_table
from collscope.machines import find
from collscope.studies import reader
from collscope.studies.origin import Origin
from collscope.studies.report import report


def test_the_report_can_do_without_classes(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = reader.parse(
        'title = "plain"\n[setting]\nplatform = "schooner"\nnodes = [2]\nranks = [4]\n[sizes]\nbytes = "16B..64B"\n'
        '[[collective]]\nname = "rotation"\nalgorithms = ["rotation/shift", "rotation/serial"]\n',
        Path("sim/plain.toml"),
    )
    origin = Origin(False, 1, 1, 1.0, 1, 1, {}, {})
    names = report.write(plain, find.load("schooner"), made_table.frame(plain), origin, workplace)
    assert "figures/rotation_2_nodes.svg" in names
    text = (workplace / "report.md").read_text()
    assert "Table III" not in text
    assert "Decision tree" not in text
    # Nothing is said of what the file leaves out.
    assert "Source: " not in text and "over the fastest form over all sizes" in text
    assert "\n- " not in text.partition("## What was run")[0]
    page = (workplace / "report.html").read_text()
    assert 'class="lead"' not in page and "<p></p>" not in page and '<p class="source"></p>' not in page


def test_the_committed_report_follows_from_the_committed_table() -> None:
    study = committed.study()
    varied = (committed.FOLDER / "sensitivity.csv").read_text()
    ctx, _, files = report.context(study, find.load(study.platform), committed.frame(), committed.origin(), varied)
    for name, text in {**files, **report.render(ctx, committed.FOLDER)}.items():
        assert text == (committed.FOLDER / name).read_text(encoding="utf-8"), name


def test_a_number_of_the_summary_is_the_number_of_its_table() -> None:
    text = (committed.FOLDER / "report.md").read_text(encoding="utf-8")
    variants = {line.split(" variants")[0].rsplit(" of ", 1)[1] for line in text.splitlines() if " variants." in line}
    assert len(variants) == 1
