"""collscope.analysis.crossover: crossovers on tables whose answers are known."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from collscope.analysis import crossover, tree
from known_times import SIZES, power, table


def test_two_power_laws_cross_where_algebra_says() -> None:
    # Straight lines in log-log, so the interpolation is exact: 8 = n^0.5 at n = 64 … between sizes: 3^2·100 = 900.
    found = crossover.pair_crossovers(table({"flat": lambda n: 30.0, "root": power(1.0, 0.5)}))
    assert len(found) == 1
    one = found[0]
    assert one.bytes == pytest.approx(900)
    assert (one.below_bytes, one.above_bytes) == (512, 1024)
    assert (one.faster_below, one.faster_above) == ("root", "flat")
    assert (one.collective, one.ranks, one.nodes) == ("bcast", 32, 2)


def test_a_crossing_on_a_measured_size_is_that_size() -> None:
    found = crossover.pair_crossovers(table({"flat": lambda n: 32.0, "root": power(1.0, 0.5)}))
    assert [c.bytes for c in found] == pytest.approx([1024])
    assert (found[0].below_bytes, found[0].above_bytes) == (512, 2048)


def test_equal_times_are_no_crossing() -> None:
    same = power(1.0, 0.5)
    assert crossover.pair_crossovers(table({"a": same, "b": lambda n: same(n) * (1 + 1e-12)})) == []
    # Touching without changing sides is not one either.
    touch = {"a": same, "b": lambda n: same(n) if n == 256 else 1.1 * same(n)}
    assert crossover.pair_crossovers(table(touch)) == []


def test_three_classes_cross_pairwise_and_twice() -> None:
    times = {"short": lambda n: 1.0 if n < 100 else 4.0 if n < 5000 else 1.0, "long": lambda n: 2.0}
    found = crossover.pair_crossovers(table(times))
    assert [(c.faster_below, c.faster_above) for c in found] == [("short", "long"), ("long", "short")]
    # log 0.5 to log 2: the middle between 64 and 128.
    assert found[0].bytes == pytest.approx(math.sqrt(64 * 128))


def test_missing_sizes_do_not_invent_crossings() -> None:
    frame = table({"a": lambda n: 1.0, "b": lambda n: 2.0 if n < 1000 else 0.5})
    frame = frame[~((frame["name"] == "b") & (frame["bytes"].isin([512, 1024])))]
    found = crossover.pair_crossovers(frame)
    assert [(c.below_bytes, c.above_bytes) for c in found] == [(256, 2048)]


def test_winners_margins_and_ties() -> None:
    best = crossover.winners(table({"a": lambda n: 1.0, "b": lambda n: 1.25, "c": lambda n: 1.0 if n > 100 else 2.0}))
    assert set(best["best"]) == {"a"}, "of equal times the one that won below is kept"
    assert list(best["tied"]) == [n > 100 for n in SIZES]
    assert best["margin"].iloc[0] == pytest.approx(0.25)
    assert best["second"].iloc[0] == "b"
    assert best["margin"].iloc[-1] == pytest.approx(0)
    tied = {"a": lambda n: 2.0, "b": lambda n: 1.0, "c": lambda n: 1.0}
    assert set(crossover.winners(table(tied))["best"]) == {"b"}, "where none won below, the first one"
    later = {"a": lambda n: 2.0 if n < 100 else 1.0, "b": lambda n: 1.0, "c": lambda n: 1.0 + (n > 1000)}
    assert set(crossover.winners(table(later))["best"]) == {"b"}, "not the first of those that are tied"


def test_spans_follow_the_winner() -> None:
    spans = crossover.spans(table({"flat": lambda n: 30.0, "root": power(1.0, 0.5)}))
    assert [s.name for s in spans] == ["root", "flat"]
    assert spans[0].to_bytes == spans[1].from_bytes == pytest.approx(900)
    assert (spans[0].first_bytes, spans[0].last_bytes) == (4, 512)
    assert (spans[0].from_bytes, spans[1].to_bytes) == (SIZES[0], SIZES[-1])


def test_the_smallest_of_several_rows_of_a_name_counts() -> None:
    """Two classes that chose the same algorithm."""
    once, again = table({"a": lambda n: 3.0, "b": lambda n: 2.0}), table({"a": lambda n: 1.0})
    for frames in ((once, again), (again, once)):
        best = crossover.winners(pd.concat(frames))
        assert (set(best["best"]), set(best["second"]), set(best["time_s"]), set(best["margin"])) == (
            *({"a"}, {"b"}, {1.0}, {1.0}),
        )


@pytest.mark.parametrize(("apart", "same"), [(0.5e-9, True), (1.5e-9, False)])
def test_times_of_one_message_pattern_differ_in_the_last_digits_only(apart: float, same: bool) -> None:
    best = crossover.winners(table({"a": lambda n: 1.0 + apart, "b": lambda n: 1.0}))
    assert set(best["best"]) == {"a" if same else "b"}
    assert set(best["tied"]) == {same}
    swapped = table({"a": lambda n: 1.0, "b": lambda n: 1.0 + (apart if n > 100 else -apart)})
    assert bool(crossover.pair_crossovers(swapped)) is not same


def test_a_missing_time_moves_the_change_to_the_middle() -> None:
    wide = pd.DataFrame({"a": [1.0, math.nan], "b": [2.0, 1.0], "c": [1.0, 1.0]}, index=[64, 4096])
    assert crossover.handover(wide, "a", "b", 64, 4096) == pytest.approx(512)
    assert crossover.handover(wide, "a", "nobody", 64, 4096) == pytest.approx(512)
    assert crossover.handover(wide, "b", "c", 64, 4096) == pytest.approx(4096), "equal at the upper size"


def test_lines_that_do_not_cross_hand_over_in_the_middle() -> None:
    wide = pd.DataFrame({"a": [1.0, 1.0], "b": [2.0, 3.0], "c": [2.0, 0.5], "d": [1.0, 1.0]}, index=[64, 4096])
    assert crossover.handover(wide, "a", "b", 64, 4096) == pytest.approx(512), "a is the faster at both"
    assert crossover.handover(wide, "a", "d", 64, 4096) == pytest.approx(512), "equal at both"
    assert crossover.handover(wide, "a", "c", 64, 4096) == pytest.approx(512), "half way by the logarithms"
    assert crossover.handover(wide, "d", "c", 64, 4096) == pytest.approx(512)


@pytest.mark.parametrize(
    ("ratio", "found"),
    [
        ([2.0, 0.5], [(2.0, 0, 1)]),
        ([2.0, 1.0, 1.0, 0.5], [(8**0.5, 0, 3)]),
        ([1.0, 2.0, 1.0, 2.0], []),
        ([1.0, 2.0, 0.25], [(2 * 2 ** (1 / 3), 1, 2)]),
    ],
)
def test_sign_changes(ratio: list[float], found: list[tuple[float, int, int]]) -> None:
    made = crossover.crossings([1, 2, 4, 8][: len(ratio)] if len(ratio) > 2 else [1, 4], ratio)
    assert [(pytest.approx(at), i, j) for at, i, j in made] == found


def test_sizes_of_nothing_are_no_place_to_cross() -> None:
    frame = table({"a": lambda n: 1.0 if n else 3.0, "b": lambda n: 2.0})
    zero = pd.concat([frame[frame["bytes"] == 4].assign(bytes=0, time_s=[3.0, 2.0]), frame])
    assert crossover.pair_crossovers(zero) == []


def test_winners_and_spans_have_every_column() -> None:
    """a wins to 4 B, b from 16 B; between them the logarithms cross at 8 B. At 64 B nothing but b was run."""
    rows = [("a", 4, 1.0), ("b", 4, 2.0), ("a", 16, 4.0), ("b", 16, 2.0), ("b", 64, 3.0)]
    frame = pd.DataFrame(
        [("bcast", 8, 2, size, name, t) for name, size, t in rows], columns=[*crossover.CASE, "bytes", "name", "time_s"]
    )
    best = crossover.winners(frame)
    assert list(best.columns) == ["collective", "ranks", "nodes", "bytes", "best", "time_s", "second", "margin", "tied"]
    first, second, last = best.itertuples(index=False, name=None)
    assert first == ("bcast", 8, 2, 4, "a", 1.0, "b", 1.0, False) and second == (
        "bcast",
        8,
        2,
        16,
        "b",
        2.0,
        "a",
        1.0,
        False,
    )
    assert last[:6] == ("bcast", 8, 2, 64, "b", 3.0) and last[8] is False
    assert pd.isna(last[6]) and math.isnan(last[7]), "nobody is the next"
    eight = pytest.approx(8.0)
    assert crossover.spans(frame) == crossover.spans(frame, best) == [
        crossover.Span("bcast", 8, 2, "a", 4.0, eight, 4, 4), crossover.Span("bcast", 8, 2, "b", eight, 64.0, 16, 64),
    ]  # fmt: skip
    assert crossover.pair_crossovers(frame) == [crossover.Crossover("bcast", 8, 2, "a", "b", eight, 4, 16)]


def test_cases_and_names_keep_the_order_of_the_table() -> None:
    times = {"b": lambda n: 1.0 + n, "a": lambda n: 10.0 + n / 2}
    frame = pd.concat(
        [table(times, nodes, collective) for collective, nodes in (("reduce", 4), ("bcast", 8), ("bcast", 2))]
    )
    places = [("reduce", 32, 4), ("bcast", 32, 8), ("bcast", 32, 2)]
    assert [(at, list(wide.columns)) for at, wide in crossover.cases(frame)] == [(at, ["b", "a"]) for at in places]
    assert [(s.collective, s.ranks, s.nodes) for s in crossover.spans(frame)] == [at for at in places for _ in range(2)]
    assert {(r.collective, r.algorithm) for r in tree.fit_tree(frame).rules[:2]} == {("reduce", "b"), ("reduce", "a")}
