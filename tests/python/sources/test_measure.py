"""collscope.sources.measure: the rows of real runs, with a fake in place of mpirun."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import tiny_platform
from collscope.base.progress import Progress
from collscope.catalogue.registry import Registry
from collscope.machines.platform import content_hash
from collscope.points.plan import Layout, Point, Task, Timing
from collscope.points.table import Row, make_row
from collscope.sources import measure
from collscope.sources.outcome import FAILED, OK, Outcome
from collscope.sources.source import Options, Stopped

TASK = (Layout(tiny_platform.tiny(), 1, 4), Point("bcast", "bcast/linear", 8))


def good(*times: float) -> Outcome:
    return Outcome(
        OK,
        "ok",
        [(t / 2, t / 2, t, t / 4) for t in times],
        chose="bcast/linear",
        back_end="Open MPI 4.1.4",
        start="window",
    )


def row_of(task: Task, *launches: Outcome, keep_times: bool = False) -> Row:
    """The row of a task after these launches."""
    work = measure._Measurement([task], Options(launches=len(launches), keep_times=keep_times), None, "c0ffee")
    work.outcomes = [list(launches)]
    return work.rows()[0]


def test_repetitions_of_all_launches_are_taken_together() -> None:
    row = row_of(TASK, good(1.0, 3.0), good(2.0, 9.0))
    assert (row["median_s"], row["min_s"], row["max_s"]) == (2.5, 1.0, 9.0)
    assert (row["launches"], row["repetitions"], row["status"], row["kind"]) == (2, 2, "ok", OK)
    assert row["floor"] == (5.5 - 2.0) / 2 / 3.75, "of the launches' medians"
    assert (row["chose"], row["back_end"]) == ("bcast/linear", "Open MPI 4.1.4")


def test_a_faulty_launch_leaves_the_point_without_a_time() -> None:
    """Half of a measurement does not count: the others' repetitions must not pass for the whole."""
    faulty = Outcome(FAILED, "wrong data: 3 elements")
    for launches in ([good(1.0), faulty], [faulty, good(1.0)]):
        row = row_of(TASK, *launches)
        assert [row[column] for column in ("median_s", "q1_s", "q3_s", "min_s", "max_s")] == [None] * 5
        assert (row["repetitions"], row["status"], row["kind"]) == (0, "wrong data: 3 elements", FAILED)
        assert row["back_end"] == "Open MPI 4.1.4"


def test_a_row_has_every_cell() -> None:
    layout = Layout(tiny_platform.tiny(), 2, 8)
    point = Point("reduce", "reduce/linear", 30, type="double", op="max", root=3, in_place=True, metric="root")
    row = row_of((layout, point), good(4.0, 12.0, 20.0))
    assert row == make_row(
        source="real", platform="tiny", nodes=2, ranks=8, mapping="block", collective="reduce", algorithm="reduce/linear",
        bytes=240, block_bytes=240, type="double", op="max", in_place=1, root=3, metric="root", launches=1, repetitions=3,
        median_s=3.0, q1_s=2.0, q3_s=4.0, min_s=1.0, max_s=5.0, chose="bcast/linear", status="ok", kind="ok",
        back_end="Open MPI 4.1.4", sources_hash="c0ffee", platform_hash=content_hash(tiny_platform.tiny())[:12],
        outliers=0.0, unstable="few: 3 repetitions, an interval needs 6", start="window", buffers="warm",
    )  # fmt: skip
    nobody = row_of((Layout(None, 1, 4), point))
    assert [nobody[c] for c in ("platform", "platform_hash", "median_s", "launches", "repetitions", "kind")] == [
        "this_machine", "", None, 0, 0, "stopped",
    ]  # fmt: skip


def test_ranks_start_as_each_launch_says() -> None:
    launches = [replace(good(1.0), start=start) for start in ("window", "", "barrier", "window")]
    assert row_of(TASK, *launches)["start"] == "window/barrier"


def test_every_repetition_is_kept_with_keep_times() -> None:
    """In the order of launches and calls, of the point's metric; nothing of a launch that failed."""
    launches = [good(3.0, 1.0), good(2.5)]
    assert "times_s" not in row_of(TASK, *launches)
    assert row_of(TASK, *launches, keep_times=True)["times_s"] == "3 1 2.5"
    failed = row_of(TASK, *launches, Outcome(FAILED, "wrong"), keep_times=True)
    assert failed["times_s"] == ""


