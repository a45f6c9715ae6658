"""collscope.sources.spread: how much a measured time is to be trusted, beside definitions written out otherwise."""

from __future__ import annotations

import math
import random

import pytest

from collscope.sources import spread

Reps = list[tuple[float, float, float, float]]


def reps(*values: float) -> Reps:
    """Repetitions with these makespans."""
    return [(v / 4, v / 2, v, v / 8) for v in values]


@pytest.mark.parametrize(
    "n, k", [(0, 0), (1, 0), (5, 0), (6, 1), (8, 1), (9, 2), (10, 2), (20, 6), (50, 18), (100, 40)]
)
def test_the_interval_s_ends_are_those_of_the_binomial_table(n: int, k: int) -> None:
    assert spread.interval_rank(n) == k


def test_the_floor_is_half_of_what_lies_between_the_medians_of_launches() -> None:
    """Medians 1, 2 and 4; a launch's outlier does not count."""
    launches = [reps(4.0, 3.0, 5.0), reps(1.0, 1.0, 90.0), reps(2.0)]
    assert spread.floor(launches, "makespan") == {"floor": 0.75} == spread.floor(launches, "root")
    assert spread.floor([reps(1.0, 9.0), []], "makespan") == {}, "one launch"
    assert spread.floor([reps(0.0), reps(0.0)], "makespan") == {}


@pytest.mark.parametrize("n", range(6, 400, 7))
def test_no_more_than_a_fortieth_lies_outside_each_end(n: int) -> None:
    k = spread.interval_rank(n)

    def below(k: int) -> float:
        return sum(math.comb(n, i) for i in range(k)) / 2**n

    assert below(k) <= 0.025 < below(k + 1)


def test_the_true_median_is_in_the_interval_as_often_as_promised() -> None:
    """Of a distribution as skewed as times are: exponential, with median log 2."""
    random.seed(4)
    hits = 0
    for _ in range(2000):
        found = spread.interval(sorted(random.expovariate(1) for _ in range(25)))
        assert found
        hits += found[0] <= math.log(2) <= found[1]
    assert hits / 2000 > 0.94


def test_outliers_are_counted_and_kept() -> None:
    assert spread.outliers([1, 2, 3, 4, 5]) == 0
    assert spread.outliers([1, 2, 3, 4, 10]) == 0  # q1 2, q3 4: up to 10 it is near
    assert spread.outliers([1, 2, 3, 4, 10.1]) == 1
    calm = [1.0] * 10
    row = spread.describe([reps(*calm, 1.5), reps(*calm, 9.0)], "makespan")
    assert row["outliers"] == 2 / 22 and row["unstable"] == "" and (row["ci_low_s"], row["ci_high_s"]) == (1, 1)


def test_a_time_is_unstable_for_its_spread_its_clock_or_its_count() -> None:
    wild = [float(v) for v in range(1, 21)]
    cells = spread.describe([reps(*wild)], "makespan")
    assert (cells["ci_low_s"], cells["ci_high_s"]) == (6.0, 15.0)
    assert cells["unstable"] == "spread: the interval of the median is 86 % of it"
    few = spread.describe([reps(1.0, 1.0)], "makespan", step_s=0.02)
    assert few["unstable"] == "clock: the median is 50 of its steps; few: 2 repetitions, an interval needs 6"
    assert few["ci_low_s"] is None
    near = [1.0, 1.01, 1.02] * 4
    assert spread.describe([reps(*near)], "makespan")["unstable"] == ""
    assert "spread" in spread.describe([reps(*near)], "makespan", until_ci=0.01)["unstable"]
    assert spread.describe([], "makespan") == {}
    assert spread.describe([reps(*[0.0] * 10)], "makespan")["unstable"] == ""


@pytest.mark.parametrize(
    ("median", "step", "width", "until", "why"),
    [
        (100.0, 1.0, 10.0, 0.0, ""),
        (99.0, 1.0, 9.0, 0.0, "clock: the median is 99 of its steps"),
        (100.0, 0.0, 10.1, 0.0, "spread: the interval of the median is 10 % of it"),
        (100.0, 0.0, 4.0, 0.04, ""),
        (100.0, 0.0, 4.1, 0.04, "spread: the interval of the median is 4.1 % of it"),
        (50.0, 1.0, 80.0, 0.04, "clock: the median is 50 of its steps; spread: the interval of the median is 160 % of it"),
    ],
)  # fmt: skip
def test_limits_of_stability_are_exact(median: float, step: float, width: float, until: float, why: str) -> None:
    """Of nine values the interval is from the second to the eighth."""
    values = [median - width / 2] * 2 + [median] * 5 + [median + width / 2] * 2
    assert spread.describe([reps(*values)], "makespan", step_s=step, until_ci=until)["unstable"] == why


def test_parts_have_two_digits() -> None:
    assert list(map(spread.percent, (0.1, 0.0999, 0.00123, 1.296, 0.0))) == ["10 %", "10 %", "0.12 %", "130 %", "0 %"]


METRICS = ("makespan", "root", "loop", "osu_avg", "osu_avg[barrier=barrier/tree]")


def test_each_metric_has_its_own_values() -> None:
    values = reps(*[8.0] * 10)
    found = {m: spread.describe([values], m)["ci_low_s"] for m in METRICS}
    assert found == {"makespan": 8, "root": 1, "loop": 4, "osu_avg": None, "osu_avg[barrier=barrier/tree]": None}
