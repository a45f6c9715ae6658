"""collscope.commands.tune_profile, collscope.commands.tune_search, collscope.commands.tune_saved: from programs' profiles to rules for
their calls, with what these save."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import libraries
import profile_files
from collscope.commands import tune_saved
from collscope.tuning import rule_file
from collscope.tuning.rules import OWN, chosen
from command_line import call
from open_mpi import needs_open_mpi, needs_prover
from profile_files import WORLD, row, skew

MPIP = Path(__file__).parents[1] / "tuning" / "data" / "phases.mpiP"
FOUR = WORLD | {"name": "", "size": 4, "nodes": 4, "communicators": 2}
ROWS = (
    row("bcast", 1 << 20, 100, 1.0, root=0),
    row("allreduce", 8, 5000, 0.5, skew=skew(50, 8e-5, 3e-5)),
    row("allgather", 1024, 50, 2e-2, algorithm="allgather/bruck", passed_on=None),
    row("allreduce", 1 << 16, 50, 3e-2, communicator=FOUR),
    row("ibcast", 64, 10, 1e-3),
)
TUNE = ("tune", "--on", "schooner[nodes=8]", "--out", "out", "--for")


@pytest.fixture(autouse=True)
def profile(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workplace)
    profile_files.write(workplace / "p.json", *ROWS)


@needs_prover
def test_rules_are_for_the_calls_of_the_program_alone(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, printed, errors = call(capsys, *TUNE, "openmpi-4.1", "--profile", "p.json")
    assert status == 0, errors
    made = rule_file.read("out/openmpi.conf")
    assert made.origin and (made.origin.ranks, made.origin.bytes) == ("4,8", "8,8192,65536,1048576")
    inside = [("bcast", 8, 1 << 20), ("bcast", 8, (1 << 21) - 1), ("allgather", 8, 8192), ("allgather", 8, 16383)]
    beside = [
        ("bcast", 8, (1 << 20) - 1),
        ("bcast", 8, 1 << 21),
        ("bcast", 7, 1 << 20),
        ("bcast", 9, 1 << 20),
        ("allgather", 8, 8191),
    ]
    keys = [rule.key if (rule := chosen(made.rules, at)) else OWN for at in (*inside, *beside)]
    assert all(keys[:4]) and keys[0] == keys[1] != keys[2] == keys[3]
    assert keys[4:] == [OWN] * 5
    with open("out/table.csv", newline="", encoding="utf-8") as file:
        assert all(float(line["rule_s"]) <= 1.01 * float(line["default_s"]) for line in csv.DictReader(file))
    assert "p.json: in collectives: 1.55 s of each rank on average of 2 s" in printed
    assert "(148.5 ms of it waiting for late ranks), and the file saves " in printed
    report = Path("out/report.md").read_text(encoding="utf-8")
    assert "- ibcast, 64 B..128 B, MPI_COMM_WORLD (8) on 8 nodes (1 ms): not blocking" in report
    assert "| bcast | MPI_COMM_WORLD (8) on 8 nodes | 1 MiB..2 MiB | 100 | 1 s | bcast/linear |" in report
    assert "| 1 KiB..2 KiB | 50 | 20 ms | allgather/bruck |" in report, "which ran, as the profile says"
    assert call(capsys, "tune", "--on", "schooner[nodes=8]", "--check", "out/openmpi.conf")[0] == 0


@needs_prover
def test_our_rules_tell_placements_apart_and_those_of_a_library_weigh_them(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four ranks on four nodes, and four on one."""
    near = FOUR | {"nodes": 1, "ranks_per_node": 4}
    rows = [row("allreduce", 1 << 16, 50, s, communicator=on) for s, on in ((1e-2, FOUR), (3e-2, near))]
    profile_files.write(workplace / "p.json", rows[0])
    profile_files.write(workplace / "q.json", rows[1])
    words = ("--profile", "p.json", "--profile", "q.json")
    status, printed, errors = call(capsys, *TUNE, "collscope", *words)
    assert status == 0, errors
    assert {rule.per_node for rule in rule_file.read("out/collscope.rules").rules} == {(1, 1), (4, 4)}
    assert "p.json: in collectives: " in printed and "q.json: in collectives: " in printed
    assert call(capsys, *TUNE, "openmpi-4.1", *words)[0] == 0
    assert {rule.per_node for rule in rule_file.read("out/openmpi.conf").rules} == {None}


