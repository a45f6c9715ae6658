"""collscope.synthesis.search, collscope.synthesis.report, collscope.commands.synthesise: the whole search, and what it leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.points.plan import Layout, Point
from collscope.schedules import from_file
from collscope.synthesis import improve, pareto, report, search
from collscope.synthesis.schedule import Schedule
from collscope.synthesis.search import Task
from command_line import call

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def task(layout: Layout, **given: object) -> Task:
    point = Point("allreduce", "synthesised", 4096)
    return replace(Task(layout, point, 600.0, methods=("reordered",), tries=30), **given)


def test_the_same_seed_finds_the_same_and_never_less_than_the_catalogue_has(two_nodes: Layout, workplace: Path) -> None:
    first, second = (search.run(task(two_nodes)) for _ in range(2))
    assert first.best and first.catalogue and second.best
    assert first.best.seconds <= first.catalogue["median_s"] * report.AS_FAST
    assert first.best.schedule == second.best.schedule
    assert first.loggp_s <= first.best.seconds


def test_schedules_found_before_the_user_stops_are_written_and_right(
    two_nodes: Layout, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(improve, "improved", stop)
    outcome = search.run(task(two_nodes))
    assert outcome.stopped and outcome.best
    written = report.write(task(two_nodes), outcome, workplace / "found")
    assert [path.name for path in written] == ["best.schedule", "reordered.schedule", "best.xml"]
    assert from_file.fault(from_file.read(written[0])) == ""


def test_a_search_that_is_stopped_within_the_solver_keeps_what_the_solver_found(
    two_nodes: Layout, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ortools")
    whole = pareto.cheapest
    monkeypatch.setattr(pareto, "cheapest", lambda *given: replace(whole(*given), stopped=True))
    outcome = search.run(task(two_nodes, methods=("exact", "greedy"), time_s=5.0))
    assert outcome.stopped and [found.method for found in outcome.candidates] == ["exact"]


def test_a_search_that_is_stopped_before_it_found_anything_says_so(
    two_nodes: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points of the catalogue that are kept are nothing that the search would go on from."""

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "_catalogue", stop)
    with pytest.raises(UserError, match="before anything was found; nothing is written"):
        search.run(task(two_nodes))


def test_a_schedule_that_is_wrong_is_left_out_and_named(
    two_nodes: Layout, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A schedule without its last operation is fast, and wrong."""
    right = improve.variants

    def cut_short(method: str, what: str, base: object, judge: object, parts: tuple[int, ...] = (1,)) -> object:
        made = right(method, what, base, judge, parts)  # type: ignore[arg-type]
        assert made
        ranks = tuple(of_rank[:1] if what.endswith("ring") else of_rank for of_rank in made.schedule.ranks)
        return replace(made, schedule=replace(made.schedule, ranks=ranks), seconds=made.seconds)

    monkeypatch.setattr(improve, "variants", lambda *given: cut_short(*given))
    monkeypatch.setattr(improve, "improved", lambda start, *_: start)
    monkeypatch.setattr(search, "_catalogue", lambda _: [{"algorithm": "allreduce/ring", "median_s": 1.0}])
    outcome = search.run(task(two_nodes))
    assert outcome.best is None and "reordered, allreduce/ring" in outcome.wrong[0]
    assert "Nothing was found." in report.sentences(task(two_nodes), outcome)


def test_the_fastest_of_a_method_that_is_right_stands_for_it() -> None:
    """However many faster ones are wrong, and each of these is named."""
    base = Schedule("call", "right", (0,), ((),))
    found = [
        improve.Candidate(method, f"in {s} s", replace(base, origin=origin), s)
        for method, s, origin in (
            ("greedy", 1.0, "wrong"), ("greedy", 4.0, "right"), ("greedy", 2.0, "wrong"), ("greedy", 3.0, "right"),
            ("exact", 5.0, "right"),
        )
    ]  # fmt: skip
    judge = SimpleNamespace(fault=lambda made: "" if made.origin == "right" else "it is wrong")
    best, wrong = search._right(SimpleNamespace(found=found, judge=judge))  # type: ignore[arg-type]
    assert [(one.method, one.seconds) for one in best] == [("greedy", 3.0), ("exact", 5.0)]
    assert wrong == ("greedy, in 1.0 s: it is wrong", "greedy, in 2.0 s: it is wrong")


@pytest.mark.parametrize(
    ("collective", "size"),
    [
        ("allreduce", 4097),
        ("reduce_scatter", 4097),
        ("reduce_scatter_block", 16388),
        ("bcast", 16388),
        ("allgather", 16388),
    ],
)
def test_a_block_is_a_part_of_the_vector_where_that_is_cut(collective: str, size: int, two_nodes: Layout) -> None:
    assert search._block_bytes(task(two_nodes, point=Point(collective, "", 4097, type="float"))) == size


def test_the_command_says_what_it_found_and_what_to_doubt(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, workplace: Path
) -> None:
    pytest.importorskip("ortools")
    out = tmp_path / "found"
    where = ("-c", "bcast", "--on", "ib_multicore", "--nodes", "2", "--ranks", "4", "--bytes", "64KiB")
    status, printed, _ = call(capsys, "synthesise", *where, "--tries", "20", "--time", "20s", "--out", str(out))
    text = " ".join(printed.split())
    assert status == 0 and " catalogue " in text and "No makespan is below the LogGP bound" in text
    assert "Solver: " in text and "schedules timed." in text
    assert (out / "best.schedule").exists() and not list(out.glob(".*"))


def test_the_command_says_what_bounds_a_walk_over_a_published_network(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, workplace: Path
) -> None:
    pytest.importorskip("ortools")
    shape = ("--chunks", "2", "--steps", "2", "--rounds", "3", "--time", "10min", "--out", str(tmp_path / "found"))
    status, printed, err = call(capsys, "synthesise", "-c", "allgather", "--network", "dgx1", *shape)
    assert status == 0, err
    assert "No schedule has fewer than 2 steps, or than 7/6 rounds per chunk" in " ".join(printed.split())
    assert (tmp_path / "found" / "allgather.chunks2.steps2.rounds3.schedule").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--on ib_multicore", "name the collective with -c"),
        ("-c barrier --on ib_multicore --bytes 1KiB", "barrier: not synthesised; choose bcast"),
        ("-c bcast", "name a machine with --on, or a published network with --network"),
        ("-c bcast --network dgx2", 'unknown network "dgx2"; did you mean "dgx1"?'),
        ("-c bcast --on ib_multicore", "give the size of the vector with --bytes"),
        ("-c bcast --on ib_multicore --bytes 1KiB --methods slow", 'unknown method "slow"'),
        ("-c bcast --on ib_multicore --bytes 1KiB --time 5", '--time: cannot read "5"'),
    ],
)
def test_requests_that_cannot_be_met_are_refused(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "synthesise", *words.split())
    assert status == 2 and message in " ".join(err.split())
