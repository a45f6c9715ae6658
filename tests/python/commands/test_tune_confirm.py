"""collscope.commands.tune_confirm, collscope.commands.tune: open calls are confirmed within a budget, kept, and stand beside the model."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from collscope.base import cache, depends
from collscope.commands import tune_confirm, tune_report, tune_rules
from collscope.commands.tune_confirm import How
from collscope.commands.tune_search import Searched
from collscope.machines.platform import content_hash
from collscope.points.plan import Layout, Point, Task
from collscope.points.table import Row, make_row
from collscope.sources.launcher import LOCAL
from collscope.sources.source import Options, Source
from collscope.tuning import gain, rule_file, targets
from collscope.tuning.confirm import Contest, Measured, Worth
from collscope.tuning.gain import Confirmed, Part, Tuned
from collscope.tuning.origin import Origin
from collscope.tuning.rules import OWN, Call
from collscope.tuning.search import Times
from command_line import call
from open_mpi import needs_prover
from simulated import simulated
from tiny_platform import tiny

COLUMNS = ["collective", "ranks", "bytes", "name", "time_s"]
SMALL = ("tune", "--on", "ideal", "--for", "openmpi-4.1", "-c", "bcast", "--ranks", "3,4", "--bytes", "1KiB..16KiB")


class Clock:
    """Each launch of a layout takes ten seconds."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch) -> tuple[Clock, list[Task]]:
    """A machine whose calls all take a second, each launch ten; the tasks that it is given."""
    clock, given = Clock(), []

    def rows(tasks: Sequence[Task], options: Options) -> list[Row]:
        clock.now += 10.0
        given.extend(tasks)
        return [
            make_row(
                source="real",
                **layout.cells(),
                **point.cells(layout.ranks),
                median_s=1.0,
                q1_s=0.9,
                q3_s=1.1,
                kind="ok",
            )
            for layout, point in tasks
        ]

    monkeypatch.setitem(tune_confirm.SOURCES, "real", Source("real", rows))
    return clock, given


def contests(number: int) -> tuple[list[Contest], dict[Call, Task], dict[Call, dict[str, float]]]:
    """So many open calls between two algorithms that take a second."""
    layout = Layout(tiny(), 1, 4)
    keys = ("bcast/linear", "bcast/binomial[s=0]")
    calls = [("bcast", 4, 4 * (i + 1)) for i in range(number)]
    tasks = {c: (layout, Point("bcast", keys[0], i + 1)) for i, c in enumerate(calls)}
    return [Contest(c, keys, 1.0) for c in calls], tasks, {c: dict.fromkeys(keys, 1.0) for c in calls}


def how(kept: Path, budget_s: float, remeasure: bool = False) -> How:
    return How("real", LOCAL, budget_s, kept, remeasure)


@needs_prover
def test_the_first_contests_are_measured_and_the_budget_ends_it(
    tmp_path: Path, measuring: tuple[Clock, list[Task]]
) -> None:
    """A contest is 18 calls of a second; the launch comes on top."""
    clock, given = measuring
    open_ones, tasks, seconds = contests(4)
    found, spent_s = tune_confirm.run(open_ones, tasks, seconds, how(tmp_path / "m.csv", 45), 45, clock)
    assert list(found) == [contest.call for contest in open_ones[:3]]
    assert found["bcast", 4, 4]["bcast/linear"] == Measured(1.0, 0.9, 1.1)
    assert spent_s == 30
    assert len(given) == 6


@needs_prover
def test_measured_times_are_kept_and_cost_nothing(tmp_path: Path, measuring: tuple[Clock, list[Task]]) -> None:
    clock, given = measuring
    open_ones, tasks, seconds = contests(2)
    tune_confirm.run(open_ones, tasks, seconds, how(tmp_path / "m.csv", 1e3), 1e3, clock)
    assert len(given) == 4
    found, spent_s = tune_confirm.run(open_ones, tasks, seconds, how(tmp_path / "m.csv", 1), 1, clock)
    assert (len(found), spent_s, len(given)) == (2, 0, 4)
    tune_confirm.run(open_ones, tasks, seconds, how(tmp_path / "m.csv", 1e3, remeasure=True), 1e3, clock)
    assert len(given) == 8


