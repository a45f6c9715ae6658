"""collscope.commands.exec_, collscope.commands.profile, collscope.commands.report, collscope.commands.preloaded: any MPI program with our
algorithms."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from collscope.base import paths, programs
from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.commands import mpi_builds, preloaded, report
from collscope.commands.mpi_builds import Build
from collscope.sources import mpirun
from command_line import call
from open_mpi import needs_prover

CALLS, UNEVEN = (paths.BUILD / "mpi" / f"preload_{name}" for name in ("calls", "uneven"))
needs_build = pytest.mark.skipif(
    not (CALLS.exists() and programs.PRELOAD.exists() and programs.PROVER.exists()), reason="build/mpi is not made"
)

ROW: dict[str, Any] = {
    "collective": "bcast",
    "communicator": {"name": "MPI_COMM_WORLD", "size": 4, "nodes": 2, "ranks_per_node": 2, "communicators": 1},
    "bytes_from": 1024,
    "bytes_to": 2047,
    "algorithm": "bcast/knomial[k=4,s=0]",
    "passed_on": None,
    "calls": 10,
    "bytes": 10240,
    "in_place": 0,
    "root": 0,
    "type": "MPI_INT",
    "ranks": 4,
    "mean_s": 1e-4,
    "max_s": 2e-4,
    "skew": {"samples": 4, "mean_s": 5e-6, "max_s": 1e-5, "wait_s": 4e-6, "spent_s": 8e-5},
}
OTHER = ROW | {
    "collective": "reduce",
    "communicator": {"name": "", "size": 2, "nodes": 1, "ranks_per_node": 2, "communicators": 3},
    "bytes_from": 0,
    "bytes_to": 0,
    "algorithm": None,
    "passed_on": "reduce/binomial: needs an operator that commutes",
    "max_s": 3e-3,
    "skew": None,
}
REPORT: dict[str, Any] = {
    "collscope_report": 1, "complete": True, "library": "Open MPI v4.1.4, package: Debian", "ranks": 4, "run_s": 0.5, "profile": True,
    "choices": {"bcast": "bcast/knomial[k=4]"}, "rows": [ROW, OTHER],
}  # fmt: skip


def words_for(ranks: int, *program: str) -> list[str]:
    return [*mpirun.command(ranks), "--oversubscribe", *program]


# ---- choices ---------------------------------------------------------------------------------------------------------


def test_choices_become_variables_of_the_library(known: registry.Registry) -> None:
    assert preloaded.choices(None) == {}
    assert preloaded.choices("bcast=knomial[s=4], allreduce=bucket") == {
        "COLLSCOPE_BCAST": "bcast/knomial[k=4,s=4]",
        "COLLSCOPE_ALLREDUCE": "allreduce/bucket",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bcats=mst", 'unknown collective "bcats"; did you mean "bcast"'),
        ("rotation=shift", 'unknown collective "rotation"'),
        ("bcast=mts", 'unknown bcast algorithm "mts"; did you mean "mst"'),
        ("bcast", "--choose bcast: expected COLLECTIVE=ALGORITHM"),
        ("bcast=mst,bcast=linear", "bcast is given twice"),
        ("bcast=knomial[q=1]", "q"),
        ("bcast=scatter/linear", "scatter/linear is an algorithm of scatter"),
        ("barrier=decision/ompi_4_1", "decision/ompi_4_1 has no rule for barrier"),
    ],
)
def test_a_wrong_choice_is_refused_before_anything_starts(
    text: str, message: str, known: registry.Registry, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    started = tmp_path / "started"
    status, out, err = call(capsys, "exec", "--choose", text, "--", "touch", str(started))
    assert (status, out) == (2, "")
    assert message in err
    assert not started.exists()


def test_programs_that_cannot_start_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "exec")
    assert status == 2 and "expected a command behind --" in err
    status, _, err = call(capsys, "exec", "--", "./nowhere/program")
    assert status == 1 and "./nowhere/program: not found" in err
    status, _, err = call(capsys, "exec", "--rules", "/nowhere", "--", "true")
    assert status == 1 and "/nowhere: not a file" in err


@needs_prover
def test_wrong_rules_are_refused_before_anything_starts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rules, started = tmp_path / "rules", tmp_path / "started"
    rules.write_text("bcast builtin\nbcast binomail\n")
    refused = call(capsys, "exec", "--rules", str(rules), "--", "touch", str(started))
    assert refused == (1, "", f'collscope: {rules}:2: unknown algorithm "bcast/binomail"; did you mean binomial?\n')
    assert not started.exists()


@pytest.mark.parametrize(("command", "option"), [("exec", "--report"), ("profile", "--out")])
def test_a_report_that_cannot_be_written_is_refused_before_anything_starts(
    command: str, option: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    started = tmp_path / "started"
    for file, why in (
        ("/nowhere/x.json", "/nowhere/x.json: there is no folder /nowhere; make it first"),
        (str(tmp_path), f"{tmp_path}: is a folder"),
        ("", "needs the name of a file"),
    ):
        refused = call(capsys, command, option, file, "--", "touch", str(started))
        assert refused == (2, "", f"collscope: {option} {why}\n")
    assert not started.exists()


# ---- starting --------------------------------------------------------------------------------------------------------


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    library = tmp_path / "libcollscope.so"
    library.touch()
    monkeypatch.setattr(programs, "PRELOAD", library)
    return library


def is_of(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    """Every launcher is that of this library."""
    monkeypatch.setattr(mpirun, "library", lambda launcher="mpirun": library)


def test_open_mpi_passes_variables_to_ranks_on_all_nodes(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_of(monkeypatch, "Open MPI 4.1.4")
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    build = Build(built, "Open MPI 4.1.4", "mpirun")
    words, environment = preloaded.command(["/usr/bin/mpirun", "-n", "2", "x"], {"COLLSCOPE_BCAST": "bcast/mst"}, build)
    passed = ["-x", "COLLSCOPE_BCAST=bcast/mst", "-x", f"LD_PRELOAD={built}"]
    assert words == ["/usr/bin/mpirun", *passed, "-n", "2", "x"]
    assert "LD_PRELOAD" not in environment  # mpirun itself runs no collectives


def test_other_launchers_pass_their_environment(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_of(monkeypatch, "MPICH 4.0")
    monkeypatch.setenv("LD_PRELOAD", "/other.so")
    for launcher in ("srun", "mpiexec"):
        build = Build(built, "MPICH 4.0", "mpirun")
        words, environment = preloaded.command([launcher, "x"], {"COLLSCOPE_BCAST": "bcast/mst"}, build)
        assert words == [launcher, "x"]
        assert environment["LD_PRELOAD"] == f"{built}{os.pathsep}/other.so"
        assert environment["COLLSCOPE_BCAST"] == "bcast/mst"


OURS, THEIRS = Path("/usr/lib/libmpi.so.40.30"), Path("/opt/other/lib/libmpi.so.12")


@pytest.fixture
def linked(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`true` runs on the library of our build, `cat` on another one, of which there is nothing but itself; `sh` on none."""
    loads = {"libcollscope.so": OURS, "true": OURS, "cat": THEIRS}
    monkeypatch.setattr(mpi_builds, "linked_with", lambda path: loads.get(path.name))
    monkeypatch.setattr(preloaded, "is_launcher", lambda word: word == "env")
    is_of(monkeypatch, "Open MPI 4.1.4")


