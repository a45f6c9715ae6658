"""collscope.points.distribution: how elements are dealt out to ranks, as it is typed and as a plan has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UsageError
from collscope.points import distribution
from collscope.points.plan import Point


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("", "uniform"), (" linear ", "linear"), ("zipf:1.50", "zipf:1.5"), ("zipf:.5", "zipf:0.5"), ("one:03", "one:3")],
)
def test_distributions_as_a_plan_has_them(typed: str, meant: str) -> None:
    assert distribution.parse(typed) == meant


@pytest.mark.parametrize(
    "typed", ["lin", "linear:2", "zipf", "zipf:-1", "zipf:17", "zipf:x", "one:", "one:-1", "file:"]
)
def test_others_are_refused(typed: str) -> None:
    with pytest.raises(UsageError, match="choose uniform, linear, zipf:S, one:R, file:PATH"):
        distribution.parse(typed)


def test_counts_by_hand(tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("3 # the first\n\n0\n5\n")
    file = distribution.parse(f"file:{tmp_path}/weights")
    assert distribution.counts("uniform", 7, 3) == [3, 2, 2]
    assert distribution.counts("linear", 12, 3) == [2, 4, 6]
    assert distribution.counts("linear", 7, 3) == [1, 2, 4]  # 7/6, 21/6 and 7, cut
    assert distribution.counts("zipf:1", 12, 3) == [6, 3, 3]  # 6.5, 9.8 and 12, cut
    assert distribution.counts("zipf:0", 7, 3) == [2, 2, 3]
    assert distribution.counts("one:2", 9, 3) == [0, 0, 9]
    assert distribution.counts(file, 8, 3) == [3, 0, 5]  # the counts themselves
    assert distribution.counts(file, 80, 3) == [30, 0, 50]


@pytest.mark.parametrize("name", ["linear", "zipf:1.3", "zipf:16", "one:4"])
def test_the_sum_is_that_of_the_call(name: str) -> None:
    for elements in (0, 1, 6, 1000, 2**50):
        own = distribution.weights(name, 13)
        counts = distribution.counts(name, elements, 13)
        assert sum(counts) == elements
        assert all(abs(n * sum(own) - elements * w) < sum(own) for n, w in zip(counts, own, strict=True))


def test_pairs_by_hand(tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text("1\n2\n0\n5\n")
    file = distribution.parse(f"file:{tmp_path}/pairs")
    assert distribution.pair_counts("linear", 12, 3) == [[2, 4, 6], [6, 2, 4], [4, 6, 2]]
    assert distribution.pair_counts("one:1", 6, 3) == [[0, 6, 0]] * 3
    assert distribution.pair_counts(file, 4, 2) == [[1, 2], [0, 5]]
    distribution.check_ranks(file, "alltoallv", 2)
    with pytest.raises(UsageError, match="has weights for 4 ranks, and there are 3"):
        distribution.check_ranks(file, "alltoallv", 3)
    with pytest.raises(UsageError, match="known for at most 2048 ranks"):
        distribution.check_ranks("linear", "alltoallv", 4096)


def test_a_file_must_fit_the_ranks(tmp_path: Path) -> None:
    (tmp_path / "two").write_text("1\n2\n")
    (tmp_path / "zero").write_text("0\n0\n")
    (tmp_path / "text").write_text("1\nmany\n")
    for name, ranks, says in (
        ("two", 3, "has weights for 2 ranks, and there are 3; give one line per rank"),
        ("zero", 2, "all weights are 0"),
        ("text", 2, "many: give whole numbers"),
    ):
        with pytest.raises(UsageError, match=says):
            distribution.check_ranks(f"file:{tmp_path}/{name}", "gatherv", ranks)
    with pytest.raises(UsageError, match="with 2 ranks the rank is 0 … 1"):
        distribution.check_ranks("one:2", "gatherv", 2)
    (tmp_path / "pairs").write_text("1\n2\n3\n4\n")
    two, pairs = f"file:{tmp_path}/two", f"file:{tmp_path}/pairs"
    assert [distribution.for_fewer(two, ranks) for ranks in (1, 2)] == ["linear", two]
    assert [distribution.for_fewer(pairs, ranks) for ranks in (1, 2, 3, 4)] == ["linear", pairs, "linear", pairs]
    assert distribution.for_fewer("one:5", 4) == "one:1"


def test_points_are_named_by_their_counts(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n")
    (tmp_path / "b").write_text("1\n2\n")
    plain, linear = (Point("allgatherv", "allgatherv/bucket", 5, counts=d) for d in ("uniform", "linear"))
    assert "counts" not in plain.text()
    assert linear.text() == f"{plain.text()} counts=linear"
    a, b = (Point("allgatherv", "allgatherv/bucket", 5, counts=f"file:{tmp_path}/{name}") for name in "ab")
    assert a.text() != b.text()
    assert a.identity() == b.identity() != plain.identity()
    assert a.cells(2)["counts"] == f"file:{tmp_path}/a"
