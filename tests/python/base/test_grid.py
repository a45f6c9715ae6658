"""Tables in little room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from collscope.base.grid import KEY, WORDS, Column, Grid, wrapped


def made(width: int) -> tuple[str, list[str]]:
    grid = Grid(
        (Column("algorithm", pieces=KEY), Column("time", right=True), Column("× best", goes=2), Column("why", goes=1))
    )
    grid.add("chain[chains=4,s=65536]", "1.5 µs", "1.00", "as fast as can be")
    grid.add("linear", "3 µs", "2.00", "")
    table, absent = grid.table(width)
    console = Console(width=width)
    with console.capture() as said:
        console.print(table)
    return said.get(), absent


def test_with_room_nothing_is_broken_or_left_out() -> None:
    text, absent = made(80)
    assert absent == []
    assert "chain[chains=4,s=65536]" in text


def test_keys_wrap_before_columns_go() -> None:
    text, absent = made(52)
    assert absent == []
    assert "chain[chains=4, " in text
    assert "s=65536]" in text


def test_the_column_that_matters_least_goes_first() -> None:
    assert made(44)[1] == ["× best"]
    assert made(24)[1] == ["× best", "why"]


@pytest.mark.parametrize("width", [24, 30, 40, 60])
def test_names_and_times_stay(width: int) -> None:
    text, _ = made(width)
    letters = "".join(text.split())
    assert "linear" in text
    assert "1.5 µs" in text
    assert "s=65536]" in letters
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width


def test_a_key_breaks_at_its_bracket_and_commas() -> None:
    assert wrapped("bcast/chain[chains=4,s=65536]", KEY, 16) == ["bcast/chain", "[chains=4,", "s=65536]"]
    assert wrapped("bcast/chain[chains=4,s=65536]", KEY, 24) == ["bcast/chain[chains=4,", "s=65536]"]


def test_a_name_that_is_too_long_breaks_between_its_words() -> None:
    assert wrapped("scatter_recursive_doubling", KEY, 20) == ["scatter_recursive_", "doubling"]


@given(st.text("ab[,] _", max_size=40), st.integers(8, 40), st.sampled_from([KEY, WORDS]))
def test_wrapping_loses_nothing_and_keeps_the_width(text: str, width: int, pieces: str) -> None:
    lines = wrapped(text, pieces, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(len(line) <= width - bool(i) for i, line in enumerate(lines))
