"""collscope.commands.advise, collscope.commands.advise_run, collscope.commands.advise_model, collscope.commands.advise_text,
collscope.commands.advise_json, collscope.tuning.advice: from a program's profile to what would save it time."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import document_keys
import profile_files
from collscope.base import paths, programs
from collscope.commands import advise_model, advise_run, advise_text, report
from collscope.points.plan import Point
from collscope.sources import mpirun
from collscope.tuning import profiles
from collscope.tuning.advice import Answer
from command_line import call
from open_mpi import needs_open_mpi, needs_prover
from profile_files import WORLD, row, skew

MPIP = Path(__file__).parents[1] / "tuning" / "data" / "phases.mpiP"
PHASES = paths.BUILD / "mpi" / "preload_phases"
needs_build = pytest.mark.skipif(
    not (PHASES.exists() and programs.PRELOAD.exists() and programs.PROVER.exists()), reason="build/mpi is not made"
)
ROWS = (
    row("bcast", 1 << 20, 100, 1.0, root=0),
    row("allreduce", 8, 5000, 0.5, skew=skew(50, 8e-5, 3e-5)),
    row("allgather", 1024, 50, 2e-2, algorithm="allgather/bruck", passed_on=None),
    row("allreduce", 1 << 16, 50, 3e-2, communicator=WORLD | {"name": "", "size": 4, "nodes": 4, "communicators": 2}),
    row("ibcast", 64, 10, 1e-3),
    row("alltoallv", 64, 10, 2e-3),
    row("barrier", 0, 10, 1e-3, type=""),
)


@pytest.fixture
def profile(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(workplace)
    profile_files.write(workplace / "p.json", *ROWS)
    return "p.json"


@needs_prover
def test_advice_is_printed(
    profile: str,
    capsys: pytest.CaptureFixture[str],
    golden: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "170")
    status, out, err = call(capsys, "advise", profile, "--on", "schooner[nodes=8]")
    assert status == 0, err
    golden("advise", out)
    assert "which algorithms run now is not in the profile: predicted by the rules of Open MPI 4.1" in err


@needs_prover
def test_advice_is_a_document(profile: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "advise", profile, "--on", "schooner[nodes=8]", "--json")
    made = document_keys.check(out, "advise")
    assert (status, made["target"], made["own_choice"]) == (0, "openmpi-4.1", "Open MPI 4.1")
    assert made["collectives_s"] == pytest.approx(sum(use["time_s"] for use in made["uses"]))
    by_name = {(use["collective"], use["bytes_from"]): use for use in made["uses"]}
    assert (
        by_name["allgather", 1024]["algorithm_known"] and by_name["allgather", 1024]["algorithm"] == "allgather/bruck"
    )
    assert not by_name["bcast", 1 << 20]["algorithm_known"]
    assert by_name["allreduce", 8]["waiting_s"] == pytest.approx(4950 * 3e-5)
    why = {name: use["not_judged_because"] for (name, _), use in by_name.items()}
    assert (
        "not blocking" in why["ibcast"]
        and "blocks of several sizes" in why["alltoallv"]
        and why["barrier"] == "no data"
    )
    saved = [change["saves_s"] for change in made["changes"]]
    assert saved == sorted(saved, reverse=True) and saved[0] > 0
    for change in made["changes"]:
        assert change["saves_share"] * change["time_s"] == pytest.approx(change["saves_s"])
        assert change["low_s"] <= change["saves_s"] * 1.5 and change["low_s"] <= change["high_s"]


@needs_prover
@pytest.mark.parametrize(
    ("library", "rules"),
    [("openmpi", "openmpi.conf"), pytest.param("collscope", "collscope.rules", marks=pytest.mark.full)],
)
def test_rules_carry_the_changes_that_stand(
    library: str,
    rules: str,
    profile: str,
    workplace: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "openmpi-4.1" if library == "openmpi" else library
    words = ("advise", profile, "--on", "schooner[nodes=8]", "--for", name, "--out", "rules")
    made = document_keys.check(call(capsys, *words, "--json")[1], "advise")
    text = (workplace / "rules" / rules).read_text(encoding="utf-8")
    assert made["written"] == str(workplace / "rules")
    for change in made["changes"]:
        short = change["algorithm"] if library == "openmpi" else change["algorithm"].partition("/")[2]
        assert (short in text) == (change["doubt"] is None)
    assert call(capsys, *words)[0] == 0  # its own folder, again
    monkeypatch.setattr(advise_run, "advise", nothing_stands(advise_run.advise))
    status, out, err = call(capsys, *words)
    assert status == 0 and "no rules were written: no change stands" in out
    assert "rules of an earlier command are gone" in err
    assert not list((workplace / "rules").iterdir())


def nothing_stands(advise: Callable[..., Answer]) -> Callable[..., Answer]:
    """The same advice, of which all is in doubt."""
    return lambda *given: replace(
        answer := advise(*given), advice=[replace(one, doubt="not known") for one in answer.advice]
    )


@needs_prover
def test_several_profiles_are_one_after_the_other(
    profile: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile_files.write(workplace / "q.json", *ROWS)
    made = json.loads(call(capsys, "advise", profile, "q.json", "--on", "schooner[nodes=8]", "--json")[1])
    once = json.loads(call(capsys, "advise", profile, "--on", "schooner[nodes=8]", "--json")[1])
    assert (made["run_s"], made["collectives_s"]) == (4.0, pytest.approx(2 * once["collectives_s"]))
    assert [c["saves_s"] for c in made["changes"]] == pytest.approx([2 * c["saves_s"] for c in once["changes"]])
    profile_files.write(workplace / "q.json", *ROWS, library="MPICH Version:      4.3.2")
    status, _, err = call(capsys, "advise", profile, "q.json", "--on", "schooner[nodes=8]")
    assert status == 1 and "the profiles are of Open MPI v4.1.4 and MPICH Version:" in err


@needs_prover
@pytest.mark.parametrize(
    ("words", "other", "message"),
    [
        (("--on", "schooner[nodes=4]"), {}, "ran on 8 nodes with up to 1 rank each; "),
        (("--on", "ideal[cores=1,nodes=1]"), {}, "1 node of 1 core; name the machine that the profile is of with --on"),
        (("--on", "schooner[nodes=8]", "--for", "openmpi-5.0"), {}, "--for openmpi-5.0: p.json is of Open MPI v4.1.4"),
        (("--on", "schooner[nodes=8]", "--for", "openmp"), {}, 'unknown library "openmp"'),
        (("--on", "schooner[nodes=8]", "--for", "collscope", "--out", "a b"), {}, "--out: the path has blanks"),
        (("--on", "schooner[nodes=8]", "--out", "."), {}, "contains files that are not of ./collscope advise"),
        (("--on", "schooner[nodes=8]", "--out", "rules"), {"rows": []}, "the program made no collective call"),
    ],
)
def test_bad_input_is_named_and_leaves_no_folder(
    words: Sequence[str],
    other: dict[str, Any],
    message: str,
    profile: str,
    workplace: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    profile_files.write(workplace / "p.json", *ROWS, **other)
    status, _, err = call(capsys, "advise", profile, *words)
    assert status in (1, 2) and message in err
    assert not {"a b", "rules"} & {path.name for path in workplace.iterdir()}


@needs_prover
def test_a_library_whose_choice_is_not_known_gets_no_advice(
    profile: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """But what our library ran is known whatever the MPI library is."""
    profile_files.write(workplace / "p.json", *ROWS, library="Some MPI 1.0")
    made = json.loads(call(capsys, "advise", profile, "--on", "schooner[nodes=8]", "--json")[1])
    why = {use["collective"]: use["not_judged_because"] for use in made["uses"]}
    assert made["target"] == "collscope" and why["allgather"] is None
    assert "which algorithm the MPI library takes is not known" in why["bcast"]


def test_a_call_is_timed_with_its_root_type_and_size(profile: str) -> None:
    """A root is a rank of the communicator, whichever rank of the job it was."""
    use = profiles.read_all([profile], False)[0].uses[0]
    for root, rank in ((5, 5), (9, 7)):
        point = advise_model.point_of(replace(use, root=root, type="MPI_LONG"), "bcast/linear", 64)
        assert point == Point("bcast", "bcast/linear", 8, "long", root=rank)


@needs_prover
def test_calls_in_which_ranks_only_wait_have_no_ratio_to_the_model(
    profile: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile_files.write(workplace / "p.json", row("allreduce", 8, 10, 1e-3, skew=skew(1, 1.0, 1.0)), ROWS[0])
    made = json.loads(call(capsys, "advise", profile, "--on", "schooner[nodes=8]", "--json")[1])
    waiting, other = made["uses"]
    assert waiting["waiting_s"] == waiting["time_s"] and waiting["model_call_s"] > 0
    assert waiting["ratio"] is None and other["ratio"] > 0


def test_calls_that_take_far_longer_than_the_model_says_are_counted_where_they_matter(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Not those of less than a hundredth of the time; the one that takes longest is named."""
    timed = [
        SimpleNamespace(over_model=ratio, use=SimpleNamespace(seconds=s, collective=name, size_text="8 B"))
        for name, ratio, s in (("bcast", 4.0, 2.0), ("gather", 9.0, 1.5), ("scatter", 50.0, 0.05), ("reduce", 2.0, 6.0))
    ]
    advise_text._far(cast(Answer, SimpleNamespace(timed=timed, profile=SimpleNamespace(seconds=10.0))))
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith("2 rows of these take more than 3 times as long as the model says (bcast, 8 B: 4.00 times)")


