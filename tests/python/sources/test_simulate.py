"""collscope.sources.simulate, collscope.sources.smpirun: launches, caching and failures, with a fake in place of smpirun."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from collscope.base import cache, depends, paths, programs
from collscope.base.errors import UserError
from collscope.base.progress import Progress
from collscope.catalogue.registry import Registry
from collscope.machines import find
from collscope.machines.platform import content_hash, smpirun_args
from collscope.points.plan import Layout, Point, Timing
from collscope.points.table import Row, make_row
from collscope.sources import forecast, launch, simulate, smpirun
from collscope.sources.cluster import Cluster
from collscope.sources.rows import failed
from collscope.sources.source import Options, Stopped
from tiny_platform import tiny


def points(*counts: int, check: bool = False) -> list[Point]:
    return [Point("bcast", "bcast/linear", count, check=check) for count in counts]


@pytest.fixture
def fake(workplace: Path, known: Registry, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Puts the fake first on the PATH; yields the file in which it counts its launches."""
    programs = workplace / "bin"
    programs.mkdir()
    script = Path(__file__).parents[1] / "helpers" / "fake_smpirun"
    (programs / "smpirun").write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{script}" "$@"\n')
    (programs / "smpirun").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_COUNT", str(workplace / "count"))
    monkeypatch.setattr(cache, "sources_hash", lambda *folders: "c0ffee" * 3)
    smpirun.version.cache_clear()
    yield workplace / "count"
    smpirun.version.cache_clear()


def run(*some: Point, progress: Progress | None = None, **options: Any) -> list[Row]:
    layout = Layout(tiny(), 1, 4)
    return simulate.run_tasks([(layout, point) for point in some], Options(**options), progress)


def test_rows_come_in_order_with_every_digit(fake: Path) -> None:
    bar = Progress("", 3)
    rows = run(*points(3000, 1, 0), progress=bar)
    assert [row["median_s"] for row in rows] == [1e-6 * 3001 / 3, 1e-6 * 2 / 3, 1e-6 / 3]
    assert {row["chose"] for row in rows} == {"bcast/linear"}
    assert rows[0]["bytes"] == 12000
    assert rows[0]["back_end"] == "SimGrid 3.32"
    assert bar.done == 3
    assert bar.share == pytest.approx(1)


def test_the_second_time_nothing_runs(fake: Path) -> None:
    first = run(*points(1, 2, 3))
    launches = fake.read_text()
    bar = Progress("", 3)
    assert run(*points(1, 2, 3), progress=bar) == first
    assert fake.read_text() == launches
    assert (bar.done, bar.share) == (3, 0)
    run(*points(1, 2, 3), force=True)
    assert fake.read_text() != launches


def test_data_is_only_held_when_it_is_checked(fake: Path) -> None:
    run(*points(1, 2), *points(3, check=True))
    assert sorted(fake.read_text().splitlines()) == ["1 False", "2 True"]


def test_unsupported_points_say_why_and_are_no_failure(fake: Path) -> None:
    rows = run(*points(7, 8))
    assert [row["status"] for row in rows] == ["needs an even count", "ok"]
    assert [row["kind"] for row in rows] == ["unsupported", "ok"]
    assert rows[0]["median_s"] is None
    assert not failed(rows)


def test_a_crash_names_the_point_and_keeps_the_others(fake: Path) -> None:
    rows = run(*points(1, 13, 14, 15))
    assert [row["status"] for row in rows] == ["ok", "simulation failed: deadlock detected: fault", "ok", "ok"]
    assert rows[1]["kind"] == "died"
    assert failed(rows) == [rows[1]]
    before = len(fake.read_text().splitlines())
    run(*points(1, 13, 14, 15))  # only the one that failed is tried again
    assert fake.read_text().splitlines()[before:] == ["1 True"]


def test_a_point_that_the_driver_could_not_do_is_tried_again(fake: Path) -> None:
    rows = run(*points(1, 11))
    assert [(row["kind"], row["status"]) for row in rows] == [("ok", "ok"), ("failed", "unknown algorithm")]
    before = len(fake.read_text().splitlines())
    assert run(*points(1, 11)) == rows
    assert fake.read_text().splitlines()[before:] == ["1 True"]


