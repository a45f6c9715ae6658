"""collscope.tuning.demand: the calls of programs as samples of rules, and what rules save of their time."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from collscope.tuning.demand import Load, mixed
from collscope.tuning.gain import settled
from collscope.tuning.rules import OWN, Rule, filled
from collscope.tuning.search import Times
from collscope.tuning.uses import Use

USE = Use(
    collective="bcast", where="MPI_COMM_WORLD (4)", ranks=4, nodes=4, per_node=1, communicators=1, bytes=(64, 127),
    mean_bytes=64.0, calls=10.0, call_count=10, in_place=False, root=0, type="MPI_BYTE", algorithm=None, passed_on="",
    seconds=1.0, arrival=None,
)  # fmt: skip
CALL = ("bcast", 4, 64)


def load(use: Use = USE, now_s: float = 0.1, **seconds: float) -> Load:
    """Calls of 64 B, of names with these times; the library's own choice is a."""
    cells = [(*CALL, name, time_s) for name, time_s in seconds.items()]
    frame = pd.DataFrame(cells, columns=["collective", "ranks", "bytes", "name", "time_s"])
    times = Times(frame, {CALL: ("a", seconds["a"])}, frozenset())
    return Load(use, CALL, (64, 127), 64, "a", now_s, times)


NOTHING = Times(load(a=1.0).times.frame.iloc[:0], {}, frozenset())


def test_a_call_of_several_placements_takes_the_mean_by_how_often_each_makes_it() -> None:
    """A row of ten calls and one of thirty, by their seconds over the model's."""
    far = load(replace(USE, nodes=1, per_node=4, seconds=0.9), 0.03, a=0.03, b=0.01)
    times = mixed([load(a=0.1, b=0.05, c=0.2), far], NOTHING)
    found = dict(zip(times.frame["name"], times.frame["time_s"], strict=True))
    assert found == {"a": pytest.approx((10 * 0.1 + 30 * 0.03) / 40), "b": pytest.approx((10 * 0.05 + 30 * 0.01) / 40)}
    assert times.default[CALL] == ("a", found["a"])
    assert times.program and times.program.calls == {CALL: pytest.approx(40)}


def test_the_librarys_own_choice_of_several_placements_is_that_of_most_calls() -> None:
    few, many = load(a=0.1, b=0.05), load(replace(USE, seconds=3.0), a=0.1, b=0.05)
    many = replace(many, times=replace(many.times, default={CALL: ("b", 0.05)}))
    assert [mixed(of, NOTHING).default[CALL][0] for of in ([few, many], [many, few])] == ["b", "b"]


def test_rules_of_a_program_hold_within_the_bounds_of_its_classes() -> None:
    rules, *_ = settled(mixed([load(a=0.1, b=0.05)], NOTHING), 0.02)
    assert rules == [Rule("bcast", (4, 4), (64, 127), "b")]
    assert filled(rules) == [Rule("bcast", (4, 4), (0, 63), OWN), *rules]


def test_a_held_out_call_where_a_rule_breaks_parts_two_classes() -> None:
    """Between them the rule would be slower than the library."""
    far = ("bcast", 4, 4096)
    cells = [(*far, "a", 0.1), (*far, "b", 0.05)]
    columns = ["collective", "ranks", "bytes", "name", "time_s"]
    large = Load(
        USE,
        far,
        (4096, 8191),
        4096,
        "a",
        0.1,
        Times(pd.DataFrame(cells, columns=columns), {far: ("a", 0.1)}, frozenset()),
    )
    middle = ("bcast", 4, 512)
    cells = [(*middle, "a", 0.1), (*middle, "b", 0.3)]
    slow = Times(pd.DataFrame(cells, columns=columns), {middle: ("a", 0.1)}, frozenset({middle}))
    rules, joined, _ = settled(mixed([load(a=0.1, b=0.05), large], slow), 0.02)
    assert joined == {middle}
    assert [rule.key for rule in rules] == ["b", "a", "b"]
    assert (rules[0].bytes[0], rules[-1].bytes[1]) == (64, 8191)


@pytest.mark.parametrize(
    ("rules", "saved_s", "key"),
    [
        ([], 0.0, "a"),
        ([Rule("bcast", (4, 4), (64, 127), OWN)], 0.0, "a"),
        ([Rule("bcast", (4, 4), (64, 127), "b")], 0.5, "b"),
        ([Rule("bcast", (4, 4), (64, 127), "c")], -1.0, "c"),
    ],
)
def test_rules_save_the_share_by_which_the_model_is_shorter(rules: list[Rule], saved_s: float, key: str) -> None:
    of = load(a=0.1, b=0.05, c=0.2)
    assert of.saved_s(rules) == pytest.approx(saved_s)
    assert of.key(rules) == key
