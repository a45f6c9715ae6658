"""collscope.base.grid: tables in little room."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from collscope.base.grid import KEY, WHOLE, WORDS, Column, Grid, wrapped


def made(width: int) -> tuple[str, list[str]]:
    grid = Grid(
        (Column("algorithm", pieces=KEY), Column("time", right=True), Column("× best", goes=2), Column("why", goes=1))
    )
    grid.add("chain[chains=4,s=65536]", "1.5 µs", "1.00", "as fast as can be")
    grid.add("linear", "3 µs", "2.00", "")
    table, absent = grid.table(width)
    console = Console(width=width)
    with console.capture() as printed:
        console.print(table)
    return printed.get(), absent


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


@settings(max_examples=40)
@given(st.text("ab[,] _", max_size=40), st.integers(8, 40), st.sampled_from([KEY, WORDS]))
def test_wrapping_loses_nothing_and_keeps_the_width(text: str, width: int, pieces: str) -> None:
    lines = wrapped(text, pieces, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(len(line) <= width - bool(i) for i, line in enumerate(lines))


def widths(width: int, *columns: Column, cells: tuple[str, ...] = ()) -> dict[int, int]:
    grid = Grid(columns)
    grid.add(*(cells or ["x"] * len(columns)))
    return grid._fit(width)


def test_room_is_shared() -> None:
    """Two between columns, two at the edges; what is left goes to what can use it, to columns of pieces first."""
    a, b = Column("a", pieces=WORDS), Column("b", pieces=WHOLE)
    text = "one two three"
    assert widths(16, a, cells=(text,)) == {0: 13} and widths(8, a, cells=(text,)) == {0: 6}
    assert widths(100, a, b, cells=(text, text)) == {0: 13, 1: 13}
    assert widths(25, a, b, cells=(text, "1234567890")) == {0: 11, 1: 10}
    named = Column("two words", pieces=WHOLE)  # all of its cell, but its name breaks
    assert [widths(n, named, a, cells=("x", text)) for n in (15, 16, 17, 18)] == [
        {0: 6, 1: 6}, {0: 6, 1: 6}, {0: 6, 1: 7}, {0: 7, 1: 7}
    ]  # fmt: skip
    assert widths(10, Column("long"), cells=("123456789012",)) == {0: 8}, "too narrow even so"
    assert widths(15, Column("long"), Column("l", goes=1), cells=("123456789012", "x")) == {0: 12}
    assert widths(17, Column("long"), Column("l", goes=1), cells=("123456789012", "x")) == {0: 12, 1: 1}
    assert widths(5, Column("a", goes=2), Column("b", goes=2), Column("c", goes=1)) == {2: 1}
    assert widths(5, Column("a", goes=2), Column("b", goes=2), Column("c")) == {2: 1}
    assert widths(8, Column("a", goes=2), Column("b", goes=2), Column("c")) == {0: 1, 2: 1}, "of equals the right one"
    read, other = Column("s", pieces=WORDS, readable=8), Column("l", goes=1)
    assert widths(10, read, other, cells=("ab cd ef gh", "x")) == {0: 8}, "what is read has room first"
    assert widths(10, read, other, cells=("ab cd", "x")) == {0: 5, 1: 1}, "it has no more words"


def test_columns_that_are_left_out_are_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collscope.base.console.out", lambda: Console(width=30))
    for room in (5, 40):
        grid = Grid((Column("name"), Column("why", goes=1)), title="title")
        grid.add("x", "y" * room)
        grid.show()
        out = capsys.readouterr().out
        assert out.startswith("title\n")
        printed = " ".join(out.split())
        assert ("(no room for why; COLUMNS=48 shows all)" in printed) == (room == 40)


BOXED = """\
title

  n  word two  key
 ───────────────────────────────────────────
  1  a         bcast/chain[chains=4,s=65536]

 22  b c       linear

"""
BOXED_IN_LITTLE_ROOM = """\
title

     word
  n  two   key
 ─────────────────────
  1  a     bcast/chain
            [chains=4,
            s=65536]

 22  b c   linear

"""
PLAIN = """\
title
 n  word two  key
 1  a         bcast/chain[chains=4,s=65536]
22  b c       linear
"""


@pytest.mark.parametrize(
    ("boxed", "width", "text"), [(None, 60, BOXED), (True, 24, BOXED_IN_LITTLE_ROOM), (False, 60, PLAIN)]
)
def test_a_table_whole(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    boxed: bool | None,
    width: int,
    text: str,
) -> None:
    monkeypatch.setattr("collscope.base.console.out", lambda: Console(width=width))
    columns = (Column("n", right=True, style="dim"), Column("word two", pieces=WORDS), Column("key", pieces=KEY))
    grid = Grid(columns, "title") if boxed is None else Grid(columns, "title", boxed)
    grid.add("1", "a", "bcast/chain[chains=4,s=65536]")
    grid.add("22", "b c", "linear", style="bold", ruled=True)
    grid.show()
    assert "".join(f"{line.rstrip()}\n" for line in capsys.readouterr().out.splitlines()) == text
    table, _ = grid.table(width)
    assert [(c.justify, c.style) for c in table.columns] == [("right", "dim"), ("left", ""), ("left", "")]
    assert [(row.style, row.end_section) for row in table.rows] == [(None, True), ("bold", False)]
    assert table.header_style == "bold"
    with pytest.raises(AssertionError):
        grid.add("one cell of three")