@pytest.mark.parametrize(("saved_s", "says"), [(1.0, "saves 1 s"), (-1.0, "costs 1 s")])
def test_savings_are_a_share_of_all_time_in_collectives(saved_s: float, says: str) -> None:
    """Also of that in calls which the rules do not speak of."""
    of = SimpleNamespace(file="p.json", seconds=4.0, run_s=10.0)
    demand = SimpleNamespace(profile=of, loads=[SimpleNamespace(saved_s=lambda _: saved_s)], seconds=2.0, waiting_s=0.0)
    text = tune_saved.text(cast(Any, demand), cast(Any, SimpleNamespace(rules_for=lambda _: [])))
    assert text.endswith(
        f"; the rules speak of 2 s of this, and the file {says} by the model: 25.0% of the time in collectives"
    )


@needs_prover
def test_mpip_is_tuned_where_its_communicators_are_the_world(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("tune", "--on", "schooner", "--for", "openmpi-4.1", "--profile", str(MPIP), "--out", "out")
    status, _, errors = call(capsys, *words)
    assert status == 1 and "the profile lacks the size of their communicators" in errors and not Path("out").exists()
    assert call(capsys, *words, "--assume-world")[0] == 0
    assert {rule.ranks for rule in rule_file.read("out/openmpi.conf").rules if rule.key} == {(4, 4)}


@needs_prover
@pytest.mark.parametrize(
    ("words", "other", "message"),
    [
        (("--on", "schooner[nodes=4]"), {}, "p.json: bcast ran on 8 nodes with up to 1 rank each; "),
        (("--on", "ideal[cores=1,nodes=1]"), {}, "has 1 node of 1 core; name the machine that the profile is of"),
        ((), {"rows": []}, "p.json: the program made no collective call with another rank"),
        ((), {"rows": [{}]}, "p.json: rows.0.collective: Field required"),
        ((), {"complete": False}, "the program ended by MPI_Abort"),
        ((), {"rows": [ROWS[-1]]}, "no rule for Open MPI 4.1"),
        ((), {"library": "Open MPI v5.0.9"}, "--for openmpi-4.1: p.json is of Open MPI v5.0.9, which other rules"),
        (("-c", "alltoall"), {}, "bcast: not named with -c"),
        (("--ranks", "8"), {}, "--profile says which ranks and sizes are tuned: drop --ranks"),
        (("--bytes", "8"), {}, "drop --bytes"),
        (("--check", "p.json"), {}, "--check writes nothing and looks at all rules of the file: drop --"),
    ],
)
def test_bad_input_is_named_and_leaves_no_folder(
    words: Sequence[str], other: dict[str, Any], message: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile_files.write(workplace / "p.json", *ROWS, **other)
    on = () if "--on" in words else ("--on", "schooner[nodes=8]")
    given = ("tune", *on, *words, "--profile", "p.json", "--for", "openmpi-4.1", "--out", "out")
    status, _, errors = call(capsys, *given)
    assert status in (1, 2) and message in errors
    assert not Path("out").exists()
    (workplace / "p.json").write_text("{", encoding="utf-8")
    assert call(capsys, *given)[0] in (1, 2) and not Path("out").exists()


@pytest.mark.full
@needs_prover
@needs_open_mpi
@pytest.mark.parametrize("library", ["openmpi", "mpich-4.3"])
def test_a_library_follows_the_rules_of_a_program(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = "MPICH Version:      4.3.2" if library == "mpich-4.3" else "Open MPI v4.1.4"
    rows = [row(c, size, 9, 1e-3) for c in ("bcast", "allreduce", "reduce_scatter") for size in (64, 1 << 14, 1 << 19)]
    profile_files.write(Path("p.json"), *rows, library=name)
    folder = ("--mpi", str(libraries.mpich().mpirun.parents[1])) if library == "mpich-4.3" else ()
    status, printed, errors = call(capsys, *TUNE, library, "--profile", "p.json", "--verify", *folder)
    assert status == 0, errors
    assert "take what the rules say, by their messages, on 8 ranks" in printed