@pytest.mark.parametrize(("given", "made"), [(None, 10), (3, 3)])
def test_ten_calls_are_timed_after_two_to_warm_up_by_default(given: int | None, made: int) -> None:
    timing = Timing(given, until_ci=0.02, budget_s=3.0, buffers="cold")
    layout, point = measure.timed((TASK[0], replace(TASK[1], timing=timing)))
    assert point == replace(TASK[1], timing=replace(timing, repetitions=made, warmup=2)) and layout == TASK[0]


def test_the_algorithms_of_a_call_are_one_group_in_each_layout() -> None:
    other = Layout(tiny_platform.tiny(), 2, 8)
    calls = [Point("bcast", key, n) for n in (8, 9) for key in ("bcast/linear", "bcast/mst")] + [
        Point("bcast", "bcast/linear", 8, root=1)
    ]
    tasks = [(layout, point) for layout in (TASK[0], other) for point in calls]
    grouped = measure.in_rounds(tasks)
    assert [point.timing.group for _, point in grouped] == [1, 1, 2, 2, 0, 3, 3, 4, 4, 0]
    assert [(layout, replace(point, timing=Timing())) for layout, point in grouped] == tasks
    assert measure.in_rounds(grouped, interleaved=False) == tasks


@pytest.fixture
def fake(workplace: Path, known: Registry, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The fake in place of mpirun and the driver; the file in which it counts its launches."""
    script = Path(__file__).parents[1] / "helpers" / "fake_smpirun"
    monkeypatch.setenv("FAKE_COUNT", str(workplace / "count"))
    monkeypatch.setattr(measure.programs, "MPI_DRIVER", script)
    monkeypatch.setattr(measure.cache, "sources_hash", lambda *folders: "c0ffee" * 3)
    monkeypatch.setattr(measure.mpirun, "command", lambda ranks, nodes, mapping: [sys.executable, "-IS", script])
    return workplace / "count"


def test_a_group_that_breaks_is_measured_point_by_point(
    fake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In rounds nobody knows which of them broke: what did not end is started again, each by itself, and a note says so."""
    plans: list[list[tuple[str, int]]] = []
    real = measure.plan_text
    monkeypatch.setattr(
        measure, "plan_text", lambda points: plans.append([(n, p.timing.group) for n, p in points]) or real(points)
    )
    # Two calls of two algorithms each, which do not stand side by side; the fake dies on a count of 13.
    keys = ("bcast/linear", "bcast/mst")
    points = [
        Point("bcast", keys[0], 2),
        Point("bcast", keys[0], 13),
        Point("bcast", keys[1], 13),
        Point("bcast", keys[1], 2),
    ]
    rows = measure.run_tasks([(TASK[0], point) for point in points])
    assert plans == [
        [("0", 1), ("3", 1), ("1", 2), ("2", 2)],  # those of a group follow each other
        [("1", 0), ("2", 0)],
        [("2", 2)],
        [("2", 0)],
    ]
    assert [row["kind"] for row in rows] == ["ok", "died", "died", "ok"]
    notes = [line for line in capsys.readouterr().err.splitlines() if "a launch of 4 ranks ended: " in line]
    assert [note.rpartition("; ")[2] for note in notes] == [
        f"{n}: launched again, each by itself" for n in ("2 points", "1 point")
    ]


def test_points_in_rounds_have_the_time_of_all_of_them(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody hears which of them runs: 20 s a point and 5 s of measuring each are together those of three."""
    limits: list[tuple[float | None, float]] = []
    real = measure.launch.run
    monkeypatch.setattr(
        measure.launch, "run", lambda *a, **b: limits.append((b["limit_s"], b["silence_s"])) or real(*a, **b)
    )
    timing = Timing(until_ci=0.1, budget_s=5.0)
    tasks = [(TASK[0], Point("bcast", f"bcast/{name}", 2, timing=timing)) for name in ("linear", "mst", "chain")]
    for count, options in (
        (3, Options(point_timeout_s=20.0)), (1, Options(point_timeout_s=20.0)), (3, Options()),
        (3, Options(point_timeout_s=20.0, interleaved=False)),
    ):  # fmt: skip
        measure.run_tasks(tasks[:count], options)
    silence_s = measure.SILENCE_S
    assert limits == [(60.0, silence_s + 15), (20.0, silence_s + 5), (None, silence_s + 15), (20.0, silence_s + 5)]


def test_progress_names_a_call_with_how_many_run_in_rounds_with_it(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    progress = Progress("measuring", 4)
    named: list[str] = []
    monkeypatch.setattr(progress, "now", lambda worker, what: named.append(what))
    points = [
        Point("bcast", "bcast/linear", 5),
        *(Point("bcast", f"bcast/{name}", 2) for name in ("linear", "mst", "chain")),
    ]
    measure.run_tasks([(TASK[0], point) for point in points], progress=progress)
    assert ["in rounds with 2 others" in name for name in named] == [False, True, True, True]
    assert not any("rounds" in name for name in named[:1])


def test_points_that_the_user_stopped_are_marked(
    workplace: Path, known: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two launches the second was ended: no point has all of its repetitions, the first launch's stand."""
    launches: list[int] = []

    def launch(self: measure._Measurement, layout: Layout, points: list[tuple[str, Point]], number: int) -> None:
        launches.append(number)
        if number == 1:
            raise KeyboardInterrupt
        self.outcomes[0].append(good(1.0, 3.0))

    monkeypatch.setattr(measure._Measurement, "launch", launch)
    monkeypatch.setattr(measure.programs, "MPI_DRIVER", workplace)
    with pytest.raises(Stopped) as stopped:
        measure.run_tasks([TASK, (TASK[0], replace(TASK[1], count=9))], Options(launches=3, keep_times=True))
    assert launches == [0, 1]
    cells = [[row[c] for c in ("kind", "status", "launches", "median_s", "times_s")] for row in stopped.value.rows]
    assert cells == [["ok", "ok", 1, 2.0, "1 3"], ["stopped", "not finished", 0, None, ""]]


def test_a_mapping_s_file_is_written_for_mpirun(
    workplace: Path, known: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        measure.placement, "file_of", lambda mapping: workplace / "mine" if mapping == "file:mine" else None
    )
    monkeypatch.setattr(
        measure.placement, "rankfile_for_mpirun", lambda *words: f"{words[0].name} {words[2]} {words[3]}"
    )
    calls: list[tuple[object, ...]] = []
    started = replace(measure.LOCAL, hosts=("a",))
    monkeypatch.setattr(type(started), "command", lambda self, *words: calls.append(words) or ["x"])
    for mapping, platform in (("file:mine", TASK[0].platform), ("file:mine", None), ("block", TASK[0].platform)):
        measure.command(Layout(platform, 1, 4, mapping), [("a", TASK[1])], workplace, started)
    driver = [measure.programs.MPI_DRIVER, "--plan", workplace / "plan.txt"]
    assert calls == [
        (["--rankfile", workplace / "ranks.txt", *driver], 4, 1, "file:mine"), (driver, 4, 1, "file:mine"), (driver, 4, 1, "block"),
    ]  # fmt: skip
    assert (workplace / "ranks.txt").read_text() == "mine 4 localhost"
    assert (workplace / "plan.txt").read_text() == f"id=a {TASK[1].text()}\n"


def test_launches_follow_each_other_and_each_measures_every_layout(
    fake: Path, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two layouts, two launches; a point that died has no time of its own; rows are told as soon as they are complete."""
    points = [Point("bcast", "bcast/linear", count) for count in (2, 13, 8)]
    tasks = [(TASK[0], points[0]), (Layout(TASK[0].platform, 2, 6), points[2]), (TASK[0], points[1])]
    bar, complete = Progress("", 6), list[Row]()
    rows = measure.run_tasks(tasks, Options(launches=2, on_row=complete.append), bar)
    assert [(row["kind"], row["launches"], row["repetitions"], row["bytes"]) for row in rows] == [
        ("ok", 2, 1, 8), ("ok", 2, 1, 32), ("died", 2, 0, 52),
    ]  # fmt: skip
    assert complete == [rows[0], rows[2], rows[1]], "by layout"
    assert rows[0]["median_s"] == 1e-6 * 3 / 3
    assert rows[2]["status"] == "launch failed: deadlock detected: fault"
    assert {row["sources_hash"] for row in rows} == {"c0ffeec0ffee"}
    assert bar.done == 6
    launched = [path.stem.rpartition("-")[2] for path in (workplace / ".cache" / "raw").glob("real-*.jsonl")]
    assert sorted(launched) == ["4x0", "4x1", "6x0", "6x1"], "ranks and number of each launch"
    assert fake.read_text().count("\n") == 4
    assert measure.rows(tasks[:1], Options(launches=2, quiet=True)) == rows[:1]
    assert capsys.readouterr().err == ""
