"""collscope.analysis.weighted: the fewest pieces whose choice loses at most a share of the time of all calls together."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise, product

import pandas as pd
import pytest

from collscope.analysis.tree import Piece
from collscope.analysis.weighted import fewest

SIZES = (8, 64, 512, 4096)


def table(**seconds: Sequence[float]) -> pd.DataFrame:
    return pd.DataFrame(seconds, index=list(SIZES), dtype=float)


def lost(pieces: Sequence[Piece], times: pd.DataFrame, weights: Sequence[float]) -> float:
    """Seconds against the best."""
    taken = [next(p.name for p in pieces if p.first_bytes <= size <= p.last_bytes) for size in times.index]
    return sum(
        w * (float(times.at[size, name]) - float(times.loc[size].min()))
        for w, size, name in zip(weights, times.index, taken, strict=True)
    )


def test_a_call_that_is_made_often_pays_for_one_that_is_hardly_made() -> None:
    times = table(a=[1, 1, 1, 2], b=[2, 2, 2, 1])
    found = {
        weight: [piece.name for piece in fewest({"t": times}, {"t": [1, 1, 1, weight]}, 0.02)["t"]]
        for weight in (0, 0.01, 1, 1000)
    }
    assert found == {0: ["a"], 0.01: ["a"], 1: ["a", "b"], 1000: ["b"]}


def test_calls_that_do_not_count_have_the_faster_of_two_equal_choices() -> None:
    times = table(a=[1, 2, 1, 1], b=[1, 1, 1, 1])
    assert [p.name for p in fewest({"t": times}, {"t": [1, 0, 0, 0]}, 0.02)["t"]] == ["b"]


@pytest.mark.parametrize("seed", range(5))
def test_no_other_cut_of_all_tables_needs_fewer_pieces_or_loses_less_with_as_many(seed: int) -> None:
    """Against every assignment of names to sizes."""
    random_ = random.Random(seed)
    tables = {t: table(**{n: [random_.uniform(1, 2) for _ in SIZES] for n in "abc"}) for t in range(2)}
    tables[0].loc[64, "a"] = float("nan")
    weights = {t: [random_.choice((0.0, 1.0, 5.0)) for _ in SIZES] for t in tables}
    total = sum(w * float(s) for t in tables for w, s in zip(weights[t], tables[t].min(axis=1), strict=True))
    found = fewest(tables, weights, 0.1)
    mine = sum(lost(found[t], tables[t], weights[t]) for t in tables)
    assert mine <= 0.1 * total * (1 + 1e-6)
    curves = []
    for t, times in tables.items():
        best: dict[int, float] = {}
        for names in product("abc", repeat=len(SIZES)):
            pieces = 1 + sum(a != b for a, b in pairwise(names))
            of = [Piece(n, s, s, 0, 0, 0) for n, s in zip(names, SIZES, strict=True)]
            if not any(pd.isna(times.at[s, n]) for n, s in zip(names, SIZES, strict=True)):
                best[pieces] = min(best.get(pieces, float("inf")), lost(of, times, weights[t]))
        curves.append(best)
    all_of = [(a + b, x + y) for a, x in curves[0].items() for b, y in curves[1].items() if x + y <= 0.1 * total]
    count, least = min(all_of)
    assert sum(map(len, found.values())) == count
    assert mine == pytest.approx(least, abs=1e-6)
