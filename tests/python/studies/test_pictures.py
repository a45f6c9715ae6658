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

import drawn
import made_table
import same_picture
import small_study
from collscope.base import paths
from collscope.catalogue import registry
from collscope.catalogue.registry import Registry
from collscope.figures import files
from collscope.figures.style import colour_of
from collscope.points import table
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


COMMITTED = {
    "bird_schooner": ("5.1.2_bcast_4_nodes", "crossovers", "decision_tree"),
    "alessio_orfeo": ("figure_2", "figure_10"),  # a polynomial; panels of sizes, beside what a library decides
    "cheetah_jaguar": ("figure_barrier",),  # over ranks, of the model
    "what_if_nic": ("what_if", "allgather_4_nodes"),
}


@pytest.mark.parametrize(
    "name",
    [
        "bird_schooner",
        "cheetah_jaguar",
        *(pytest.param(name, marks=pytest.mark.full) for name in ("alessio_orfeo", "what_if_nic")),
    ],
)
def test_committed_figures_are_what_the_code_draws(name: str, tmp_path: Path) -> None:
    of = analyse(
        reader.check_keys(reader.load(name), registry.load()), table.read_csv(paths.RESULTS / name / "table.csv")
    )
    where, tree = (changes(of), make_tree(of)) if of.study.classes else ([], None)
    made = {p.stem: p for p in pictures(of, where, tree, quick=False)}
    for stem in COMMITTED[name]:
        same_picture.check(
            files.render(made[stem].make(), "svg"), paths.RESULTS / name / "figures" / f"{stem}.svg", tmp_path
        )
