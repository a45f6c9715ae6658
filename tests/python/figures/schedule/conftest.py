from __future__ import annotations

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure


@pytest.fixture
def ax() -> Axes:
    """An empty plot as large as its figure."""
    return Figure().add_axes((0, 0, 1, 1))
