"""What axes share."""

from __future__ import annotations

from collscope.figures.axes import spread


def test_labels_are_spread_without_changing_order() -> None:
    spots = spread([5.0, 5.0, 5.1, 0.0], 1.0, 0.0, 6.0)
    assert spots[3] < spots[0] < spots[2]
    assert min(b - a for a, b in zip(sorted(spots), sorted(spots)[1:], strict=False)) >= 1 - 1e-6
    assert max(spots) <= 6.0 + 1e-6
