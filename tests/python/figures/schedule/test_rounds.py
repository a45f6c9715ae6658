"""The colours of rounds."""

from __future__ import annotations

from matplotlib.colors import LinearSegmentedColormap, to_rgb

from collscope.figures.schedule import rounds


def test_colours_are_those_of_a_ramp_of_matplotlib() -> None:
    """To the last digit, so that pictures do not depend on who made them."""
    ramp = LinearSegmentedColormap.from_list("rounds", rounds._ANCHORS)
    for n in range(3, 70):
        for k in range(1, n + 1):
            assert rounds.round_colour(k, n) == to_rgb(ramp((k - 1) / (n - 1)))
    assert rounds.round_colour(0, 5) == to_rgb(rounds.BEFORE)


def test_few_rounds_are_far_apart() -> None:
    a, b = (rounds.round_colour(k, 2) for k in (1, 2))
    assert sum(abs(x - y) for x, y in zip(a, b, strict=True)) > 1
