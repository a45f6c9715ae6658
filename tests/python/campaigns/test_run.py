"""collscope.campaigns.run, collscope.campaigns.campaign: from a file to a report, with sources that answer by formulas."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from collscope.base import programs
from collscope.campaigns import campaign as campaigns
from collscope.campaigns import report, run
from collscope.campaigns.preparation import Prepared
from collscope.catalogue.registry import Registry
from collscope.points import table
from collscope.points.plan import Layout, Point, Task, Timing
from collscope.points.table import Row
from collscope.sources import bounds
from collscope.sources.idle import Busy
from collscope.sources.source import Options, Source, Stopped
from made_rows import row_of
from refusals import refusal
from tiny_platform import tiny

MINE = """
title = "A title"
about = "About it."
platform = "tiny"
baselines = ["decision/ompi_4_1"]
without = ["barrier", "topology", "gap"]
noise = 3
[measure]
source = "real"
launches = 2
repetitions = 4
[quick]
bytes = "4B"
[[calls]]
collectives = ["bcast"]
algorithms = ["linear", "mst"]
nodes = [2]
ranks_per_node = 2
bytes = "4B,1KiB"
"""
KEYS = ["bcast/linear", "bcast/mst[dest=first]"]
CALLS = [(key, size) for size in (4, 1024) for key in KEYS]  # those of [[calls]]
SPREADS = {call: (k + 1) / 10 for k, call in enumerate(CALLS)}  # (q3 - q1) / median of each


@dataclass
class World:
    """The calls that the sources get, and their rows."""

    predicted: list[tuple[str, int, list[Point]]] = field(default_factory=list)  # platform, draws, points
    measured: list[tuple[list[tuple[str, int]], Options]] = field(default_factory=list)
    ends_after: int | None = None  # so many calls: then the user ends it
    broken: tuple[str, int] | None = CALLS[1]
    made: list[report.Comparison] = field(default_factory=list)

    def model(self, tasks: Sequence[Task], options: Options) -> list[Row]:
        self.predicted.append((tasks[0][0].platform_name, options.noise, [point for _, point in tasks]))
        chosen = {"decision/ompi_4_1": KEYS[0]}
        return [row_of(*task, "model", 1e-6, chose=chosen.get(task[1].algorithm, "")) for task in tasks]

    def real(self, tasks: Sequence[Task], options: Options) -> list[Row]:
        assert {point.timing for _, point in tasks} <= {Timing(4)}
        calls = [(point.algorithm, point.count) for _, point in tasks]
        self.measured.append((calls, options))
        rows = []
        for number, (call, task) in enumerate(zip(calls, tasks, strict=True)):
            if number == self.ends_after:
                raise Stopped([*rows, *(row_of(*one, "real", None, kind="stopped") for one in tasks[number:])])
            bad, half = call == self.broken, SPREADS[call] / 2
            rows.append(
                row_of(*task, "real", None, kind="died", status="broke")
                if bad
                else row_of(*task, "real", 2e-6, q1_s=(1 - half) * 2e-6, q3_s=(1 + half) * 2e-6, back_end="Open MPI 9")
            )
            options.on_row(rows[-1])
        return rows


@pytest.fixture
def world(workplace: Path, known: Registry, monkeypatch: pytest.MonkeyPatch) -> World:
    there = World()
    monkeypatch.setitem(run.SOURCES, "model", Source("model", there.model))
    monkeypatch.setitem(run.SOURCES, "real", Source("real", there.real))
    monkeypatch.setattr(run.find, "load", lambda name: replace(tiny(), name=name))
    monkeypatch.setattr(run.overrides, "left_out", lambda platform, name: f"{platform} without {name}")
    written = run.report.write
    monkeypatch.setattr(run.report, "write", lambda made, folder: there.made.append(made) or written(made, folder))
    monkeypatch.setattr(report, "_figures", lambda made, folder: [])
    busy = itertools.cycle([[Busy("", 2, 0.01)], [Busy("n1", 4, 0.5, 0.3)]])
    monkeypatch.setattr(run.idle, "of_hosts", lambda launcher, nodes: next(busy))
    (workplace / "mine.toml").write_text(MINE)
    return there


def short(folder: Path) -> Path:
    """The campaign without what takes long to compare."""
    path = folder / "mine.toml"
    path.write_text(MINE.replace('["barrier", "topology", "gap"]', "[]").replace('["decision/ompi_4_1"]', "[]"))
    return path


def test_a_campaign_predicts_measures_and_reports_every_call(world: World, workplace: Path) -> None:
    out = workplace / "out"
    assert run.run(str(workplace / "mine.toml"), out=str(out)) == out
    calls = [Point("bcast", key, size, type="byte") for key, size in CALLS]
    more = [replace(calls[0], algorithm="decision/ompi_4_1"), replace(calls[2], algorithm="decision/ompi_4_1")]
    assert world.predicted == [
        ("tiny", 3, [*calls, *more]), ("tiny", 0, calls), ("tiny[topology=switch]", 0, calls), ("tiny without gap", 0, calls),
    ]  # fmt: skip
    ((calls_measured, options),) = world.measured
    assert calls_measured == CALLS
    assert replace(options, on_row=Options().on_row) == Options(launches=2, point_timeout_s=60.0, keep_times=True)
    (made,) = world.made
    assert (made.title, made.about, made.quick) == ("A title", "About it.", False)
    setting = dict(made.setting)
    assert (setting["measured"], setting["ranks"]) == ("real: Open MPI 9", "4")
    assert setting["noise"] == "no band: the platform does not say how much its messages' times vary"
    assert setting["others' work"] == (
        "before measuring: idle, after: n1 0.5 of 4 cores busy (other virtual machines 0.3)"
    )
    assert made.floor == (
        "Half of the repetitions of a call lie within 30.0 % of its median (median over calls; p90: 38.0 %): no model can be shown "
        "to be much better."
    )
    assert made.unpredicted == ["No number for 1 call, real: broke."]
    kept = [call for call in CALLS if call != world.broken]
    assert list(zip(made.both.algorithm, made.both.bytes, strict=True)) == kept
    assert set(made.both.error) == {-0.5} and len(made.predicted) == 6
    assert made.bounds is not None
    assert list(zip(made.bounds.algorithm, made.bounds.bytes, strict=True)) == [(bounds.LOGGP, 4), (bounds.LOGGP, 1024)]
    assert {name: list(frame.predicted_s) for name, frame in made.without.items()} == {
        name: [1e-6] * 3 for name in ("barrier", "topology", "gap")
    }
    rows = table.to_rows(table.read_csv(out / "table.csv"))
    assert [row["source"] for row in rows] == ["model"] * 6 + ["real"] * 4


def test_measured_calls_are_kept_until_they_are_measured_again(
    world: World, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, out = str(short(workplace)), str(workplace / "out")
    run.run(name, out=out, quick=True)
    run.run(name, out=out)
    notes = capsys.readouterr().err
    assert f"mine: 1 call measured before ({workplace}/out/measured.csv)\n" in notes and notes.count("before") == 1
    assert "real: broke" in (workplace / "out" / "report.md").read_text()
    world.broken = None
    run.run(name, out=out)
    assert "broke" not in (workplace / "out" / "report.md").read_text()
    assert "mine: 3 calls measured before (" in capsys.readouterr().err
    assert [calls for calls, _ in world.measured] == [CALLS[:2], CALLS[1:], [CALLS[1]]]
    assert world.made[-1].unpredicted == [] and world.made[0].quick
    for options in ({"recalibrate": True}, {"remeasure": True}):
        run.run(name, out=out, **options)
        assert world.measured[-1][0] == CALLS
    run.run(name, out=out)
    assert len(world.measured) == 5, "nothing was left"


def test_a_quick_run_has_a_folder_of_its_own(world: World, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "RESULTS", workplace / "validation")
    name = short(workplace)
    assert run.run(str(name), quick=True) == workplace / "validation" / "mine" / "quick"
    assert run.run(str(name)) == workplace / "validation" / "mine"
    assert "contains files that are not reports of a campaign" in refusal(run.run, str(name), out=str(workplace))
    with monkeypatch.context() as forbidden:
        forbidden.setattr(run.paths, "is_writable", lambda _: False)
        assert "validation/mine cannot be written to" in refusal(run.run, str(name))
    whole = name.read_text()
    name.write_text(whole.replace('bytes = "4B"\n', "ranks = [5]\n"))
    assert refusal(run.run, str(name), quick=True).endswith("mine.toml: has no calls in a quick run")
    name.write_text(whole.replace('title = "A title"', 'title = "A title"\nfloor = "Written."'))
    run.run(str(name))
    assert world.made[-1].floor == "Written."


def test_a_campaign_that_the_user_ended_goes_on_after_what_was_measured(world: World, workplace: Path) -> None:
    world.ends_after, world.broken = 3, None
    with pytest.raises(Stopped):
        run.run(str(short(workplace)), out=str(workplace / "made"))
    world.ends_after = None
    run.run(str(workplace / "mine.toml"), out=str(workplace / "made"))
    assert [calls for calls, _ in world.measured] == [CALLS, CALLS[3:]]


def test_this_machine_is_checked_before_it_is_predicted_and_after_it_was_measured(
    world: World, workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kept numbers that do not hold are calibrated again, and all calls measured again; --remeasure keeps them, and says so."""
    path, done = short(workplace), []
    path.write_text(path.read_text().replace('platform = "tiny"', 'platform = "this_machine"'))
    differs: Iterator[str] = iter(["", "", "cache: +50%", "", "", "cache: +20%", "socket: -30%"])
    monkeypatch.setattr(run, "_differs_here", lambda: next(differs))
    monkeypatch.setattr(run, "platform_of", lambda name, again: done.append(again) or replace(tiny(), name=name))
    world.broken = None
    out = str(workplace / "out")
    run.run(str(path), out=out)
    run.run(str(path), out=out)
    assert "does not hold any more: cache: +50%; it is calibrated again" in capsys.readouterr().err
    run.run(str(path), out=out)
    run.run(str(path), out=out, remeasure=True)
    assert done == [False, True, False, False] and [calls for calls, _ in world.measured] == [CALLS] * 3
    assert [made.unstable for made in world.made] == [
        "",
        "",
        "after the calls: cache: +20%",
        "after the calls: socket: -30%",
    ]


