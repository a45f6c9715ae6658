"""collscope.analysis.prediction: errors, winners and regrets that were planted are found."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from collscope.analysis.prediction import (
    Winners,
    baselines,
    below_bound,
    coverage,
    errors,
    faults,
    groups,
    joined,
    settings,
    spearman,
    winners,
    winners_by_call,
    without,
    worst,
)
from collscope.base.errors import UserError
from collscope.points.table import make_row, to_frame

ALGORITHMS = {"bcast/linear": 4e-5, "bcast/chain": 2e-5, "bcast/binomial": 1e-5}
SIZES = (4, 4096, 65536, 1 << 20)


def row(source: str, algorithm: str, size: int, time: float, **more: Any) -> dict[str, Any]:
    cells: dict[str, Any] = {
        "q1_s": time,
        "q3_s": time,
        "ranks": 8,
        "nodes": 2,
        "mapping": "block",
        "metric": "makespan",
    }
    cells |= {
        "collective": algorithm.partition("/")[0],
        "algorithm": algorithm,
        "bytes": size,
        "median_s": time,
        "type": "float",
    }
    return make_row(source=source, status="ok", kind="ok", op="sum", in_place=0, root=0, **{**cells, **more})


def times(source: str, factor: dict[tuple[str, int], float] | None = None, **more: Any) -> list[dict[str, Any]]:
    """A table of three algorithms over four sizes; `factor` plants what a call takes more."""
    factors = factor or {}
    return [
        row(source, name, size, (base + size * 1e-9) * factors.get((name, size), 1.0), **more)
        for name, base in ALGORITHMS.items()
        for size in SIZES
    ]


def both(factor: dict[tuple[str, int], float], **more: Any) -> pd.DataFrame:
    return joined(to_frame(times("model", factor)), to_frame(times("real", **more)))


def test_a_planted_error_stands_where_it_was_planted() -> None:
    found = both({("bcast/chain", 4): 1.5, ("bcast/chain", 65536): 0.8})
    everything = errors(found).iloc[0]
    assert (everything["of"], everything["points"], everything["bias"]) == ("all", 12, pytest.approx(0))
    assert everything["worst"] == pytest.approx(0.5) and everything["median"] == pytest.approx(0)
    assert everything["p90"] == pytest.approx(0.18), "of 0 nine times, 0, 0.2, 0.5: at nine tenths of the way"
    by_algorithm = errors(found, "algorithm").set_index("algorithm")
    assert by_algorithm.worst.to_dict() == pytest.approx({"bcast/linear": 0, "bcast/chain": 0.5, "bcast/binomial": 0})
    assert by_algorithm.loc["bcast/chain", "median"] == pytest.approx(0.1)
    by_size = errors(found[::-1], "size")
    assert list(by_size["size"]) == ["up to 512 B", "to 8 KiB", "to 128 KiB", "above"]
    assert list(by_size.worst) == pytest.approx([0.5, 0, 0.2, 0])
    fast = errors(both({(name, size): 0.9 for name in ALGORITHMS for size in SIZES}))
    assert fast.bias[0] == pytest.approx(-0.1)


def test_winners_ties_and_regret() -> None:
    """At 4 bytes another is predicted to win, at 4 KiB one that is as fast within the noise; elsewhere the right one."""
    measured = times("real")
    for one in measured:
        if (one["algorithm"], one["bytes"]) == ("bcast/chain", 4096):
            time = 1.03 * (ALGORITHMS["bcast/binomial"] + 4096e-9)
            one |= {"median_s": time, "q1_s": 0.98 * time, "q3_s": 1.02 * time}
    predicted = times("model", {("bcast/chain", 4): 0.1, ("bcast/chain", 4096): 0.1})
    found = winners(joined(to_frame(predicted), to_frame(measured)))
    assert found and (found.calls, found.same, found.ties) == (4, 2, 1)
    assert found.agreement == 0.75
    lost = (2e-5 + 4e-9) / (1e-5 + 4e-9) - 1
    assert found.worst_regret == pytest.approx(lost) and found.mean_regret == pytest.approx((lost + 0.03) / 4)
    assert found.worst_call == "bcast of 4 bytes on 8 ranks: bcast/chain instead of bcast/binomial"
    assert found.correlation == pytest.approx((0.5 + 0.5 + 1 + 1) / 4)


def test_algorithms_that_the_prediction_does_not_tell_apart_are_no_wrong_winner() -> None:
    """At 4 bytes linear is given the time of the fastest, and stands before it; at 4 KiB a hundred thousandth less."""
    first = {("bcast/linear", 4): (1e-5 + 4e-9) / (ALGORITHMS["bcast/linear"] + 4e-9)}
    less = {("bcast/linear", 4096): 0.99999 * (1e-5 + 4096e-9) / (ALGORITHMS["bcast/linear"] + 4096e-9)}
    found = winners(both(first))
    assert found and (found.same, found.ties, found.undecided, found.wrong) == (3, 0, 1, 0)
    assert found.worst_regret > 0.1
    found = winners(both(less))
    assert found and (found.same, found.undecided, found.wrong) == (3, 0, 1)


def test_one_algorithm_has_no_winner() -> None:
    alone = [r for r in times("model") if r["algorithm"] == "bcast/linear"]
    assert winners(joined(to_frame(alone), to_frame(times("real")))) is None


def test_ranks_correlate() -> None:
    assert spearman([1, 2, 3], [10, 20, 1000]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 1, 2], [1, 2, 3]) == pytest.approx(0.75**0.5), "equal ones share their rank"
    for a, b in (([1, 1, 1], [3, 2, 1]), ([1, 2, 3], [7, 7, 7])):
        assert math.isnan(spearman(a, b))


def test_tables_without_a_common_call_name_the_columns_that_differ() -> None:
    with pytest.raises(UserError, match="no call in common: metric is .* in the prediction, .* in what was measured$"):
        both({}, metric="osu_avg")
    predicted = [row("model", "bcast/linear", size, 1e-5) for size in (1, 2, 4, 8)]
    with pytest.raises(
        UserError, match="no call in common: bytes is 1, 2, 4, … in the prediction, 3 in what was measured$"
    ):
        joined(to_frame(predicted), to_frame([row("real", "bcast/linear", 3, 1e-5)]))


def test_a_barrier_in_a_metric_makes_no_other_call() -> None:
    predicted = to_frame(times("model", metric="osu_avg[barrier=barrier/tree]"))
    assert len(joined(predicted, to_frame(times("published", metric="osu_avg")))) == len(ALGORITHMS) * len(SIZES)


def test_a_decision_loses_what_its_choice_loses_and_competes_with_nobody() -> None:
    """It takes chain everywhere: at 1 MiB that is as good as the best within the noise, below it is twice as slow at most."""
    decided = [
        {**row("model", "decision/ompi_4_1", size, 1e-9), "collective": "bcast", "chose": "bcast/chain"}
        for size in SIZES
    ]
    off = {(name, s): f for name, f in (("bcast/chain", 3.0), ("bcast/binomial", 7.0)) for s in SIZES}
    predicted, measured = to_frame([*times("model", off), *decided]), to_frame(times("real"))
    (found,) = baselines(joined(predicted, measured), predicted)
    assert (found.decision, found.calls, found.measured) == ("decision/ompi_4_1", 4, 4)
    lost = [(2e-5 + s * 1e-9) / (1e-5 + s * 1e-9) - 1 for s in SIZES]
    assert (found.mean_regret, found.worst_regret) == (pytest.approx(sum(lost) / 4), pytest.approx(lost[0]))
    assert found.agreement == 0.25
    unknown = to_frame([*times("model"), *[{**one, "chose": "bcast/mst"} for one in decided]])
    assert baselines(joined(unknown, measured), unknown) == [], "what was chosen was never measured"


def test_rows_without_a_time_are_left_out() -> None:
    wrong = {"median_s": (float("nan"), float("inf"), -1.0, 0.0), "ranks": (0,), "nodes": (-1,), "bytes": (-4,)}
    frame = to_frame([row("real", "bcast/linear", 0, 1e-6)] + [{**row("real", "bcast/linear", 4, 1e-6), column: value}
                                                               for column, values in wrong.items() for value in values])  # fmt: skip
    text = "the time is not positive and finite"
    few = "fewer than 1 rank or node"
    assert list(faults(frame)) == ["", "no time", text, text, text, few, few, "fewer than 0 bytes"]
    assert len(joined(frame[:1], to_frame([row("real", "bcast/linear", 0, 1e-6)]))) == 1
    for time in (float("inf"), -1.0, 0.0):
        with pytest.raises(UserError, match="no call in common"):
            joined(frame[:1], to_frame([row("real", "bcast/linear", 0, time)]))


def test_a_measured_call_below_the_bound_is_found() -> None:
    found = both({})
    bound = [{**row("bound", "bound/loggp", size, 3e-5), "collective": "bcast"} for size in SIZES]
    below = below_bound(found, to_frame(bound))
    assert {(r.algorithm, r.bytes) for r in below.itertuples()} == {
        (name, size) for name, base in ALGORITHMS.items() for size in SIZES if (base + size * 1e-9) * 1.025 < 3e-5
    }
    assert below_bound(found, to_frame([{**one, "metric": "osu_avg"} for one in bound])).empty


def test_groups_have_the_errors_that_were_planted_in_them() -> None:
    """Of three groups one is right; in one every call is predicted too fast, in one another winner loses half again of the time."""
    places: list[dict[str, Any]] = [
        {"platform": "a", "mapping": "core"}, {"platform": "b", "mapping": "core"}, {"platform": "b", "mapping": "node"},
    ]  # fmt: skip
    measured = [one for place in places for one in times("real", **place)]
    fast = {(name, size): 0.7 for name in ALGORITHMS for size in SIZES}
    wrong = {("bcast/chain", 4): 0.1, ("bcast/chain", 4096): 0.1}
    predicted = [one for place, f in zip(places, ({}, fast, wrong), strict=True) for one in times("model", f, **place)]
    table = joined(to_frame(predicted), to_frame(measured))
    found = groups(table).set_index(["platform", "mapping"])
    assert list(found.collective) == ["bcast"] * 3 and list(found.points) == [12] * 3
    assert list(found["median"]) == pytest.approx([0, 0.3, 0]) and list(found.bias) == pytest.approx([0, -0.3, 0])
    assert list(found.choices) == [4] * 3 and list(found.right) == [1, 1, 0.5]
    lost = sum((2e-5 + n * 1e-9) / (1e-5 + n * 1e-9) - 1 for n in (4, 4096)) / 4
    assert list(found.regret) == pytest.approx([0, 0, lost])
    assert settings(table) == ["platform", "mapping"] and settings(table[table.platform == "a"]) == []
    spread = table.assign(nodes=[1 + (n > 4) for n in table.bytes])
    assert settings(spread)[2:] == ["nodes"], "so many ranks sit on one node and on two"


def test_one_platform_goes_by_any_name_several_by_their_own() -> None:
    here, there = times("model", platform="here"), times("model", platform="there")
    assert set(joined(to_frame(here), to_frame(times("real", platform="elsewhere"))).platform) == {"here"}
    both_there = joined(to_frame([*here, *there]), to_frame(times("real", platform="there")))
    assert set(both_there.platform) == {"there"} and len(both_there) == 12


def test_the_worst_calls_are_far_by_a_factor() -> None:
    found = worst(both({("bcast/chain", 4): 0.2, ("bcast/linear", 4096): 3.0}), 2)
    assert list(found.algorithm) == ["bcast/chain", "bcast/linear"], (
        "five times too fast is worse than three times too slow"
    )


def test_an_assumption_is_worth_the_error_without_it() -> None:
    off = {(name, size): 1.3 for name in ALGORITHMS for size in SIZES if size < 5000}
    found = without(both({}), {"gap": both(off)}).set_index(["without", "size"])
    assert found.loc[("nothing", "all"), "median"] == pytest.approx(0)
    assert found.loc[("gap", "up to 512 B"), "median"] == pytest.approx(0.3)
    assert found.loc[("gap", "above"), "median"] == pytest.approx(0)


def banded(low: float, high: float) -> dict[str, Any]:
    return {"noise_low_s": low, "noise_high_s": high}


def test_coverage_counts_what_lies_inside_the_band() -> None:
    """Of four sizes one median is below the band, one above, two inside; of each call's five repetitions so many are inside."""
    predicted = [row("model", "bcast/linear", size, 1e-5, **banded(0.9e-5, 1.1e-5)) for size in SIZES]
    measured = [
        row("real", "bcast/linear", SIZES[0], 0.8e-5, times_s="7e-6 8e-6 8e-6 9.5e-6 2e-5"),
        row("real", "bcast/linear", SIZES[1], 1e-5, times_s="1e-5 1e-5 1e-5 1e-5 1e-5"),
        row("real", "bcast/linear", SIZES[2], 1.05e-5, times_s="9e-6 1.1e-5 1.05e-5 1.2e-5 8e-6"),
        row("real", "bcast/linear", SIZES[3], 2e-5, times_s=""),
    ]
    found = joined(to_frame(predicted), to_frame(measured))
    (whole,) = coverage(found).to_dict("records")
    assert whole == {"of": "all", "calls": 4, "inside": 0.5, "below": 0.25, "above": 0.25, "repetitions": 15,
                     "repetitions_inside": pytest.approx(9 / 15)}  # fmt: skip
    by_size = coverage(found, "size").set_index("size")
    assert by_size.inside.to_dict() == {"up to 512 B": 0, "to 8 KiB": 1, "to 128 KiB": 1, "above": 0}
    assert by_size.repetitions["above"] == 0 and by_size.repetitions_inside.isna()["above"]
    assert coverage(both({})).empty


