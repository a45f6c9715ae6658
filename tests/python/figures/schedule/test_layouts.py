"""collscope.figures.schedule.animation, collscope.figures.schedule.graph, collscope.figures.schedule.holdings:
rounds as columns, panels of blocks, cells of a matrix: what is shown, how large, and in which words."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from collscope.catalogue import registry
from collscope.figures.schedule import animation, graph, holdings, matrix
from collscope.figures.schedule.rounds import round_colour
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


# ---- which blocks lie where ------------------------------------------------------------------------------------------


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
    alone = replace(empty, messages=(), ranks=1)
    assert matrix._sums(alone, matrix._flow(alone)) == "1 rank · 0 messages in all"


# ---- moving pictures -------------------------------------------------------------------------------------------------


def test_frames_are_as_many_as_the_time_needs() -> None:
    rounds = {1: 40, 3: 40, 4: 48, 12: 144, 13: 150}
    assert {k: animation.frame_count(made_trace(rounds=k)) for k in rounds} == rounds


def test_when_ranks_turn_their_colours(known: registry.Registry) -> None:
    t = made_trace(transfers=(), root=2)
    assert animation.arrivals(t) == [
        [], [(pytest.approx(3 * US), 1), (pytest.approx(8 * US), 2)], [(0.0, 0), (pytest.approx(5 * US), 1)], [(pytest.approx(7 * US), 2)],
    ]  # fmt: skip
    for name in ("allgather", "reduce"):
        every = animation.arrivals(replace(t, collective=name))
        assert [turns[0] for turns in every] == [(0.0, 0)] * 4, name


def test_a_palette_has_greys_and_tints_of_every_round() -> None:
    flat = animation.palette(made_trace(rounds=2))
    colours = [tuple(flat[k : k + 3]) for k in range(0, len(flat), 3)]
    assert len(colours) == 256 and colours[0] == (255, 255, 255)
    for k in (0, 1, 2):
        assert tuple(round(255 * v) for v in round_colour(k, 2)) in colours
    assert len(set(colours)) == 24 + 2 * 7 + 3
    assert len(animation.palette(made_trace(rounds=90))) == len(animation.palette(made_trace(rounds=0))) == 768
