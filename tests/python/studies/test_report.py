"""The report of a study: without classes, without a paper, and the committed one, which today's code must make again."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import committed
import made_table
from collscope.machines import find
from collscope.sources.bounds import LOGGP
from collscope.studies import reader
from collscope.studies.origin import Origin
from collscope.studies.report import report, tables
from collscope.studies.report.analysis import analyse


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


def test_points_below_the_asserted_bound_are_counted() -> None:
    """Of the same points once at a tenth of the bound, once at the bound and once above it."""
    study = committed.study()
    usual = made_table.frame(study, quick=True)
    assert tables.loggp_check(analyse(study, usual)) is None, "a table without this bound"
    telephone = usual[usual["source"] == "bound"]
    times = usual[(usual["source"] == "sim") & (usual["metric"] == study.metric)]
    point = ["collective", "ranks", "nodes", "bytes"]
    fastest = times.groupby(point)["median_s"].min().rename("fastest").reset_index()
    bound = telephone.merge(fastest, on=point).assign(algorithm=LOGGP)
    for factor, some in ((10.0, True), (1.0, False), (0.5, False)):
        bound["median_s"] = bound["fastest"] * factor
        found = tables.loggp_check(analyse(study, pd.concat([usual, bound[usual.columns]])))
        assert found is not None
        assert found["points"] == len(times)
        assert found["least"] == pytest.approx(1 / factor)
        assert (found["below"] > 0) is some


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
