"""collscope.studies.report, collscope.studies.report.report:
the report of a study: without classes, without a paper, and the committed one, which today's code must make again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import committed
import made_table
import small_study
import tiny_platform
from collscope.analysis.crossover import Span
from collscope.analysis.tree import Rule, Tree
from collscope.base import paths
from collscope.catalogue import registry
from collscope.catalogue.registry import Registry
from collscope.machines import find
from collscope.points import table
from collscope.studies import reader, run
from collscope.studies.origin import Origin
from collscope.studies.report import drawings, report, sentences, tables
from collscope.studies.report.analysis import Changes, regrets, tree_sizes
from collscope.studies.study import Study
from small_study import analysis


def test_the_report_can_do_without_classes(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = reader.parse(
        'title = "plain <script>alert(1)</script>"\nabout = "<img src=x onerror=y>"\n'
        '[setting]\nplatform = "schooner"\nnodes = [2]\nranks = [4]\n[sizes]\nbytes = "16B..64B"\n'
        '[[collective]]\nname = "rotation"\nalgorithms = ["rotation/shift", "rotation/serial"]\n',
        Path("sim/plain.toml"),
    )
    origin = Origin(False, 1, 1, 1.0, 1, 1, {}, {})
    names = report.write(plain, find.load("schooner"), made_table.frame(plain), origin, workplace)
    assert "figures/rotation_2_nodes.svg" in names
    assert "claims.csv" not in names and not (workplace / "claims.csv").exists()
    text = (workplace / "report.md").read_text()
    assert "Table III" not in text
    assert "Decision tree" not in text
    # Nothing is said of what the file leaves out.
    assert "Source: " not in text and "over the fastest form over all sizes" in text
    assert "\n- " not in text.partition("## What was run")[0]
    page = (workplace / "report.html").read_text()
    assert "<blockquote>" not in page and "<p></p>" not in page
    for made in (text, page):
        assert "<script>alert" not in made and "<img src=x" not in made and "alert(1)" in made


def test_the_committed_report_follows_from_the_committed_table() -> None:
    study = committed.study()
    varied = (committed.FOLDER / "sensitivity.csv").read_text()
    ctx, _, files = report.context(study, find.load(study.platform), committed.frame(), committed.origin(), varied)
    assert {"claims.csv", "crossovers.csv"} <= {*files}
    for name, text in {**files, **report.render(ctx, committed.FOLDER)}.items():
        assert text == (committed.FOLDER / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("name", ["alessio_orfeo", "cheetah_jaguar", "donninelli_gather", "kandalla_cores"])
def test_the_other_committed_reports_follow_from_their_tables(name: str) -> None:
    """Fits, sizes of blocks, the model's times, variants, algorithms without classes. Their pages say what report.md says."""
    folder = paths.RESULTS / name
    study = reader.check_keys(reader.load(name), registry.load())
    origin = Origin(**json.loads((folder / "run.json").read_text())["origin"])
    varied = run._varied(study, origin, folder, False, None)
    frame = table.read_csv(folder / "table.csv")
    ctx, _, files = report.context(study, find.load(study.platform), frame, origin, varied)
    page = report.environment().get_template("report.md.j2").render(**ctx)
    for file, text in {**files, "report.md": page}.items():
        assert text == (folder / file).read_text(encoding="utf-8"), file


def test_a_number_of_the_summary_is_the_number_of_its_table() -> None:
    text = (committed.FOLDER / "report.md").read_text(encoding="utf-8")
    variants = {line.split(" variants")[0].rsplit(" of ", 1)[1] for line in text.splitlines() if " variants." in line}
    assert len(variants) == 1


@pytest.fixture
def small(known: Registry) -> Study:
    return small_study.study()


