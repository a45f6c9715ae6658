"""collscope.analysis.tree: decision trees on tables whose answers are known."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from collscope.analysis import tree
from known_times import power, table


def test_tree_of_two_lines() -> None:
    fitted = tree.fit_tree(table({"bcast/flat": lambda n: 30.0, "bcast/root": power(1.0, 0.5)}), tolerance=0.0)
    found = [(r.algorithm, r.bytes_min, r.bytes_end) for r in fitted.rules]
    assert found == [("bcast/root", None, 900), ("bcast/flat", 900, None)]
    found = [fitted.choose("bcast", 32, 2, n) for n in (1, 899, 900, 10**9)]
    assert found == ["bcast/root", "bcast/root", "bcast/flat", "bcast/flat"]
    assert fitted.choose("gather", 32, 2, 4) is None
    assert fitted.choose("bcast", 16, 2, 4) is None


def test_tolerance_merges_what_hardly_matters() -> None:
    # c is best in a narrow range, by 1 %: not worth two more rules when 2 % may be lost, worth it when nothing may.
    times = {
        "a": lambda n: 1.0 if n < 5000 else 3.0,
        "b": lambda n: 3.0 if n < 5000 else 1.0,
        "c": lambda n: 0.99 if 100 < n < 600 else 5.0,
    }
    assert [r.algorithm for r in tree.fit_tree(table(times), 0.0).rules] == ["a", "c", "a", "b"]
    merged = tree.fit_tree(table(times), 0.02)
    assert [r.algorithm for r in merged.rules] == ["a", "b"]
    assert merged.rules[0].worst_loss == pytest.approx(1 / 0.99 - 1)
    loss = tree.regret(table(times), merged)["regret"]
    assert loss.max() == pytest.approx(1 / 0.99 - 1)
    assert (loss > 1e-12).sum() == 3  # 128, 256, 512


def test_node_counts_are_joined_only_where_one_rule_serves_all() -> None:
    low = {"a": lambda n: 1.0 if n < 1000 else 2.0, "b": lambda n: 2.0 if n < 1000 else 1.0}
    high = {"a": lambda n: 2.0, "b": lambda n: 1.0}
    frame = pd.concat([table(low, 2), table(low, 4), table(high, 8)])
    fitted = tree.fit_tree(frame)
    assert [(r.nodes, r.algorithm) for r in fitted.rules] == [((2, 4), "a"), ((2, 4), "b"), ((8,), "b")]
    assert [(r.nodes_min, r.nodes_max) for r in fitted.rules] == [(None, 7), (None, 7), (8, None)]
    assert tree.regret(frame, fitted)["regret"].max() == 0
    text = fitted.as_text()
    assert "2 and 4 nodes" in text
    assert "any size" in text
    rules = json.loads(fitted.as_json())["rules"]
    assert rules[0]["algorithm"] == "a"
    assert rules[0]["bytes_end"] == fitted.rules[0].bytes_end


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
    fitted = tree.fit_tree(frame, 0.02)
    assert tree.regret(frame, fitted)["regret"].max() <= 0.02 + 1e-12

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

    assert len(fitted.rules) == min(fewest([(2,), (4,)]), fewest([(2, 4)]))


def test_rules_that_lose_least_are_taken_of_as_few() -> None:
    """a or b may serve the middle; b loses less there, and of single names that are good everywhere the better one is taken."""
    times = {"a": lambda n: 1.0 if n < 100 else 1.01 if n < 5000 else 3.0, "b": lambda n: 3.0 if n < 100 else 1.0}
    fitted = tree.fit_tree(table(times), 0.02)
    assert [(r.algorithm, r.worst_loss, r.mean_loss) for r in fitted.rules] == [("a", 0.0, 0.0), ("b", 0.0, 0.0)]
    alone = tree.fit_tree(
        table({"x": lambda n: 1.015, "y": lambda n: 1.01, "z": lambda n: 1.0 if n < 9 else 1.018}), 0.02
    )
    assert [r.algorithm for r in alone.rules] == ["y"]
    assert alone.rules[0].worst_loss == pytest.approx(0.01) and 0 < alone.rules[0].mean_loss < 0.01
    frame = pd.concat([table({"x": lambda n: 1.01, "y": lambda n: 1.0}, nodes) for nodes in (2, 4)])
    (joined,) = tree.fit_tree(frame, 0.02).rules
    assert (joined.algorithm, joined.nodes, joined.nodes_min, joined.nodes_max) == ("y", (2, 4), None, None)


def test_node_counts_are_joined_with_the_neighbours_that_lose_less() -> None:
    """Two rules in any case: x also serves four nodes, where it loses 1 %, as does y from there on, where it loses 3 %."""
    times = {2: (1.0, 3.0, 3.0), 4: (1.01, 1.03, 1.0), 8: (3.0, 1.0, 3.0)}
    frames = [
        table({key: power(t, 0.0) for key, t in zip("xyz", seconds, strict=True)}, nodes)
        for nodes, seconds in times.items()
    ]
    rules = tree.fit_tree(pd.concat(frames), 0.05).rules
    assert [(r.algorithm, r.nodes) for r in rules] == [("x", (2, 4)), ("y", (8,))]


def test_a_rule_speaks_of_its_range_alone() -> None:
    rule = tree.Rule("bcast", 32, 2, 4, (2, 4), 64, 256, "a", 0.0, 0.0)
    for ranks, nodes, size, covers in (
        (32, 2, 64, True), (32, 4, 255, True), (32, 1, 64, False), (32, 5, 64, False),
        (32, 2, 63, False), (32, 2, 256, False), (16, 2, 64, False),
    ):  # fmt: skip
        assert rule.covers(ranks, nodes, size) == covers


def test_a_tree_as_text() -> None:
    def rule(
        nodes: tuple[int, ...], low: int | None, end: int | None, name: str, collective: str = "bcast"
    ) -> tree.Rule:
        return tree.Rule(collective, 8, None, None, nodes, low, end, name, 0.0, 0.0)

    rules = (
        rule((1,), None, 64, "a"), rule((1,), 64, 4096, "b"), rule((1,), 4096, None, "c"), rule((2,), None, None, "d"),
        rule((2, 4, 8), None, None, "e", "gather"),
    )  # fmt: skip
    assert tree.Tree(0.0, rules).as_text().splitlines() == [
        "bcast",
        "├─ 1 node, 8 ranks",
        "│  ├─ below 64 B          a",
        "│  ├─ from 64 B to 4 KiB  b",
        "│  └─ from 4 KiB          c",
        "└─ 2 nodes, 8 ranks",
        "   └─ any size  d",
        "gather",
        "└─ 2, 4 and 8 nodes, 8 ranks",
        "   └─ any size  e",
    ]


def test_a_size_that_one_node_count_lacks_does_not_count_there_and_a_missing_time_bars_its_name() -> None:
    low, high = table({"a": lambda n: 1.0, "b": lambda n: 2.0}, 2), table({"a": lambda n: 1.0, "b": lambda n: 2.0}, 4)
    gap = pd.concat([low, high[high["bytes"] != 64]])
    assert [r.algorithm for r in tree.fit_tree(gap).rules] == ["a"]
    barred = pd.concat([low, high[~((high["bytes"] == 64) & (high["name"] == "a"))]])
    fitted = tree.fit_tree(barred)
    assert fitted.choose("bcast", 32, 4, 64) == "b" and fitted.choose("bcast", 32, 2, 64) == "a"
    assert fitted.choose("bcast", 32, 4, 4096) == "a"


def test_a_tree_as_json_has_every_field() -> None:
    rule = tree.Rule("bcast", 8, None, 4, (2, 4), None, 64, "a", 0.5, 0.25)
    assert json.loads(tree.Tree(0.02, (rule,)).as_json()) == {
        "tolerance": 0.02,
        "rules": [
            {"collective": "bcast", "ranks": 8, "nodes_min": None, "nodes_max": 4, "nodes": [2, 4], "bytes_min": None, "bytes_end": 64,
             "algorithm": "a", "worst_loss": 0.5, "mean_loss": 0.25}
        ],
    }  # fmt: skip
    text = tree.Tree(0.02, (rule,)).as_json()
    assert text.startswith('{\n "tolerance"') and text.endswith("}\n")


def small(times: dict[tuple[int, int], dict[str, float]]) -> pd.DataFrame:
    """Times by (nodes, bytes) and name."""
    rows = [("bcast", 8, nodes, size, name, t) for (nodes, size), line in times.items() for name, t in line.items()]
    return pd.DataFrame(rows, columns=["collective", "ranks", "nodes", "bytes", "name", "time_s"])


def test_rules_are_known_to_the_last_field() -> None:
    """a to 16 B and b from 256 B: on 2 nodes the logarithms cross half way, at 64 B, on 4 nodes at a third, at 40 B. Their middle is 51 B.
    On 8 nodes b alone."""
    two, four = {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 1.01}
    frame = small({
        (2, 16): two, (2, 256): {"a": 2.0, "b": 1.0}, (4, 16): {"a": 1.0, "b": 2.0}, (4, 256): {"a": 4.0, "b": 1.0},
        (8, 16): {"a": 2.0, "b": 1.0}, (8, 256): {"a": 2.0, "b": 1.0},
    })  # fmt: skip
    at = round((16 * 4 * 16 * 16 ** (1 / 3)) ** 0.5)
    assert tree.fit_tree(frame).rules == (
        tree.Rule("bcast", 8, None, 7, (2, 4), None, at, "a", 0.0, 0.0), tree.Rule("bcast", 8, None, 7, (2, 4), at, None, "b", 0.0, 0.0),
        tree.Rule("bcast", 8, 8, None, (8,), None, None, "b", 0.0, 0.0),
    )  # fmt: skip
    (one,) = tree.fit_tree(small({(2, 16): four, (2, 256): {"a": 1.04, "b": 1.0}}), 0.05).rules
    assert (one.algorithm, one.worst_loss) == ("b", pytest.approx(0.01))
    assert one.mean_loss == pytest.approx(1.01**0.5 - 1)
    limit = small({(2, 16): four, (2, 256): {"a": 2.0, "b": 1.0}})
    assert [len(tree.fit_tree(limit, t).rules) for t in (0.0099, 0.01)] == [2, 1], "up to the tolerance, that included"
    assert tree.fit_tree(limit).tolerance == 0.02


def test_a_threshold_is_a_size_of_the_next() -> None:
    """Between neighbouring sizes: where the lines cross at the first of them, the rule still ends above it."""
    pieces = [tree.Piece("a", 1, 16, 0.0, 0.0, 0.0), tree.Piece("b", 17, 99, 0.0, 0.0, 0.0)]
    for low, high in ((1.0, 2.0), (2.0, 1.0)):
        wide = pd.DataFrame({"a": [low, 2.0], "b": [1.0, high]}, index=[16, 17])
        assert tree.threshold([wide], *pieces) == 17


def test_a_size_where_no_common_name_has_a_time_is_not_left_out() -> None:
    """On four nodes c alone can run at 32 bytes: a choice for two and four nodes would have no time there."""
    two = {(2, n): {"a": 1.0} for n in (16, 32)}
    rules = tree.fit_tree(small({**two, (4, 16): {"a": 1.0, "c": 2.0}, (4, 32): {"c": 1.0}})).rules
    assert [(rule.nodes, rule.algorithm) for rule in rules] == [((2,), "a"), ((4,), "a"), ((4,), "c")]


def test_regret_has_every_column() -> None:
    frame = small({(2, 16): {"a": 1.0, "b": 3.0}, (2, 32): {"b": 2.0}})
    assert tree.regret(frame, "b").to_dict("records") == [
        {"collective": "bcast", "ranks": 8, "nodes": 2, "bytes": 16, "name": "b", "time_s": 3.0, "best_s": 1.0, "regret": 2.0},
        {"collective": "bcast", "ranks": 8, "nodes": 2, "bytes": 32, "name": "b", "time_s": 2.0, "best_s": 2.0, "regret": 0.0},
    ]  # fmt: skip
    assert list(tree.regret(frame, {"bcast": "b"}).regret) == [2.0, 0.0]
    missing = tree.regret(frame, "a").iloc[1]
    assert math.isnan(missing.time_s) and math.isnan(missing.regret) and missing.best_s == 2.0
    assert list(tree.regret(frame, {"gather": "a"}).name) == [None, None]
