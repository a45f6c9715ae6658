"""The figures of a study: that they are made, whole, for everything that can be in its table. How they look is looked at, not tested."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import made_table
from collscope.figures import files
from collscope.figures.style import colour_of, style_of
from collscope.studies import reader
from collscope.studies.report.analysis import Analysis, analyse, changes, make_tree
from collscope.studies.report.pictures import draw, pictures
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


@pytest.mark.parametrize(
    "collective", ["bcast", "reduce", "scatter", "gather", "allgather", "reduce_scatter", "allreduce", "rotation"]
)
def test_every_collective_is_drawn(collective: str, analysis: Analysis) -> None:
    made = [p for p in pictures(analysis, [], None, quick=True) if p.collective == collective]
    assert len(made) == 3
    assert files.render(made[0].make(), "svg").rstrip().endswith(b"</svg>")


def test_a_figure_is_two_files(analysis: Analysis, tmp_path: Path) -> None:
    one = pictures(analysis, [], None, quick=True)[0]
    names = files.save_all([(one.stem, one.make)], tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(names)
    assert (tmp_path / names[0]).read_text().rstrip().endswith("</svg>")
    assert (tmp_path / names[1]).read_bytes().startswith(b"\x89PNG")


def test_the_same_figure_is_the_same_file(analysis: Analysis) -> None:
    one = pictures(analysis, [], None, quick=True)[0]
    assert files.render(one.make(), "svg") == files.render(one.make(), "svg")


def test_crossovers_and_tree_are_drawn(analysis: Analysis) -> None:
    where, tree = changes(analysis), make_tree(analysis)
    for p in pictures(analysis, where, tree, quick=False)[-2:]:
        assert files.render(p.make(), "svg").rstrip().endswith(b"</svg>")


def test_processes_draw_what_one_process_draws(analysis: Analysis, tmp_path: Path) -> None:
    made = pictures(analysis, changes(analysis), make_tree(analysis), quick=True)[-4:]
    names = [draw(made, tmp_path / str(jobs), jobs) for jobs in (1, 2)]
    assert names[0] == names[1]
    assert len(names[0]) == 8
    for name in names[0]:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


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
