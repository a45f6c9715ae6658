"""collscope.points.arrival: patterns as they are typed, as a plan has them, and what caches know of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UsageError
from collscope.points import arrival
from collscope.points.plan import Point


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("none", "none"),
        ("", "none"),
        ("linear:10us", "linear:1e-05"),
        ("linear:1.5ms", "linear:0.0015"),
        ("random:2e-6s", "random:2e-06"),
        ("random:3µs:7", "random:3e-06:7"),
        ("one_late:50ns:03", "one_late:5e-08:3"),
        (" one_late:1s ", "one_late:1"),
        ("one_late:1min:1048575", "one_late:60:1048575"),
        ("linear:1e6s", "linear:1000000"),
        ("linear:4us", "linear:4e-06"),
    ],
)
def test_times_become_seconds(typed: str, meant: str) -> None:
    assert arrival.parse(typed) == meant


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        *(
            (typed, "choose none, linear:T, random:T[:SEED], one_late:T[:RANK], file:PATH; T is a time with its unit, such as 10us, 1.5ms "
             "or 1s")
            for typed in ("late", "linear:", "linear:-1us", "linear:1h", "linear:10", "random:1e-5:7")
        ),
        ("linear:1..2us", "1..2 is not a number"),
        ("linear:1us:2", "linear takes a time alone"),
        ("random:1000001s", "at most 1e+06 s"),
        ("random:1e999s", "at most 1e+06 s"),
        ("one_late:1us:1048576", "the number behind the time is at most 1048575"),
    ],
)  # fmt: skip
def test_an_unknown_pattern_is_refused(typed: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        arrival.parse(typed)
    assert str(caught.value) == f"--skew {typed}: {says}"


def test_a_path_is_one_that_a_plan_can_hold(tmp_path: Path) -> None:
    room = 255 - len(str(tmp_path)) - 1
    (tmp_path / ("y" * room)).touch()
    (tmp_path / ("y" * (room + 1))).touch()
    (tmp_path / ("é" * (room // 2 + 1))).touch()
    (tmp_path / "a#b").touch()
    assert arrival.parse(f"file:{tmp_path}/{'y' * room}") == f"file:{tmp_path}/{'y' * room}"
    for name, says in (
        (f"{tmp_path}/{'y' * (room + 1)}", "a plan cannot hold blanks, # or more than 255 bytes of a path"),
        (f"{tmp_path}/{'é' * (room // 2 + 1)}", "a plan cannot hold blanks, # or more than 255 bytes of a path"),
        (f"{tmp_path}/a#b", "a plan cannot hold blanks, # or more than 255 bytes of a path"),
        ("nowhere", "there is no such file; give one with the seconds of a rank on each line"),
    ):
        with pytest.raises(UsageError) as caught:
            arrival.parse(f"file:{name}")
        assert str(caught.value) == f"--skew file:{name}: {says}"


def test_a_file_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text("0\n1e-6\n")
    other.write_text("0\n1e-6\n")
    points = [Point("bcast", "bcast/mst", 8, skew=arrival.parse(f"file:{path}")) for path in (one, other)]
    assert points[0].text().endswith(f"skew=file:{one}")
    assert points[0].identity() == points[1].identity()
    other.write_text("0\n2e-6\n")
    assert points[0].identity() != points[1].identity()
    (tmp_path / "a b.txt").write_text("0\n")
    with pytest.raises(UsageError, match="cannot hold blanks"):
        arrival.parse(f"file:{tmp_path}/a b.txt")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("none", "none"),
        ("linear:50us", "linear, 50 µs"),
        ("random:1ms:7", "random, 1 ms, seed 7"),
        ("one_late:2s:3", "one late, 2 s, rank 3"),
    ],
)
def test_a_pattern_is_described_in_words(text: str, words: str) -> None:
    assert arrival.describe(arrival.parse(text)) == words


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_a_file_has_one_line_for_each_rank(tmp_path: Path, ranks: int) -> None:
    (tmp_path / "late").write_text("0 # the root\n\n1e-6\n# between\n2e-6\n")
    pattern = arrival.parse(f"file:{tmp_path}/late")
    arrival.check_ranks("linear:1e-05", ranks)
    if ranks == 3:
        arrival.check_ranks(pattern, ranks)
        return
    with pytest.raises(UsageError) as caught:
        arrival.check_ranks(pattern, ranks)
    assert (
        str(caught.value) == f"--skew {pattern}: has seconds for 3 ranks, and there are {ranks}; give one line per rank"
    )


@pytest.mark.parametrize("typed", ["one_late:10us", "one_late:10us:7", "one_late:10us:8", "random:10us:8"])
def test_a_late_rank_is_one_of_the_ranks(typed: str) -> None:
    """The last is, whatever their number; the number of a random pattern is its seed."""
    if typed != "one_late:10us:8":
        arrival.check_ranks(arrival.parse(typed), 8)
        return
    with pytest.raises(UsageError, match="^--skew one_late:T:8: with 8 ranks the late one is 0 … 7$"):
        arrival.check_ranks(arrival.parse(typed), 8)
