"""collscope.tuning.confirm: which calls the model leaves open, and what becomes of rules once they are measured."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from collscope.tuning.confirm import TIE, Measured, contests, merged, seconds_of, worth
from collscope.tuning.gain import settled
from collscope.tuning.rules import OWN, Call, Rule
from collscope.tuning.search import Times

SIZES = (4, 8, 16, 32, 64)
CALLS = tuple(("bcast", 2, size) for size in SIZES)


def times(seconds: dict[str, list[float]], default: str = "own", default_s: float = 3.0) -> Times:
    """Of a bcast on two ranks: name → seconds at each size; the library's own choice is called `default`."""
    cells = [("bcast", 2, size, name, s) for name, of in seconds.items() for size, s in zip(SIZES, of, strict=True)] + [
        ("bcast", 2, size, OWN, default_s) for size in SIZES
    ]
    frame = pd.DataFrame(cells, columns=["collective", "ranks", "bytes", "name", "time_s"])
    return Times(frame, dict.fromkeys(CALLS, (default, default_s)), frozenset())


def rule(key: str, sizes: tuple[int, int] = (0, 64)) -> Rule:
    return Rule("bcast", (2, 2), sizes, key)


def exactly(seconds: float) -> Measured:
    return Measured(seconds, seconds, seconds)


@pytest.mark.parametrize(("q1_s", "ties"), [(8.9, True), (9.0, True), (9.1, False)])
def test_times_tie_where_the_lower_quartile_is_not_above_the_upper_one_of_the_faster(q1_s: float, ties: bool) -> None:
    assert Measured(10.0, q1_s, 11.0).ties(Measured(8.0, 7.0, 9.0)) == ties


def test_a_call_is_open_where_bands_overlap_and_the_librarys_own_choice_is_measured_beside() -> None:
    found = contests([rule("a")], times({"a": [1] * 5, "b": [2, 1 + TIE / 2, 2, 2, 1 + 2 * TIE], "c": [2] * 5}))
    assert [(c.call, c.keys) for c in found] == [(("bcast", 2, 8), ("a", "b", "own"))]


def test_algorithms_of_the_same_time_send_the_same_messages_and_are_no_contest() -> None:
    assert contests([rule("a")], times({"a": [1] * 5, "b": [1] * 5})) == []
    assert contests([rule(OWN)], times({"a": [3] * 5}, default_s=3.0)) == []


def test_a_rule_in_doubt_is_open_though_the_model_has_a_faster_one() -> None:
    far = times({"a": [2] * 5, "b": [1] * 5})
    assert contests([rule("a")], far) == []
    assert {c.keys for c in contests([rule("a")], far, [rule("a")])} == {("a", "b", "own")}


def test_rules_are_served_by_turns_from_their_middle_and_those_in_doubt_first() -> None:
    both = times({"a": [1] * 5, "b": [1.01] * 5})
    rules = [rule("a", (0, 8)), rule("b", (9, 64))]
    found = contests(rules, both)
    assert [c.call[2] for c in found] == [32, 4, 16, 8, 64]
    assert [c.weight for c in found] == [3, 2, 1.5, 1, 1]
    assert [c.call[2] for c in contests(rules, both, [rules[0]])] == [4, 8, 32, 16, 64]


def test_a_measured_choice_overrides_the_models_and_the_rest_stays() -> None:
    model = times({"a": [1] * 5, "b": [1.05] * 5, "c": [1.5] * 5})
    found = {call: {"a": exactly(2.0), "b": exactly(1.0), "own": exactly(6.0)} for call in CALLS[:2]}
    after = merged(model, found)
    assert seconds_of(after)["bcast", 2, 4] == {"own": 6.0, "a": 2.0, "b": 1.0, "c": pytest.approx(1.5)}
    assert seconds_of(after)["bcast", 2, 16] == seconds_of(model)["bcast", 2, 16]
    rules, *_ = settled(after, 0.02)
    assert [(r.key, r.covers(("bcast", 2, 8)), r.covers(("bcast", 2, 16))) for r in rules] == [
        ("b", True, False),
        ("a", False, True),
    ]
    assert settled(model, 0.02)[0] == [rule("a")]


def test_noise_makes_no_rules() -> None:
    """What cannot be told from the best takes the best's time."""
    model = times({"a": [1] * 5, "b": [1.05] * 5})
    noisy = {"a": Measured(1.2, 1.0, 1.4), "b": Measured(1.1, 0.9, 1.3), "own": exactly(3)}
    assert settled(merged(model, dict.fromkeys(CALLS[1:2], noisy)), 0.02)[0] == [rule("a")]


def test_a_rule_slower_than_the_library_by_more_than_the_noise_is_named_and_goes() -> None:
    model = times({"a": [1] * 5}, default_s=1.05)
    found = {CALLS[2]: {"a": Measured(2.0, 1.9, 2.1), "own": Measured(1.0, 0.9, 1.1)}}
    before = worth([rule("a")], model, found)
    assert [(w.call, w.is_slower, w.loss) for w in before] == [(CALLS[2], True, 1.0)]
    rules, *_ = settled(merged(model, found), 0.02)
    after = worth(rules, model, found)
    assert [(w.key, w.is_slower, w.loss) for w in after] == [("own", False, 0.0)]
    within = {CALLS[2]: {"a": Measured(2.0, 1.0, 2.1), "own": Measured(1.0, 0.9, 1.1)}}
    assert not worth([rule("a")], model, within)[0].is_slower


def test_worth_is_worst_first_and_says_what_was_not_measured() -> None:
    model = times({"a": [1] * 5, "b": [1.5] * 5, "same": [1] * 5})
    found: dict[Call, dict[str, Measured]] = {
        CALLS[0]: {"a": exactly(1.1), "own": exactly(1.0)},
        CALLS[1]: {"a": exactly(2.0), "own": exactly(1.0)},
    }
    assert [w.loss for w in worth([rule("a")], model, found)] == [pytest.approx(1.0), pytest.approx(0.1)]
    assert [w.loss for w in worth([rule("same")], model, found)] == [pytest.approx(1.0), pytest.approx(0.1)]
    assert all(w.rule is None and math.isnan(w.loss) for w in worth([rule("b")], model, found))
