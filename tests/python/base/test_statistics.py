"""collscope.base.statistics: the one quantile."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collscope.base.statistics import lower_quartile, quantile


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=20), st.floats(0, 1))
def test_it_is_numpy_s(values: list[float], part: float) -> None:
    values.sort()
    assert quantile(values, part) == pytest.approx(float(np.quantile(values, part)), rel=1e-12, abs=1e-12)


def test_equal_neighbours_give_exactly_their_value() -> None:
    assert quantile([0.1, 0.1, 0.1, 0.3], 0.5) == 0.1


def test_the_lower_quartile_is_of_samples_in_any_order() -> None:
    assert lower_quartile([5.0, 1.0, 3.0, 2.0, 4.0]) == 2.0
    assert lower_quartile([4.0, 1.0]) == 1.75
    assert (quantile([7.0], 0.0), quantile([7.0], 1.0), quantile([1.0, 2.0], 1.0)) == (7.0, 7.0, 2.0)
