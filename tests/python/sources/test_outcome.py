"""What becomes of a driver's lines about one point."""

from __future__ import annotations

from collscope.sources.outcome import Outcome, of_reply, summarise


def test_statistics() -> None:
    reps = [[[1.0, 2.0, 3.0, 9.0], [1.0, 3.0, 5.0, 8.0]], [[1.0, 4.0, 7.0, 7.0]]]
    makespan = summarise(reps, "makespan")
    assert (makespan["min_s"], makespan["q1_s"], makespan["median_s"], makespan["q3_s"], makespan["max_s"]) == (
        3,
        4,
        5,
        6,
        7,
    )
    assert summarise(reps, "root")["median_s"] == 8
    assert summarise(reps, "osu_avg")["median_s"] == 3.25  # means of the launches: 2.5 and 4
    assert summarise([], "makespan")["median_s"] is None
    assert summarise([[[0.1, 0.1, 0.1, 0.1]]], "makespan")["q3_s"] == 0.1


def test_a_reply_says_of_which_kind_it_is() -> None:
    reps = [[1.0, 1.0, 1.0, 1.0]]
    meta = {"library": "Open MPI v4.1.4, package: Debian\nmore"}
    line = {"kind": "ok", "status": "ok", "chose": "bcast/mst", "checked": True}
    assert of_reply(line, reps, meta) == Outcome("ok", "ok", reps, "bcast/mst", 1, "Open MPI v4.1.4")
    assert of_reply(line, [], {}) == Outcome("failed", "the driver gave no repetition", [], "bcast/mst", 1)
    for kind in ("unsupported", "wrong", "died"):
        outcome = of_reply({"kind": kind, "status": "a reason"}, reps, {})
        assert (outcome.kind, outcome.status, outcome.reps) == (kind, "a reason", [])
    assert Outcome(**of_reply(line, reps, meta).plain()) == of_reply(line, reps, meta)
