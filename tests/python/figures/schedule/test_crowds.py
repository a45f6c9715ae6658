"""collscope.figures.files, collscope.figures.schedule.graph, collscope.figures.schedule.holdings:
many ranks and rounds: what is drawn once, left out or made of dots, so that a picture can be read and opened."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from collscope.base import programs
from collscope.figures import files
from collscope.figures.schedule import graph, holdings, kinds, sheet
from traced import traced

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def texts(fig: Any) -> list[str]:
    return [text.get_text() for ax in fig.axes for text in ax.texts]


def test_a_ring_is_one_column() -> None:
    t = traced("allgather/bucket", 32)
    (column,) = graph.columns(t)
    assert (column.name, column.rule) == ("1–31", "every rank r → r+1")
    printed = texts(graph.graph(t))
    assert "1–31" in printed and "r → r+1" in printed and any("drawn once" in text for text in printed)


def test_rounds_that_take_turns_are_two_columns() -> None:
    names = [column.name for column in graph.columns(traced("allgather/neighbor_exchange", 32))]
    assert names == ["1, 3 … 15", "2, 4 … 16"]


def test_few_rounds_stand_one_by_one() -> None:
    assert [c.name for c in graph.columns(traced("allgather/bucket", 8))] == list("1234567")


def test_the_first_and_the_last_of_many_busy_rounds_are_drawn() -> None:
    t = traced("alltoall/pairwise", 64)
    shown = graph.columns(t)
    assert sum(len(c.rounds) + c.left_out for c in shown) == t.rounds == 63
    assert len(shown) <= 16 and [c.left_out for c in shown if c.left_out] == [53]
    printed = texts(graph.graph(t))
    assert "53 rounds more" in printed and any("every 8th rank" in text for text in printed)
    assert "what rank 0 sends, 63 of 2\u2009016 lines" in printed  # of the net, which would be a moiré


def test_swaps_are_drawn_in_both_directions_and_named() -> None:
    assert "r ↔ r xor 32" in texts(graph.graph(traced("allreduce/recursive_doubling", 64)))


def test_the_first_rounds_of_a_long_reduction_are_no_blanks() -> None:
    """What one rank has put in is seen on the ground, and each doubling is a step."""
    ground = np.array([246, 248, 250]) / 255
    grey = np.array(sheet.light((0.663, 0.702, 0.741), holdings.strength(1 / 64, 64)))
    assert (ground - grey).max() > 0.1
    steps = np.diff([holdings.strength(2**k / 64, 64) for k in range(7)])
    assert steps.min() == pytest.approx(steps.max()) and holdings.strength(1, 64) == 1
    fig = kinds.draw([traced("allreduce/rabenseifner", 64)], "table")
    assert fig is not None
    pictures = [np.asarray(image.get_array()) for ax in fig.axes for image in ax.images]
    assert len(pictures) == 13
    assert all(np.abs(picture - ground).max(axis=2).min() > 0.09 for picture in pictures)  # every cell of every panel


@pytest.mark.parametrize(("kind", "most"), [("graph", 400_000), ("matrix", 200_000)])
def test_a_crowd_is_a_small_file(kind: str, most: int) -> None:
    """Of 6 480 messages."""
    fig = kinds.draw([traced("alltoall/pairwise", 81)], kind)
    assert fig is not None and fig.get_size_inches().max() < 20
    assert len(files.render(fig, "svg")) < most


def test_a_gantt_of_many_bars_is_made_of_dots(monkeypatch: pytest.MonkeyPatch) -> None:
    t = traced("alltoall/pairwise", 24)
    monkeypatch.setattr(sheet, "MAX_SHAPES", 500)
    fig = kinds.draw([t], "gantt")
    assert fig is not None and len(t.messages) > 500
    assert b"<image" in files.render(fig, "svg")