@pytest.mark.usefixtures("linked")
def test_the_build_is_that_of_the_programs_library(built: Path) -> None:
    assert preloaded.fitting_build(["env", "sh", "true"]) == Build(built, "Open MPI 4.1.4", "mpirun")
    with pytest.raises(
        UserError, match=r"true is linked with .*40\.30 and cat is linked with .*12; start programs of one"
    ):
        preloaded.fitting_build(["env", "true", "cat"])
    with pytest.raises(
        UserError, match=r"runs on /opt/other/lib/libmpi\.so\.12, for which there is no build, and its mpicc was not"
    ):
        preloaded.fitting_build(["env", "cat"])


@pytest.mark.usefixtures("linked")
def test_a_launcher_of_another_library_is_refused(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = Build(built, "MPICH 4.3.2", "/opt/other/bin/mpirun")
    monkeypatch.setattr(mpi_builds, "fitting", lambda library, launcher: build)
    with pytest.raises(
        UserError, match=r"cat runs on MPICH 4\.3\.2, and env is that of Open MPI 4\.1\.4; start it with /opt/oth"
    ):
        preloaded.fitting_build(["env", "cat"])
    is_of(monkeypatch, "MPICH 4.2.0")
    assert preloaded.fitting_build(["env", "cat"]) == build


def test_the_library_of_a_program_is_found() -> None:
    assert mpi_builds.linked_with(Path("/bin/sh")) is None
    if programs.PRELOAD.exists():
        found = mpi_builds.linked_with(programs.PRELOAD)
        assert found is not None and found.is_file() and found.name.startswith("libmpi")


@pytest.mark.parametrize(("script", "status"), [("exit 3", 3), ("kill -9 $$", 137), ("exit 0", 0)])
def test_the_status_is_that_of_the_program(script: str, status: int, built: Path) -> None:
    assert preloaded.run(["sh", "-c", script], {"LD_PRELOAD": ""}) == status


@needs_build
def test_a_program_runs_the_chosen_algorithms_and_is_reported(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.json"
    choose = "bcast=knomial[k=3],allreduce=recursive_doubling,reduce=linear"
    status, _, err = call(
        capfd, "exec", "--choose", choose, "--report", str(file), "--", *words_for(4, str(CALLS), "quick")
    )
    assert (status, err) == (0, "")
    data = report.read(str(file))
    assert data["choices"] == {
        "bcast": "bcast/knomial[k=3,s=0]",
        "reduce": "reduce/linear",
        "allreduce": "allreduce/recursive_doubling",
    }
    assert data["complete"] and data["ranks"] == 4
    ran = {row["algorithm"] for row in data["rows"]} - {None}
    assert ran == set(data["choices"].values())
    passed = {row["collective"] for row in data["rows"] if row["passed_on"] == "no algorithm was chosen"}
    assert passed == {"barrier", "scatter", "gather", "allgather", "allgatherv", "alltoall", "scan", "exscan", "reduce_scatter",
                      "reduce_scatter_block"}  # fmt: skip
    world = [r for r in data["rows"] if r["communicator"]["name"] == "MPI_COMM_WORLD" and r["collective"] == "barrier"]
    assert [r["calls"] for r in world] == [4]  # three counts, and one more round at the end


@needs_build
def test_rules_choose_by_size_what_no_option_chose(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file, rules = tmp_path / "report.json", tmp_path / "rules"
    rules.write_text("bcast bytes 0..15 binomial\nbcast linear\nreduce binomial\n")
    options = ["--rules", str(rules), "--choose", "reduce=linear", "--report", str(file)]
    assert call(capfd, "exec", *options, "--", *words_for(3, str(CALLS), "quick"))[0] == 0
    ran = {
        (row["algorithm"], row["bytes_to"] < 16)
        for row in report.read(str(file))["rows"]
        if row["collective"] == "bcast"
    }
    assert ran == {("bcast/binomial[s=0]", True), ("bcast/linear", False)}
    assert {row["algorithm"] for row in report.read(str(file))["rows"] if row["collective"] == "reduce"} == {
        "reduce/linear"
    }


@needs_build
def test_a_profile_counts_calls_and_samples_arrivals(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    file = tmp_path / "profile.json"
    status, out, _ = call(capfd, "profile", "--out", str(file), "--", *words_for(2, str(CALLS), "quick"))
    assert status == 0 and "arrival skew" in out and "sampling arrivals took" in out
    data = report.read(str(file))
    assert data["profile"] and not data["choices"]
    assert all(row["algorithm"] is None for row in data["rows"])
    assert sum(row["skew"]["samples"] for row in data["rows"] if row["skew"]) > 10
    assert all(0 <= row["skew"]["wait_s"] <= row["skew"]["mean_s"] for row in data["rows"] if row["skew"])
    assert all(row["mean_s"] <= row["max_s"] < data["run_s"] for row in data["rows"])
    assert {row["ranks"] for row in data["rows"] if row["communicator"]["name"] == "MPI_COMM_WORLD"} == {2}
    assert {row["type"] for row in data["rows"] if row["collective"] == "barrier"} == {""}
    sizes = {row["communicator"]["size"] for row in data["rows"]}
    assert sizes == {1, 2}


@needs_build
@pytest.mark.parametrize(("program", "form"), [("", "{}"), ("_nonblocking", "i{}"), ("_persistent", "{}_init")])
def test_calls_of_vector_forms_and_neighbours_are_counted_once_with_the_bytes_of_all_ranks(
    program: str, form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Ranks bring 100, 200 and 300 bytes, or as much to each other rank or neighbour."""
    file, uneven = tmp_path / "profile.json", f"{UNEVEN}{program}"
    assert call(capfd, "profile", "--out", str(file), "--", *words_for(3, uneven, "3"))[0] == 0
    rows = report.read(str(file))["rows"]
    found = {r["collective"]: tuple(r[name] for name in ("calls", "bytes", "bytes_from", "bytes_to")) for r in rows}
    assert len(rows) == len(found)
    expected = {
        "gatherv": (3, 600, 100, 300),
        "scatterv": (3, 600, 100, 300),
        "allgatherv": (3, 600, 128, 255),
        "alltoallv": (3, 1800, 300, 900),
        "alltoallw": (3, 1800, 300, 900),
        "reduce_scatter": (3, 1800, 512, 1023),
        "neighbor_allgather": (3, 300, 100, 100),
        "neighbor_allgatherv": (3, 600, 100, 300),
        "neighbor_alltoall": (3, 600, 200, 200),
        "neighbor_alltoallv": (3, 1200, 200, 600),
        "neighbor_alltoallw": (3, 1200, 200, 600),
    }
    assert found == {form.format(name): row for name, row in expected.items()}


@needs_build
def test_a_vector_form_has_rows_of_its_own_where_it_runs_the_same_algorithm(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The program calls it twice for each allgather on the same blocks, which the algorithm serves, and twice with counts that differ
    unless they happen to be equal."""
    file = tmp_path / "report.json"
    words = words_for(2, str(CALLS), "quick")
    assert call(capfd, "exec", "--choose", "allgather=bruck", "--report", str(file), "--", *words)[0] == 0
    rows = report.read(str(file))["rows"]
    served, made = (
        {name: sum(row["calls"] for row in some if row["collective"] == name) for name in ("allgather", "allgatherv")}
        for some in ([row for row in rows if row["algorithm"]], rows)
    )
    assert 2 * served["allgather"] <= served["allgatherv"] < made["allgatherv"] == 4 * made["allgather"]


@needs_build
def test_arrivals_are_sampled_at_every_call_of_a_loop(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "profile.json"
    assert call(capfd, "profile", "--out", str(file), "--", *words_for(2, str(UNEVEN), "50"))[0] == 0
    rows = [row for row in report.read(str(file))["rows"] if row["communicator"]["name"]]
    assert len(rows) == 6
    samples = [row["skew"]["samples"] for row in rows]
    assert min(samples) >= 3 and sum(samples) == 25


@needs_build
def test_a_program_that_aborts_leaves_what_one_rank_knew(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    words = words_for(2, str(CALLS), "abort")
    assert call(capfd, "exec", "--choose", "barrier=linear", "--report", str(file), "--", *words)[0] == 5
    data = report.read(str(file))
    assert not data["complete"]
    assert [(row["algorithm"], row["calls"]) for row in data["rows"]] == [("barrier/linear", 1)]


# ---- reports ---------------------------------------------------------------------------------------------------------


def test_a_report_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Callable[[str, str], None]
) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(REPORT))
    status, out, err = call(capsys, "report", str(file))
    assert (status, err) == (0, "")
    golden("report", out)


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [(0, 0, "0 B"), (1024, 2047, "1 KiB..2 KiB"), (1024, 1536, "1 KiB..1536 B"), (8, 8, "8 B")],
)
def test_a_class_of_sizes_ends_where_the_next_begins_or_with_what_a_rank_had_at_most(
    first: int, last: int, text: str
) -> None:
    assert report.sizes({"bytes_from": first, "bytes_to": last}) == text


def test_time_inside_is_that_of_each_rank_of_the_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three of its four ranks were in the second communicator."""
    file = tmp_path / "report.json"
    file.write_text(json.dumps(REPORT | {"rows": [ROW, OTHER | {"ranks": 3}]}))
    assert "in collectives: 175.0 µs of each rank on average of 500.0 ms" in call(capsys, "report", str(file))[1]


def test_a_profile_has_no_column_of_algorithms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(REPORT | {"choices": {}}))
    out = call(capsys, "report", str(file))[1]
    assert "bcast" in out and "algorithm" not in out


def test_a_report_of_an_abort_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(REPORT | {"complete": False}))
    assert "ended by MPI_Abort" in call(capsys, "report", str(file))[1]
    file.write_text(json.dumps(REPORT | {"rows": []}))
    assert call(capsys, "report", str(file))[1] == "no collective call was made\n"


def test_other_files_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    less = copy.deepcopy(REPORT)
    del less["rows"][0]["calls"]
    for text in ("", "[]", "{}", json.dumps(REPORT | {"collscope_report": 2}), json.dumps(less)):
        file.write_text(text)
        status, out, err = call(capsys, "report", str(file))
        assert status == 1 and not out and str(file) in err, text
    assert call(capsys, "report", str(tmp_path / "none"))[0] == 1
