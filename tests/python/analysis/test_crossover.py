"""Crossovers and decision trees on tables whose answers are known."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import pytest

from collscope.analysis import crossover
from collscope.analysis.crossover import size_text

SIZES = [2**k for k in range(2, 24)]


def table(times: Mapping[str, Callable[[int], float]], nodes: int = 2, collective: str = "bcast") -> pd.DataFrame:
    rows = [(collective, 32, nodes, size, name, f(size)) for name, f in times.items() for size in SIZES]
    return pd.DataFrame(rows, columns=["collective", "ranks", "nodes", "bytes", "name", "time_s"])


def power(at_one: float, exponent: float) -> Callable[[int], float]:
    return lambda size: at_one * size**exponent


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
    # Touching without changing sides is none either.
    touch = {"a": same, "b": lambda n: same(n) if n == 256 else 1.1 * same(n)}
    assert crossover.pair_crossovers(table(touch)) == []


def test_three_classes_cross_pairwise_and_twice() -> None:
    times = {
        "short": lambda n: 1.0 if n < 100 else 4.0 if n < 5000 else 1.0,
        "long": lambda n: 2.0,
    }
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


def test_spans_follow_the_winner() -> None:
    spans = crossover.spans(table({"flat": lambda n: 30.0, "root": power(1.0, 0.5)}))
    assert [s.name for s in spans] == ["root", "flat"]
    assert spans[0].to_bytes == spans[1].from_bytes == pytest.approx(900)
    assert (spans[0].first_bytes, spans[0].last_bytes) == (4, 512)
    assert (spans[0].from_bytes, spans[1].to_bytes) == (SIZES[0], SIZES[-1])


def test_tree_of_two_lines() -> None:
    tree = crossover.fit_tree(table({"bcast/flat": lambda n: 30.0, "bcast/root": power(1.0, 0.5)}), tolerance=0.0)
    assert [(r.algorithm, r.bytes_min, r.bytes_end) for r in tree.rules] == [
        ("bcast/root", None, 900),
        ("bcast/flat", 900, None),
    ]
    assert [tree.choose("bcast", 32, 2, n) for n in (1, 899, 900, 10**9)] == [
        "bcast/root",
        "bcast/root",
        "bcast/flat",
        "bcast/flat",
    ]
    assert tree.choose("gather", 32, 2, 4) is None
    assert tree.choose("bcast", 16, 2, 4) is None


def test_tolerance_merges_what_hardly_matters() -> None:
    # c is best in a narrow range, by 1 %: not worth two more rules when 2 % may be lost, worth it when nothing may.
    times = {
        "a": lambda n: 1.0 if n < 5000 else 3.0,
        "b": lambda n: 3.0 if n < 5000 else 1.0,
        "c": lambda n: 0.99 if 100 < n < 600 else 5.0,
    }
    assert [r.algorithm for r in crossover.fit_tree(table(times), 0.0).rules] == ["a", "c", "a", "b"]
    merged = crossover.fit_tree(table(times), 0.02)
    assert [r.algorithm for r in merged.rules] == ["a", "b"]
    assert merged.rules[0].worst_loss == pytest.approx(1 / 0.99 - 1)
    loss = crossover.regret(table(times), merged)["regret"]
    assert loss.max() == pytest.approx(1 / 0.99 - 1)
    assert (loss > 1e-12).sum() == 3  # 128, 256, 512


def test_node_counts_are_joined_only_where_one_rule_serves_all() -> None:
    low = {"a": lambda n: 1.0 if n < 1000 else 2.0, "b": lambda n: 2.0 if n < 1000 else 1.0}
    high = {"a": lambda n: 2.0, "b": lambda n: 1.0}
    frame = pd.concat([table(low, 2), table(low, 4), table(high, 8)])
    tree = crossover.fit_tree(frame)
    assert [(r.nodes, r.algorithm) for r in tree.rules] == [((2, 4), "a"), ((2, 4), "b"), ((8,), "b")]
    assert [(r.nodes_min, r.nodes_max) for r in tree.rules] == [(None, 7), (None, 7), (8, None)]
    assert crossover.regret(frame, tree)["regret"].max() == 0
    text = tree.as_text()
    assert "2 and 4 nodes" in text
    assert "any size" in text
    rules = json.loads(tree.as_json())["rules"]
    assert rules[0]["algorithm"] == "a"
    assert rules[0]["bytes_end"] == tree.rules[0].bytes_end


@pytest.mark.parametrize("seed", range(5))
def test_trees_keep_their_promise_and_no_smaller_one_does(seed: int) -> None:
    """Random tables: no point loses more than the tolerance, and the number of rules is that of an exhaustive search."""
    rng = np.random.default_rng(seed)
    sizes = [2**k for k in range(6)]
    names = ["a", "b", "c"]
    rows = [
        ("bcast", 32, nodes, size, name, float(rng.choice([1.0, 1.01, 1.5])))
        for nodes in (2, 4) for size in sizes for name in names
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["collective", "ranks", "nodes", "bytes", "name", "time_s"])
    tree = crossover.fit_tree(frame, 0.02)
    assert crossover.regret(frame, tree)["regret"].max() <= 0.02 + 1e-12

    def fewest(groups: list[tuple[int, ...]]) -> float:
        total = 0.0
        for group in groups:
            good = []
            for size in sizes:
                at = frame[frame["bytes"] == size]
                ok = set(names)
                for n in group:
                    here = at[at["nodes"] == n].set_index("name")["time_s"]
                    ok &= set(here.index[here <= here.min() * 1.02])
                good.append(ok)
            pieces, left = 0, set[str]()
            for ok in good:  # going on as long as one name serves all is optimal for one sequence
                if not ok:
                    return math.inf
                pieces += not left & ok
                left = left & ok or ok
            total += pieces
        return total

    assert len(tree.rules) == min(fewest([(2,), (4,)]), fewest([(2, 4)]))


def test_regret_of_fixed_choices() -> None:
    frame = table({"a": lambda n: 1.0, "b": lambda n: 1.5})
    assert set(crossover.regret(frame, "a")["regret"]) == {0.0}
    assert set(crossover.regret(frame, {"bcast": "b"})["regret"]) == {0.5}
    assert crossover.regret(frame, "missing")["regret"].isna().all()


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (4, "4 B"),
        (900, "900 B"),
        (1024, "1 KiB"),
        (23962, "23.4 KiB"),
        (1 << 20, "1 MiB"),
        (512 << 20, "512 MiB"),
        (3 << 30, "3 GiB"),
    ],
)
def test_size_text(size: int, text: str) -> None:
    assert size_text(size) == text