def test_a_caption_names_the_fastest_and_the_bound(small: Study) -> None:
    made = analysis(small)
    case, none = made.case("bcast", 2, 4), made.bound.iloc[:0]
    both = "From 32 B to 64 B long is fastest (geometric mean); short 100 % slower. Fastest by size: short below 32 B and long above."
    assert sentences.case_sentence(made, case, none) == both
    bound = made.bound.assign(time_s=4.0)
    low = " The fastest point takes 0.25 of the telephone bound, which forbids the overlap it uses."
    assert sentences.case_sentence(made, case, bound) == both + low
    assert sentences.case_sentence(made, case, made.bound.assign(time_s=1.0)) == both, "none lies below it"
    root = replace(made, study=replace(small, metric="root"))
    assert sentences.case_sentence(root, case, none) == f"{both} Times are root."
    only = replace(made, study=replace(small, focus=(64,)))
    last = case[case["bytes"] == 64]
    assert sentences.case_sentence(only, last, none) == "At 64 B long is fastest (geometric mean); short 300 % slower."
    assert sentences.geometric_means(case[~((case["bytes"] == 64) & (case["name"] == "long"))], [32, 64]) == {
        "short": pytest.approx(4.0)
    }
    assert sentences.geometric_means(case, [128]) == {}


@pytest.mark.parametrize(
    ("means", "says"),
    [
        ({"a": 1.0, "b": 1.0009}, "a and b are fastest (geometric mean)."),
        ({"a": 1.0, "b": 1.0011}, "a is fastest (geometric mean); b 0.1 % slower."),
        ({"a": 1.2, "b": 1.09, "c": 1.0}, "c is fastest (geometric mean); b 9.0 % and a 20 % slower."),
    ],
)
def test_names_within_a_thousandth_are_fastest_too(means: dict[str, float], says: str) -> None:
    assert sentences._fastest(means, [16]) == f"At 16 B {says}"


def span(nodes: int, name: str, low: float, high: float) -> Span:
    return Span("bcast", 4, nodes, name, low, high, int(low), int(high))


def test_changes_of_the_best_class_are_counted(small: Study) -> None:
    made = analysis(small)
    spans = (span(2, "short", 16, 32), span(2, "long", 32, 48), span(2, "short", 48, 64), span(4, "long", 16, 64))
    best = pd.DataFrame()
    one = sentences.crossover_sentence(made, [Changes("", spans, best)])
    assert one == (
        "Altogether, the best class changes 2 times over 2 pairs of collective and node count, 1 of them in the range; "
        "in 1 of the pairs one class is best at all sizes."
    )
    other = replace(made, study=replace(small, focus=()))
    assert "in the range" not in sentences.crossover_sentence(other, [Changes("", spans, best)])
    narrow = replace(made, study=replace(small, focus=(16, 40)))
    assert "1 of them in the range" in sentences.crossover_sentence(narrow, [Changes("", spans, best)]), "48 B is above"
    late = (span(2, "long", 32, 64), span(4, "short", 48, 64))
    assert "0 of them in the range" in sentences.crossover_sentence(made, [Changes("", late, best)]), "no change"
    change = Changes("", spans, best)
    assert change.sequence("bcast", 2, 4) == "short to 32 B, long to 48 B, then short"
    assert (change.sequence("bcast", 4, 4), change.sequence("bcast", 8, 4)) == ("long at every size", "–")


