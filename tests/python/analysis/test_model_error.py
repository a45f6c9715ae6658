"""collscope.analysis.model_error: how far a model is off by itself, of calls whose errors and draws are made by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from collscope.analysis import model_error, prediction

REACH = 1.2815515655446004  # of a normal distribution: 10 % lie further up


def calls(errors: list[float], low: float = 1.0, high: float = 1.0, collective: str = "bcast") -> pd.DataFrame:
    """A call for each error, in standard deviations of the logarithm; the draws' band ends at `low` and `high` times the prediction."""
    measured = [math.exp(REACH * e) for e in errors]
    columns = {"collective": collective, "predicted_s": 1.0, "drawn_low_s": low, "drawn_high_s": high}
    return pd.DataFrame({"measured_s": measured}).assign(**columns)


def inside(both: pd.DataFrame) -> float:
    return float(prediction.coverage(both, band=prediction.WHOLE_BAND).inside.iloc[0])


def test_eight_of_ten_errors_are_within_the_size_and_two_beyond() -> None:
    both = calls([0.01, -0.02, 0.03, -0.04, 0.05, -0.06, 0.07, 0.08, -0.09, 0.1])
    assert model_error.size(both) == pytest.approx(0.09), "the least that eight of ten need at least"
    assert inside(model_error.with_band(both, 0.081)) == pytest.approx(0.8)
    assert inside(model_error.with_band(both, 0.079)) == pytest.approx(0.7)


def test_the_models_own_error_does_not_have_what_the_draws_explain() -> None:
    """Draws of 3 % and errors of 5 % on the one side leave 4 %; on the other side the draws are wide enough."""
    ends = math.exp(-REACH * 0.1), math.exp(REACH * 0.03)
    assert model_error.size(calls([0.05] * 10, *ends)) == pytest.approx(0.04)
    assert model_error.size(calls([-0.05] * 10, *ends)) == 0
    (row,) = model_error.with_band(calls([0.0], *ends), 0.04).itertuples(index=False)
    assert math.log(row.whole_high_s) == pytest.approx(REACH * 0.05)
    assert math.log(row.whole_low_s) == pytest.approx(-REACH * math.hypot(0.1, 0.04))


def test_no_band_is_narrower_than_the_draws_and_a_call_without_draws_has_one_too() -> None:
    both = calls([0.0, 0.0], 0.5, 2.0)
    both.loc[1, prediction.DRAWN_BAND] = float("nan")
    drawn, alone = model_error.with_band(both, 0.1).itertuples(index=False)
    assert drawn.whole_low_s < 0.5 and drawn.whole_high_s > 2
    assert math.log(alone.whole_high_s) == pytest.approx(REACH * 0.1) == pytest.approx(-math.log(alone.whole_low_s))
    assert model_error.size(both.drop(columns=prediction.DRAWN_BAND)) == 0, "and no draws at all"


def test_a_collective_is_judged_by_the_errors_of_the_others_alone() -> None:
    both = pd.concat([calls([0.2] * 5), calls([0.1] * 5, collective="reduce"), calls([0.1] * 5, collective="scan")])
    sizes = model_error.of_others(both.reset_index(drop=True))
    assert sizes[:5].tolist() == pytest.approx([0.1] * 5) and sizes[5:].tolist() == pytest.approx([0.2] * 10)
    assert model_error.of_others(calls([0.1, 0.2])).isna().all(), "there are no others"
