"""The table of winners: who shares a place, and which alternative fits a source better."""

from __future__ import annotations

import math

import pytest

from collscope.analysis.times import Times
from collscope.analysis.winner_table import WinnerTable, fits_better, winner_table
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


def test_where_all_share_the_place_there_is_no_margin() -> None:
    cell = made(1.0, tied=1.0).rows[0][1]
    assert cell
    assert math.isnan(cell.margin)


def test_rows_count_before_cells() -> None:
    good, bad = made(1.2), made(0.5)
    assert (good.matching_rows, good.matching_cells, good.cells) == (1, 2, 2)
    assert fits_better([bad, good]) == [good]
    assert len(fits_better([good, made(1.3)])) == 2
    assert fits_better([]) == []
