"""What became of one point, and what follows from its repetitions: median, quartiles, extremes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from collscope.base.statistics import quantile
from collscope.catalogue.metrics import OVERLAP, base

OK = "ok"
UNSUPPORTED = "unsupported"  # the algorithm says that it cannot do this call: no failure
FAILED = "failed"  # the program could not do it
WRONG = "wrong"  # it did, and some rank ended with wrong data
DIED = "died"  # the program broke on it
LIMIT = "limit"  # it took longer than a point may: no failure, and not kept
STOPPED = "stopped"  # the user ended the work before it: the row of a table that is printed on the way out, never kept
FAILURES = (FAILED, WRONG, DIED)

Repetition = Sequence[float]
"""Seconds of one timed call: least, mean and largest over the ranks, and the root's own; of metric overlap also the call's without
computation and what the last rank has computed, and behind them the part of all ranks' time that they have computed, where that is
any time at all."""
COLUMN = {
    "makespan": 2,
    "root": 3,
    "osu_avg": 1,
    "loop": 1,
    "delay": 2,
    "nonblocking": 2,
    "overlap": 2,
}  # metric → which of these it is about


@dataclass(frozen=True)
class Outcome:
    """One point of one launch."""

    kind: str  # ok, unsupported, failed, wrong, died, limit, stopped
    status: str  # "ok", or the reason
    reps: Sequence[Repetition] = field(default_factory=list)  # empty unless ok
    chose: str = ""  # full key of the algorithm that ran
    checked: int = 0  # 1: the data was looked at
    back_end: str = ""  # name and version of the library
    start: str = ""  # how ranks started together: simulated, window, barrier
    clock_step_s: float = 0.0  # the smallest step of the clock; 0: it has none

    def plain(self) -> dict[str, Any]:
        """The fields by name, as the cache keeps them; `Outcome(**plain)` reads them back."""
        return asdict(self)


def of_reply(reply: Mapping[str, Any], reps: Sequence[Repetition], meta: Mapping[str, Any]) -> Outcome:
    """The outcome that the driver's closing line of a point means; `meta` is the first line of its launch."""
    kind, status = str(reply["kind"]), str(reply["status"])
    if kind == OK and not reps:
        kind, status = FAILED, "the driver gave no repetition"
    return Outcome(
        kind,
        status,
        reps if kind == OK else [],
        chose=str(reply.get("chose") or ""),
        checked=int(bool(reply.get("checked"))),
        back_end=back_end(meta),
        start=str(reply.get("start") or ""),
        clock_step_s=float((meta.get("clocks") or {}).get("step_s") or 0),
    )


def back_end(meta: Mapping[str, Any]) -> str:
    """The library with its version, short: the column back_end."""
    for name in ("library", "back_end"):
        if meta.get(name):
            return str(meta[name]).splitlines()[0].partition(",")[0].strip()
    return ""


def overlaps(launches: Sequence[Sequence[Repetition]], metric: str) -> dict[str, float]:
    """Columns pure_s, work_s (s), overlap and available (0 to 1) of metric overlap, each the median over the repetitions; else {}."""
    if base(metric) != OVERLAP:
        return {}
    taken = [(r[COLUMN[OVERLAP]], r[4], r[5]) for reps in launches for r in reps]
    if not taken:
        return {}
    cells = {
        "pure_s": [pure for _, pure, _ in taken],
        "work_s": [work for _, _, work in taken],
        "overlap": [min(1.0, max(0.0, 1 - (total - work) / pure)) for total, pure, work in taken if pure > 0],
        "available": [r[6] for reps in launches for r in reps if len(r) > 6],
    }
    return {name: quantile(sorted(values), 0.5) for name, values in cells.items() if values}


def times_text(launches: Sequence[Sequence[Repetition]], metric: str) -> str:
    """Column times_s: every repetition's time of that metric in the order they were taken, with blanks between."""
    return " ".join(f"{r[COLUMN[base(metric)]]:.7g}" for reps in launches for r in reps)


def summarise(launches: Sequence[Sequence[Repetition]], metric: str) -> dict[str, float | None]:
    """Columns median_s, q1_s, q3_s, min_s and max_s of a point from launches[launch][repetition]; None where there is no time.

    makespan: the last rank's time of each repetition; root: the root's; osu_avg: what OSU prints, one mean over ranks and
    repetitions a launch; loop: the mean over ranks of each loop."""
    metric = base(metric)
    if metric == "osu_avg":
        values = [sum(r[1] for r in reps) / len(reps) for reps in launches if reps]
    else:
        values = [r[COLUMN[metric]] for reps in launches for r in reps]
    if not values:
        return dict.fromkeys(("median_s", "q1_s", "q3_s", "min_s", "max_s"))
    values.sort()
    return {
        "median_s": quantile(values, 0.5),
        "q1_s": quantile(values, 0.25),
        "q3_s": quantile(values, 0.75),
        "min_s": values[0],
        "max_s": values[-1],
    }