def test_the_floor_of_a_group_is_the_median_of_its_calls_that_have_one() -> None:
    floors = [0.02, None, 0.1, 0.06]
    measured = [row("real", "bcast/linear", n, 1e-5, floor=f) for n, f in zip(SIZES, floors, strict=True)]
    found = joined(to_frame([row("model", "bcast/linear", n, 1e-5) for n in SIZES]), to_frame(measured))
    assert errors(found).floor.to_list() == [0.06]
    by_size = errors(found, "size")
    assert [None if f != f else f for f in by_size.floor] == floors, "a size each"
    assert errors(both({})).floor.isna().all()


def test_a_joined_row_has_both_times_and_what_follows() -> None:
    """Quartiles that are apart bound the noise; without bounds it is a twentieth, half on either side."""
    call = {"platform": "", "collective": "bcast", "nodes": 2, "ranks": 8, "mapping": "block", "type": "float", "op": "sum",
            "in_place": 0, "root": 0, "metric": "makespan", "chose": ""}  # fmt: skip
    predicted = [
        row("model", "bcast/linear", size, 1e-5, chose="") for size in (512, 513, 8 << 10, 128 << 10, (128 << 10) + 1)
    ]
    measured = [row("real", "bcast/linear", p["bytes"], 2e-5, times_s="1 2") for p in predicted]
    measured[0] |= {"q1_s": 1.5e-5, "q3_s": 3e-5}
    found = joined(to_frame(predicted), to_frame(measured)).to_dict("records")
    assert [r["size"] for r in found] == ["up to 512 B", "to 8 KiB", "to 8 KiB", "to 128 KiB", "above"]
    first = {**call, "bytes": 512, "algorithm": "bcast/linear", "predicted_s": 1e-5, "measured_s": 2e-5, "times_s": "1 2", "low_s": 1.5e-5,
             "high_s": 3e-5, "error": -0.5, "size": "up to 512 B"}  # fmt: skip
    assert found[0] == first
    assert found[1] == {
        **first,
        "bytes": 513,
        "size": "to 8 KiB",
        "low_s": pytest.approx(1.95e-5),
        "high_s": pytest.approx(2.05e-5),
    }
    nothing = [row("real", "bcast/linear", 512, 0.0)]
    for a, b in ((predicted, nothing), ([{**predicted[0], "median_s": 0.0}], measured)):
        with pytest.raises(UserError) as reported:
            joined(to_frame(a), to_frame(b))
        assert str(reported.value) == (
            "the two have no call in common: a call is the same where platform, collective, nodes, ranks, mapping, bytes, type, op, "
            "in_place, root, metric, algorithm are"
        )
    with pytest.raises(UserError) as reported:
        joined(to_frame(predicted), to_frame(measured[:2] + measured))
    assert str(reported.value) == (
        "the measured times have bcast/linear at 512 bytes on 8 ranks twice; choose one source or platform of the table"
    )


