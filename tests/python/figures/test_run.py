"""collscope.figures.run: figures of any table: whatever varies is shown, and all that is shown can be told apart and read."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

import same_picture
from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.figures import files, run
from collscope.figures.palette import GREY, MAX_COLOURS, fixed
from collscope.figures.run import run_figure
from collscope.figures.run_panel import DRAWN
from collscope.points import table
from made_rows import MANY, SIZES, bounds, row, rows


def figure(*made: table.Row, size: str = "bytes") -> Figure:
    return run_figure(table.to_frame(made), size=size)


def panels(made: Figure, name: str = "time") -> list[Axes]:
    return [ax for ax in made.axes if ax.get_ylabel() == name]


def lines(ax: Axes) -> dict[str, Line2D]:
    """Those that have a name: "bcast/mst sim"."""
    return {str(line.get_label()): line for line in ax.lines if not str(line.get_label()).startswith("_")}


def colours(ax: Axes) -> dict[str, str]:
    """Key → colour."""
    return {name.split()[0]: to_hex(line.get_color()) for name, line in lines(ax).items() if " " in name}


def all_keys(*more: str) -> list[str]:
    known = registry.load()
    return (
        [a.full_key() for a in known.of("bcast")]
        + [d.full_key() for d in known.decisions if "bcast" in d.collectives]
        + list(more)
    )


# ---- what varies -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vary", "count", "axis"),
    [
        ({"bytes": [1024, 2048, 4096]}, 1, "size of the vector"),
        ({"ranks": [2, 4, 8]}, 1, "ranks"),
        ({"nodes": [2, 4, 8]}, 1, "nodes"),
        ({"bytes": [4, 8], "nodes": [2, 4]}, 2, "size of the vector"),
        ({"bytes": [4, 8], "ranks": [4, 8, 16]}, 2, "ranks"),
        ({"bytes": [4, 8], "source": ["sim", "real", "model"]}, 1, "size of the vector"),
        ({"bytes": [4, 8], "collective": ["bcast", "reduce"]}, 2, "size of the vector"),
        ({"nodes": [1, 2, 4], "ranks": [8, 16]}, 3, "ranks"),
    ],
)
def test_run_figure_shows_whatever_varies(vary: dict[str, list[object]], count: int, axis: str) -> None:
    points: list[dict[str, object]] = [{}]
    for name, values in vary.items():
        points = [{**p, name: v} for p in points for v in values]
    made = figure(*(row(**p, seconds=1e-6 * (k + 1)) for k, p in enumerate(points)))
    assert len(panels(made)) == count
    assert {ax.get_xlabel() for ax in made.axes if ax.get_xlabel()} == {axis}
    assert files.render(made, "png")


def test_a_fixed_block_on_several_ranks_is_one_line_over_ranks() -> None:
    made = figure(
        *(
            row(algorithm=key, ranks=p, nodes=p // 4, bytes=64 * p, block_bytes=64, seconds=p * 1e-6)
            for p in (4, 8, 16)
            for key in MANY[:2]
        ),
        size="block_bytes",
    )
    (ax,) = panels(made)
    assert list(lines(ax)[f"{MANY[0]} sim"].get_xdata()) == [4, 8, 16]
    assert made.get_suptitle() == "bcast, 64 B per block, 4 ranks per node"
    assert [t.get_text() for t in made.axes[-1].get_xticklabels()] == ["4", "8", "16"]
    whole = figure(*(row(ranks=p, nodes=p // 4, bytes=64, block_bytes=64) for p in (4, 8)), size="block_bytes")
    assert whole.get_suptitle() == "bcast, 64 B, 4 ranks per node", "a block that is the whole vector is not named"


def test_a_time_that_no_clock_tells_from_none_is_left_out() -> None:
    made = figure(*(row(ranks=p, nodes=1, seconds=1e-11 if p == 4 else 1e-6) for p in (2, 4, 8)))
    (line,) = panels(made)[0].lines
    assert list(line.get_xdata()) == [2, 8]
    assert any(t.get_text().endswith(" · 1 time below 1 ns left out") for t in made.texts)
    assert figure(*(row(ranks=p, seconds=1e-11) for p in (4, 8))).axes, "where all are so short they are shown"


def test_ranks_on_each_node_are_a_panel_where_nodes_vary_more() -> None:
    made = figure(*(row(nodes=n, ranks=n * k) for k in (4, 8) for n in (2, 4, 8)))
    assert [ax.get_title(loc="left") for ax in panels(made)] == ["4 ranks per node", "8 ranks per node"]
    assert [list(line.get_xdata()) for ax in panels(made) for line in ax.lines] == [[8, 16, 32], [16, 32, 64]]


def test_nodes_that_follow_from_the_ranks_make_no_panels() -> None:
    (ax,) = panels(figure(*(row(nodes=n, ranks=p) for n, p in ((1, 4), (2, 8), (2, 12)))))
    assert [list(line.get_xdata()) for line in ax.lines] == [[4, 8, 12]]


def test_a_barrier_stands_beside_collectives_with_data() -> None:
    barrier = [row(collective="barrier", algorithm=f"barrier/{k}", bytes=0, block_bytes=0) for k in "ab"]
    made = figure(*rows(MANY[:2]), *barrier)
    assert [ax.get_title(loc="left") for ax in panels(made)] == ["bcast", "barrier"]
    assert [t.get_text() for t in made.axes[-1].get_xticklabels()] == ["no data"]
    assert files.render(made, "png")


def test_a_barrier_is_not_one_more_size() -> None:
    sizes = {"bcast": 1024, "barrier": 0}
    made = figure(*(row(collective=c, algorithm=f"{c}/a", bytes=n, ranks=p) for c, n in sizes.items() for p in (8, 16)))
    assert {ax.get_xlabel() for ax in made.axes if ax.get_xlabel()} == {"ranks"}


def test_the_title_says_what_no_axis_says() -> None:
    cells = {"mapping": "cyclic", "metric": "root"}
    for made in (
        figure(row(**cells), row(algorithm="bcast/linear", **cells)),
        figure(row(**cells), row(bytes=2048, **cells)),
    ):
        assert "ideal · simulated · cyclic · root" in [t.get_text() for t in made.texts]
    assert figure(row(), row(bytes=2048)).get_suptitle() == "bcast, 16 ranks on 4 nodes"
    assert figure(row(), row(algorithm="bcast/linear")).get_suptitle() == "bcast, 1 KiB, 16 ranks on 4 nodes"


def test_more_panels_than_can_be_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="40 panels"):
        figure(*(row(bytes=n, ranks=p) for n in range(4, 204, 4) for p in range(1, 41)))
    monkeypatch.setattr(run, "_MAX_PANELS", 2)
    both = [row(collective=name, bytes=n) for name in ("bcast", "reduce") for n in (4, 8)]
    assert len(panels(figure(*both))) == 2, "as many as are allowed are drawn"
    with pytest.raises(UserError, match="at most 2 at once"):
        figure(*both, *(row(collective="scatter", bytes=n) for n in (4, 8)))


# ---- what is told apart ----------------------------------------------------------------------------------------------


def test_all_keys_of_a_collective_and_all_decisions_look_different() -> None:
    keys = all_keys("bcast/builtin")
    made = figure(*rows(keys, ("sim", "real")))
    found = colours(panels(made)[0])
    assert set(found) == set(keys)
    noted = [colour for colour in found.values() if colour != GREY]
    assert len(noted) == len(set(noted))
    decisions = [key for key in keys if key.startswith("decision/")]
    assert len({(found[key], str(lines(panels(made)[0])[f"{key} sim"].get_linestyle())) for key in decisions}) == len(
        decisions
    )
    assert all(found[key] != GREY for key in decisions)
    assert len(noted) <= MAX_COLOURS + len(decisions) + 1


def test_a_key_has_one_colour_in_all_panels() -> None:
    made = figure(*rows(MANY, collective="bcast"), *rows(MANY[::-1], ranks=32))
    one, other = (colours(ax) for ax in panels(made))
    assert one == other


def test_one_key_alone_is_compared_with_the_bound() -> None:
    assert len(figure(*rows(MANY[:1])).axes) == 1
    (below,) = panels(figure(*rows(MANY[:1]), *bounds()), "time / bound")
    expected = [a["median_s"] / b["median_s"] for a, b in zip(rows(MANY[:1]), bounds(), strict=False)]
    assert list(lines(below)[f"{MANY[0]} sim"].get_ydata()) == pytest.approx(expected)
    roots = run_figure(table.to_frame([*rows(MANY[:1]), *bounds()]).assign(metric="root"))
    assert not panels(roots, "time / bound"), "a bound is one of the makespan"


def test_draws_of_what_a_file_leaves_open_are_a_shade_behind_their_line() -> None:
    """In the colour of the key, from the lowest to the highest tenth; what was not drawn has none, and the axis has room for it."""
    drawn = table.to_frame([*rows(MANY[:1]), *rows(MANY[1:2])])
    is_first = drawn["algorithm"] == MANY[0]
    drawn = drawn.assign(
        **{name: (f * drawn["median_s"]).where(is_first) for name, f in zip(DRAWN, (0.5, 9.0), strict=True)}
    )
    made = run_figure(drawn)
    (times,) = panels(made)
    shades = [c for c in times.collections if c.get_paths()]
    colour = colours(times)[MANY[0]]
    assert [to_hex(shade.get_facecolor()[0]) for shade in shades] == [colour]
    reached = shades[0].get_paths()[0].vertices[:, 1]
    first = drawn[is_first]["median_s"]
    assert (min(reached), max(reached)) == (pytest.approx(0.5 * first.min()), pytest.approx(9 * first.max()))
    assert times.get_ylim()[0] < 0.5 * first.min()
    assert times.get_ylim()[1] > 9 * first.max() and "eight of ten draws" in " ".join(
        t.get_text() for t in made.findobj(Text)
    )


@pytest.mark.parametrize("sizes", [[64], [64, 128]])
def test_a_shade_is_named_where_there_is_one(sizes: list[int]) -> None:
    """Where algorithms stand in the order of their times there are dots alone."""
    frame = table.to_frame(rows(MANY[:2], sizes=sizes)).assign(drawn_low_s=1e-6, drawn_high_s=3e-6)
    made = run_figure(frame)
    named = any("shaded: eight of ten draws" in text.get_text() for text in made.findobj(Text))
    assert named == any(ax.collections for ax in made.axes) == (len(sizes) > 1)


def test_keys_keep_their_colours_in_all_figures_of_a_study() -> None:
    family = [f"allgather/leaders[per_node={k}]" for k in (1, 2, 4, 8)]
    every = ["decision/rd_ring", *family]
    kept = fixed(every)
    assert len(set(kept.values())) == len(every)
    found = [
        colours(panels(run_figure(table.to_frame(rows(some)), colours=kept))[0])
        for some in (every, family[::-1], every[:1] + family[2:])
    ]
    for one in found:
        assert one.items() <= found[0].items()


def test_strips_say_what_decisions_are_called() -> None:
    made = run_figure(table.to_frame(rows([MANY[0], "decision/rd_ring"])), called={"decision/rd_ring": "conventional"})
    (below,) = [ax for ax in made.axes if not ax.get_ylabel()]
    assert below.texts[-1].get_text() == "conventional chose"


# ---- what can be read ------------------------------------------------------------------------------------------------


CASES = {
    "1 key": rows(MANY[:1]),
    "15 keys, all sources": [*rows(MANY, ("sim", "model", "real")), *bounds()],
    "two collectives": [*rows(MANY), *rows(MANY, collective="reduce")],
    "one place": [*rows(MANY, sizes=[64]), *bounds([64])],
}


@pytest.mark.parametrize("case", [*CASES, "all keys of bcast"])
def test_no_label_lies_on_another_or_outside(case: str) -> None:
    made = figure(*(CASES[case] if case in CASES else [*rows(all_keys()), *bounds()]))
    canvas = FigureCanvasAgg(made)
    canvas.draw()
    words = [t for ax in made.axes for t in (*ax.texts, ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels())]
    words += [*made.texts, *(t for legend in made.legends for t in legend.texts)]
    boxes = [
        (t.get_text(), Text.get_window_extent(t, canvas.get_renderer()))  # without the leader of an annotation
        for t in words
        if t.get_text() and t.get_visible()
    ]
    boxes = [(text, box.padded(-0.5)) for text, box in boxes]
    width, height = made.get_size_inches() * made.dpi
    for text, box in boxes:
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, f"{text} is cut off"
    on = [(a, b) for (a, one), (b, other) in itertools.combinations(boxes, 2) if one.overlaps(other)]
    assert not on


# ---- what has no lines -----------------------------------------------------------------------------------------------


def test_the_order_is_that_of_the_first_source() -> None:
    """Another source may have another order."""
    times = {("model", "linear"): 3e-6, ("model", "mst"): 2e-6, ("sim", "linear"): 1e-6, ("sim", "mst"): 4e-6}
    dots = [row(algorithm=f"bcast/{key}", source=source, seconds=t) for (source, key), t in times.items()]
    ax = figure(*dots).axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["mst", "linear"]
    assert [t.get_text() for t in ax.texts] == ["2 µs", "3 µs"]


def test_run_figure_leaves_out_what_has_no_time() -> None:
    made = figure(
        row(), row(bytes=2048, status="p=6 is not a power of two", seconds=None), row(bytes=4096, seconds=2e-6)
    )
    assert list(made.axes[0].lines[0].get_xdata()) == [1024, 4096]
    with pytest.raises(ValueError, match="nothing to draw"):
        figure(row(status="simulation failed", seconds=None))


# ---- the whole of it -------------------------------------------------------------------------------------------------

KEPT = {
    "run": [
        *rows([*MANY[:3], "bcast/mst", "decision/ompi_4_1"], ("sim", "model", "real"), SIZES[::2]),
        *bounds(SIZES[::2]),
    ],
    "ranking": [*rows(MANY[:3], ("sim", "real"), [64]), *bounds([64])],
}


@pytest.mark.parametrize("name", KEPT)
def test_pictures_are_the_kept_ones(name: str, tmp_path: Path) -> None:
    svg = files.render(figure(*KEPT[name]), "svg")
    same_picture.check(svg, same_picture.EXPECTED / f"{name.replace(' ', '_')}.svg", tmp_path)
