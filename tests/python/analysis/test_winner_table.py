"""collscope.analysis.winner_table: the table of winners: who shares a place, and which alternative fits a source better."""

from __future__ import annotations

import math

import pytest

from collscope.analysis.times import Times
from collscope.analysis.winner_table import Cell, WinnerTable, fits_better, winner_table
from judging import table

ROWS = {"gather": [["a"]], "bcast": [["a"]]}


def made(b: float, tied: float = 0.05) -> WinnerTable:
    frame = table(lambda c, n, p, m, size: {"a": 1.0, "b": b, "c": 2.0}[n], [(8, 2), (8, 4)], ["a", "b", "c"], [8, 64])
    return winner_table(Times(frame, [8, 64]), ROWS, ("a", "b", "c"), tied)


def test_names_within_the_tolerance_share_the_place() -> None:
    near, far = made(1.049).rows, made(1.051).rows
    assert [row[0] for row in near] == ["gather"], "a collective that the table lacks has no row"
    cells = [near[0][1], far[0][1]]
    assert [(c.text, c.agrees) for c in cells if c] == [("a/b", False), ("a", True)]
    assert [c.margin for c in cells if c] == pytest.approx([1.0, 0.051])
    assert [c.nodes for c in far[0][2] if c] == [2, 4]


def test_a_shared_place_has_no_margin() -> None:
    cell = made(1.0, tied=1.0).rows[0][1]
    assert cell
    assert math.isnan(cell.margin)


def test_rows_count_before_cells() -> None:
    good, bad = made(1.2), made(0.5)
    assert (good.matching_rows, good.matching_cells, good.cells) == (1, 2, 2)
    assert fits_better([bad, good]) == [good]
    assert len(fits_better([good, made(1.3)])) == 2
    assert fits_better([]) == []


def test_cells_that_lack_points_agree_with_nobody_and_do_not_count() -> None:
    frame = table(lambda c, n, p, m, size: {"a": 1.0, "b": 2.0}[n], [(8, 2), (8, 4)], ["a", "b"], [8, 64])
    part = frame[~((frame["name"] == "b") & (frame["nodes"] == 4) & (frame["bytes"] == 64))]
    half = winner_table(Times(part, [8, 64]), ROWS, ("a", "b"), 0.05)
    ((_, total, cells),) = half.rows
    assert total is None and [c and c.agrees for c in cells] == [True, None]
    assert (half.matching_rows, half.matching_cells, half.cells) == (0, 1, 1)
    all_run = winner_table(Times(frame, [8, 64]), ROWS, (), 0.05)
    assert [c and dict(c.means) for c in all_run.rows[0][2]] == [{"a": 1.0, "b": 2.0}] * 2
    some = winner_table(Times(frame, [8, 64]), {"gather": [["b"], ["a", "b"]]}, ("b",), 0.05)
    assert [c and (c.text, c.agrees) for c in some.rows[0][2]] == [("b", True)] * 2, "only those that are compared"
    shared = winner_table(Times(frame, [8, 64]), {"gather": [["b"], ["b", "a"]]}, ("a", "b"), 1.0)
    assert shared.matching_rows == 1, "a further reading agrees, in any order"


def test_cells_decide_between_rows_that_tie() -> None:
    frame = table(
        lambda c, n, p, m, size: {"a": 1.0, "b": 0.9 if m == 4 else 5.0}[n], [(8, 2), (8, 4)], ["a", "b"], [8]
    )
    whole, part = made(1.2), winner_table(Times(frame, [8]), ROWS, ("a", "b"), 0.01)
    assert (part.matching_rows, part.matching_cells) == (1, 1)
    assert fits_better([part, whole]) == fits_better([whole, part]) == [whole]


def test_a_cell_is_known_whole() -> None:
    """Over both layouts the mean of the means: of b √(1.2 · 1.8)."""
    frame = table(
        lambda c, n, p, m, size: {"a": 1.0, "b": 1.2 if m == 2 else 1.8}[n], [(8, 2), (8, 4)], ["a", "b"], [8, 64]
    )
    ((name, total, cells),) = winner_table(Times(frame, [8, 64]), ROWS, (), 0.3, "decision/x").rows
    over = (1.2 * 1.8) ** 0.5
    assert name == "gather"
    assert total == Cell("gather", None, ("a",), pytest.approx(over - 1), {"a": 1.0, "b": pytest.approx(over)}, True)
    assert cells[0] and (cells[0].nodes, cells[0].winners, cells[0].agrees) == (2, ("a", "b"), False)
    assert cells[1] == Cell("gather", 4, ("a",), pytest.approx(0.8), {"a": 1.0, "b": pytest.approx(1.8)}, True)
    made = winner_table(Times(frame, [8, 64]), ROWS, (), 0.3, "decision/x")
    assert (made.alternative, made.matching_rows, made.matching_cells, made.cells) == ("decision/x", 1, 1, 2)
    exact = winner_table(Times(frame, [8, 64]), ROWS, (), 0.2 + 1e-9).rows[0][2][0]
    assert exact and exact.winners == ("a", "b"), "as far as the tolerance goes"
