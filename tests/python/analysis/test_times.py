"""collscope.analysis.times: times cut for judging."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from collscope.analysis.times import Place, Times, series

AT = Place("bcast", "block", 8, 2)
COLUMNS = ["collective", "mapping", "ranks", "nodes", "bytes", "name", "time_s", "chose"]
ROWS = [
    *(("bcast", "block", 8, 2, size, "bcast/whole", size * 1e-6, "") for size in (4, 1, 2, 64)),
    *(("bcast", "block", 8, 2, size, "bcast/part", 1e-6, "") for size in (1, 4)),
    *(("bcast", "block", 8, 2, size, "bcast/tuned[k=4]", 3e-6, "") for size in (1, 2, 4)),
    ("bcast", "block", 8, 2, 64, "decision/x", 5e-6, "bcast/whole"),
    ("reduce", "cyclic", 4, 1, 1, "reduce/whole", 1e-6, ""),
]


@pytest.fixture
def times() -> Times:
    return Times(pd.DataFrame(ROWS, columns=COLUMNS), focus=(4, 2, 1))


def test_a_mean_is_of_names_that_have_every_size(times: Times) -> None:
    assert times.mean(AT, "bcast/whole") == pytest.approx(2e-6)
    assert times.mean(AT, "bcast/tuned") == pytest.approx(3e-6)  # the one key of that name
    assert math.isnan(times.mean(AT, "bcast/part")) and math.isnan(times.mean(AT, "bcast/none"))
    assert math.isnan(times.mean(AT, "decision/x"))  # outside the focus
    assert times.mean(AT, "bcast/part", (1, 4)) == pytest.approx(1e-6)
    assert times.mean(AT, "bcast/whole", (64,)) == pytest.approx(64e-6)
    assert list(times.means(AT, times.names(AT))) == ["bcast/whole", "bcast/tuned[k=4]"]


def test_lines_are_by_size_and_places_are_where_the_table_was_run(times: Times) -> None:
    assert times.line(AT, "bcast/whole").to_dict() == {1: 1e-6, 2: 2e-6, 4: 4e-6}
    assert times.line(AT, "bcast/whole", (64, 8)).to_dict() == {64: 64e-6}
    assert times.line(AT, "bcast/none").empty and times.chosen(AT, "bcast/none").empty
    assert times.places("scan") == [Place("scan", "block", 8, 2), Place("scan", "cyclic", 4, 1)]
    assert times.names(Place("bcast", "cyclic", 4, 1)) == []


def test_sizes_say_nothing_of_a_barrier() -> None:
    rows = [("barrier", 4, 2, 0, "tree", 3e-6, ""), ("bcast", 4, 2, 8, "tree", 5e-6, "")]
    columns = ["collective", "ranks", "nodes", "bytes", "name", "time_s", "chose"]
    made = Times(pd.DataFrame(rows, columns=columns), (8,))
    barrier, bcast = made.places("barrier")[0], made.places("bcast")[0]
    assert made.mean(barrier, "tree") == pytest.approx(3e-6)
    assert made.mean(barrier, "tree", (64,)) == pytest.approx(3e-6)
    assert math.isnan(made.mean(bcast, "tree", (64,)))


def test_a_place_in_words_says_what_differs(times: Times) -> None:
    assert times.text(AT) == "bcast, 8 ranks, mapping block, 2 nodes"
    alone = Times(pd.DataFrame([r for r in ROWS if r[0] == "bcast"], columns=COLUMNS), ())
    assert alone.text(AT) == "bcast, 2 nodes" and alone.focus == () and times.focus == (1, 2, 4)
    assert times.chosen(Place("bcast", "block", 8, 2), "decision/x").empty, "outside the focus"


def test_a_series_differs_in_one_thing_and_ascends() -> None:
    places = [Place("bcast", "block", ranks, nodes) for ranks in (8, 4) for nodes in (2, 1)]
    found = [[(p.ranks, p.nodes) for p in run] for run in series(places, "nodes")]
    assert found == [[(8, 1), (8, 2)], [(4, 1), (4, 2)]]
    found = [[(p.ranks, p.nodes) for p in run] for run in series(places, "ranks")]
    assert found == [[(4, 2), (8, 2)], [(4, 1), (8, 1)]]