@needs_prover
def test_only_what_is_missing_of_a_contest_counts_against_the_budget(
    tmp_path: Path, measuring: tuple[Clock, list[Task]]
) -> None:
    """Nine calls of a second and a launch, where the other algorithm was measured before."""
    clock, given = measuring
    open_ones, tasks, seconds = contests(1)
    half = [replace(contest, keys=contest.keys[:1]) for contest in open_ones]
    tune_confirm.run(half, tasks, seconds, how(tmp_path / "m.csv", 1e3), 1e3, clock)
    found, _ = tune_confirm.run(open_ones, tasks, seconds, how(tmp_path / "m.csv", 12), 12, clock)
    assert [point.algorithm for _, point in given] == list(open_ones[0].keys) == list(found[open_ones[0].call])


@needs_prover
def test_a_placement_is_confirmed_within_what_others_left_of_the_budget(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the model alone chose is not said to be simulated."""
    left: list[float] = []
    monkeypatch.setattr(tune_confirm, "run", lambda *given: left.append(given[-1]) or ({}, 50.0))
    words = ("tune", "--on", "ideal[cores=2]", "--for", "collscope", "-c", "bcast", "--ranks", "3,4", "--bytes", "1KiB")
    more = ("--ranks-per-node", "1,2", "--confirm", "sim", "--budget", "3min", "--out", str(workplace / "out"))
    status, _, errors = call(capsys, *words, *more)
    assert (status, left) == (0, [180.0, 130.0]), errors
    origin = rule_file.read(str(workplace / "out" / "collscope.rules")).origin
    assert origin and origin.chosen_by == "model"


@pytest.mark.parametrize(("sizes", "reached", "stays"), [((4, 8), (4,), True), ((4, 8), (4, 8), False), ((), (), True)])
def test_a_rule_in_doubt_stays_so_until_every_open_call_of_it_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: Sequence[int], reached: Sequence[int], stays: bool
) -> None:
    """Where none of its calls is open, measuring says nothing of it."""
    calls = [("bcast", 4, size) for size in (4, 8)]
    times = Times(
        pd.DataFrame([(*c, "bcast/linear", 1.0) for c in calls], columns=COLUMNS),
        dict.fromkeys(calls, ("own", 2.0)),
        frozenset(),
    )
    took = {"bcast/linear": Measured(1.0, 1.0, 1.0), "own": Measured(2.0, 2.0, 2.0)}
    monkeypatch.setattr(tune_rules, "doubtful", lambda rules, *_: [(rule, "why") for rule in rules])
    monkeypatch.setattr(
        tune_rules.confirm, "contests", lambda *_: [Contest(("bcast", 4, size), tuple(took), 1.0) for size in sizes]
    )
    monkeypatch.setattr(tune_confirm, "run", lambda *_: ({("bcast", 4, size): took for size in reached}, 1.0))
    searched, target = Searched(None, None, [], times), targets.find("openmpi-4.1")
    part = tune_rules._part(searched, target, 0.02, how(tmp_path / "m.csv", 9), 9)
    assert [rule.key for rule in part.rules] == [OWN if stays else "bcast/linear"]
    assert bool(part.doubtful) == stays and part.confirmed and part.confirmed.contests == len(sizes)


def kept_rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@needs_prover
def test_measuring_again_keeps_what_other_layouts_and_platforms_took(
    tmp_path: Path, measuring: tuple[Clock, list[Task]]
) -> None:
    """Each number of ranks on a node is a part of its own, and other machines may be tuned in the same folder."""
    clock, given = measuring
    open_ones, tasks, seconds = contests(1)
    path, layout = tmp_path / "m.csv", Layout(tiny(), 1, 4)
    places = [layout, Layout(tiny(), 2, 4), Layout(replace(tiny(), name="other"), 1, 4)]
    for place in places:
        at = {c: (place, point) for c, (_, point) in tasks.items()}
        tune_confirm.run(open_ones, at, seconds, how(path, 1e3, remeasure=True), 1e3, clock)
    assert {(row["platform"], row["nodes"]) for row in kept_rows(path)} == {
        ("tiny", "1"),
        ("tiny", "2"),
        ("other", "1"),
    }
    assert len(kept_rows(path)) == len(given) == 6
    tune_confirm.run(open_ones, tasks, seconds, how(path, 1e3), 1e3, clock)
    assert len(given) == 6


@needs_prover
def test_simulated_times_hold_for_the_numbers_of_the_platform_and_measured_ones_for_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measuring: tuple[Clock, list[Task]]
) -> None:
    clock, given = measuring
    monkeypatch.setitem(tune_confirm.SOURCES, "sim", Source("sim", hashed(tune_confirm.SOURCES["real"].rows)))
    open_ones, tasks, seconds = contests(1)
    changed = replace(tiny(), file=Path(__file__))
    assert content_hash(changed) != content_hash(tiny()) and changed.name == tiny().name
    other = {c: (Layout(changed, 1, 4), point) for c, (_, point) in tasks.items()}
    for source, counts in (("sim", [2, 2, 4, 4]), ("real", [2, 2, 2, 2])):
        given.clear()
        for at, count in zip((tasks, tasks, other, tasks), counts, strict=True):
            tune_confirm.run(open_ones, at, seconds, replace(how(tmp_path / source, 1e3), source=source), 1e3, clock)
            assert len(given) == count, source


def hashed(rows: Callable[[Sequence[Task], Options], list[Row]]) -> Callable[[Sequence[Task], Options], list[Row]]:
    """The rows with what they follow from."""

    def made(tasks: Sequence[Task], options: Options) -> list[Row]:
        sources = cache.sources_hash(*depends.SIMULATION)[:12]
        found = zip(rows(tasks, options), tasks, strict=True)
        return [
            row | {"platform_hash": content_hash(layout.platform)[:12], "sources_hash": sources}
            for row, (layout, _) in found
            if layout.platform
        ]

    return made


def table(folder: Path) -> list[dict[str, str]]:
    with open(folder / "table.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@needs_prover
@simulated
def test_open_calls_are_simulated_and_stand_beside_the_model(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = workplace / "out"
    status, printed, errors = call(capsys, *SMALL, "--confirm", "sim", "--out", str(out))
    assert status == 0, errors
    assert "that the model leaves open simulated in" in printed
    assert (out / "simulated.csv").exists()
    rows = [row for row in table(out) if row["confirmed_by"] == "sim"]
    assert rows
    for row in rows:
        assert float(row["best_confirmed_s"]) <= float(row["default_confirmed_s"])
        assert float(row["rule_confirmed_s"]) <= 1.021 * float(row["best_confirmed_s"])
    assert "## Simulated" in (out / "report.md").read_text(encoding="utf-8")


@needs_prover
def test_no_budget_is_no_time_and_says_so(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--confirm", "sim", "--budget", "1ms", "--out", str(workplace / "out"))
    status, printed, errors = call(capsys, *SMALL, *words)
    assert status == 0, errors
    assert "\n0 of " in printed
    assert "the others stay as the model says (a larger --budget measures on)" in printed
    assert not [row for row in table(workplace / "out") if row["confirmed_by"]]


@pytest.mark.full
@needs_prover
def test_rules_differ_by_ranks_per_node_where_the_file_can_say_so(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = workplace / "out"
    words = ("tune", "--on", "schooner", "-c", "allreduce", "--ranks", "2,4,8", "--bytes", "1KiB,64KiB")
    per_node = ("--ranks-per-node", "1,4", "--out", str(out))
    status, printed, errors = call(capsys, *words, "--for", "collscope", *per_node)
    assert status == 0, errors
    assert "per node" in printed
    rules = [x for x in (out / "collscope.rules").read_text(encoding="utf-8").splitlines() if not x.startswith("#")]
    assert {line.split()[4] for line in rules} == {"1", "2..4"}
    assert {(row["ranks_per_node"], row["ranks"]) for row in table(out)} == {
        *(("1", p) for p in "248"),
        *(("4", p) for p in "248"),
    }
    status, _, errors = call(capsys, *words, "--for", "openmpi-4.1", *per_node)
    assert status == 2
    assert "rules for Open MPI 4.1" in errors
    assert "speak of ranks and sizes alone" in errors


@needs_prover
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--budget", "5min"), "--budget goes with --confirm"),
        (("--remeasure",), "--remeasure goes with --confirm"),
        (("--confirm", "model"), "--confirm model: name real, which is the default, or sim"),
        (("--confirm", "sim", "--launcher", "testbed"), "are for measured times"),
        (("--confirm",), "measures the machine that this runs on"),
        (("--confirm", "sim", "--budget", "soon"), '--budget: cannot read "soon"'),
        (("--confirm", "--launcher", "nothing"), "nothing"),
    ],
)
def test_options_that_confirm_nothing_are_refused(
    words: Sequence[str], message: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = workplace / "out"
    status, _, errors = call(capsys, *SMALL, *words, "--out", str(out))
    assert status in (1, 2)
    assert message in errors
    assert not out.exists()


@needs_prover
def test_a_rule_goes_that_is_slower_than_a_choice_made_of_other_collectives() -> None:
    """The model's rules cannot name that choice, whose parts follow their own rules; the others of its number of ranks stay."""
    calls = [("reduce_scatter", p, size) for p in (5, 8) for size in (4, 8, 16)]
    cells = [(*call, "a", 1.0) for call in calls]
    frame = pd.DataFrame(cells, columns=COLUMNS)
    times = Times(frame, dict.fromkeys(calls, ("made_of_others", 1.2)), frozenset())
    exactly = {key: Measured(s, s, s) for key, s in (("a", 2.0), ("made_of_others", 1.2))}
    target = targets.find("openmpi-4.1")
    assert [rule.key for rule in gain.settled(times, 0.02).rules] == ["a"]
    made, _, after = tune_rules.confirmed_rules(times, {calls[2]: exactly}, target, 0.02)
    assert [(rule.ranks, rule.key) for rule in made] == [((5, 7), "a"), ((5, 7), OWN), ((8, 8), "a")]
    assert [w.is_slower for w in after] == [False]
    assert tune_rules.confirmed_rules(times, {}, target, 0.02)[0] == gain.settled(times, 0.02).rules


def test_a_rule_that_is_slower_is_gone_or_stays_with_a_line() -> None:
    """It stays where the difference decides nothing."""
    slow, fast = Measured(2.0, 2.0, 2.0), Measured(1.0, 1.0, 1.0)
    before = Worth(("bcast", 4, 64), "own", fast, "a", slow, "own", fast)
    now = replace(before, key="own", rule=fast)
    assert tune_confirm.gone([before], [now]) == [
        "bcast, 4 ranks, 64 B: a took 2 s, the library's own choice own 1 s; now own"
    ]
    assert tune_confirm.gone([before], [before]) == []
    assert tune_confirm.left([before]) == ["bcast, 4 ranks, 64 B: a took 2 s, the library's own choice own 1 s"]
    assert tune_confirm.left([now]) == []


@pytest.mark.parametrize(("contests", "others_stay"), [(1, False), (2, True)])
def test_rules_that_are_gone_or_still_slower_are_named_and_open_calls_only_where_some_are_left(
    contests: int, others_stay: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ("bcast", 4, 64)
    times = Times(pd.DataFrame([(*call, "a", 1.0)], columns=COLUMNS), {call: ("own", 2.0)}, frozenset())
    confirmed = Confirmed("real", {call: {}}, contests, 1.0, gone=["this went"], left=["this stays"])
    part = Part(None, [], times, [], frozenset(), confirmed)
    tune_report.show(Tuned(targets.find("collscope"), "tiny", [part], 0.02, {4: 1}, Origin("tiny", "")), None)
    out, err = (" ".join(text.split()) for text in capsys.readouterr())
    assert f"1 of {contests} call" in out and ("the others stay as the model says" in out) == others_stay
    assert "a rule of the model that is slower than the library's own choice is gone: this went" in err
    assert "slower than the library's own choice, by at most 1%: this stays" in err