def test_winners_are_summed_up_whole() -> None:
    """Ten calls: in one the predicted winner takes half as long again, in one a tenth more."""
    sizes = range(1, 11)
    measured = [
        row("real", name, s, t)
        for s in sizes
        for name, t in (("bcast/a", 1.0), ("bcast/b", {1: 1.5, 2: 1.1}.get(s, 2.0)))
    ]
    predicted = [
        row("model", name, s, t) for s in sizes for name, t in (("bcast/a", 3.0), ("bcast/b", 1.0 if s < 3 else 4.0))
    ]
    found = winners(joined(to_frame(predicted), to_frame(measured)))
    assert found == Winners(
        calls=10, same=8, ties=0, undecided=0, mean_regret=pytest.approx(0.06), p90_regret=pytest.approx(0.14),
        worst_regret=pytest.approx(0.5), worst_call="bcast of 1 bytes on 8 ranks: bcast/b instead of bcast/a",
        correlation=pytest.approx(0.6),
    )  # fmt: skip
    assert (found.wrong, found.agreement) == (2, 0.8)
    every = joined(to_frame(predicted), to_frame(measured))
    assert list(winners_by_call(every.iloc[::-1]).bytes) == [*sizes][::-1], "in the order of the table"
    by_call = winners_by_call(every).to_dict("records")
    assert by_call[1] == {
        "platform": "", "collective": "bcast", "nodes": 2, "ranks": 8, "mapping": "block", "bytes": 2, "type": "float", "op": "sum",
        "in_place": 0, "root": 0, "metric": "makespan", "measured": "bcast/a", "predicted": "bcast/b", "regret": pytest.approx(0.1),
        "correlation": pytest.approx(-1), "verdict": "other",
    }  # fmt: skip
    alike = [{**r, "median_s": 1.0} for r in predicted]
    equal = winners(joined(to_frame(alike), to_frame(measured)))
    assert equal and equal.correlation != equal.correlation, "no order, no correlation"


