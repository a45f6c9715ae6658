"""Predicted beside measured: how far off a prediction is, whether its winner wins, and what trusting it costs.

Frames are tables of points (docs/metrics.md). A call is what both tables have in common: CALL, and the algorithm. Errors are relative
to the measured time; negative where the prediction is too fast. No prediction is scaled to look better.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from collscope.base.errors import UserError

CALL = ["collective", "nodes", "ranks", "mapping", "bytes", "type", "op", "in_place", "root", "metric"]
RANGES = ((512, "up to 512 B"), (8 << 10, "to 8 KiB"), (128 << 10, "to 128 KiB"), (np.inf, "above"))
BY = ("collective", "algorithm", "size", "ranks")
NOISE = 0.05  # of a measured time whose table has no quartiles: two that differ by less are a tie


@dataclass(frozen=True)
class Winners:
    """Of the calls that at least two algorithms were measured and predicted for: `same`, the predicted winner is the fastest one measured;
    `ties`, it is not, but within the noise of it; `calls`, all. Regret is the time lost by taking the predicted winner, as a share of the
    fastest; `correlation`, Spearman's over the algorithms of a call, averaged."""

    calls: int
    same: int
    ties: int
    mean_regret: float
    p90_regret: float
    worst_regret: float
    worst_call: str
    correlation: float

    @property
    def agreement(self) -> float:
        """Same and ties, as a share."""
        return (self.same + self.ties) / self.calls


def joined(predicted: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """The calls that both have, a row each: CALL, algorithm, predicted_s, measured_s, low_s and high_s (measured quartiles, or the noise
    around a time without them), error, and size (a range in words). UserError: there are none, or a table has a call twice."""
    keys = [*CALL, "algorithm"]
    for name, frame in (("predicted", predicted), ("measured", measured)):
        if (twice := frame[frame.duplicated(keys)]).size:
            row = twice.iloc[0]
            raise UserError(
                f"the {name} times have {row['algorithm']} at {row['bytes']} bytes on {row['ranks']} ranks twice; choose one source "
                "or platform of the table"
            )
    both = predicted[[*keys, "median_s"]].merge(
        measured[[*keys, "median_s", "q1_s", "q3_s"]], on=keys, suffixes=("", "_measured")
    )
    both = both.rename(columns={"median_s": "predicted_s", "median_s_measured": "measured_s"})
    both = both[(both.predicted_s > 0) & (both.measured_s > 0)].reset_index(drop=True)
    if both.empty:
        raise UserError(f"the two have no call in common: a call is the same where {', '.join(keys)} are")
    spread = both.q3_s > both.q1_s
    both["low_s"] = both.q1_s.where(spread, both.measured_s * (1 - NOISE / 2))
    both["high_s"] = both.q3_s.where(spread, both.measured_s * (1 + NOISE / 2))
    both["error"] = both.predicted_s / both.measured_s - 1
    both["size"] = [next(name for most, name in RANGES if size <= most) for size in both.bytes]
    return both.drop(columns=["q1_s", "q3_s"])


def errors(both: pd.DataFrame, by: str | None = None) -> pd.DataFrame:
    """How far off, for each value of a column (of BY; None: all together, as "all"): points, and shares of the measured time: median,
    p90 and worst of the absolute error, bias (its signed median)."""
    rows = []
    parts: Iterator[tuple[object, pd.DataFrame]] = (
        iter([("all", both)]) if by is None else iter(both.groupby(by, sort=by != "size"))
    )
    for name, part in parts:
        size = part.error.abs()
        rows.append((name, len(part), size.median(), size.quantile(0.9), size.max(), part.error.median()))
    return pd.DataFrame(rows, columns=[by or "of", "points", "median", "p90", "worst", "bias"])


def winners(both: pd.DataFrame) -> Winners | None:
    """Who wins; None where no call has two algorithms."""
    same = ties = 0
    regrets: list[tuple[float, str]] = []
    ranks = []
    for call, part in both.groupby(CALL, sort=False):
        if len(part) < 2:
            continue
        best, taken = part.loc[part.measured_s.idxmin()], part.loc[part.predicted_s.idxmin()]
        if taken.measured_s == best.measured_s:
            same += 1
        elif taken.low_s <= best.high_s:
            ties += 1
        text = f"{call[0]} of {call[4]} bytes on {call[2]} ranks: {taken.algorithm} instead of {best.algorithm}"
        regrets.append((taken.measured_s / best.measured_s - 1, text))
        ranks.append(spearman(part.predicted_s, part.measured_s))
    if not regrets:
        return None
    lost = pd.Series([regret for regret, _ in regrets])
    worst, text = max(regrets)
    known = [r for r in ranks if r == r]
    mean = float(np.mean(known)) if known else float("nan")
    return Winners(len(regrets), same, ties, float(lost.mean()), float(lost.quantile(0.9)), worst, text, mean)


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Correlation of ranks, equal values sharing theirs; NaN where all values of one are equal."""
    a, b = (pd.Series(list(values)).rank() for values in (one, other))
    return float(a.corr(b)) if a.nunique() > 1 and b.nunique() > 1 else float("nan")
