"""collscope.sources.batches: how work is cut into launches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.catalogue.registry import Registry
from collscope.points.plan import Layout, Point
from collscope.sources import batches
from collscope.sources.launch import Report
from collscope.sources.outcome import Outcome
from tiny_platform import tiny


def test_work_is_cut_for_the_jobs(known: Registry) -> None:
    platform = tiny()
    layout = Layout(platform, 1, 64)
    todo = {str(i): (layout, Point("allgather", "allgather/bucket", i + 1)) for i in range(40)}
    made = batches.batches(todo, jobs=2)
    assert len(made) > 2
    assert sorted(int(key) for batch in made for key, _ in batch.points) == list(range(40))
    counts = [[point.count for _, point in batch.points] for batch in made]
    assert [c for batch in counts for c in batch] == list(range(40, 0, -1))  # the largest first
    assert len(batches.batches({"0": todo["0"]}, jobs=2)) == 1
    crowded = Point("bcast", "bcast/pipeline[s=1024]", 1 << 16)  # thousands of small segments on their way at once
    made = batches.batches(todo | {"long": (layout, crowded)}, jobs=2)
    assert [key for key, _ in made[0].points] == ["long"]


POINTS = [(name, Point("bcast", "bcast/linear", 1)) for name in "abcde"]


def test_a_launch_that_dies_is_followed_by_one_of_what_is_left() -> None:
    launched: list[str] = []
    made: dict[str, Outcome] = {}

    def launch(points: Sequence[batches.Numbered], folder: Path) -> Report:
        """Dies on b and d."""
        assert folder.is_dir()
        names = "".join(name for name, _ in points)
        launched.append(names)
        good = re.split("[bd]", names)[0]
        made.update((name, Outcome("ok", "ok")) for name in good)
        return Report(meta={"library": "x"}, unfinished=list(names[len(good) :]), reason="a fault")

    batches.finish(POINTS, launch, made.__setitem__, died="launch failed", not_started="nothing started")
    assert launched == ["abcde", "cde", "e"]
    assert {name for name, outcome in made.items() if outcome == Outcome("died", "launch failed: a fault")} == set("bd")
    assert sorted(made) == list("abcde")


def test_a_program_that_does_not_start_is_an_error() -> None:
    def launch(points: Sequence[batches.Numbered], folder: Path) -> Report:
        return Report(unfinished=["a"], reason="no such file")

    with pytest.raises(UserError, match="nothing started: no such file"):
        batches.finish(POINTS, launch, print, died="launch failed", not_started="nothing started")


PLENTY = 4000 * 12288 // 4  # floats: 4000 segments of 12288 bytes


@pytest.mark.parametrize(
    ("key", "ranks", "count", "messages"),
    [
        ("bcast/linear", 8, 1, 8 * 8 + 8),
        ("bcast/mst", 8, 1, 8 * 3 + 8),
        ("bcast/mst[dest=end]", 8, 1 << 20, 8 * 3 + 8),
        ("bcast/mst", 1, 1, 1 + 1),
        *((f"bcast/{name}", 8, 1, 8 * 3 + 8) for name in ("recursive_doubling", "dissemination", "bruck", "tree", "binomial")),
        ("bcast/mst_ring", 8, 1, 8 * 8 + 8),  # the word stands at the end
        ("alltoall/linear", 8, 1, 2 * 8 * 8 + 8),
        # 256 segments a rank; 2120 messages crowd 2.12 times as much, and squared.
        ("bcast/pipeline[s=1024]", 8, 1 << 16, 2120 * 2.12**2),
        ("bcast/pipeline[s=12288]", 8, PLENTY, (64 + 8 * 4001) * 64),
        ("bcast/pipeline[s=12289]", 8, PLENTY, 64 + 8 * (1 + PLENTY * 4 / 12289)),
        ("bcast/pipeline[s=0]", 8, 1 << 20, 8 * 8 + 8),
        # A decision: 1 KiB below 512 KiB, 8 KiB below 8 MiB, then 64 KiB.
        ("decision/ompi_4_1", 2, 1 << 10, 4 + 2 * 5),
        ("decision/ompi_4_1", 2, 1 << 17, 4 + 2 * 65),
        ("decision/ompi_4_1", 2, 1 << 21, 4 + 2 * 129),
        ("decision/ompi_4_1", 2, (1 << 17) - 256, 1028 * 1.028**2),
        ("decision/ompi_4_1", 2, (1 << 21) - 2048, (4 + 2 * 1024) * 2.052**2),
    ],
)  # fmt: skip
def test_the_estimate_counts_messages_and_squares_a_crowd(
    known: Registry, key: str, ranks: int, count: int, messages: float
) -> None:
    collective = "bcast" if key.startswith("decision") else key.partition("/")[0]
    assert batches.estimate(Point(collective, key, count), ranks) == pytest.approx(messages, rel=1e-9)


@pytest.mark.parametrize(
    ("points", "jobs", "sizes"),
    [
        (12, 1, [5, 5, 2]),  # of 600 messages each: up to 3000 in a launch
        (100, 1, [12] * 8 + [4]),  # 60000 messages: an eighth of a job's share, 7500
        (100, 2, [6] * 16 + [4]),
    ],
)
def test_launches_are_as_long_as_their_start_is_worth(
    known: Registry, points: int, jobs: int, sizes: list[int]
) -> None:
    layout = Layout(tiny(), 4, 24)
    todo = {str(i): (layout, Point("bcast", "bcast/linear", 1)) for i in range(points)}
    made = batches.batches(todo, jobs)
    assert [len(batch.points) for batch in made] == sizes
    assert [batch.cost for batch in made] == [600 * size for size in sizes]


def test_a_launch_has_one_layout_and_looks_at_all_data_or_none(known: Registry) -> None:
    one, other = Layout(tiny(), 1, 4), Layout(tiny(), 2, 8)
    calls = [(one, False), (other, False), (one, True), (one, False)]
    todo = {str(i): (at, Point("bcast", "bcast/linear", 1, check=check)) for i, (at, check) in enumerate(calls)}
    made = batches.batches(todo, 2)
    assert [(batch.layout, [name for name, _ in batch.points]) for batch in made] == [
        (other, ["1"]), (one, ["0", "3"]), (one, ["2"]),
    ]  # fmt: skip


def test_a_point_over_the_limit_is_given_up_and_is_no_fault() -> None:
    made: dict[str, Outcome] = {}

    def launch(points: Sequence[batches.Numbered], folder: Path) -> Report:
        left = [name for name, _ in points if name > "b"]
        return Report(meta={"library": "x"}, unfinished=["b", *left] if points[0][0] == "a" else [], over_limit_s=2.5)

    batches.finish(POINTS, launch, made.__setitem__, died="launch failed", not_started="nothing started")
    assert made == {"b": Outcome("limit", "took longer than 2.5 s (--point-timeout)")}
