"""collscope.commands.tune, collscope.commands.tune_rules, collscope.commands.tune_report:
from a machine's numbers to a folder with rules, or to a message and no folder."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from math import inf
from pathlib import Path
from types import SimpleNamespace as made

import pandas as pd
import pytest

import libraries
from collscope.base.errors import UsageError
from collscope.catalogue.keys import FILE
from collscope.catalogue.registry import load
from collscope.commands import tune_report, tune_rules, tune_search
from collscope.machines import find
from collscope.points.plan import Layout, Point
from collscope.points.table import Row
from collscope.sources import race
from collscope.sources.assumptions import Choice, Doubt, Judged
from collscope.sources.race import Entry
from collscope.sources.source import Options
from collscope.sources.unknowns import Unknown
from collscope.tuning import mpich_rules, targets
from collscope.tuning.gain import Gain, Part, gains, settled
from collscope.tuning.rules import Rule
from collscope.tuning.search import Grid, Times
from command_line import call
from made_rows import row_of
from open_mpi import needs_open_mpi, needs_prover
from tiny_platform import tiny

SMALL = ("tune", "--on", "ideal", "-c", "bcast,allgather", "--ranks", "2,3,4", "--bytes", "64..64KiB")


def table(folder: Path) -> list[dict[str, str]]:
    with open(folder / "table.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@needs_prover
@pytest.mark.parametrize(
    ("library", "rules", "script"),
    [
        ("openmpi-4.1", "openmpi.conf", "openmpi.sh"),
        ("mpich-4.3", "mpich.json", "mpich.sh"),
        ("collscope", "collscope.rules", "collscope.sh"),
    ],
)
def test_a_folder_has_rules_what_activates_them_and_what_they_gain(
    library: str, rules: str, script: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = workplace / "out"
    status, printed, _ = call(capsys, *SMALL, "--for", library, "--out", str(out))
    assert status == 0
    assert "bcast" in printed
    assert {path.name for path in out.iterdir()} == {rules, script, "table.csv", "report.md", "gain.svg"}
    assert str(out / rules) in (out / script).read_text(encoding="utf-8")
    assert "ranks per node" not in (out / "report.md").read_text(encoding="utf-8")
    rows = table(out)
    assert {(row["collective"], row["ranks"]) for row in rows} == {
        (c, p) for c in ("bcast", "allgather") for p in "234"
    }
    assert all(float(row["rule_loss"]) <= 0.0201 for row in rows if row["held_out"] == "0")
    assert all(float(row["rule_s"]) <= 1.01 * float(row["default_s"]) for row in rows)
    assert any(float(row["rule_s"]) < 0.9 * float(row["default_s"]) for row in rows)
    losses = [float(row["rule_loss"]) for row in rows]
    assert losses == sorted(losses, reverse=True)
    assert call(capsys, *SMALL, "--for", library, "--out", str(out))[0] == 0  # its own folder, again


def test_each_number_of_ranks_per_node_is_timed_where_a_node_can_be_fuller_than_before() -> None:
    """Rules of ours can name ranks per node, Open MPI's cannot; and ranks that fit on one node of the number before are not timed again."""
    work = tune_search.Work
    ours, open_mpi = targets.find("collscope"), targets.find("openmpi-4.1")
    assert work.of([2, 4, 8], "4,2", ours) == [work(2, [2, 4, 8], (1, 2)), work(4, [4, 8], (3, 4))]
    for target in (ours, open_mpi):
        assert work.of([2, 4], "3", target) == [work(3, [2, 4], None)]
        assert work.of([2, 4], None, target) == [work(None, [2, 4], None)]
    with pytest.raises(UsageError, match=r"rules for Open MPI 4\.1\S* speak of ranks and sizes alone"):
        work.of([2, 4], "1,2", open_mpi)
    with pytest.raises(UsageError, match="--ranks-per-node 2,4: of --ranks none needs more than 2 per node"):
        work.of([1, 2], "2,4", ours)


