"""The colours of rounds: from blue (first) to red (last), grey for what was there before.

Plain numbers, so that a terminal can have the same colours without matplotlib.
"""

from __future__ import annotations

from functools import lru_cache

RGB = tuple[float, float, float]

BEFORE = "#a9b3bd"
_ANCHORS = ("#2c4fb5", "#1f87c9", "#16a39a", "#62ad3b", "#d9a514", "#e8742c", "#cf2f4a")
_STEPS = 256  # of the ramp, as matplotlib's colour maps have


def _rgb(text: str) -> RGB:
    r, g, b = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return r, g, b


def _ramp(step: int) -> RGB:
    """One of the ramp's colours, between two anchors: to the last digit what matplotlib's LinearSegmentedColormap makes of them."""
    if step in (0, _STEPS - 1):
        return _rgb(_ANCHORS[0 if step == 0 else -1])
    last = _STEPS - 1
    where = [i * (1 / (len(_ANCHORS) - 1)) * last for i in range(len(_ANCHORS))]
    at = last * (step * (1 / last))
    i = next(i for i, x in enumerate(where) if x >= at)
    share = (at - where[i - 1]) / (where[i] - where[i - 1])
    r, g, b = (share * (y - x) + x for x, y in zip(_rgb(_ANCHORS[i - 1]), _rgb(_ANCHORS[i]), strict=True))
    return r, g, b


@lru_cache(maxsize=4096)
def round_colour(k: int, rounds: int) -> RGB:
    """The colour of round 1 … rounds, red, green and blue from 0 to 1; few rounds get colours that are far apart. Before the
    first round: grey."""
    if k < 1:
        return _rgb(BEFORE)
    at = 0.0 if rounds < 2 else (k - 1) / (rounds - 1)
    if rounds == 2:
        at = 0.02 + 0.8 * at
    return _ramp(min(int(at * _STEPS), _STEPS - 1))