def test_another_build_of_the_same_sources_simulates_again(
    fake: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after work with a driver that was older than its sources, which is what it was built of now."""
    for name in ("SIM_DRIVER", "PLUGIN"):
        built = workplace / name
        monkeypatch.setattr(programs, name, built)
        for content, launches in (("older", 1), ("older", 0), ("new", 1), ("older", 0)):
            before = len(fake.read_text().splitlines()) if fake.exists() else 0
            built.write_text(content)
            run(*points(1))
            assert len(fake.read_text().splitlines()) == before + launches, f"{name}: {content}"


def test_wrong_data_is_a_failure(fake: Path) -> None:
    rows = run(*points(5, check=True))
    assert (rows[0]["kind"], rows[0]["status"]) == ("wrong", "wrong data: 3 elements")
    assert rows[0]["median_s"] is None
    assert failed(rows)


def test_a_platform_that_does_not_load_is_explained(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_REFUSE", "1")
    with pytest.raises(UserError, match=r"tiny, 1 nodes, 4 ranks did not start: xbt: Parse error at platform.xml:3"):
        run(*points(1))


def test_a_missing_smpirun_is_explained(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UserError, match="smpirun: not found"):
        run(*points(1))


@pytest.mark.parametrize(
    ("printed", "version"),
    [("SimGrid version 3.32", "3.32"), ("SimGrid version 3.36.1 (release)", "3.36.1"), ("SimGrid", "unknown")],
)
def test_the_version_is_read_from_smpirun(printed: str, version: str, fake: Path) -> None:
    (fake.parent / "bin" / "smpirun").write_text(f'#!/bin/sh\ntest "$1" = -version && echo "{printed}"\n')
    smpirun.version.cache_clear()
    assert smpirun.version() == version


def test_builtin_is_not_simulated(fake: Path) -> None:
    rows = run(Point("bcast", "bcast/builtin", 1))
    assert "decision/ompi_4_1" in str(rows[0]["status"])
    assert not fake.exists()


def test_stopping_keeps_what_is_finished_and_ends_the_launch(
    fake: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Ctrl-C does it: the exception comes up in the main thread while a launch is busy."""
    busy = workplace / "pid"
    monkeypatch.setenv("FAKE_PID", str(busy))

    class Stopping(Progress):
        def __call__(self, n: int, share: float = 0.0) -> None:
            if n:
                while not (busy.exists() and busy.read_text()):
                    time.sleep(0.01)
                raise KeyboardInterrupt

    with pytest.raises(Stopped) as stopped:
        run(*points(200, 99), progress=Stopping("", 2))
    assert [row["kind"] for row in stopped.value.rows] == ["ok", "stopped"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(busy.read_text()), 0)
    assert run(*points(200))[0]["status"] == "ok"
    assert len(fake.read_text().splitlines()) == 1, "it came from the cache"


def test_a_key_changes_with_all_that_a_number_depends_on(known: Registry) -> None:
    first, other = tiny(), tiny()
    layout, point = Layout(first, 2, 4, "block"), Point("bcast", "bcast/linear", 8)
    origin = simulate.Origin("c0ffee", "built", "3.32", {id(first): "0123", id(other): "4567"})
    keys = [
        origin.key(layout, point),
        replace(origin, sources="decaf").key(layout, point),
        replace(origin, build="older").key(layout, point),
        replace(origin, simgrid="3.35").key(layout, point),
        origin.key(replace(layout, platform=other), point),
        origin.key(replace(layout, nodes=4), point),
        origin.key(replace(layout, ranks=3), point),
        origin.key(replace(layout, mapping="cyclic"), point),
    ]
    changes: dict[str, object] = {
        "collective": "reduce", "algorithm": "bcast/mst", "count": 9, "type": "double", "op": "max", "root": 1,
        "in_place": True, "metric": "loop", "check": True, "skew": "linear:1e-06", "timing": Timing(2), "counts": "linear",
    }  # fmt: skip
    assert set(changes) == {f.name for f in fields(Point)}
    keys += [origin.key(layout, replace(point, **{name: value})) for name, value in changes.items()]
    assert len(set(keys)) == len(keys)
    keys += [origin.key(layout, replace(point, timing=Timing(**how))) for how in ({"warmup": 1}, {"buffers": "fresh"})]
    assert len(set(keys)) == len(keys)
    assert origin.key(layout, replace(point, metric="root")) == keys[0], "read from the same simulation"
    delayed = replace(point, skew="linear:1e-06", metric="delay")
    assert origin.key(layout, delayed) != origin.key(layout, replace(delayed, metric="makespan")), "a delay has its own"


def test_a_mapping_s_file_is_known_by_its_text(tmp_path: Path) -> None:
    origin, platform = simulate.Origin("c0ffee", "built", "3.32", {}), tiny()
    origin.platforms[id(platform)] = "0123"
    keys = []
    for name, slot in (("one", 0), ("other", 1), ("copy", 1)):
        (tmp_path / name).write_text(f"rank 0=+n0 slot={slot}\n")
        keys.append(origin.key(Layout(platform, 1, 1, f"file:{tmp_path / name}"), points(8)[0]))
    assert keys[0] != keys[1] == keys[2]


def test_compiler_flags_are_among_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    hashes = [cache.sources_hash(*depends.SIMULATION)]
    for name in (
        "CMakeLists.txt",
        "CMakePresets.json",
        "algorithms/a.c",
        "driver/b.h",
        "sim/c.cpp",
        "sim/CMakeLists.txt",
        "core/runtime/x.c",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("-O2")
        hashes.append(cache.sources_hash(*depends.SIMULATION))
    assert len(set(hashes)) == len(hashes)


def test_a_point_over_the_limit_is_given_up_and_the_rest_goes_on(
    fake: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that runs while the point that never ends is at work, and stands otherwise."""
    busy, bar, seconds = workplace / "pid", Progress("", 3), [1.0]
    monkeypatch.setenv("FAKE_PID", str(busy))

    def clock() -> float:
        with contextlib.suppress(FileNotFoundError, ValueError, ProcessLookupError):
            os.kill(int(busy.read_text()), 0)
            seconds.append(seconds[-1] + bool(bar.done))  # the point before it has been heard of
        return seconds[-1]

    monkeypatch.setattr(launch, "time", SimpleNamespace(monotonic=clock))
    rows = run(*points(200, 99, 1), progress=bar, jobs=1, point_timeout_s=0.3)
    assert [row["kind"] for row in rows] == ["ok", "limit", "ok"]
    assert rows[1]["median_s"] is None
    assert "--point-timeout" in str(rows[1]["status"])
    assert not failed(rows)
    before = len(fake.read_text().splitlines())
    run(*points(200, 99, 1), jobs=1, point_timeout_s=0.3)
    assert fake.read_text().splitlines()[before:] == ["1 True"], "it was not kept, and the others were"


def test_the_running_point_is_named(fake: Path) -> None:
    class Names(Progress):
        def now(self, worker: object, what: str | None) -> None:
            named.append(what)

    named: list[str | None] = []
    run(*points(2, 1), jobs=1, progress=Names("", 2))
    assert named == ["bcast/linear, 8 B, 4 ranks on 1 node", "bcast/linear, 4 B, 4 ranks on 1 node", None]


def test_a_row_has_every_cell(fake: Path) -> None:
    """The fake's times: the least half, the mean three quarters of the largest; the root's 0."""
    layout, call = Layout(tiny(), 2, 8, "cyclic"), Point("reduce", "reduce/linear", 30, op="max", root=3, in_place=True)
    last = 1e-6 * 31 / 3
    for metric, time_s in (("makespan", last), ("loop", 0.75 * last), ("osu_avg", 0.75 * last), ("root", 0.0)):
        (row,) = simulate.run_tasks([(layout, replace(call, metric=metric, type="double"))])
        assert row == make_row(
            source="sim", platform="tiny", nodes=2, ranks=8, mapping="cyclic", collective="reduce", algorithm="reduce/linear",
            bytes=240, block_bytes=240, type="double", op="max", in_place=1, root=3, metric=metric, launches=1, repetitions=1,
            **dict.fromkeys(("median_s", "q1_s", "q3_s", "min_s", "max_s"), time_s), chose="bcast/linear", status="ok",
            kind="ok", back_end="SimGrid 3.32", sources_hash="c0ffeec0ffee", platform_hash=content_hash(tiny())[:12],
        ), metric  # fmt: skip


def test_only_tasks_without_a_kept_number_are_left(fake: Path) -> None:
    layout = Layout(tiny(), 1, 4)
    tasks = [(layout, point) for point in [*points(1, 2, 13, 1), Point("bcast", "bcast/builtin", 1)]]
    assert simulate.left(tasks) == [tasks[0], tasks[1], tasks[2]]
    simulate.run_tasks(tasks[:3])
    assert simulate.left(tasks) == [tasks[2]], "what broke is tried again"


@pytest.mark.parametrize(("metric", "calls"), [("makespan", 1), ("loop", 10), ("osu_avg[barrier=barrier/tree]", 2)])
@pytest.mark.parametrize("given", [None, 7])
def test_one_call_tells_all_but_in_a_loop(metric: str, calls: int, given: int | None) -> None:
    how = Timing(given, until_ci=0.02, budget_s=5.0, buffers="fresh")
    task = (Layout(tiny(), 1, 4), Point("bcast", "bcast/linear", 1, metric=metric, timing=how))
    layout, point = simulate.timed(task)
    assert point.timing == Timing(given or calls, 2 if "barrier" in metric else 0, buffers="fresh")
    assert simulate.timed((layout, point)) == (layout, point)


def test_as_many_simulations_run_as_there_are_workers_jobs_or_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5})
    options = (Options(), Options(jobs=4), Options(jobs=4, cluster=Cluster(None, 7)))
    assert [simulate.workers(one) for one in options] == [3, 4, 7]


def test_further_metrics_are_read_from_the_same_calls(fake: Path) -> None:
    rows = run(*points(1, 13, 2), also_metrics=("root",))
    assert [(row["metric"], row["bytes"], row["median_s"]) for row in rows] == [
        ("makespan", 4, 1e-6 * 2 / 3), ("makespan", 52, None), ("makespan", 8, 1e-6 * 3 / 3), ("root", 4, 0.0), ("root", 8, 0.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("took_s", "says"), [(59.9, ""), (60.0, "simulating: 1 points; 1 to simulate, 4 at a time: about 60 s")]
)
def test_a_minute_is_announced(
    took_s: float, says: str, fake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(forecast, "work_s", lambda tasks, jobs: took_s)
    task = (Layout(tiny(), 1, 4), points(1)[0])
    simulate.rows([task], Options(jobs=4))
    assert capsys.readouterr().err == (f"collscope: {says} (by their operations); {simulate.HINT}\n" if says else "")
    simulate.rows([task], Options(jobs=4))
    simulate.rows([task], Options(jobs=4, force=True, quiet=True))
    assert capsys.readouterr().err == "", "it is cached; and quiet is quiet"
    simulate.rows([task], Options(title="mine", jobs=4))
    assert capsys.readouterr().err == "collscope: mine: 1 points, all of them cached\n"
    simulate.rows([task], Options(title="mine", jobs=4, force=True))
    assert capsys.readouterr().err.startswith("collscope: mine: 1 points; 1 to simulate")


def test_a_run_tells_how_fast_this_machine_is(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One launch keeps one core busy, whatever number could run; where a run before tells the speed nothing is learnt."""
    learnt: list[tuple[float, ...]] = []
    monkeypatch.setattr(forecast, "learn", lambda *seconds: learnt.append(seconds))
    monkeypatch.setattr(forecast, "work_s", lambda tasks, jobs: 7.0 * len(tasks))
    monkeypatch.setattr(simulate, "time", SimpleNamespace(monotonic=iter((100.0, 130.0, 200.0)).__next__))
    run(*points(1, 2), jobs=8)
    run(*points(3), jobs=8, speed=1.0)
    assert learnt == [(14.0, 30.0)]


def test_the_command_line_of_smpirun_has_hosts_platform_and_plan(tmp_path: Path, known: Registry) -> None:
    layout = Layout(tiny(), 2, 3, "cyclic")
    for check in (False, True):
        words = smpirun.command(layout, [("a", point) for point in points(1, check=check)], tmp_path)
        assert words[:5] == ["smpirun", "-np", "3", "-hostfile", "hosts.txt"]
        at = words.index(programs.SIM_DRIVER)
        assert words[5:at] == smpirun_args(tiny())
        assert words[at + 1 :] == ["--plan", "plan.txt", *([] if check else ["--shared-buffers"])]
    assert (tmp_path / "hosts.txt").read_text() == "host0\nhost4\nhost1\n"
    assert (tmp_path / "plan.txt").read_text() == f"id=a {points(1, check=True)[0].text()}\n"


def test_the_environment_of_smpirun_has_the_platform_and_what_makes_it_faster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where that is built, and where the linker knows its path; what is preloaded besides stays."""
    layout, plain = Layout(tiny(), 2, 3, "cyclic"), {"TMPDIR": ".", "COLLSCOPE_PLATFORM": str(tiny().xml)}
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    for name, built in (("untimed.so", False), ("untimed.so", True), ("with blanks.so", True)):
        monkeypatch.setattr(programs, "UNTIMED", tmp_path / name)
        if built:
            programs.UNTIMED.touch()
        more = {"LD_PRELOAD": str(programs.UNTIMED)} if built and " " not in name else {}
        assert smpirun.environment(layout) == plain | more
    monkeypatch.setattr(programs, "UNTIMED", tmp_path / "untimed.so")
    monkeypatch.setenv("LD_PRELOAD", "other.so")
    assert smpirun.environment(Layout(None, 1, 1)) == {
        "TMPDIR": ".",
        "LD_PRELOAD": f"{tmp_path}/untimed.so:other.so",
    }


@pytest.mark.skipif(not programs.UNTIMED.exists(), reason="build/smpi is not made")
def test_a_thread_s_processor_time_stands_still_and_no_other_clock_does() -> None:
    program = "import time; print(sum(range(10**5)) and time.thread_time(), time.process_time() and time.time() and 1)"
    words = [sys.executable, "-ISc", program]
    assert programs.answer(words, env={"LD_PRELOAD": str(programs.UNTIMED)}).stdout.split() == ["0.0", "1"]


def test_a_platform_may_be_too_large_to_be_simulated(known: Registry) -> None:
    point = Point("bcast", "bcast/binomial", 1)
    simulate.check_platforms([(Layout(find.load("ideal"), 16384, 16384), point)])
    large = find.load("schooner[nodes=4096,topology=switch]")
    with pytest.raises(UserError, match=r"4096 nodes are too many for a simulation: at most 2048"):
        simulate.check_platforms([(Layout(large, 4, 4), point)])
