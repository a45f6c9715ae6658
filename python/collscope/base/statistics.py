"""Statistics of repetitions."""

from __future__ import annotations

from collections.abc import Sequence

LIKELY = 0.8  # of the times are to lie inside a band
REACH = 1.2815515655446004  # standard deviations from the middle of such a band of a normal distribution to its end


def quantile(values: Sequence[float], part: float) -> float:
    """The value below which this part (0 to 1) of ascending values lies: linear between the neighbours, as numpy's default. Equal
    neighbours give exactly their value."""
    at = part * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] if values[low] == values[high] else values[low] + (values[high] - values[low]) * (at - low)


def lower_quartile(samples: Sequence[float]) -> float:
    """The lower quartile of samples in any order: on a machine that does other things too, the median tells of those."""
    return quantile(sorted(samples), 0.25)