@needs_prover
@pytest.mark.parametrize(
    ("collective", "per_node", "is_doubtful"), [("bcast", "2", True), ("bcast", "1", False), ("alltoall", "2", False)]
)
def test_mpich_s_own_choice_is_not_trusted_where_it_splits_calls_by_node(
    collective: str, per_node: str, is_doubtful: bool, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only collectives that it splits, on nodes of several ranks."""
    words = ("tune", "--on", "ideal[cores=2]", "-c", collective, "--ranks", "4", "--ranks-per-node", per_node)
    status, _, notes = call(
        capsys, *words, "--bytes", "64..1KiB", "--for", "mpich-4.3", "--out", str(workplace / "out")
    )
    assert status == 0 and (mpich_rules.UNTIMED in " ".join(notes.split())) == is_doubtful


@needs_prover
def test_our_rules_are_a_decision_of_every_other_command(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = workplace / "out"
    assert call(capsys, *SMALL, "--for", "collscope", "--out", str(out))[0] == 0
    name = f"{FILE}{out / 'collscope.rules'}"
    assert load().resolve(name, "bcast") == ("bcast", name)
    words = (
        "decide",
        "-c",
        "bcast",
        "--ranks",
        "3",
        "--bytes",
        "64KiB",
        "--decision",
        name.partition("/")[2],
        "--json",
    )
    status, printed, _ = call(capsys, *words)
    row = next(r for r in table(out) if (r["collective"], r["ranks"], r["bytes"]) == ("bcast", "3", "65536"))
    assert status == 0
    assert row["rule"] in printed


@needs_prover
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--for", "openmpi-6.0"), "have a format that is not known here; name one of --for openmpi-4.1"),
        (
            ("--for", "openmpi-4.1", "-c", "scatter"),
            "can speak of allgather, allreduce, alltoall, bcast",
        ),
        (("--for", "collscope", "-c", "barrier"), "-c barrier: "),
        (("--for", "collscope", "--loss", "much"), "--loss much: a share of the time, such as 2%"),
        (("--for", "openmpi-4.1", "--mpi", "here"), "--mpi names the library that --verify runs: add --verify"),
        (("--for", "openmpi-4.1", "--mpi", "here", "--verify"), "is not there"),
        (("--for", "mpich-4.3", "--mpi", "here", "--verify"), "is not there"),
        (("--for", "mpich-5.0"), "MPICH 5.0's table of decisions is not known here"),
        (
            ("--for", "mpich-4.3", "-c", "gather"),
            "can speak of bcast, reduce, allreduce, allgather, alltoall, reduce_scatter",
        ),
        (("--for", "collscope", "--ranks", "1"), "--ranks 1: one rank sends nothing"),
        (("--for", "collscope", "--out", "a b"), "--out: the path has blanks"),
    ],
)
def test_bad_input_is_named_and_leaves_no_folder(
    words: Sequence[str],
    message: str,
    workplace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(workplace)
    given = words if "--out" in words else (*words, "--out", "out")
    status, _, errors = call(capsys, "tune", "--on", "ideal", *given)
    assert status in (1, 2)
    assert message in errors
    assert not (workplace / "out").exists()


@needs_prover
@pytest.mark.parametrize(
    ("machine", "library", "collectives"),
    [
        pytest.param("schooner", "openmpi-4.1", "bcast,reduce,allgather", marks=pytest.mark.full),
        pytest.param("jaguar", "mpich-4.3", "bcast,allreduce,reduce_scatter", marks=pytest.mark.full),
        ("ideal", "collscope", "gather,alltoall"),
    ],
)
def test_rules_are_the_same_without_the_times_of_what_is_slower(
    machine: str, library: str, collectives: str, workplace: Path
) -> None:
    """And so is what they gain at each call: digit by digit."""
    platform, target = find.load(machine), targets.find(library)

    def made(loss: float | None) -> tuple[Sequence[Rule], list[Gain], int]:
        (part,) = tune_search.on_grid(
            platform, target, collectives.split(","), "2..5", "1", "4..256KiB", False, loss
        ).parts  # fmt: skip
        times, found = part.times, settled(part.times, 0.02)
        missing = int(times.frame["time_s"].isna().sum())
        while found.undecided and part.complete:
            times = part.complete(found.undecided)
            found = settled(times, 0.02)
        return found.rules, gains(found.rules, times, found.joined), missing

    raced, left_out = made(0.02)[:2], made(0.02)[2]
    assert left_out > 100
    assert not any(g.at_least for g in raced[1])
    assert raced == made(None)[:2]


@needs_prover
def test_a_call_that_cannot_be_timed_in_time_is_tried_twice_and_never_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is only known to be slower than the best is tried again, up to the time of the library's own choice."""
    target, layout, long = targets.find("openmpi-4.1"), Layout(tiny(), 1, 4), "bcast/chain[chains=4,s=0]"
    limits: list[float] = []

    def rows(calls: Sequence[Sequence[Entry]], _: Options) -> list[Row]:
        entries = [entry for call in calls for entry in call]
        limits.extend(entry.stop_s for entry in entries)
        slower = {"kind": race.SLOWER, "median_s": None, "slower_than_s": 1e-9}
        made = [row_of(*entry.task, "model", 2e-6, chose="bcast/linear") for entry in entries]
        return [row | slower if row["algorithm"] == long else row for row in made]

    monkeypatch.setattr(race, "rows", rows)
    tasks = [(layout, Point("bcast", key, 16)) for key in ("bcast/linear", long, target.default)]
    raced, pair = tune_search._Raced(tasks, target, Grid((4,), (64,), (), ()), 0.02), (("bcast", 4, 64), long)
    assert raced.times().slower == {pair: 1e-9}
    assert raced.complete([pair]).slower == {pair: inf}
    assert limits[3:] == [pytest.approx(2.02e-6)]


def test_calls_that_went_as_the_rules_say_are_counted() -> None:
    calls = [made(is_right=right, compared=made(ranks=ranks)) for right, ranks in ((True, 2), (False, 4), (True, 3))]
    text = tune_report.checked(calls)  # type: ignore[arg-type]
    assert text == "2 of 3 calls take what the rules say, by their messages, on 2..4 ranks"


def test_a_summary_has_the_losses_of_held_out_calls_apart_and_the_most_rules_of_one_number_of_ranks() -> None:
    """Rules of one collective count for it alone."""
    ends = [(2, 4, 0, 63), (2, 4, 64, 255), (5, 8, 0, 255), (9, 16, 0, 255)]
    rules = [Rule("bcast", (low, high), (first, last), "bcast/a") for low, high, first, last in ends]
    calls = [(name, 4, size) for name in ("bcast", "reduce") for size in (16, 64, 128)]
    losses = {calls[0]: 0.1, calls[1]: 0.3, calls[2]: 0.5}
    cells = [(*call, key, s) for call in calls for key, s in (("bcast/a", 1 + losses.get(call, 2.0)), ("bcast/b", 1.0))]
    times = Times(
        pd.DataFrame(cells, columns=["collective", "ranks", "bytes", "name", "time_s"]),
        dict.fromkeys(calls, ("bcast/c", 3.0)),
        frozenset({calls[2]}),
    )
    other = Rule("reduce", (4, 4), (0, 255), "bcast/a")
    row, _ = tune_report.summary(Part(None, [*rules, other], times, [], frozenset()))
    assert (row["rules"], row["most"]) == ("4", "2")
    assert (row["rule"], row["held out"]) == ("20.0 % (max 30.0 %)", "50.0 % (max 50.0 %)")
    assert row["default"] == "200.0 % (max 200.0 %)"


@needs_prover
def test_rules_on_more_ranks_than_are_drawn_are_counted(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tune_rules, "MAX_DRAWN", 3)
    status, _, errors = call(capsys, *SMALL, "--for", "openmpi-4.1", "--out", str(workplace / "out"))
    assert status == 0
    assert "on more than 3 ranks not checked over what is not known of the machine" in errors


@needs_prover
def test_rules_that_hang_on_open_numbers_are_left_to_the_library(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where none is left, the number to measure is named, and nothing is written."""
    unknown = Unknown("the gap", "nic_gap_s", "osu_mbw_mr", (), lambda spec, values: spec)

    def doubting(choices: Sequence[Choice], number: int | None) -> list[Judged | None]:
        made: list[Judged | None] = []
        for choice in choices[:number]:
            key, *_ = choice.points
            made.append(
                Judged(key, {key: 1.0}, {key: (1.0, 1.0)}, (key,), 1, 100, (unknown,), Doubt(unknown, key, 0.5, 9))
            )
        return [*made, *[None] * (len(choices) - len(made))]

    words = (*SMALL, "--for", "openmpi-4.1", "--out", str(workplace / "out"))
    monkeypatch.setattr(tune_rules.assumptions, "judged", lambda choices: doubting(choices, None))
    status, _, errors = call(capsys, *words)
    assert status == 1
    assert "no rule stands: " in errors
    assert "hangs on the gap: set nic_gap_s, measured with osu_mbw_mr" in errors
    assert not (workplace / "out").exists()
    monkeypatch.setattr(tune_rules.assumptions, "judged", lambda choices: doubting(choices, 1))
    assert call(capsys, *words)[0] == 0
    assert "hangs on the gap" in (workplace / "out" / "report.md").read_text(encoding="utf-8")


@pytest.mark.full
@needs_prover
def test_open_mpi_5_follows_every_rule_on_both_its_edges(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library = libraries.openmpi_5()
    for name, value in library.env.items():
        monkeypatch.setenv(name, value)
    words = ("--on", "schooner", "--for", "openmpi-5.0", "--ranks", "2..6", "--ranks-per-node", "2", "--verify")
    folder = str(Path(library.mpirun).parents[1])
    status, printed, errors = call(capsys, "tune", *words, "--mpi", folder, "--out", str(workplace / "out"))
    assert status == 0, errors
    assert "take what the rules say, by their messages, on 2..6 ranks" in printed


@pytest.mark.full
@needs_prover
@pytest.mark.parametrize("per_node", ["1", "2"])
def test_mpich_follows_every_rule_on_both_its_edges(
    per_node: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On nodes of two ranks, by what passes between these."""
    words = ("--on", "schooner", "--for", "mpich-4.3", "--ranks", "2..9", "--ranks-per-node", per_node, "--verify")
    folder = str(libraries.mpich().mpirun.parents[1])
    status, printed, errors = call(capsys, "tune", *words, "--mpi", folder, "--out", str(workplace / "out"))
    assert status == 0, errors
    assert f"take what the rules say, by their messages, on {'2' if per_node == '1' else '3'}..9 ranks" in printed


@pytest.mark.full
@needs_prover
@needs_open_mpi
@pytest.mark.parametrize("per_node", ["1", "2"])
def test_open_mpi_follows_every_rule_on_both_its_edges(
    per_node: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--on", "schooner", "--for", "openmpi", "--ranks", "2..9", "--ranks-per-node", per_node, "--verify")
    status, printed, errors = call(capsys, "tune", *words, "--out", str(workplace / "out"))
    assert status == 0, errors
    assert "take what the rules say, by their messages, on 2..9 ranks" in printed
