"""How much single messages vary: from single round trips to the noise of a class of link, as a specification has it.

A round trip is two messages, and what they take beyond the least is one sum. How it is shared out between them nobody sees; what is known
is that they vary alike and, so it is taken, independently. Of a trip that is far out (Tukey: three interquartile ranges above the upper
quartile) one message was late, and the other one as usual. Any other sum e is split at a part that has a Beta(k, k) distribution, with
the k that keeps the variance: of two independent halves of e it is Var(e)/2, which k = c / (2 - 2c) with c = E[e]^2/E[e^2] gives. The
mean is kept by any k. For sums of two equal Gamma distributions, the exponential among them, this is exact (Lukacs 1955, Annals
of Mathematical Statistics 26: their ratio and their sum are independent).
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from collscope.base.statistics import quantile

PARTS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0)
FEWEST = 20  # round trips: a 5 % quantile of fewer is none
SPLITS = 100  # of each round trip, drawn from a fixed seed
FAR = 3.0  # interquartile ranges
MAX_SHAPE = 1e6  # of k: all trips are alike, and so are their halves

Quantiles = tuple[tuple[float, float], ...]
"""(part, seconds): of all messages that part takes at most so much longer than the curve says."""


def single_messages(half_trips: Sequence[float]) -> list[float]:
    """Times of single messages in seconds, ascending, 2 SPLITS for each of these halves of single round trips."""
    ascending = sorted(half_trips)
    least, q1, q3 = ascending[0], quantile(ascending, 0.25), quantile(ascending, 0.75)
    sums = [2 * (half - least) for half in ascending]
    limit = 2 * (q3 + FAR * (q3 - q1) - least)
    usual, far = [e for e in sums if e <= limit], [e for e in sums if e > limit]
    square = sum(e * e for e in usual)
    share = sum(usual) ** 2 / (len(usual) * square) if square > 0 else 1.0
    k = min(share / (2 - 2 * share), MAX_SHAPE) if share < 1 else MAX_SHAPE
    draw = random.Random(1)

    def one(e: float) -> float:
        return e * draw.betavariate(k, k)

    firsts = [(e, one(e)) for e in usual for _ in range(SPLITS)]
    firsts += [(e, one(draw.choice(usual))) for e in far for _ in range(SPLITS)]
    return sorted(least + x for e, first in firsts for x in (first, e - first))


def noise_of(half_trips: Sequence[float], typical_s: float) -> Quantiles:
    """The noise of messages whose curve says `typical_s`; () where there are too few round trips."""
    if len(half_trips) < FEWEST:
        return ()
    return noise_of_messages(single_messages(half_trips), typical_s)


def noise_of_messages(times: Sequence[float], typical_s: float) -> Quantiles:
    """The same of single messages."""
    if len(times) < FEWEST:
        return ()
    ascending = sorted(times)
    return tuple((part, quantile(ascending, part) - typical_s) for part in PARTS)
