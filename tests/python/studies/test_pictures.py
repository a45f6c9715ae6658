"""collscope.studies.report.pictures:
the figures of a study: that they are made, whole, for everything that can be in its table. How they look is looked at, not tested."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

import committed
import drawn
import made_table
import same_picture
import small_study
from collscope.analysis.fits import FitText
from collscope.catalogue.registry import Registry
from collscope.figures import files
from collscope.figures.axes import Focus
from collscope.figures.style import colour_of, style_of
from collscope.papers import papers
from collscope.sources.cluster import Lost
from collscope.studies import reader
from collscope.studies.report import pictures as report_pictures
from collscope.studies.report.analysis import Analysis, analyse, changes, make_tree
from collscope.studies.report.pictures import Picture, draw, panel, pictures
from collscope.studies.study import Drawing, Study


@pytest.fixture(scope="module")
def bird() -> Study:
    return reader.load("bird_schooner")


@pytest.fixture(scope="module")
def analysis(bird: Study) -> Analysis:
    return analyse(bird, made_table.frame(bird, quick=True))


def test_one_figure_for_each_of_the_papers_and_more(bird: Study, analysis: Analysis) -> None:
    where = changes(analysis)
    tree = make_tree(analysis)
    made = pictures(analysis, where, tree, quick=True)
    numbers = [p.number for p in made if p.number]
    assert numbers == [f"5.{c}.{n}" for c in range(1, 8) for n in range(1, 4)]
    assert {p.stem for p in made} >= {
        "crossovers",
        "decision_tree",
        "rotation_2_nodes",
        "5.1.1_bcast_2_nodes",
        "5.7.3_allreduce_8_nodes",
    }
    assert all(p.caption for p in made)


@pytest.fixture
def small(known: Registry) -> Study:
    return small_study.study()


CAPTION = "From 32 B to 64 B long is fastest (geometric mean); short 100 % slower. Fastest by size: short below 32 B and long above."


def test_each_kind_can_be_drawn(small: Study) -> None:
    """How they look is in tests/python/figures."""
    made = small_study.analysis(small)
    for one in pictures(made, changes(made), make_tree(made), quick=False):
        assert one.make().axes, one.stem


@pytest.mark.parametrize("quick", [False, True])
def test_figures_of_a_report_are_drawn_from_its_table(small: Study, quick: bool) -> None:
    made = small_study.analysis(small)
    where, tree = changes(made), make_tree(made)
    assert tree
    note = "tiny, simulated · makespan" + (" · quick run: few sizes" if quick else "")
    focus = Focus("range", 32, 64)
    case, crossing, rules = (drawn.plan(p) for p in pictures(made, where, tree, quick))
    (rows,) = case.pop("args")
    drawn_rows = list(
        zip(rows["source"], rows["bytes"], rows["algorithm"], rows["median_s"], rows["metric"], strict=True)
    )
    assert sorted(drawn_rows[:-3]) == sorted(
        ("sim", size, key, small_study.TIMES[name][size], "makespan")
        for name, key in (("short", "bcast/mst"), ("long", "bcast/linear")) for size in (16, 32, 64)
    )  # fmt: skip
    assert drawn_rows[-3:] == [
        ("bound", size, "bound/telephone", pytest.approx(5e-6 + size * 0.5e-9), "makespan") for size in (16, 32, 64)
    ]
    assert case.pop("colours") == {"mst": colour_of("bcast/mst"), "linear": colour_of("bcast/linear")}
    assert case.pop("called") == {"bcast/mst": "short", "bcast/linear": "long"}
    assert case == {
        "stem": "bcast_2_nodes", "title": "bcast, 2 nodes × 2 ranks", "number": "", "caption": CAPTION, "collective": "bcast",
        "figure": "run_figure", "subtitle": note, "focus": focus,
    }  # fmt: skip
    ((panel,), titles) = crossing.pop("args")
    assert titles == {"bcast": "bcast"} and (panel.heading, panel.labels) == ("", {"short": "short", "long": "long"})
    assert panel.colours == {"short": colour_of("bcast/mst"), "long": colour_of("bcast/linear")}
    assert (panel.spans, panel.winners is where[0].best) == (where[0].spans, True)
    assert crossing == {
        "stem": "crossovers", "title": "Where the best class changes", "number": "", "collective": "", "figure": "crossover_figure",
        "caption": "Altogether, the best class changes 1 times over 1 pairs of collective and node count, 0 of them in the range; in 0 of "
                   "the pairs one class is best at all sizes.",
        "subtitle": f"4 ranks on {note}", "focus": focus,
    }  # fmt: skip
    assert rules.pop("args") == [tree, {"bcast": "bcast"}, (16, 64)]
    assert rules == {
        "stem": "decision_tree", "title": "Decision tree for tiny", "number": "", "collective": "", "figure": "tree_figure",
        "caption": "2 rules reach the best algorithm of the study within 0.00 % at every point (0.00 % on average over 3 points; allowed: "
                   "2 %).",
        "subtitle": f"4 ranks on {note} · no point loses more than 2 % against the best algorithm of the study",
    }  # fmt: skip


def test_a_figure_s_number_ranks_and_titles(small: Study) -> None:
    made = small_study.analysis(small)
    numbered = replace(small.collectives[0], title="Broadcast", figure="5.1")
    (one,) = pictures(replace(made, study=replace(small, collectives=(numbered,), focus=())), [], None, False)
    plan = drawn.plan(one)
    assert (one.stem, one.number, one.title) == ("5.1.1_bcast_2_nodes", "5.1.1", "Broadcast, 2 nodes × 2 ranks")
    assert (plan["subtitle"], plan["focus"]) == ("Figure 5.1.1 of the paper · tiny, simulated · makespan", None)
    (one,) = pictures(
        replace(made, study=replace(small, mapping="fill"), frame=made.frame.assign(mapping="fill")), [], None, False
    )
    assert one.title == "bcast, 2 nodes, 4 ranks", "not so many on each"
    odd = replace(
        made, study=replace(small, layouts=((2, 5),)), sim=made.sim.assign(ranks=5), frame=made.frame.assign(ranks=5)
    )
    assert [p.title for p in pictures(odd, [], None, False)] == ["bcast, 2 nodes, 5 ranks"]
    assert pictures(replace(made, sim=made.sim.assign(nodes=3)), [], None, False) == [], "nothing was run there"


FITTED = """
title = "fitted"
[setting]
platform = "tiny"
layouts = [[2, 2], [2, 3], [2, 4], [2, 5]]
[sizes]
block_bytes = "4B,8B"
[[collective]]
name = "bcast"
algorithms = { a = "bcast/mst", b = "bcast/linear" }
[[figure]]
number = "7"
title = "One line"
names = ["a"]
sizes = "4B"
[[figure]]
number = "both"
title = "Two lines"
caption = "said"
[[figure]]
number = "none"
title = "No line"
nodes = [9]
"""


def test_a_figure_has_its_fit_where_there_is_one(known: Registry) -> None:
    study = small_study.study(FITTED)
    frame = made_table.frame(study, lambda c, n, nodes, size: 1e-6)
    frame["median_s"] = 1e-6 * (2 + 3 * frame["ranks"]) * frame["algorithm"].map({"bcast/mst": 1, "bcast/linear": 2})
    text = FitText.model_validate(
        {"collective": "bcast", "name": "a", "block_sizes": "4B", "degree": 1, "printed": [1, 2]}
    )
    made = analyse(study, frame)
    paper = papers.load("bird").model_copy(update={"fit": [text]})
    one, both = pictures(replace(made, paper=paper), [], None, False)
    assert (one.stem, one.title, one.number, one.collective) == ("figure_7", "One line", "7", "bcast")
    assert one.caption == "Fastest: a at 4 points."
    plan = drawn.plan(one)
    rows, (ours, printed) = plan["args"]
    assert (plan["figure"], plan["title"], plan["name"]) == ("fitted_figure", "One line", "a")
    assert plan["subtitle"] == "Figure 7 of the paper · tiny, simulated · makespan"
    assert (
        sorted(rows["ranks"]) == [2, 3, 4, 5]
        and {*rows["algorithm"]} == {"bcast/mst"}
        and {*rows["block_bytes"]} == {4}
    )
    assert (ours.label, ours.of_source) == ("our fit of degree 1: R² 1.000", False)
    assert (printed.label, printed.of_source) == ("printed in the paper", True)
    assert len(ours.at) == 200 and (ours.at[0], ours.at[-1]) == (2, 5) and (printed.at == ours.at).all()
    assert ours.seconds == pytest.approx(1e-6 * (2 + 3 * ours.at)) and printed.seconds == pytest.approx(
        1e-6 * (1 + 2 * ours.at)
    )
    plan = drawn.plan(both)
    assert (plan["figure"], plan["size"], plan["caption"]) == ("run_figure", "block_bytes", "said")
    assert (plan["called"], plan["title"]) == ({"bcast/mst": "a", "bcast/linear": "b"}, "Two lines")
    assert plan["subtitle"] == "tiny, simulated · makespan", "a name of our own is not a figure of the paper"
    assert list(plan["colours"]) == ["mst", "linear"], "a is in more figures"
    unprinted = paper.model_copy(update={"fit": [text.model_copy(update={"printed": []})]})
    assert len(drawn.plan(pictures(replace(made, paper=unprinted), [], None, False)[0])["args"][1]) == 1
    other = paper.model_copy(update={"fit": [text.model_copy(update={"name": "b"})]})
    plan = drawn.plan(pictures(replace(made, paper=other), [], None, False)[0])
    assert (plan["figure"], plan["called"]) == ("run_figure", {"bcast/mst": "a"})


def test_an_alternative_has_a_panel_with_its_colour(bird: Study, analysis: Analysis) -> None:
    first, second = (panel(analysis, p) for p in changes(analysis))
    assert (first.heading, second.heading) == ("builtin = Open MPI 4.0", "builtin = Open MPI 4.1")
    assert second.labels["builtin"] == "builtin Open MPI 4.1" and second.labels["short"] == "short"
    assert second.colours["builtin"] == colour_of("decision/ompi_4_1") != first.colours["builtin"]
    assert second.colours["short"] == colour_of("bcast/mst"), "the first key that stands for it"


EMPTY = partial(Figure, figsize=(0.2, 0.2))


class Workers:
    """A cluster that answers in another order and loses the second piece."""

    def call(self, function: Any, items: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        for k in reversed(range(len(items))):
            yield k, Lost("dead") if k == 1 else function(*items[k], "topic")


@pytest.mark.parametrize(("count", "jobs", "pools"), [(4, 2, [2]), (4, 9, [4]), (3, 2, []), (4, 1, [])])
def test_processes_draw_what_one_process_draws(
    count: int, jobs: int, pools: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From four pictures on, and no more processes than pictures. So do a cluster's workers, and what is lost is drawn here."""
    made = [Picture(f"p{k}", "", "", "", EMPTY) for k in range(count)]
    sizes: list[int] = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, workers: int) -> None:
            sizes.append(workers)
            super().__init__(1)

    monkeypatch.setattr(report_pictures, "ProcessPoolExecutor", Pool)
    names = draw(made, tmp_path / "one" / "figures", jobs)
    assert names == [f"p{k}.{kind}" for k in range(count) for kind in ("svg", "png")] and sizes == pools
    cluster: Any = Workers()
    assert draw(made, tmp_path / "many", jobs, cluster) == names and sizes == pools
    for name in names:
        assert (tmp_path / "one" / "figures" / name).read_bytes() == (tmp_path / "many" / name).read_bytes()
    assert draw([], tmp_path / "none", jobs, cluster) == []


