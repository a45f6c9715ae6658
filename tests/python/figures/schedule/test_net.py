"""Where ranks stand."""

from __future__ import annotations

import numpy as np
import pytest

from collscope.base import programs
from collscope.figures.schedule.net import positions
from traced import traced

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def test_trees_grow_by_rounds_and_stars_do_not() -> None:
    at, tree = positions(traced("bcast/binomial", 16))
    assert tree is not None
    out = np.hypot(*(at - at[0]).T)
    assert out[8:].min() > out[4:8].max() > out[2:4].max() > out[1] > 0  # by when they are reached
    at, tree = positions(traced("bcast/linear", 8))
    assert tree is not None and np.ptp(np.hypot(*at[1:].T)) < 0.3