def test_a_decision_is_summed_up_whole() -> None:
    """Ten calls: its choice is the best in five, within the noise in one, twice as slow in four; one more was not measured."""
    sizes = range(1, 11)
    took = {1: 1.04}
    measured = [row("real", name, s, t) for s in sizes
                for name, t in (("bcast/a", 1.0), ("bcast/b", took.get(s, 2.0)))]  # fmt: skip
    decided = [{**row("model", "decision/x", s, 1e-9), "collective": "bcast", "chose": "bcast/b" if s < 6 else "bcast/a"}
               for s in (*sizes, 99)]  # fmt: skip
    predicted = to_frame([*[{**r, "source": "model"} for r in measured], *decided])
    made = joined(predicted, to_frame(measured))
    (found,) = baselines(made, predicted)
    assert vars(found) == {
        "decision": "decision/x", "calls": 10, "measured": 10, "agreement": 0.6, "mean_regret": pytest.approx(0.404),
        "p90_regret": pytest.approx(1.0), "worst_regret": pytest.approx(1.0),
    }  # fmt: skip
    own = [{**row("real", "decision/x", s, 0.5), "collective": "bcast"} for s in (1, 2)]
    (found,) = baselines(joined(predicted, to_frame([*measured, *own])), predicted)
    assert found.mean_regret == pytest.approx(0.3), "its own time where that was measured; no less is lost than nothing"
    assert found.agreement == pytest.approx(0.7)