@needs_prover
def test_mpip_needs_the_name_of_the_library_and_the_communicators(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    on = ("advise", str(MPIP), "--on", "schooner")
    status, _, err = call(capsys, *on)
    assert status == 2 and "mpiP does not name the MPI library; name it with --for" in err
    made = json.loads(call(capsys, *on, "--for", "openmpi-4.1", "--json")[1])
    assert made["changes"] == [] and made["tool"] == "mpiP"
    assert {use["not_judged_because"] for use in made["uses"]} == {"the profile lacks the size of their communicators"}
    made = json.loads(call(capsys, *on, "--for", "openmpi-4.1", "--assume-world", "--json")[1])
    assert made["changes"] and {use["not_judged_because"] for use in made["uses"]} == {None}


@pytest.mark.full
@needs_build
@needs_open_mpi
def test_a_program_takes_what_it_was_advised(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """From its profile to rules, and by them to the algorithms, which the next report names."""
    monkeypatch.chdir(workplace)
    program = (*mpirun.command(4), "--oversubscribe", str(PHASES), "5")
    assert call(capfd, "profile", "--out", "p.json", "--", *program)[0] == 0
    words = ("advise", "p.json", "--on", "schooner", "--for", "collscope", "--out", "rules", "--json")
    status, out, err = call(capfd, *words)
    assert status == 0, err
    made = document_keys.check(out, "advise")
    assert {(use["collective"], use["ranks"], use["calls"]) for use in made["uses"]} == {
        ("allreduce", 4, 50.0), ("allreduce", 4, 5.0), ("bcast", 4, 5.0), ("allgather", 2, 5.0),
    }  # fmt: skip
    sure = [change for change in made["changes"] if not change["doubt"]]
    assert sure
    rules = ("exec", "--rules", "rules/collscope.rules", "--report", "r.json", "--", *program)
    assert call(capfd, *rules)[0] == 0
    ran = {(r["collective"], r["bytes_from"]): r["algorithm"] for r in report.read("r.json")["rows"]}
    assert {(c["collective"], c["bytes_from"]): c["algorithm"] for c in sure}.items() <= ran.items()
    assert sum(key is not None for key in ran.values()) == len(sure)
