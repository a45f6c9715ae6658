"""collscope.sources.outcome: what becomes of a driver's lines about one point."""

from __future__ import annotations

from collscope.sources.outcome import Outcome, back_end, of_reply, summarise


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


def test_each_metric_takes_its_own_column() -> None:
    """Least, mean, largest and root's of three repetitions and of two, in no order; a launch without any does not count."""
    first = [[1.0, 20.0, 300.0, 4000.0], [2.0, 10.0, 700.0, 3000.0], [3.0, 60.0, 500.0, 9000.0]]
    second = [[4.0, 50.0, 200.0, 1000.0], [5.0, 40.0, 900.0, 7000.0]]
    names = ("min_s", "q1_s", "median_s", "q3_s", "max_s")
    for metric, values in (
        ("makespan", (200, 300, 500, 700, 900)),
        ("root", (1000, 3000, 4000, 7000, 9000)),
        ("loop", (10, 20, 40, 50, 60)),
        ("osu_avg", (30, 33.75, 37.5, 41.25, 45)),  # means of the launches: 30 and 45
    ):
        assert summarise([first, second, []], metric) == dict(zip(names, values, strict=True)), metric
        assert summarise([[]], metric) == dict.fromkeys(names)


def test_the_back_end_is_the_library_with_its_version() -> None:
    assert back_end({"library": "", "back_end": "MPICH Version: 4.0.2\nmore, words"}) == "MPICH Version: 4.0.2"
    assert back_end({"library": "SimGrid 3.32 , x", "back_end": "smpi"}) == "SimGrid 3.32"
    assert back_end({}) == ""
    assert of_reply({"kind": "ok", "status": "ok"}, [[1.0] * 4], {}) == Outcome("ok", "ok", [[1.0] * 4], "", 0, "")
