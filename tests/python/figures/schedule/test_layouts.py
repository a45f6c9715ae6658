"""collscope.figures.schedule.animation, collscope.figures.schedule.graph, collscope.figures.schedule.holdings:
rounds as columns, panels of blocks, cells of a matrix: what is shown, how large, and in which words."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure

from collscope.catalogue import registry
from collscope.figures.schedule import animation, graph, holdings, matrix
from collscope.figures.schedule.rounds import round_colour
from collscope.figures.schedule.sheet import WORK, light
from collscope.schedules.trace import Message, Trace
from made_trace import US, made_trace


def sending(ranks: int, by_round: list[list[tuple[int, int]]], **more: object) -> Trace:
    """What is sent in each round, from whom to whom."""
    messages = tuple(Message(a, b, 8, k, 0, 1, 0, 0) for k, some in enumerate(by_round, 1) for a, b in some)
    return made_trace(ranks=ranks, messages=messages, transfers=(), spans=(), nodes=(), rounds=len(by_round), **more)


# ---- rounds as columns -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ranks", "rounds", "columns"), [(16, 16, 16), (17, 16, 1), (16, 17, 1)])
def test_few_rounds_of_few_ranks_stand_alone(ranks: int, rounds: int, columns: int) -> None:
    ring = [(r, (r + 1) % ranks) for r in range(ranks)]
    assert len(graph.columns(sending(ranks, [ring] * rounds))) == columns


@pytest.mark.parametrize(
    ("busy", "rounds", "first", "left_out", "last"),
    [(24, 64, 64, 0, 0), (24, 65, 40, 9, 16), (25, 16, 16, 0, 0), (25, 17, 7, 7, 3)],
)
def test_the_middle_of_too_many_rounds_is_left_out(
    busy: int, rounds: int, first: int, left_out: int, last: int
) -> None:
    t = sending(99, [[(r, r + 1 + k % 3) for r in range(busy)] for k in range(rounds)])  # none like those beside it
    shown = graph.columns(t)
    gaps = [c.left_out for c in shown if not c.rounds]
    assert gaps == [left_out] * bool(left_out) and len(shown) == first + len(gaps) + last
    assert [c.rounds for c in shown[:first]] == [(k,) for k in range(1, first + 1)]
    assert shown[-1].rounds == (rounds,)


@pytest.mark.parametrize(
    ("ranks", "messages", "inches", "width"),
    [
        (10, 8, 0.01, 1.6),
        (11, 8, 0.01, 1.2),
        (20, 8, 0.01, 1.2),
        (21, 8, 0.01, 0.8),
        (10, 9, 0.2, 1.0),
        (10, 9, 0.4, 1.6),
        (10, 0, 0.4, 1.6),
    ],
)
def test_lines_are_thinner_where_many_are_in_a_round(ranks: int, messages: int, inches: float, width: float) -> None:
    t = sending(ranks, [[(0, 1)] * messages, [(0, 1)] * min(messages, 2)])
    assert graph._stroke_width(t, t.messages, inches) == pytest.approx(width)


def test_numbers_of_rounds_have_room(ax: Axes) -> None:
    t = sending(4, [[(0, 1)]] * 12)
    shown = [graph.Column((k,), rule="every rank r → r+1" if k == 1 else "") for k in range(1, 13)]
    graph._names(ax, t, shown, 1.3)  # inches for five of them
    assert [(n.get_text(), n.xy) for n in ax.texts] == [  # type: ignore[attr-defined]
        ("4", (3.5, -0.5)), ("8", (7.5, -0.5)), ("12", (11.5, -0.5)), ("round", (0, -0.5)),
    ]  # fmt: skip
    assert ax.texts[0].get_color() == round_colour(4, 12)
    graph._names(
        ax, t, [graph.Column((1, 2), rule="every rank r → r+1"), graph.Column((), 3), graph.Column((4,))], 3 * 0.39
    )
    assert [n.get_text() for n in ax.texts[4:]] == ["1–2", "4", "round"]  # seven letters take 0.392 inches
    graph._names(ax, t, [graph.Column((1, 2), rule="every rank r → r+1")], 0.4)
    found = [(n.get_text(), n.get_color()) for n in ax.texts[7:9]]
    assert found == [("1–2", WORK), ("r → r+1", ax.texts[8].get_color())]


def arrows(t: Trace, columns: list[graph.Column], x_inch: float = 0.5) -> tuple[dict[float, list[Any]], str]:
    """By z-order what is drawn, and the remark."""
    ax = Figure().add_axes((0, 0, 1, 1))
    graph._arrows(ax, t, columns, x_inch, 0.3)
    found: dict[float, list[Any]] = {}
    for artist in (*ax.patches, *ax.collections):
        found.setdefault(artist.get_zorder(), []).append(artist)
    return found, ax.texts[0].get_text()


def test_an_arrow_goes_from_lane_to_lane() -> None:
    drawn, printed = arrows(sending(4, [[(0, 2)]]), [graph.Column((1,))])
    (shaft,), (head, dot) = drawn[2], drawn[3]
    edge, length = 0.16, 0.1  # of a column; inches
    path = np.array([(1 - 2 * edge) * 0.5, -2 * 0.3])
    tip = np.array([1 - edge, 2])
    back = tip - length * path / np.hypot(*path) / (0.5, -0.3)
    assert shaft.get_path().vertices == pytest.approx(np.array([(edge, 0), back]))
    assert head.get_path().vertices[0] == pytest.approx(tip)
    assert shaft.get_edgecolor() == to_rgba(round_colour(1, 1), 0.95) and shaft.get_linewidth() == 1.6
    assert dot.get_offsets().tolist() == [[edge, 0]] and list(dot.get_sizes()) == [9] and printed == ""


def test_dots_stand_at_the_starts_of_messages() -> None:
    for ranks, x_inch, size in ((16, 0.31, 9), (17, 0.31, 4), (32, 0.31, 4), (33, 0.31, None), (16, 0.3, None)):
        drawn, _ = arrows(sending(ranks, [[(0, 2)]]), [graph.Column((1,))], x_inch)
        sizes = [float(d.get_sizes()[0]) for d in drawn[3] if hasattr(d, "get_offsets") and hasattr(d, "get_sizes")]
        assert sizes == ([size] if size else [])


def test_every_eighth_part_of_a_crowd_is_strong() -> None:
    for crowd, faint in ((48, 0), (49, 42)):
        t = sending(64, [[(r, r + 15) for r in range(crowd)]])
        drawn, printed = arrows(t, [graph.Column((1,))])
        assert printed == ("strong: every 8th rank" if faint else "")
        pale = drawn.get(1.8, [])
        assert sum(len(p.get_path().vertices) for p in pale) == 2 * faint
        assert all(p.get_edgecolor() == to_rgba(light(round_colour(1, 1), 0.35)) for p in pale)
        assert all(p.get_linewidth() == 0.35 for p in pale)


def test_rounds_that_are_alike_are_dark_and_shared_memory_is_dashed() -> None:
    t = sending(4, [[(0, 1)]] * 3)
    t = replace(t, transfers=(Message(1, 2, 8, 1, 0, 1, 0, 0, shared=True),))
    drawn, printed = arrows(t, [graph.Column((1, 2, 3))])
    assert [p.get_edgecolor()[:3] for p in drawn[2]] == [to_rgb(WORK)] * 2
    assert [p.get_linestyle() for p in drawn[2]] == ["-", (0, (2.2, 1.2))]
    assert printed == "dashed: through shared memory · dark: rounds that are alike, drawn once"


# ---- which blocks lie where ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "shown", "cell", "gap", "layout", "small"),
    [  # shape: rounds, ranks, blocks; layout: panels in a row, rows
        ((5, 8, 8), 5, (0.27, 0.27), 0.2, (5, 1), False),
        ((4, 16, 1), 4, (0.52, 0.3), 0.06, (4, 1), False),
        ((4, 40, 1), 4, (0.52, 5.6 / 40), 0.06, (4, 1), False),
        ((4, 70, 2), 4, (0.26, 0.085), 0.06, (4, 1), False),
        ((26, 26, 26), 12, (2.3 / 26, 2.3 / 26), 0.2, (4, 3), True),
        ((10, 30, 8), 10, (0.27, 5 / 30), 0.2, (5, 2), False),
        ((3, 70, 70), 3, (2.3 / 70, 2.3 / 70), 0.2, (3, 1), True),
        ((16, 4, 5), 16, (0.16, 0.16), 0.2, (8, 2), False),
        ((17, 5, 5), 12, ((12.6 - 0.52 - 2.4) / 60,) * 2, 0.2, (12, 1), False),
        ((9, 60, 20), 9, (2.7 / 20, 5 / 60), 0.2, (3, 3), True),
        ((24, 4, 1), 24, (0.52, 0.3), 0.06, (12, 2), False),
        ((30, 4, 1), 24, (0.52, 0.3), 0.06, (12, 2), False),
    ],
)
def test_panels_of_blocks_fit_on_a_page(
    shape: tuple[int, int, int], shown: int, cell: tuple[float, float], gap: float, layout: tuple[int, int], small: bool
) -> None:
    grid = holdings._grid(*shape)
    _, ranks, blocks = shape
    assert len(grid.shown) == shown and (grid.cell_w, grid.cell_h) == pytest.approx(cell)
    assert (grid.wide, grid.tall, grid.gap) == pytest.approx((cell[0] * blocks, cell[1] * ranks, gap))
    assert ((grid.per_row, grid.rows), grid.small(blocks)) == (layout, small)
    last = grid.corner(shown - 1)
    column, row = (shown - 1) % layout[0], (shown - 1) // layout[0]
    assert last == pytest.approx((0.52 + column * (grid.wide + gap), 0.78 + 0.24 + row * (grid.tall + 0.42)))


def test_the_first_third_of_many_rounds_is_shown_and_some_of_the_rest() -> None:
    assert holdings._shown(12, 12) == list(range(12))
    assert holdings._shown(30, 12) == [0, 1, 2, 3, 4, 8, 11, 15, 18, 22, 25, 29]


def test_colours_grow_stronger_with_each_doubling() -> None:
    assert [holdings.strength(share, 8) for share in (0.01, 1 / 8, 1 / 4, 1 / 2, 1)] == pytest.approx(
        [0.5, 0.5, 2 / 3, 5 / 6, 1]
    )
    assert (holdings.strength(0.5, 1), holdings.strength(0.5, 2), holdings.strength(1, 2)) == (1, 0.5, 1)


def test_cells_and_columns_are_explained(known: registry.Registry) -> None:
    def held(sizes: tuple[int, ...], combines: bool = False) -> Any:
        return SimpleNamespace(block_bytes=sizes, what="the ranks' blocks", combines=combines)

    t = made_trace()
    assert holdings._columns(t, held((8,))) == "the vector"
    assert holdings._columns(t, held((8, 8))) == "the ranks' blocks, 8 B each"
    assert holdings._columns(t, held((8, 1024, 4))) == "the ranks' blocks, 4 B to 1 KiB"
    assert holdings._columns(replace(t, collective="barrier"), held((8,))) == "the ranks that each has heard from"
    colour = "colour: the round in which a cell came to be, grey from the start"
    assert holdings._key(held((8,)), True) == holdings._key(held((8,)), False) == colour
    assert holdings._key(held((8,), True), True) == f"{colour}; the stronger, the more ranks are combined in it"
    assert (
        holdings._key(held((8,), True), False) == f"{colour}; how far it is filled: the share of ranks combined in it"
    )


@pytest.mark.parametrize("blocks", [2, 3])
def test_a_cell_is_filled_as_far_as_has_been_combined(blocks: int) -> None:
    there = np.zeros((1, blocks), bool)
    there[0, :2] = True
    cells = holdings._Cells(there, np.ones((1, blocks), int), np.array([[0.5, 1.0, 0.0][:blocks]]))
    shapes, faces = holdings._boxes(cells, 2, True)
    half, colour = 0.455, round_colour(1, 2)
    assert faces == [light(colour, 0.22), colour, colour]
    ends = [(*shape.min(axis=0), *shape.max(axis=0)) for shape in shapes]
    filled = (-half, -half, 0, half) if blocks == 2 else (-half, 0, half, half)  # from the left, or upwards
    assert ends == [pytest.approx(x) for x in ((-half, -half, half, half), filled, (1 - half, -half, 1 + half, half))]
    assert holdings._boxes(cells, 2, False)[1] == [colour, colour]


# ---- who sends how much ----------------------------------------------------------------------------------------------


def test_amounts_in_words() -> None:
    bytes_, messages = (matrix._Flow(np.zeros((1, 1)), counts) for counts in (False, True))
    assert [f.text(12345) for f in (bytes_, messages)] == ["12.1 KiB", "12\u2009345"]
    assert [f.cell(2048) for f in (bytes_, messages)] == ["2K", "2048"]
    printed = {
        1023: "1023",
        1024: "1K",
        1536: "1.5K",
        10 << 10: "10K",
        10.5 * 1024: "10K",
        (1 << 20) - 1: "1024K",
        1 << 20: "1M",
        3 << 29: "1.5G",
    }
    assert {v: matrix._brief(v) for v in printed} == printed
    t = made_trace()
    flow = matrix._flow(t)
    assert flow.amount.tolist() == [[0, 2048, 1024, 0], [0] * 4, [0, 512, 0, 2048], [0] * 4] and not flow.in_messages
    assert matrix._sums(t, flow) == (
        "4 ranks · 5632 B in all, at most 2 KiB from one rank to another\n1536 B (27%) between nodes"
    )
    empty = replace(t, messages=tuple(replace(m, bytes=0) for m in t.messages), transfers=(), nodes=())
    flow = matrix._flow(empty)
    assert flow.in_messages and flow.amount.sum() == 4
    assert matrix._sums(empty, flow) == "4 ranks · 4 messages in all, at most 1 from one rank to another"


@pytest.mark.parametrize(("ranks", "step", "above"), [(20, 1, 20), (21, 2, 0), (32, 2, 0), (33, 8, 0)])
def test_ranks_beside_a_matrix(ranks: int, step: int, above: int, ax: Axes) -> None:
    matrix._labels(ax, made_trace(ranks=ranks))
    printed = [t.get_text() for t in ax.texts]
    assert len(printed) == len(range(0, ranks, step)) + above + 2 and printed[-2:] == ["from", "to"]
    assert ("0", str(step)) == (printed[0], printed[2 if above else 1])


# ---- moving pictures -------------------------------------------------------------------------------------------------


def test_frames_are_as_many_as_the_time_needs() -> None:
    rounds = {1: 40, 3: 40, 4: 48, 12: 144, 13: 150}
    assert {k: animation.frame_count(made_trace(rounds=k)) for k in rounds} == rounds


def test_when_ranks_turn_their_colours(known: registry.Registry) -> None:
    t = made_trace(transfers=(), root=2)
    assert animation.arrivals(t) == [
        [], [(pytest.approx(3 * US), 1), (pytest.approx(8 * US), 2)], [(0.0, 0), (pytest.approx(5 * US), 1)], [(pytest.approx(7 * US), 2)],
    ]  # fmt: skip
    every = animation.arrivals(replace(t, collective="allgather"))
    assert [turns[0] for turns in every] == [(0.0, 0)] * 4


def test_a_palette_has_greys_and_tints_of_every_round() -> None:
    flat = animation.palette(made_trace(rounds=2))
    colours = [tuple(flat[k : k + 3]) for k in range(0, len(flat), 3)]
    assert len(colours) == 256 and colours[0] == (255, 255, 255)
    for k in (0, 1, 2):
        assert tuple(round(255 * v) for v in round_colour(k, 2)) in colours
    assert len(set(colours)) == 24 + 2 * 7 + 3
    assert len(animation.palette(made_trace(rounds=90))) == len(animation.palette(made_trace(rounds=0))) == 768
