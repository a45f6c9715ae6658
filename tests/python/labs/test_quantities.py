"""collscope.labs.quantities: what a number of answers.toml must be follows from a run of the model; what is wrong is said without it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from collscope.base.errors import UserError
from collscope.labs import quantities
from collscope.labs.lab import Answer
from open_mpi import needs_prover

pytestmark = needs_prover

SIZES = [2**k for k in range(2, 21, 2)]


def answer(kind: Any, *algorithms: str, bytes: Any = (1024,), **more: Any) -> Answer:
    made = {"name": "a", "question": "?", "kind": kind, "algorithms": list(algorithms), "nodes": 8, "ranks": 8}
    return Answer.model_validate(made | {"bytes": ",".join(map(str, bytes))} | more)


def times(one_answer: Answer, bytes: int) -> list[float]:
    """Seconds of the answer's algorithms."""
    return quantities.seconds(quantities.layout("schooner", 8, 8), one_answer.algorithms, bytes)


TWO = ("bcast/binomial", "bcast/linear")


def test_a_time_is_right_in_its_unit_and_within_its_tolerance() -> None:
    one = answer("time", "bcast/linear", "bcast/binomial")
    right = min(times(one, 1024)) * 1e6
    assert quantities.judge(one, right) == quantities.judge(one, 1.049 * right) == ""
    assert "too large (in microseconds)" in quantities.judge(one, 1.06 * right)
    assert "too small (in microseconds)" in quantities.judge(one, 0.94 * right)
    for power in (1e3, 1e6, 1e-3, 1e-6):
        assert "off by a power of a thousand: the unit is microseconds" in quantities.judge(one, right * power)


def test_a_number_in_quotes_is_the_number() -> None:
    one = answer("ratio", "bcast/linear", against=["bcast/linear"])
    assert [quantities.judge(one, text) for text in ("1", " 1.0 ", "+1.", "0.1e1", "10E-1")] == [""] * 5
    assert "0.53 is too small" in quantities.judge(one, "0.53")
    assert [quantities.judge(one, text)[:16] for text in ("1e999", "nan", "1,0")] == ["must be a number"] * 3


@pytest.mark.parametrize("given", [None, True, "soon", math.inf, [1], 10**400, [16**5000]])
def test_a_word_or_nothing_in_place_of_a_number_is_named(given: object) -> None:
    message = quantities.judge(answer("time", "bcast/linear"), given)
    assert message.startswith("missing" if given is None else "must be a number, not")
    if given is not None:
        assert "a size such as 64KiB" in quantities.judge(answer("crossover", *TWO), given)


def test_a_winner_is_one_of_the_algorithms_and_the_fastest() -> None:
    one = answer("winner", "bcast/linear", "bcast/scatter_ring", "bcast/binomial")
    best = min(zip(times(one, 1024), one.algorithms, strict=True))[1].split("/")[1].split("[")[0]
    assert best == "linear" and quantities.judge(one, best) == ""
    assert "binomial is not the fastest there" in quantities.judge(one, "binomial")
    assert "linear, scatter_ring, binomial, in quotes" in quantities.judge(one, "tree")
    near = one.model_copy(update={"within": 100.0})
    assert "binomial is not the fastest there" in quantities.judge(near, "binomial"), (
        "one that is nearly as fast is not"
    )


def test_rounds_are_counted() -> None:
    one = answer("rounds", "bcast/binomial")
    assert quantities.judge(one, 3) == "" and "too large (in rounds)" in quantities.judge(one, 4)


def test_alpha_and_beta_are_those_of_the_line_through_first_and_last_size() -> None:
    sizes = (1000, 3000, 5000)
    low, high = (times(answer("alpha", "bcast/linear"), n)[0] for n in (1000, 5000))
    beta = (high - low) / 4000
    alpha = low - 1000 * beta
    for kind, right in (("alpha", alpha * 1e6), ("beta", beta * 1e9), ("half", alpha / beta)):
        one = answer(kind, "bcast/linear", bytes=sizes)
        assert quantities.judge(one, right) == "" and quantities.judge(one, 1.1 * right)
    message = quantities.judge(answer("alpha", "bcast/linear", bytes=sizes), low * 1e6)
    assert message.startswith("is the time of the smaller message as it is")