def test_one_key_one_colour(bird: Study) -> None:
    for c in bird.collectives:
        keys = [e.key for e in c.entries]
        assert len({colour_of(k) for k in keys}) == len(keys), "competitors are told apart by colour"
    assert colour_of("bcast/mst") == colour_of("bcast/mst[dest=end]")
    assert colour_of("bcast/knomial[k=4,s=0]") == colour_of("bcast/knomial[k=2,s=0]")
    assert style_of("bcast/knomial[k=4,s=0]") == style_of("bcast/knomial[k=4,s=0]")


def test_a_study_draws_the_figures_that_it_asks_for() -> None:
    study = reader.load("kandalla_allgather")
    made = pictures(analyse(study, made_table.frame(study, quick=True)), [], None, quick=True)
    assert [p.number for p in made] == [d.number for d in study.drawings] == [*"345678", "", ""]
    assert [p.stem for p in made][-2:] == ["figure_placement", "figure_copies"]
    assert all(p.caption.startswith("Fastest: ") for p in made)
    figure = made[1].make()
    texts = {text.get_text() for axes in figure.axes for text in axes.texts}
    assert texts >= {"conventional", "1 ldr shm"}, "names are the study's"
    assert not texts & {"1 ldr p2p"}, "and no other competes"
    assert figure.axes[0].get_xlim()[1] < 2 * 8192, "the sizes of a block that it names"


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("bird_schooner", (("nodes", "nodes"), ("bytes", "sizes"))),
        ("alessio_orfeo", (("ranks", "ranks"), ("bytes", "sizes"))),
    ],
)
def test_a_figure_shows_the_calls_that_it_names(name: str, columns: tuple[tuple[str, str], ...]) -> None:
    study = reader.load(name)
    made = analyse(study, made_table.frame(study, quick=False))
    entries = study.collectives[0].entries
    drawing = Drawing("x", "t", "", "", study.collectives[0].name, (), (), (), (), ())
    keys = [e.key for e in entries]
    every = made.rows_of(drawing, keys)
    for column, member in columns:
        there = sorted(every[column].unique())
        assert len(there) > 1, column
        part = made.rows_of(replace(drawing, **{member: (int(there[-1]),)}), keys)
        assert 0 < len(part) < len(every) and set(part[column]) == {there[-1]}
    assert set(made.rows_of(drawing, keys[:1])["algorithm"]) == {keys[0]}
    assert made.rows_of(replace(drawing, mappings=("nowhere",)), keys).empty


@pytest.fixture(scope="module")
def of_committed_table() -> dict[str, Picture]:
    of = analyse(committed.study(), committed.frame())
    return {p.stem: p for p in pictures(of, changes(of), make_tree(of), quick=False)}


@pytest.mark.parametrize("stem", ["5.1.2_bcast_4_nodes", "rotation_8_nodes", "crossovers", "decision_tree"])
def test_committed_figures_are_what_the_code_draws(
    stem: str, of_committed_table: dict[str, Picture], tmp_path: Path
) -> None:
    svg = files.render(of_committed_table[stem].make(), "svg")
    same_picture.check(svg, committed.FOLDER / "figures" / f"{stem}.svg", tmp_path)
