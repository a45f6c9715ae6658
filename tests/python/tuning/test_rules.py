"""collscope.tuning.rules, collscope.tuning.gain: the fewest rules within a bound, and what becomes of those that do not hold."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from collscope.tuning.gain import Tuned, gains, settled
from collscope.tuning.origin import Origin
from collscope.tuning.rules import OWN, Call, Rule, chosen, declined, filled, fitted
from collscope.tuning.search import Times
from collscope.tuning.targets import of_mpich

SIZES = (4, 8, 16, 32, 64)


def frame(seconds: dict[tuple[int, str], list[float | None]], sizes: tuple[int, ...] = SIZES) -> pd.DataFrame:
    """Times of a bcast: (ranks, name) → seconds at each size; None: it cannot run there."""
    cells = [
        ("bcast", ranks, size, name, time_s)
        for (ranks, name), times in seconds.items()
        for size, time_s in zip(sizes, times, strict=True)
        if time_s is not None
    ]
    return pd.DataFrame(cells, columns=["collective", "ranks", "bytes", "name", "time_s"])


def named(rules: list[Rule]) -> list[tuple[tuple[int, int], str]]:
    return [(rule.ranks, rule.key) for rule in rules]


def test_a_larger_bound_needs_fewer_rules() -> None:
    times = frame({(2, "a"): [1, 1, 1.05, 1.2, 2], (2, "b"): [2, 1.1, 1, 1, 1]})
    assert named(fitted(times, {}, 0.02)) == [((2, 2), "a"), ((2, 2), "b")]
    assert [len(fitted(times, {}, loss)) for loss in (0.02, 0.5, 1.0)] == [2, 2, 1]
    assert fitted(times, {}, 0.02)[1].bytes[0] in range(
        9, 17
    )  # b from 16 on, and between the samples where the times cross


def test_rules_cover_all_sizes_and_ranks_up_to_the_last_without_a_gap() -> None:
    times = frame({(p, n): t for p in (2, 5) for n, t in (("a", [1, 1, 1, 2, 2]), ("b", [2, 2, 2, 1, 1]))})
    low, high = fitted(times, {}, 0.02)
    assert (low.ranks, high.ranks) == ((2, 5), (2, 5))
    assert (low.bytes[0], low.bytes[1] + 1, high.bytes[1]) == (0, high.bytes[0], 64)
    assert chosen([low, high], ("bcast", 3, 16)) == low
    assert chosen([low, high], ("bcast", 6, 16)) is None


def test_between_rules_stands_the_librarys_own_choice_and_nothing_where_they_follow_each_other() -> None:
    small, next_sizes = Rule("bcast", (2, 3), (0, 63), "a"), Rule("bcast", (2, 3), (64, 99), "b")
    next_ranks, later = Rule("bcast", (4, 5), (0, 99), "a"), Rule("bcast", (8, 8), (16, 99), "a")
    assert filled([small, next_sizes, next_ranks]) == [small, next_sizes, next_ranks]
    between = [Rule("bcast", (6, 7), (0, 0), OWN), Rule("bcast", (8, 8), (0, 15), OWN)]
    assert filled([next_ranks, later]) == [next_ranks, *between, later]
    assert filled([small, replace(next_sizes, bytes=(80, 99))])[1] == Rule("bcast", (2, 3), (64, 79), OWN)


def test_ranks_are_one_run_only_where_one_choice_is_good_enough_for_all() -> None:
    times = frame({(2, "a"): [1] * 5, (2, "b"): [1.01] * 5, (3, "a"): [2] * 5, (3, "b"): [1] * 5})
    assert named(fitted(times, {}, 0.02)) == [((2, 3), "b")]
    assert named(fitted(times, {}, 0.001)) == [((2, 2), "a"), ((3, 3), "b")]


def test_the_library_decides_where_a_rule_would_be_slower_however_large_the_bound() -> None:
    times = frame({(2, "a"): [1, 1, 1, 1, 1.5], (2, OWN): [1.4, 1.4, 1.4, 1.4, 1.4]})
    default_s: dict[Call, float] = {("bcast", 2, size): 1.4 for size in SIZES}
    assert named(fitted(times, default_s, 1.0)) == [((2, 2), OWN)]
    assert named(fitted(times, default_s, 0.2)) == [((2, 2), "a"), ((2, 2), OWN)]


def test_a_rule_in_doubt_is_the_librarys_and_joins_its_neighbours() -> None:
    rules = [
        Rule("bcast", (2, 4), (0, 9), OWN),
        Rule("bcast", (2, 4), (10, 99), "a"),
        Rule("bcast", (5, 8), (0, 99), "a"),
    ]
    assert declined(rules, [rules[1]]) == [Rule("bcast", (2, 4), (0, 99), OWN), rules[2]]
    assert declined(rules, []) == rules


@pytest.mark.parametrize("broken", [None, 3.0])
def test_a_held_out_call_where_a_rule_breaks_becomes_a_sample(broken: float | None) -> None:
    """It has no time there, or is slower than the library."""
    times = frame({(2, "a"): [1, 1, broken, 1, 1], (2, "b"): [1.5] * 5, (2, OWN): [2] * 5})
    default: dict[Call, tuple[str, float]] = {("bcast", 2, size): ("c", 2.0) for size in SIZES}
    rules, joined, _ = settled(Times(times, default, frozenset({("bcast", 2, 16)})), 0.02)
    assert [rule.key for rule in rules] == ["a", "b", "a"]
    assert joined == {("bcast", 2, 16)}
    found = gains(rules, Times(times, default, frozenset(joined)), joined)
    assert not any(g.held_out for g in found)
    assert [g.loss for g in found] == [0] * 5


def test_times_that_are_not_known_decide_on_both_sides_of_an_edge_alone() -> None:
    """What takes longer than the library's own choice is decided, however long it takes."""
    times = frame({(2, "a"): [1, 1, None, None, None], (2, "b"): [None, None, 1, 1, 1]})
    default: dict[Call, tuple[str, float]] = {("bcast", 2, size): ("c", 2.0) for size in SIZES}
    missing = [(("bcast", 2, size), "b" if size < 16 else "a") for size in SIZES]
    known = Times(times, default, frozenset(), slower=dict.fromkeys(missing, 1.5))
    assert settled(known, 0.02).undecided == {(("bcast", 2, 8), "b"), (("bcast", 2, 16), "a")}
    assert not settled(replace(known, slower=dict.fromkeys(missing, 2.1)), 0.02).undecided


@pytest.mark.parametrize(
    ("nodes", "shared"), [({4: 4}, (False, False)), ({4: 1}, (True, False)), ({4: 2}, (True, True))]
)
def test_ranks_share_a_node_on_one_or_on_several(nodes: dict[int, int], shared: tuple[bool, bool]) -> None:
    made = Tuned(of_mpich("4.3.2"), "schooner", [], 0.02, nodes, Origin("schooner", "0123456789ab"))
    assert (made.shares_nodes, made.several_per_node) == shared


def test_gains_are_against_the_best_of_all_and_the_librarys_own_choice() -> None:
    times = frame({(2, "a"): [2], (2, "b"): [1]}, (4,))
    default: dict[Call, tuple[str, float]] = {("bcast", 2, 4): ("c", 3.0)}
    made = gains([Rule("bcast", (2, 2), (0, 4), "a")], Times(times, default, frozenset()))[0]
    assert (made.loss, made.default_loss, made.best) == (1.0, 2.0, "b")
    own = gains([Rule("bcast", (2, 2), (0, 4), OWN)], Times(times, default, frozenset()))[0]
    assert (own.key, own.time_s, own.is_sound) == ("c", 3.0, False)