def test_the_table_of_changes_tells_ranks_apart_and_shows_pairs_of_two_classes_alone(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three classes the places where two of them cross say nothing about which is the best."""
    monkeypatch.setattr(report.pictures, "draw", lambda *_, **__: [])
    three = small_study.TEXT.replace('"tiny"', '"schooner"').replace('long = "l"', 'long = "l"\nflat = "f"')
    three = three.replace('long = "bcast/linear"', 'long = "bcast/binomial"\nflat = "bcast/linear"')
    for text, head in (
        (three.replace("[4]", "[4, 8]"), "| collective | nodes | ranks | best class |"),
        (small_study.TEXT.replace('"tiny"', '"schooner"'), "| collective | nodes | short and long | best class |"),
    ):
        own = small_study.study(text)
        origin = Origin(False, 1, 1, 1.0, 1, 1, {}, {})
        report.write(own, find.load("schooner"), made_table.frame(own), origin, workplace)
        lines = (workplace / "report.md").read_text().partition("## Crossovers")[2].splitlines()
        at = lines.index(head)
        rows = [line for line in lines[at + 2 :] if line.startswith("| bcast")]
        assert len(rows) == len(own.ranks) == len({row.split("|")[3] for row in rows} if len(rows) > 1 else rows)
        assert {row.count("|") for row in (*rows, lines[at + 1])} == {head.count("|")}


def test_only_times_of_the_study_s_metric_count(small: Study) -> None:
    """Those of the study's metric that are there; rows of the bound do not count."""
    full = analysis(small)
    assert list(full.sim["time_s"]) == [1.0, 2.0, 8.0, 2.0, 2.0, 2.0]
    for cells in ({"status": "no"}, {"median_s": None}, {"median_s": 0.0}, {"source": "model"}, {"metric": "loop"}):
        assert len(analysis(small, **cells).sim) == 5, cells
    roots = [t * 0.9 for t in (1.0, 2.0, 8.0, 2.0, 2.0, 2.0)]
    assert list(full.compared("", "root")["time_s"]) == pytest.approx(roots)
    assert full.focus == (32, 64) and replace(full, study=replace(small, focus=(64, 128))).focus == (64,)
    assert replace(full, study=replace(small, focus=())).focus == (16, 32, 64)
    of_blocks = replace(small, focus=(), blocks=True, sizes=(4, 8, 16))
    assert replace(full, study=of_blocks).focus == (16, 32, 64), "whole vectors, where the study has sizes of blocks"
    assert (full.alternatives, full.open_class, full.fixed_classes) == (("",), "", ["short", "long"])


def test_points_without_a_number_and_below_the_bound_are_counted(small: Study) -> None:
    made = analysis(small, status="no")
    rows = dict(
        tables.setting_rows(
            tiny_platform.tiny(), Origin(False, 6, 5, 2.0, 1, 1 << 30, {"a": "1", "b": ""}, {"c": "2"}), made
        )
    )
    assert rows["without a number"].startswith("1 points;")
    assert rows["wall time"] == "2.0 s for the 5 points simulated, in 1 process side by side; largest process 1.00 GiB"
    modelled = analysis(replace(small, numbers_from="model"))
    for simulated, printed in (
        (5, "2.0 s for the 5 points modelled, in 2 processes"),
        (0, "2.0 s; all points were there from"),
    ):
        origin = Origin(False, 6, simulated, 2.0, 2, 1, {}, {})
        assert dict(tables.setting_rows(tiny_platform.tiny(), origin, modelled))["wall time"].startswith(printed)
    assert (rows["versions"], rows["hashes"], rows["points"]) == ("a 1", "c 2", "6")
    found = (rows["sizes"], rows["metric"])
    assert found == ("3, from 16 B to 64 B (whole vector)", "makespan; root from the same calls beside it")
    assert rows["call"] == "type float, operator sum, root 0, not in place"
    assert "without a number" not in dict(
        tables.setting_rows(tiny_platform.tiny(), Origin(False, 6, 5, 2.0, 2, 1, {}, {}), analysis(small))
    )
    whole = analysis(small)
    bound = whole.bound.assign(ranks=4, time_s=2.0)
    (row,) = tables.bound_rows(replace(whole, bound=bound))
    assert (row["points"], row["below"], row["least"]) == (6, 1, 0.5)
    assert row["where"] == "bcast/mst, 16 B on 2 nodes", "equal is not below"
    assert tables.bound_rows(replace(whole, bound=bound.iloc[:0])) == []


def test_the_regret_of_each_choice_is_computed(small: Study) -> None:
    made = analysis(small)
    rules = (Rule("bcast", 4, None, None, (2,), None, None, "bcast/linear", 1.0, 0.3),)
    tree = Tree(0.02, rules)
    rows = regrets(made, tree)
    found = [(r["choice"], r["points"], r["worst"]) for r in rows]
    assert found == [("this tree", 3, 1.0), ("always short", 3, 3.0), ("always long", 3, 1.0)]
    assert rows[0]["mean"] == pytest.approx(1 / 3) and rows[1]["mean"] == pytest.approx(1.0)
    assert (rows[0]["median"], rows[1]["p90"]) == (0.0, pytest.approx(2.4))
    sizes = tree_sizes(made, tree)
    assert [(r["tolerance"], r["rules"], r["this"]) for r in sizes] == [
        (t, 1 if t == 0.02 else 2, t == 0.02) for t in (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
    ]
    assert sentences.tree_sentence(made, tree) == (
        "1 rules reach the best algorithm of the study within 100.00 % at every point (33.33 % on average over 3 points; allowed: 2 %)."
    )


@pytest.mark.parametrize(
    ("times", "says"),
    [
        ({("a", 2): (1, 1, 9), ("b", 2): (2, 2, 3)}, "Fastest: a to 64 B, then b to 1 KiB."),
        ({("a", 2): (1, 1, 1), ("b", 2): (2, 2, 3)}, "Fastest: a to 1 KiB."),
        (
            {("a", 2): (1, 3, 1), ("b", 2): (2, 2, 3), ("a", 4): (1, 1, 1), ("b", 4): (2, 2, 2)},
            "Fastest: first at 5 points and b at 1 point.",
        ),
        (
            {("a", 2): (1, 3, 3), ("b", 2): (2, 2, 2), ("a", 4): (3, 3, 3), ("b", 4): (2, 2, 2)},
            "Fastest: b at 5 points and a at 1 point.",
        ),
    ],
)
def test_a_sentence_names_the_fastest_by_size_or_by_points(
    times: dict[tuple[str, int], tuple[int, ...]], says: str
) -> None:
    rows = pd.DataFrame(
        {"algorithm": name, "bytes": size, "ranks": ranks, "nodes": 1, "mapping": "block", "median_s": float(seconds)}
        for (name, ranks), line in times.items()
        for size, seconds in zip((4, 64, 1024), line, strict=True)
    )
    called = {"a": "first" if "first" in says else "a", "b": "b"}
    assert drawings.best_sentence(rows, "bytes", called) == says


@pytest.mark.parametrize("named", ["", "builtin"])
def test_the_summary_says_the_table_the_claims_and_the_ranges(named: str) -> None:
    winners = SimpleNamespace(title="table 2")
    made: Any = SimpleNamespace(open_class=named, paper=SimpleNamespace(winners=winners))
    both: Any = [
        SimpleNamespace(alternative=f"decision/{a}", matching_rows=n, rows=range(5), matching_cells=2 * n, cells=10)
        for a, n in (("ompi_4_0", 3), ("ompi_4_1", 4))
    ]
    scores = [f"agrees with {n} of 5 rows ({2 * n} of 10 cells by node count)" for n in (3, 4)]
    claims = [
        {"claims": 7, "alternative": alternative, "reproduced": 3, "partly": 2, "not_reproduced": 1, "not_testable": left,
         "held": 9, "assertions": 12, "as_expected": 5, "expected": 6}
        for alternative, left in (("", 1), ("Open MPI 4.1", 0))
    ]  # fmt: skip
    varied = {
        "numbers": 4,
        "variants": 8,
        "ahead": [{"alternative": "x", "ahead": 3}, {"alternative": "y", "ahead": 5}],
    }
    fit = (
        f"As builtin, Open MPI 4.1 fits the paper's table 2 better: Open MPI 4.0 {scores[0]} and Open MPI 4.1 {scores[1]}."
        if named
        else "The simulation agrees with 3 of 5 rows of the paper's table 2 (6 of 10 cells by node count)."
    )
    assert sentences.headlines(made, both, claims, [], None, varied) == [
        fit,
        "With 4 undocumented numbers of the platform moved to the ends of their plausible ranges, y stays ahead in 5 of 8 "
        "variants.",
        "Of 7 claims: 3 reproduced, 2 partly, 1 not, 1 not testable; 9 of 12 atomic assertions hold, and 5 of the 6 that theory had an "
        "opinion on came out as it expected.",
        "Of 7 claims, with Open MPI 4.1: 3 reproduced, 2 partly, 1 not; 9 of 12 atomic assertions hold, and 5 of the 6 that theory had an "
        "opinion on came out as it expected.",
    ]
    assert sentences.headlines(made, [], [], [], None, {**varied, "ahead": []}) == []
