"""Polynomials of the number of ranks: what is fitted, and the printed one beside it."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from collscope.analysis.fits import FitText, fits, formula
from collscope.analysis.times import Times

COLUMNS = ["collective", "ranks", "nodes", "bytes", "name", "time_s", "chose"]


def times(collective: str, grows: bool) -> Times:
    """2 + 3p µs at a block of 4 B on 2 to 10 ranks, and other times at other sizes."""
    rows = [(collective, p, 1, 4 * (p if grows else 1), "a", (2 + 3 * p) * 1e-6, "") for p in range(2, 11)]
    rows += [(collective, p, 1, 1024 * p, "a", 1.0, "") for p in range(2, 11)]
    return Times(pd.DataFrame(rows, columns=COLUMNS), ())


def text(collective: str, **more: object) -> FitText:
    return FitText.model_validate({"collective": collective, "name": "a", "block_sizes": "4B", "degree": 1, **more})


@pytest.mark.parametrize(("collective", "grows"), [("bcast", False), ("scatter", True)])
def test_a_line_is_found_at_the_size_of_a_block(collective: str, grows: bool) -> None:
    (fit,) = fits([text(collective, printed=[4.0, 6.0])], times(collective, grows))
    assert fit.ours == pytest.approx((2.0, 3.0)) and fit.r2 == pytest.approx(1.0)
    assert fit.off == pytest.approx(0.5)  # the printed one is twice ours
    assert fit.ranks == tuple(range(2, 11))


def test_nothing_is_fitted_through_too_few_ranks_and_nothing_printed_is_nan() -> None:
    assert not list(fits([text("bcast", degree=6)], Times(pd.DataFrame(columns=COLUMNS), ())))
    (fit,) = fits([text("bcast")], times("bcast", False))
    assert math.isnan(fit.off)


def test_a_formula_is_written_as_papers_print_it() -> None:
    assert formula([0.8297, 0.03261, -3.403e-4]) == "0.8297 + 0.03261 p − 0.0003403 p²"
    assert formula([-4.055, 0.177]) == "−4.055 + 0.177 p"
