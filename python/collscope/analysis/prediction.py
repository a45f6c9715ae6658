"""Predicted beside measured: how far off a prediction is, whether its winner wins, and what trusting it costs.

Frames are tables of points (docs/metrics.md). A call is what both tables have in common: CALL, and the algorithm. Errors are relative
to the measured time; negative where the prediction is too fast. No prediction is scaled to look better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from collscope.base.errors import UserError
from collscope.base.statistics import LIKELY
from collscope.catalogue import metrics

CALL = ["platform", "collective", "nodes", "ranks", "mapping", "bytes", "type", "op", "in_place", "root", "metric"]
RANGES = ((512, "up to 512 B"), (8 << 10, "to 8 KiB"), (128 << 10, "to 128 KiB"), (np.inf, "above"))
BY = ("collective", "algorithm", "size", "ranks")
GROUP = ["collective", "platform", "nodes", "mapping"]
NOISE_BAND = ["noise_low_s", "noise_high_s"]  # of a prediction's draws of the noise: so many lie between them
NOMINAL = 0.9
DRAWN_BAND = ["drawn_low_s", "drawn_high_s"]  # likewise of draws of what is not known of the machine
WHOLE_BAND = ["whole_low_s", "whole_high_s"]  # of both, the draws and how far the model is off by itself (model_error)
DRAWN = LIKELY  # of the times should lie in either
COVERED = ["calls", "inside", "below", "above", "repetitions", "repetitions_inside"]
SAME_TIME = 1e-6  # of a predicted time: two that differ by less were sent the same messages
NOISE = 0.05  # of a measured time whose table has no quartiles: two that differ by less are a tie


@dataclass(frozen=True)
class Winners:
    """Of the calls that at least two algorithms were measured and predicted for: `same`, the predicted winner is the fastest one measured;
    `ties`, it is not, but within the noise of it; `undecided`, neither, but the prediction gives both the same time; `calls`, all. Regret
    is the time lost by taking the predicted winner, as a share of the fastest; `correlation`, Spearman's over the algorithms of a call,
    averaged."""

    calls: int
    same: int
    ties: int
    undecided: int
    mean_regret: float
    p90_regret: float
    worst_regret: float
    worst_call: str
    correlation: float

    @property
    def agreement(self) -> float:
        """Same, ties and undecided, as a share."""
        return (self.calls - self.wrong) / self.calls

    @property
    def wrong(self) -> int:
        """Calls of which another was predicted to win."""
        return self.calls - self.same - self.ties - self.undecided


def faults(frame: pd.DataFrame) -> pd.Series:
    """Why each row of a table cannot be compared; "" where it can."""
    found = pd.Series("", index=frame.index)
    wrong = {
        "no time": frame.median_s.isna(),
        "the time is not positive and finite": ~(np.isfinite(frame.median_s) & (frame.median_s > 0)),
        "fewer than 1 rank or node": (frame.ranks < 1) | (frame.nodes < 1),
        "fewer than 0 bytes": frame.bytes < 0,
    }
    for text, where in wrong.items():
        found[where & (found == "")] = text
    return found


def _differences(predicted: pd.DataFrame, measured: pd.DataFrame, keys: Sequence[str]) -> str:
    """In which columns two tables have nothing in common, with their first values."""
    found = []
    for key in keys:
        one, other = predicted[key].unique(), measured[key].unique()
        if not set(one) & set(other):
            values = (", ".join(map(str, v[:3])) + ", …" * (len(v) > 3) for v in (one, other))
            found.append(f"{key} is {' in the prediction, '.join(values)} in what was measured")
    return "; ".join(found) or f"a call is the same where {', '.join(keys)} are"


def joined(predicted: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """The calls that both have, a row each: CALL, algorithm, predicted_s, measured_s, low_s and high_s (measured quartiles, or the noise
    around a time without them), chose (of a decision, the predicted one's key), error, and size (a range in words); NOISE_BAND and
    DRAWN_BAND where the prediction has them, times_s where every repetition is known, floor where there were several launches. Of a
    metric its name alone counts: which barrier stood before a measured call is not always known; where all predictions are of one platform,
    nor does it matter by which name the measured one goes. UserError: no row is a call, or a table has a call twice."""
    keys = [*CALL, "algorithm"]
    if predicted.platform.nunique() == 1:
        measured = measured.assign(platform=predicted.platform.iloc[0])
    predicted, measured = (f.assign(metric=f.metric.map(metrics.base)) for f in (predicted, measured))
    for name, frame in (("predicted", predicted), ("measured", measured)):
        if (twice := frame[frame.duplicated(keys)]).size:
            row = twice.iloc[0]
            raise UserError(
                f"the {name} times have {row['algorithm']} at {row['bytes']} bytes on {row['ranks']} ranks twice; choose one source "
                "or platform of the table"
            )
    band = [c for c in (*NOISE_BAND, *DRAWN_BAND) if c in predicted]
    more = [c for c in ("times_s", "floor") if c in measured]
    both = predicted[[*keys, "chose", "median_s", *band]].merge(
        measured[[*keys, "median_s", "q1_s", "q3_s", *more]], on=keys, suffixes=("", "_measured")
    )
    both = both.rename(columns={"median_s": "predicted_s", "median_s_measured": "measured_s"})
    timed = [np.isfinite(both[c]) & (both[c] > 0) for c in ("predicted_s", "measured_s")]
    both = both[timed[0] & timed[1]].reset_index(drop=True)
    if both.empty:
        raise UserError(f"the two have no call in common: {_differences(predicted, measured, keys)}")
    spread = both.q3_s > both.q1_s
    both["low_s"] = both.q1_s.where(spread, both.measured_s * (1 - NOISE / 2))
    both["high_s"] = both.q3_s.where(spread, both.measured_s * (1 + NOISE / 2))
    both["error"] = both.predicted_s / both.measured_s - 1
    both["size"] = [next(name for most, name in RANGES if size <= most) for size in both.bytes]
    return both.drop(columns=["q1_s", "q3_s"])


def has_band(both: pd.DataFrame, band: Sequence[str]) -> bool:
    """Whether calls have this band: one of NOISE_BAND, DRAWN_BAND and WHOLE_BAND."""
    return set(band) <= set(both.columns)


def _parts(frame: pd.DataFrame, by: str | None) -> Iterable[tuple[object, pd.DataFrame]]:
    """The rows of each value of a column, sizes from the smallest on; all of them as "all"."""
    if by != "size":
        return [("all", frame)] if by is None else frame.groupby(by)
    found = dict(list(frame.groupby(by)))
    return [(name, found[name]) for _, name in RANGES if name in found]


def errors(both: pd.DataFrame, by: str | None = None) -> pd.DataFrame:
    """How far off, for each value of a column (of BY; None: all together, as "all"): points, and shares of the measured time: median,
    p90 and worst of the absolute error, bias (its signed median), and the floor's median: how far launches of the same call differ, NaN
    where none was measured in several."""
    rows = []
    for name, part in _parts(both, by):
        size = part.error.abs()
        floor = part.floor.median() if "floor" in part else float("nan")
        rows.append((name, len(part), size.median(), size.quantile(0.9), size.max(), part.error.median(), floor))
    return pd.DataFrame(rows, columns=[by or "of", "points", "median", "p90", "worst", "bias", "floor"])


def groups(both: pd.DataFrame) -> pd.DataFrame:
    """Of each GROUP what `errors` has; choices: its calls that two algorithms were measured for; right: the share of them that lose no
    more than NOISE by trusting the prediction; regret: what they lose on average (NaN where there is no choice); inside: the share of
    its measured times inside WHOLE_BAND, without one inside DRAWN_BAND (NaN without either)."""
    band = WHOLE_BAND if has_band(both, WHOLE_BAND) else DRAWN_BAND
    rows = []
    for group, part in both.groupby(GROUP):
        lost = winners_by_call(part).regret.astype(float)
        (of,) = errors(part).itertuples(index=False, name=None)
        inside = coverage(part, band=band).inside.mean()
        rows.append((*group, *of[1:], len(lost), (lost <= NOISE).mean(), lost.mean(), inside))
    names = ["points", "median", "p90", "worst", "bias", "floor", "choices", "right", "regret", "inside"]
    return pd.DataFrame(rows, columns=[*GROUP, *names])


def settings(both: pd.DataFrame) -> list[str]:
    """The columns of GROUP besides the collective that tell its calls apart; nodes where they do not follow from the ranks."""
    found = [name for name in ("platform", "mapping") if both[name].nunique() > 1]
    return found + (["nodes"] if (both.groupby("ranks").nodes.nunique() > 1).any() else [])


def coverage(both: pd.DataFrame, by: str | None = None, band: Sequence[str] = NOISE_BAND) -> pd.DataFrame:
    """Of the calls whose prediction has this band, by the values of a column (None: all together, as "all"): calls; the shares of measured
    medians inside it, below and above; repetitions, and their share inside (NaN where none is known). Of single repetitions NOMINAL
    should be inside the noise's band, of medians more."""
    if not has_band(both, band):
        return pd.DataFrame(columns=[by or "of", *COVERED])
    known = both[both[band[0]].notna()]
    rows = []
    for name, part in _parts(known, by):
        low, high = part[band[0]], part[band[1]]
        below, above = (part.measured_s < low).mean(), (part.measured_s > high).mean()
        single = [
            a <= float(time) <= b
            for times, a, b in zip(part.get("times_s", pd.Series("", part.index)), low, high, strict=True)
            for time in str(times).split()
        ]
        inside = sum(single) / len(single) if single else float("nan")
        rows.append((name, len(part), 1 - below - above, below, above, len(single), inside))
    found = pd.DataFrame(rows, columns=[by or "of", *COVERED])
    return found[found.calls > 0]


def algorithms(both: pd.DataFrame) -> pd.DataFrame:
    """The rows of algorithms, not of decisions: what competes."""
    return both[~both.algorithm.str.startswith("decision/")]


def winners(both: pd.DataFrame) -> Winners | None:
    """Who wins among algorithms, decisions aside; None where no call has two of them."""
    judged = winners_by_call(both)
    if judged.empty:
        return None
    verdicts = judged.verdict.value_counts()
    worst = judged.loc[judged.regret.idxmax()]
    text = f"{worst.collective} of {worst.bytes} bytes on {worst.ranks} ranks: {worst.predicted} instead of {worst.measured}"
    correlations = judged.correlation.dropna()
    mean = float(correlations.mean()) if len(correlations) else float("nan")
    same, ties, undecided = (int(verdicts.get(word, 0)) for word in ("same", "tie", "undecided"))
    lost = judged.regret
    return Winners(
        len(judged),
        same,
        ties,
        undecided,
        float(lost.mean()),
        float(lost.quantile(0.9)),
        float(worst.regret),
        text,
        mean,
    )


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Correlation of ranks, equal values sharing theirs; NaN where all values of one are equal."""
    a, b = (pd.Series(list(values)).rank() for values in (one, other))
    return float(a.corr(b)) if a.nunique() > 1 and b.nunique() > 1 else float("nan")


def winners_by_call(both: pd.DataFrame) -> pd.DataFrame:
    """A row for each call with two algorithms: CALL, measured and predicted (keys), regret, correlation of ranks, and verdict: same, tie
    (another, within the noise), undecided (another, to which the prediction gives the same time) or other."""
    made = []
    for call, part in algorithms(both).groupby(CALL, sort=False):
        if len(part) < 2:
            continue
        best, taken = part.loc[part.measured_s.idxmin()], part.loc[part.predicted_s.idxmin()]
        verdict = (
            "same" if taken.measured_s == best.measured_s
            else "tie" if taken.low_s <= best.high_s
            else "undecided" if best.predicted_s <= (1 + SAME_TIME) * taken.predicted_s
            else "other"
        )  # fmt: skip
        regret = taken.measured_s / best.measured_s - 1
        made.append(
            (*call, best.algorithm, taken.algorithm, regret, spearman(part.predicted_s, part.measured_s), verdict)
        )
    return pd.DataFrame(made, columns=[*CALL, "measured", "predicted", "regret", "correlation", "verdict"])


@dataclass(frozen=True)
class Baseline:
    """What a fixed decision costs: of `calls` with two measured algorithms, those whose choice was `measured`, how often it is the fastest
    or tied with it, and the time lost as a share of the fastest."""

    decision: str
    calls: int
    measured: int
    agreement: float
    mean_regret: float
    p90_regret: float
    worst_regret: float


def baselines(both: pd.DataFrame, predicted: pd.DataFrame) -> list[Baseline]:
    """What a user of each decision has today. Its choice's time is that of the decision itself where that was measured, else that of the
    algorithm that it chose (column chose of the predicted table)."""
    found = []
    chosen = predicted[predicted.algorithm.str.startswith("decision/")]
    chosen = chosen.assign(metric=chosen.metric.map(metrics.base))
    calls = dict(iter(both.groupby(CALL)))
    for decision, choices in chosen.groupby("algorithm"):
        regrets, agreed, counted = [], 0, 0
        for call, choice in zip(choices[CALL].itertuples(index=False, name=None), choices.chose, strict=True):
            part = calls.get(call)
            if part is None or len(algorithms(part)) < 2:
                continue
            counted += 1
            best = algorithms(part).sort_values("measured_s").iloc[0]
            own = part[part.algorithm == decision]
            taken = own if len(own) else part[part.algorithm == choice]
            if len(taken):
                lost = max(taken.measured_s.iloc[0] / best.measured_s - 1, 0.0)
                regrets.append(lost)
                agreed += lost == 0 or taken.low_s.iloc[0] <= best.high_s
        if regrets:
            lost_s = pd.Series(regrets)
            found.append(
                Baseline(
                    str(decision),
                    counted,
                    len(regrets),
                    agreed / len(regrets),
                    float(lost_s.mean()),
                    float(lost_s.quantile(0.9)),
                    float(lost_s.max()),
                )
            )
    return found


def below_bound(both: pd.DataFrame, bounds: pd.DataFrame) -> pd.DataFrame:
    """The measured calls of metric makespan that are faster, beyond the noise, than bound/loggp says is possible: rows of `both`, and
    bound_s. Where there is one, a number of the platform is wrong: it says that something takes longer than it does."""
    least = bounds[(bounds.algorithm == "bound/loggp") & (bounds.metric == "makespan")]
    keys = ["platform", "collective", "nodes", "ranks", "mapping", "bytes", "metric"]
    least = least[[*keys, "median_s"]].drop_duplicates(keys).rename(columns={"median_s": "bound_s"})
    checked = both.merge(least, on=keys)
    return checked[checked.high_s < checked.bound_s].reset_index(drop=True)


def worst(both: pd.DataFrame, count: int = 12) -> pd.DataFrame:
    """The calls whose prediction is farthest off, by the factor between the two times: a call far below is as wrong as one far above."""
    factor = np.abs(np.log(both.predicted_s / both.measured_s))
    return both.loc[factor.sort_values(ascending=False, kind="stable").index[:count]]


def without(both: pd.DataFrame, others: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """What each assumption is worth: the errors of all, and by size, of the whole prediction ("all") and of those made without one element
    each (name → as `joined` has it), on the calls that all of them have. Columns: without, size, points, median, p90, bias; where an
    element's rows have larger errors than the whole, the evidence is for it."""
    keys = [*CALL, "algorithm"]
    common = both[keys]
    for other in others.values():
        common = common.merge(other[keys], on=keys)
    made = []
    for name, frame in {"nothing": both, **others}.items():
        part = frame.merge(common, on=keys)
        for of in (errors(part), errors(part, "size")):
            of.columns = ["size", *of.columns[1:]]
            made.append(of.assign(without=name))
    return pd.concat(made, ignore_index=True)[["without", "size", "points", "median", "p90", "worst", "bias"]]