def test_tables_of_errors_have_these_columns() -> None:
    found = both({("bcast/chain", 4): 1.5})
    assert list(errors(found, "ranks").columns) == ["ranks", "points", "median", "p90", "worst", "bias", "floor"]
    assert list(errors(found, "algorithm").algorithm) == sorted(ALGORITHMS)
    assert list(coverage(found, "ranks").columns) == [
        "ranks", "calls", "inside", "below", "above", "repetitions", "repetitions_inside",
    ]  # fmt: skip
    assert "of" in coverage(found)
    assert len(worst(both({}))) == 12 and len(worst(pd.concat([found, found], ignore_index=True))) == 12
    part = found[found.bytes > 4]
    reported = without(found, {"gap": part})
    assert list(reported.columns) == ["without", "size", "points", "median", "p90", "worst", "bias"]
    assert list(reported.itertuples(index=False, name=None)) == [
        (name, size, points, 0.0, 0.0, 0.0, 0.0)
        for name in ("nothing", "gap")
        for size, points in (("all", 9), ("to 8 KiB", 3), ("to 128 KiB", 3), ("above", 3))
    ], "on the calls that all of them have"


def test_a_band_has_its_edges_and_calls_without_one_do_not_count() -> None:
    predicted = [row("model", "bcast/linear", s, 1.0, **(banded(1.0, 2.0) if s < 5 else {})) for s in (1, 2, 3, 4, 5)]
    measured = [
        row("real", "bcast/linear", s, t, times_s=f"{t}") for s, t in ((1, 1.0), (2, 2.0), (3, 0.5), (4, 0.9), (5, 1.0))
    ]
    (whole,) = coverage(joined(to_frame(predicted), to_frame(measured))).to_dict("records")
    assert whole == {
        "of": "all",
        "calls": 4,
        "inside": 0.5,
        "below": 0.5,
        "above": 0.0,
        "repetitions": 4,
        "repetitions_inside": 0.5,
    }
    unknown = [{**m, "times_s": ""} for m in measured]
    frame = joined(to_frame(predicted), to_frame(unknown))
    assert list(coverage(frame).repetitions) == [0], "no repetition is known"


