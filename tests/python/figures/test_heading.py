"""collscope.figures.heading: what stands above the panels: how lines are wrapped, and in how many columns a legend stands."""

from __future__ import annotations

import pytest
from matplotlib.lines import Line2D

from collscope.figures import heading
from collscope.figures.heading import Heading


@pytest.fixture(autouse=True)
def letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """An eighth of an inch each, in bold a quarter."""
    monkeypatch.setattr(
        heading, "text_inches", lambda text, _, weight="normal": len(text) * (0.25 if weight == "bold" else 0.125)
    )


def handles(*lengths: int) -> list[Line2D]:
    return [Line2D([], [], label="x" * n) for n in lengths]


def test_words_are_wrapped_where_the_figure_ends_but_not_before_twenty_letters() -> None:
    text = "aaaaaaaaa bbbbbbbbb ccc d eeee"
    found = Heading(text, text, (), 3.0)
    assert found.title == ["aaaaaaaaa bbbbbbbbb", "ccc d eeee"]  # 12 letters would fit
    assert found.subtitle == ["aaaaaaaaa bbbbbbbbb ccc", "d eeee"]  # 24
    assert found.lines == pytest.approx((0.5, 0.38, 0)) and found.height == pytest.approx(0.08 + 0.88 + 0.06)
    assert (found.columns, Heading("", "", (), 3.0).title) == (0, [])
    assert Heading("a" * 30, "", (), 1.0).title == ["a" * 30]  # a word is never cut


@pytest.mark.parametrize(
    ("lengths", "width", "columns", "rows"),
    [
        ((8, 8, 8), 3 * 1.62, 3, 1),
        ((8, 8, 8), 3 * 1.62 - 0.01, 2, 2),
        ((8, 8, 8, 8, 8), 3 * 1.62, 3, 2),
        ((8, 8, 8, 8, 8), 2 * 1.62, 2, 3),
        ((8, 8, 8, 8, 8), 1.0, 1, 5),  # too wide even alone
        ((80, 8), 9.0, 1, 2),
        ((8,), 1.0, 1, 1),
    ],
)
def test_a_legend_has_as_many_columns_as_fit(lengths: tuple[int, ...], width: float, columns: int, rows: int) -> None:
    found = Heading("", "", handles(*lengths), width + 1e-12)
    assert found.columns == columns and found.lines == pytest.approx((0, 0, 0.17 * rows))