def test_a_ratio_is_of_two_algorithms_or_of_two_mappings() -> None:
    one = answer("ratio", "bcast/binomial", against=["bcast/linear"])
    binomial, linear = times(answer("time", *TWO), 1024)
    assert quantities.judge(one, linear / binomial) == "" and "too large;" in quantities.judge(one, 1.0)
    here = quantities.layout("schooner", 4, 8)
    there = quantities.layout("schooner", 4, 8, "cyclic")
    ring = ["allgather/bucket"]
    ratio = quantities.seconds(there, ring, 65536)[0] / quantities.seconds(here, ring, 65536)[0]
    assert abs(ratio - 1) > 0.1
    placed = answer("ratio", *ring, against=ring, nodes=4, against_mapping="cyclic", bytes=(65536,))
    assert quantities.judge(placed, ratio) == "" and quantities.judge(placed, 1.0)


def test_a_crossover_is_the_first_size_at_which_the_second_wins() -> None:
    pair = ("bcast/binomial", "bcast/scatter_ring")
    one = answer("crossover", *pair, bytes=SIZES)
    first = next(n for n in SIZES if (t := times(one, n))[1] < t[0])
    place = SIZES.index(first)
    assert 1 < place < len(SIZES) - 2
    assert quantities.judge(one, first) == ""
    far_below, below, above, far_above = (quantities.judge(one, SIZES[place + step]) for step in (-2, -1, 1, 2))
    assert (
        "binomial is faster, and so it is at the sizes beside it" in far_below and "scatter_ring is faster" in far_above
    )
    assert below.endswith("binomial is faster") and "scatter_ring is faster, and so it is at" in above
    assert "must be one of the sizes 4 B, 16 B" in quantities.judge(one, SIZES[place] + 1)
    assert quantities.judge(one, f"{first}B") == "", "a size with its unit is a number of bytes"
    with pytest.raises(UserError, match="never wins; the lab is wrong"):
        quantities.judge(answer("crossover", *pair, bytes=SIZES[:2]), 4)


def test_a_size_beside_a_crossover_is_right_where_both_take_about_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1, 2, … 5 B the second wins from 3 B on."""
    ratios = {1: 1.01, 2: 1.04, 3: 0.9, 4: 0.96, 5: 0.99}
    one = answer("crossover", *TWO, bytes=ratios)
    monkeypatch.setattr(quantities, "seconds", lambda where, keys, size: [1.0, ratios[size]])
    assert [bool(quantities.judge(one, size)) for size in ratios] == [True, False, False, False, True]
    ratios.update({2: 1.06, 4: 0.94})
    assert [quantities.judge(one, size) for size in (2, 4, 5)] == [
        "at 2 B binomial is faster",
        "at 4 B linear is faster, and so it is at the sizes beside it",
        "at 5 B linear is faster, and so it is at the sizes beside it",
    ]


def test_a_parameter_is_nearly_as_good_as_the_best_value() -> None:
    values = [1024, 8192, 1 << 20]
    one = answer("parameter", "bcast/pipeline[s={}]", values=values, bytes=(1 << 20,))
    keys = [f"bcast/pipeline[s={value}]" for value in values]
    taken = times(answer("time", *keys), 1 << 20)
    best = values[taken.index(min(taken))]
    assert best != 1 << 20 and quantities.judge(one, best) == ""
    worst = quantities.judge(one, 1 << 20)
    assert worst == f"with {1 << 20:g} it takes {taken[2] / min(taken):.2f} times as long as with the best one"
    near = 1000
    assert times(answer("time", f"bcast/pipeline[s={near}]"), 1 << 20)[0] <= (1 + one.within) * min(taken)
    for other in (0, 1024.5, near):
        assert quantities.judge(one, other) == "must be one of 1 KiB, 8 KiB, 1 MiB, in bytes or with the unit"


def test_an_algorithm_that_cannot_run_takes_for_ever() -> None:
    where = quantities.layout("schooner", 3, 3)
    (found,) = quantities.outcomes(where, ["allgather/recursive_doubling"], 64)
    assert found[0] == math.inf and found[1]


def test_an_outcome_has_the_algorithm_or_what_a_decision_chose() -> None:
    where = quantities.layout("schooner", 2, 4)
    own, chosen = quantities.outcomes(where, ["bcast/linear", "decision/ompi_4_1"], 8, "bcast")
    assert own[1] == "bcast/linear" and chosen[1].startswith("bcast/") and chosen[1] != own[1]
