"""What becomes of the repetitions of several launches of a real run."""

from __future__ import annotations

import tiny_platform
from collscope.points.plan import Layout, Point
from collscope.sources import measure
from collscope.sources.outcome import FAILED, OK, Outcome

TASK = (Layout(tiny_platform.tiny(), 1, 4), Point("bcast", "bcast/linear", 8))


def good(*times: float) -> Outcome:
    return Outcome(OK, "ok", [(t / 2, t / 2, t, t / 4) for t in times], chose="bcast/linear", back_end="Open MPI 4.1.4")


def test_repetitions_of_all_launches_are_taken_together() -> None:
    row = measure._row(TASK, [good(1.0, 3.0), good(2.0, 9.0)], 2, "c0ffee")
    assert (row["median_s"], row["min_s"], row["max_s"]) == (2.5, 1.0, 9.0)
    assert (row["launches"], row["repetitions"], row["status"], row["kind"]) == (2, 2, "ok", OK)
    assert (row["chose"], row["back_end"]) == ("bcast/linear", "Open MPI 4.1.4")


def test_a_faulty_launch_leaves_the_point_without_a_time() -> None:
    """Half of a measurement is none: the others' repetitions must not pass for the whole."""
    faulty = Outcome(FAILED, "wrong data: 3 elements")
    for seen in ([good(1.0), faulty], [faulty, good(1.0)]):
        row = measure._row(TASK, seen, 2, "c0ffee")
        assert [row[column] for column in ("median_s", "q1_s", "q3_s", "min_s", "max_s")] == [None] * 5
        assert (row["repetitions"], row["status"], row["kind"]) == (0, "wrong data: 3 elements", FAILED)
        assert row["back_end"] == "Open MPI 4.1.4"
