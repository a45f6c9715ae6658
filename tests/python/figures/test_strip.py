"""collscope.figures.strip: what a decision chose, below the axes."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from collscope.figures.strip import strip


def drawn(doubling: float, chose: list[str], **more: float) -> Axes:
    """Boxes at 2, 4, 8, …; a doubling is so many points wide."""
    at = [2.0 ** (k + 1) for k in range(len(chose))]

    def make_x(ax: Axes, labels: bool) -> None:
        ax.set_xscale("log", base=2)
        ax.set_xlim(1, 16)

    fig = Figure(figsize=(4 * doubling / 72, 1))
    ax = fig.add_axes((0, 0, 1, 1))
    strip(ax, "Open MPI 4.1", "#ff0000", at, chose, make_x, False, **more)
    return ax


def boxes(ax: Axes) -> list[tuple[float, float]]:
    found = [p for p in ax.patches if isinstance(p, Rectangle)]
    assert all((p.get_y(), p.get_height()) == (0.08, 0.84) for p in found)
    return [(p.get_x(), p.get_x() + p.get_width()) for p in found]


def test_boxes_meet_in_the_middle_between_sizes() -> None:
    ax = drawn(200, ["bcast/mst", "bcast/mst", "bcast/linear"])
    assert np.array(boxes(ax)) == pytest.approx(np.array([(2**0.5, 2**2.5), (2**2.5, 2**3.5)]))
    assert [t.get_text() for t in ax.texts] == ["mst", "linear", "4.1 chose"]
    places = np.array([t.get_position() for t in ax.texts])
    assert places == pytest.approx(np.array([(2**1.5, 0.47), (8, 0.47), (1.012, 0.47)]))
    assert [p.get_facecolor()[1] for p in ax.patches] == pytest.approx([0.7, 0.82])  # by turns
    assert boxes(drawn(200, ["bcast/mst"], beyond=2)) == [pytest.approx((1, 4))]
    assert ax.get_ylim() == (0, 1) and list(ax.get_yticks()) == []


@pytest.mark.parametrize(
    ("points", "printed"),
    [
        (18 * 4.15 + 3.1, "pipeline[s=128KiB]"),
        (18 * 4.15 + 2.9, "pipeline 128K"),
        (13 * 4.15 + 3.1, "pipeline 128K"),
        (13 * 4.15 + 2.9, "128K"),
        (4 * 4.15 + 3.1, "128K"),
        (4 * 4.15 + 2.9, None),
    ],
)
def test_names_are_as_long_as_their_boxes_let_them(points: float, printed: str | None) -> None:
    ax = drawn(points, ["bcast/pipeline[s=131072]"])  # half a doubling to either side
    assert [t.get_text() for t in ax.texts][:-1] == ([printed] if printed else [])
