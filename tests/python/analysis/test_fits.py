"""collscope.analysis.fits: polynomials of the number of ranks: what is fitted, and the printed one beside it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from collscope.analysis.fits import Fit, FitText, fits, formula, polynomial
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
    assert formula([1, 2, 3, 4, 5, 6, 7]) == "1 + 2 p + 3 p² + 4 p³ + 5 p⁴ + 6 p⁵ + 7 p⁶"
    assert formula([0.0, 12345.678]) == "0 + 1.235e+04 p" and formula([]) == ""


def test_a_fit_needs_more_ranks_than_coefficients() -> None:
    def of(ranks: int) -> list[Fit]:
        rows = [("bcast", p, 1, 4, "a", p * 1e-6, "") for p in range(ranks)]
        return list(fits([text("bcast")], Times(pd.DataFrame(rows, columns=COLUMNS), ())))

    assert (len(of(2)), len(of(3))) == (0, 1)
    (fit,) = of(4)
    assert fit.bytes == 4 and list(fit.at(fit.ours, [2, 5])) == pytest.approx([2.0, 5.0])


def test_r2_is_the_share_of_the_spread_that_a_polynomial_explains() -> None:
    """Of (0, 0), (1, 2), (2, 1) the line is 0.5 + 0.5 p; 1.5 of the squares are left of 2."""
    ours, r2 = polynomial(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 1.0]), 1)
    assert ours == pytest.approx([0.5, 0.5]) and r2 == pytest.approx(0.25)
    assert polynomial(np.array([0.0, 1.0, 2.0]), np.array([3.0, 3.0, 3.0]), 1)[1] == 1.0, "nothing is left to explain"
