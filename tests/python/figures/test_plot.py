"""Figures: that they are made, whole, for everything that can be in a table. How they look is looked at, not tested."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

import made_table
from collscope.figures import plot
from collscope.points import table
from collscope.studies import reader, report
from collscope.studies.study import Study


@pytest.fixture(scope="module")
def bird() -> Study:
    return reader.load("bird_schooner")


@pytest.fixture(scope="module")
def analysis(bird: Study) -> report.Analysis:
    return report.analyse(bird, made_table.frame(bird, quick=True))


def test_one_figure_for_each_of_the_papers_and_more(bird: Study, analysis: report.Analysis) -> None:
    where = report.places(analysis)
    tree = report.make_tree(analysis)
    made = report.pictures(analysis, where, tree, quick=True)
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
def test_every_collective_is_drawn(collective: str, analysis: report.Analysis, tmp_path: Path) -> None:
    made = [p for p in report.pictures(analysis, [], None, quick=True) if p.collective == collective]
    assert len(made) == 3
    names = plot.save_all([(made[0].stem, made[0].make)], tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(names)
    assert (tmp_path / names[0]).read_text().rstrip().endswith("</svg>")
    assert (tmp_path / names[1]).read_bytes().startswith(b"\x89PNG")


def test_the_same_figure_is_the_same_file(analysis: report.Analysis) -> None:
    one = report.pictures(analysis, [], None, quick=True)[0]
    assert plot.render(one.make(), "svg") == plot.render(one.make(), "svg")


def test_crossovers_and_tree_are_drawn(analysis: report.Analysis) -> None:
    where, tree = report.places(analysis), report.make_tree(analysis)
    for p in report.pictures(analysis, where, tree, quick=False)[-2:]:
        assert plot.render(p.make(), "svg").rstrip().endswith(b"</svg>")


def test_one_key_one_colour(bird: Study) -> None:
    for c in bird.collectives:
        keys = [e.key for e in c.entries]
        assert len({plot.colour_of(k) for k in keys}) == len(keys), "competitors are told apart by colour"
    assert plot.colour_of("bcast/mst") == plot.colour_of("bcast/mst[dest=end]")
    assert plot.colour_of("bcast/knomial[k=4,s=0]") == plot.colour_of("bcast/knomial[k=2,s=0]")
    assert plot.style_of("bcast/knomial[k=4,s=0]") == plot.style_of("bcast/knomial[k=4,s=0]")


def row(**cells: object) -> table.Row:
    base = {"source": "sim", "platform": "ideal", "nodes": 4, "ranks": 16, "mapping": "block", "collective": "bcast",
            "algorithm": "bcast/mst",
            "bytes": 1024, "block_bytes": 1024, "type": "float", "in_place": 0, "root": 0, "metric": "makespan", "launches": 1,
            "repetitions": 1, "status": "ok"}  # fmt: skip
    seconds = cells.pop("seconds", 1e-6)
    return table.make_row(**{**base, **cells}, **dict.fromkeys(("median_s", "q1_s", "q3_s", "min_s", "max_s"), seconds))


def figure(*rows: table.Row) -> Figure:
    return plot.run_figure(table.to_frame(rows))


@pytest.mark.parametrize(
    ("vary", "panels", "axis"),
    [
        ({"bytes": [1024, 2048, 4096]}, 1, "size of the vector"),
        ({"ranks": [2, 4, 8]}, 1, "ranks"),
        ({"nodes": [2, 4, 8]}, 1, "nodes"),
        ({"bytes": [4, 8], "nodes": [2, 4]}, 2, "size of the vector"),
        ({"bytes": [4, 8], "source": ["sim", "real", "model", "bound"]}, 1, "size of the vector"),
        ({"bytes": [4, 8], "collective": ["bcast", "reduce"]}, 2, "size of the vector"),
    ],
)
def test_run_figure_shows_whatever_varies(vary: dict[str, list[object]], panels: int, axis: str) -> None:
    points: list[dict[str, object]] = [{}]
    for name, values in vary.items():
        points = [{**p, name: v} for p in points for v in values]
    made = figure(*(row(**p, seconds=1e-6 * (k + 1)) for k, p in enumerate(points)))
    assert len(made.axes) == panels
    assert made.axes[0].get_xlabel() == axis
    assert plot.render(made, "png")


def test_run_figure_says_what_no_axis_says() -> None:
    made = figure(row(mapping="cyclic", metric="root"), row(algorithm="bcast/linear", mapping="cyclic", metric="root"))
    assert made.texts[0].get_text() == "bcast · 1 KiB · 16 ranks · 4 nodes · ideal · cyclic · root"
    plain = figure(row(), row(bytes=2048)).axes[0].get_title(loc="left")
    assert plain == "bcast · 16 ranks · 4 nodes · ideal"


def test_run_figure_ranks_algorithms_where_nothing_else_varies() -> None:
    times = {"bcast/mst": 3e-6, "bcast/linear": 1e-6, "bcast/binomial[s=0]": 2e-6}
    rows = [
        row(algorithm=key, seconds=factor * seconds, source=source)
        for source, factor in (("sim", 1), ("real", 2))
        for key, seconds in times.items()
    ]
    ax = figure(*rows, row(algorithm="bound/telephone", source="bound", seconds=5e-7)).axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["linear", "binomial[s=0]", "mst"]
    assert ax.yaxis_inverted()  # the first on top
    assert [t.get_text() for t in ax.texts] == ["1 µs", "2 µs", "3 µs"]
    assert len(figure(row(), row(algorithm="reduce/mst", collective="reduce")).axes) == 2


def test_run_figure_leaves_out_what_has_no_time() -> None:
    made = figure(
        row(), row(bytes=2048, status="p=6 is not a power of two", seconds=None), row(bytes=4096, seconds=2e-6)
    )
    assert list(made.axes[0].lines[0].get_xdata()) == [1024, 4096]
    with pytest.raises(ValueError, match="nothing to draw"):
        figure(row(status="simulation failed", seconds=None))


def test_save_writes_by_the_ending(tmp_path: Path) -> None:
    made = figure(row(), row(bytes=2048))
    for name, start in (("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")):
        plot.save(made, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)


def test_labels_are_spread_without_changing_order() -> None:
    spots = plot._spread([5.0, 5.0, 5.1, 0.0], 1.0, 0.0, 6.0)
    assert spots[3] < spots[0] < spots[2]
    assert min(b - a for a, b in zip(sorted(spots), sorted(spots)[1:], strict=False)) >= 1 - 1e-6
    assert max(spots) <= 6.0 + 1e-6


def test_frames_without_decisions_have_no_strip() -> None:
    times = pd.DataFrame(
        {
            "bytes": [4, 8],
            "label": "a",
            "short_label": "a",
            "key": "rotation/shift",
            "chose": "",
            "time_s": [1e-6, 2e-6],
        }
    )
    assert len(plot.collective_figure(times, title="t").axes) == 2
    assert len(plot.collective_figure(times.assign(chose="bcast/mst"), title="t").axes) == 3


def test_brief_keys() -> None:
    assert plot.brief_key("bcast/pipeline[s=131072]") == "bcast/pipeline[s=128KiB]"
    assert plot.brief_key("bcast/knomial[k=4,s=0]") == "bcast/knomial[k=4]"
    assert plot.brief_key("scatter/linear_nb[blocking_every=0]") == "scatter/linear_nb"
