"""How much a measured time is to be trusted: an interval of its median, outliers, and why it is unstable.

Nothing is left out: medians and quartiles are of all repetitions, and what is said here stands beside them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from collscope.base.statistics import quantile
from collscope.base.units import counted
from collscope.catalogue.metrics import base
from collscope.sources.outcome import COLUMN, Repetition

OUTSIDE = 0.025  # of the interval, at each end: 95 % lie inside
FAR = 3.0  # interquartile ranges above the upper quartile: Tukey's "far out"
WIDE = 0.10  # of the median: an interval that is wider says little
STEPS = 100  # of the clock: a shorter time is read off to no more than 1 %


def interval_rank(values: int) -> int:
    """k: the median of what so many independent values were drawn from lies between their k-th smallest and their k-th largest with at
    least 95 %; the largest such k, from 1, or 0 with fewer than 6 values. Fewer than k of n values lie below the median
    with P(B(n, 1/2) < k), which may be 2.5 % at most (Conover 1999, section 3.2; driver/measure/interval.h)."""
    log_term, below = -values * math.log(2), 0.0
    for k in range(values):
        below += math.exp(log_term)
        if below > OUTSIDE:
            return k
        log_term += math.log((values - k) / (k + 1))
    return values


def interval(ascending: Sequence[float]) -> tuple[float, float] | None:
    """The ends of the median's 95 % interval; None: too few values."""
    k = interval_rank(len(ascending))
    return (ascending[k - 1], ascending[-k]) if k else None


def outliers(ascending: Sequence[float]) -> int:
    """How many values lie above q3 + 3 (q3 - q1): interruptions, mostly. There is no lower limit: nothing makes a call too fast."""
    q1, q3 = quantile(ascending, 0.25), quantile(ascending, 0.75)
    return sum(value > q3 + FAR * (q3 - q1) for value in ascending)


def describe(
    launches: Sequence[Sequence[Repetition]], metric: str, step_s: float = 0.0, until_ci: float = 0.0
) -> dict[str, Any]:
    """Columns ci_low_s, ci_high_s (s), outliers (part of the repetitions) and unstable of launches[launch][repetition]; {} without
    repetitions. `step_s`: the clock's smallest step; `until_ci`: how narrow the interval was to become, 0: nobody asked."""
    metric = base(metric)
    values = sorted(r[COLUMN[metric]] for reps in launches for r in reps)
    if not values:
        return {}
    found = interval(values)
    # One number a launch is what osu_avg is about: its repetitions tell the spread, and no interval of it.
    shown = found if found and metric != "osu_avg" else (None, None)
    return {
        "ci_low_s": shown[0],
        "ci_high_s": shown[1],
        "outliers": outliers(values) / len(values),
        "unstable": "; ".join(_why(values, found, step_s, until_ci)),
    }


def floor(launches: Sequence[Sequence[Repetition]], metric: str) -> dict[str, float]:
    """Column floor: half of the distance between the least and the greatest of the launches' medians, as a share of their median. No
    prediction can be shown to be better than launches agree. {} where there are no two launches."""
    medians = sorted(quantile(sorted(r[COLUMN[base(metric)]] for r in reps), 0.5) for reps in launches if reps)
    if len(medians) < 2 or medians[0] <= 0:
        return {}
    return {"floor": (medians[-1] - medians[0]) / 2 / quantile(medians, 0.5)}


def percent(part: float) -> str:
    """A part in two digits, all of them where there are more: "0.12 %", "130 %"."""
    return f"{100 * part:.0f} %" if part >= 0.1 else f"{100 * part:.2g} %"


def _why(values: Sequence[float], found: tuple[float, float] | None, step_s: float, until_ci: float) -> list[str]:
    """Reasons, each a word and its number."""
    median, why = quantile(values, 0.5), []
    if step_s and median < STEPS * step_s:
        why.append(f"clock: the median is {median / step_s:.0f} of its steps")
    if found is None:
        why.append(f"few: {counted(len(values), 'repetition')}, an interval needs 6")
    elif median and found[1] - found[0] > (until_ci or WIDE) * median:
        why.append(f"spread: the interval of the median is {percent((found[1] - found[0]) / median)} of it")
    return why