@pytest.mark.parametrize(("apart", "verdict"), [(0.5e-6, "undecided"), (1.5e-6, "other")])
def test_times_that_differ_by_a_millionth_are_different(apart: float, verdict: str) -> None:
    predicted = [row("model", "bcast/a", 4, 1.0 + apart), row("model", "bcast/b", 4, 1.0)]
    measured = [row("real", "bcast/a", 4, 1.0), row("real", "bcast/b", 4, 2.0)]
    assert list(winners_by_call(joined(to_frame(predicted), to_frame(measured))).verdict) == [verdict]


@pytest.mark.parametrize(("bound", "found"), [(3e-5, 0), (3.1e-5, 1)])
def test_a_call_that_is_as_long_as_the_bound_is_not_below_it(bound: float, found: int) -> None:
    measured = [row("real", "bcast/a", 4, 2e-5, q1_s=1e-5, q3_s=3e-5)]
    made = joined(to_frame([row("model", "bcast/a", 4, 1.0)]), to_frame(measured))
    least = to_frame([{**row("bound", "bound/loggp", 4, bound), "collective": "bcast"}])
    below = below_bound(made, least)
    assert len(below) == found and list(below.columns) == [*made.columns, "bound_s"]
    assert below_bound(made, least.assign(algorithm="bound/telephone")).empty
    assert below_bound(*(f.assign(metric="osu_avg") for f in (made, least))).empty, "a bound is one of the makespan"