def test_calls_of_several_launches_are_measured_in_parts(
    world: World, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that one that is ended keeps those parts that all launches have finished."""
    monkeypatch.setattr(run, "WRITTEN_EVERY", 3)
    path = short(workplace)
    world.broken = None
    run.run(str(path), out=str(workplace / "made"))
    assert [calls for calls, _ in world.measured] == [CALLS[:3], CALLS[3:]]
    world.measured.clear()
    path.write_text(path.read_text().replace("launches = 2", "launches = 1"))
    run.run(str(path), out=str(workplace / "made"), remeasure=True)
    assert [calls for calls, _ in world.measured] == [CALLS]


def test_measured_calls_are_written_every_96(tmp_path: Path, known: Registry) -> None:
    """A campaign that is killed loses the calls since then."""
    kept, layout = run.Kept.of(tmp_path / "measured.csv", remeasure=False), Layout(None, 1, 2)
    written = []
    for count in range(1, 100):
        kept.add(row_of(layout, Point("bcast", KEYS[0], count), "real", 1e-6))
        written.append(len(run.Kept.of(kept.path, remeasure=False).rows))
    assert written == [0] * 95 + [96] * 4
    kept.write()
    assert len(run.Kept.of(kept.path, remeasure=False).rows) == 99 and not run.Kept.of(kept.path, remeasure=True).rows


def test_a_measured_call_stands_for_no_other(tmp_path: Path, known: Registry) -> None:
    at, point = Layout(None, 2, 4), Point("bcast", KEYS[0], 4)
    kept = run.Kept.of(tmp_path / "measured.csv", remeasure=False)
    kept.add(row_of(at, point, "real", 1e-6))
    places = [Layout(None, 1, 4), Layout(None, 2, 2), replace(at, mapping="cyclic")]
    points: list[dict[str, Any]] = [{"algorithm": KEYS[1]}, {"count": 5}, {"type": "int"}, {"metric": "root"}]
    others = [*((other, point) for other in places), *((at, replace(point, **change)) for change in points)]
    assert kept.row((at, point)) and [kept.row(task) for task in others] == [None] * 7


@pytest.mark.parametrize("source", ["published", "real"])
def test_settings_name_ranks_time_and_what_else_ran_where_something_was_measured(known: Registry, source: str) -> None:
    file = {"title": "t", "platform": "p", "predict": "sim", "metric": "root", "measure": {"source": source}}
    read = campaigns.Campaign("c", Path("c.toml"), campaigns._File.model_validate(file))
    busy = ("idle", "busy") if source == "real" else ("", "")
    for ranks, text in (((9, 2, 4, 2, 3), "2, 3, 4, 9"), ((9, 2, 4, 7, 3), "2 to 9")):
        tasks = [(Layout(None, 1, n), Point("bcast", "bcast/linear", 1)) for n in ranks]
        setting = dict(run._setting(read, Prepared("p"), tiny(), tasks, [], busy, [("", 0.0), ("a", 7.4)]))
        assert (setting["predicted by"], setting["time"], setting["ranks"]) == ("sim, metric root", "a 7 s", text)
        assert ("others' work" in setting) == (source == "real")


@pytest.mark.parametrize(("metric", "noted"), [("makespan", True), ("osu_avg", False)])
def test_settings_count_calls_that_began_after_a_barrier_where_a_common_start_was_to_be(
    known: Registry, metric: str, noted: bool
) -> None:
    file = {"title": "t", "platform": "p", "metric": metric, "measure": {"source": "real"}}
    read = campaigns.Campaign("c", Path("c.toml"), campaigns._File.model_validate(file))
    layout, point = Layout(None, 1, 2), Point("bcast", "bcast/linear", 1)
    rows = [row_of(layout, point, "real", 1.0, start=start) for start in ("barrier", "window", "barrier")]
    setting = dict(run._setting(read, Prepared("p"), tiny(), [(layout, point)], rows, ("", ""), []))
    assert setting.get("start", "").startswith("2 of 3 calls after a barrier") == noted


def test_launches_of_the_same_call_say_what_no_model_can_be_better_than(known: Registry) -> None:
    layout, point = Layout(None, 1, 2), Point("bcast", "bcast/linear", 1)
    several = [row_of(layout, point, "real", 1.0, floor=f) for f in (0.01, 0.03, 0.07, None)]
    assert run.floor(several).startswith("Launches of the same call differ by ± 3.0 % (median over calls; p90: 6.2 %)")


def test_calls_without_a_number_are_reported_by_reason(known: Registry) -> None:
    """Of a prediction only the campaign's own calls: a decision that cannot choose is nobody's loss."""
    layout = Layout(None, 1, 2)
    own, other = Point("bcast", "bcast/linear", 1), Point("bcast", "decision/x", 1)
    bad = {"kind": "unsupported", "status": "cannot"}
    predicted, measured = (
        [row_of(layout, p, source, None, **bad) for p in (own, other)] for source in ("model", "real")
    )
    assert run.left([(layout, own)], predicted, [*measured, row_of(layout, own, "real", 1.0)]) == [
        "No number for 1 call, model: cannot.", "No number for 2 calls, real: cannot.",
    ]  # fmt: skip


def test_this_machine_is_calibrated_where_it_has_no_specification(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calibrated: list[Path] = []
    monkeypatch.setattr(run.find, "PLATFORMS", workplace)
    monkeypatch.setattr(programs, "MPI_DRIVER", workplace)
    monkeypatch.setattr("collscope.calibration.calibrate.calibrate", lambda: calibrated.append(workplace))
    assert "calibrate makes one from point-to-point messages" in refusal(run.platform_of, "this_machine")
    assert "unknown platform" in refusal(run.platform_of, "x") and calibrated == [workplace]


# ---- which calls ---------------------------------------------------------------------------------------------


CALLED = MINE.replace("noise = 3", 'type = "float"\nmetric = "root"').replace("[quick]", "[quick]\nranks = [4, 6]") + (
    '[[calls]]\ncollectives = ["allgather", "barrier"]\nalgorithms = ["all"]\nnodes = [2, 3]\nranks_per_node = 2\nbytes = "4B,1000B"\n'
)


def test_sizes_are_whole_blocks_and_a_barrier_has_none(world: World, workplace: Path) -> None:
    """Floats: of an allgather on 6 ranks 1000 bytes are 41 floats a rank, and the least is one."""
    (workplace / "mine.toml").write_text(CALLED)
    read = campaigns.load(str(workplace / "mine.toml"))

    def found(quick: bool) -> list[tuple[int, int, str, int]]:
        tasks = read.tasks(tiny(), quick)
        assert {(p.type, p.metric, at.mapping) for at, p in tasks} == {("float", "root", "block")}
        return [(at.nodes, at.ranks, p.algorithm, p.count) for at, p in tasks]

    broadcasts = [(2, 4, key, size // 4) for key, size in [(k, s) for s in (4, 1024) for k in KEYS]]
    bucket = "allgather/bucket"
    assert found(False) == [*broadcasts, (2, 4, bucket, 1), (2, 4, bucket, 62), (3, 6, bucket, 1), (3, 6, bucket, 41)]
    assert found(True) == [*broadcasts[:2], (2, 4, bucket, 1), (3, 6, bucket, 1)]
    (workplace / "mine.toml").write_text(CALLED.replace("[4, 6]", "[6]"))
    read = campaigns.load(str(workplace / "mine.toml"))
    assert found(True) == [(3, 6, bucket, 1)]
    task = (Layout(None, 3, 6), Point("allgather", bucket, 1, type="float"))
    chosen = [(task, True), ((Layout(None, 2, 4), task[1]), False), ((task[0], replace(task[1], count=2)), False)]
    assert [read.chosen(one, True) for one, _ in chosen] == [expected for _, expected in chosen]
    assert all(read.chosen(one, False) for one, _ in chosen)
