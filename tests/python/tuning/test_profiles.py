"""collscope.tuning.profiles, collscope.tuning.preload_report, collscope.tuning.report_model, collscope.tuning.mpip, collscope.tuning.tau,
collscope.tuning.uses: what a program's calls took, whichever tool wrote it; and what no profile is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import profile_files
import tau_files
from collscope.base.errors import UserError
from collscope.tuning import profiles
from collscope.tuning.uses import Profile
from open_mpi import needs_prover
from profile_files import row, skew

MPIP = Path(__file__).parent / "data" / "phases.mpiP"
"""What mpiP 3.5.0 wrote of tests/preload/phases.c on four ranks of a node, with MPIP="-k1 -y"."""
HALVES = {"name": "", "size": 4, "nodes": 4, "ranks_per_node": 1, "communicators": 2}


def read(tmp_path: Path, *rows: dict[str, Any], **other: Any) -> Profile:
    return profiles.read(profile_files.write(tmp_path / "p.json", *rows, **other))


@needs_prover
def test_times_are_of_each_rank_of_the_job(tmp_path: Path) -> None:
    """A row's time is of the ranks that spent some: here half of them, on one of the two halves."""
    halves = HALVES | {"communicators": 1}
    made = read(tmp_path, row("bcast", 1024, 10, 4e-3, communicator=halves, ranks=4), row("bcast", 8, 100, 1e-3))
    half, world = made.uses
    assert (half.seconds, half.calls) == (2e-3, 5.0)
    assert (world.seconds, world.calls) == (1e-3, 100.0)
    assert made.seconds == pytest.approx(3e-3)
    assert (half.where, world.where) == ("1 of 4 ranks on 4 nodes", "MPI_COMM_WORLD (8) on 8 nodes")
    assert (half.mean_bytes, half.bytes, half.size_text) == (1024, (1024, 2047), "1 KiB..2 KiB")


@needs_prover
def test_waiting_is_that_of_the_samples_at_all_calls_that_were_none(tmp_path: Path) -> None:
    """A sampled call begins together; no more is waiting than the calls took."""
    some, all_of_it, unknown = read(
        tmp_path,
        row("allreduce", 8, 100, 10e-3, skew=skew(20, 1e-4, 5e-5)),
        row("allreduce", 16, 100, 1e-3, skew=skew(20, 1e-4, 5e-5)),
        row("allreduce", 32, 100, 1e-3),
    ).uses
    assert some.waiting_s == pytest.approx(80 * 5e-5) and some.working_s == pytest.approx(6e-3)
    assert all_of_it.waiting_s == all_of_it.seconds and all_of_it.working_s == 0
    assert unknown.waiting_s is None and unknown.working_s == unknown.seconds


@needs_prover
def test_a_report_of_exec_lacks_arrivals_and_calls_of_one_rank_are_left_out(tmp_path: Path) -> None:
    alone = {"name": "MPI_COMM_SELF", "size": 1, "nodes": 1, "ranks_per_node": 1, "communicators": 8}
    made = read(tmp_path, row("bcast", 8, 1, 1e-3), row("bcast", 8, 1, 1e-3, communicator=alone), profile=False)
    assert len(made.uses) == 1 and "when ranks arrive" in made.lacks[0]


@needs_prover
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("[]", "not a report of version 1"),
        ('{"collscope_report": 1, "rows": [', "not a report: "),
        ('{"collscope_report": 2, "rows": []}', "not a report of version 1"),
        ('{"collscope_report": 1, "rows": []}', "complete: Field required; write one with ./collscope profile"),
        ("@ mpiP\n@ Version : 3.5.0\n", "it was cut short"),
        ("@ mpiP\n@--- End of Report ---\n", "no statistics of all call sites"),
    ],
)
def test_a_file_that_is_no_profile_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as error:
        profiles.read(str(path))
    assert message in str(error.value) and str(error.value).startswith(str(path))


def test_an_empty_name_is_not_the_folder_one_is_in() -> None:
    with pytest.raises(UserError, match="the name of a profile is empty; write one with"):
        profiles.read("")


@needs_prover
@pytest.mark.parametrize(
    ("rows", "other", "message"),
    [
        ([], {}, "the program made no collective call with another rank"),
        ([row("bcast", 8, 1, 1.0)], {"complete": False}, "the program ended by MPI_Abort"),
        ([row("bcast", 8, 1, -1.0)], {}, "rows.0.mean_s: Input should be greater than or equal to 0"),
        ([row("bcast", 8, 0, 1.0)], {}, "rows.0.calls: "),
        ([row("bcast", 8, 1, 1.0, communicator={})], {}, "rows.0.communicator.name: Field required"),
    ],
)
def test_a_profile_that_cannot_be_used_says_why(
    rows: list[dict[str, Any]], other: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message.replace(".", r"\.").replace("(", r"\(")):
        read(tmp_path, *rows, **other)


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        profiles.read(str(tmp_path / "nowhere"))
    (tmp_path / "p").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not a text"):
        profiles.read(str(tmp_path / "p"))


@needs_prover
def test_mpip_has_calls_times_and_sizes_but_no_communicators() -> None:
    made = profiles.read(str(MPIP))
    assert (made.tool, made.library, made.ranks) == ("mpiP", "", 4)
    assert made.run_s == pytest.approx(0.471 / 4)
    found = {(use.collective, use.bytes): (use.calls, use.ranks) for use in made.uses}
    assert found == {
        ("allgather", (8192, 16383)): (20, None),
        ("allreduce", (8, 15)): (200, None),
        ("allreduce", (8192, 16383)): (20, None),
        ("bcast", (8192, 16383)): (20, None),
        ("bcast", (1 << 19, (1 << 20) - 1)): (20, None),
    }
    assert made.uses[1].seconds == pytest.approx(200 * 0.0174e-3)
    assert all(use.waiting_s is None for use in made.uses)
    assert "sizes of communicators" in made.lacks[0]


@needs_prover
def test_call_sites_of_the_same_sizes_are_one_whatever_their_numbers_at_each_rank(tmp_path: Path) -> None:
    """Where addresses differ from rank to rank, mpiP has a site for each."""
    text = MPIP.read_text(encoding="utf-8")
    line = "Allreduce            1    *    800    0.687   0.0174"
    assert line in text
    halves = "".join(
        f"Allreduce           {site}    *    400    0.687   0.0174  0.00122   1.47   1.77\n" for site in (90, 91)
    )
    sent = "Allreduce            1    *     800         8         8         8      6400"
    assert sent in text
    text = text.replace(line, "Unknown              1    *    800    0.687   0.0174").replace(
        sent,
        "".join(
            f"Allreduce           {site}    *     400         8         8         8      3200\n" for site in (90, 91)
        ),
    )
    at = text.index("Bcast                3    *     80    0.414")
    path = tmp_path / "p"
    path.write_text(text[:at] + halves + text[at:], encoding="utf-8")
    use = next(use for use in profiles.read(str(path)).uses if use.bytes == (8, 15))
    assert (use.calls, use.where) == (200, "2 call sites")
    assert use.seconds == pytest.approx(200 * 0.0174e-3)


@needs_prover
def test_all_communicators_are_the_world_where_the_user_says_so(tmp_path: Path) -> None:
    made = profiles.read(str(MPIP), assume_world=True)
    assert {(use.ranks, use.nodes, use.per_node) for use in made.uses} == {(4, 1, 4)}
    text = MPIP.read_text(encoding="utf-8")
    path = tmp_path / "p"
    path.write_text(text.replace("0 -        7       8192", "8 -       15       8192"), encoding="utf-8")
    with pytest.raises(UserError, match="communicators of 8 to 15 ranks, and the job had 4"):
        profiles.read(str(path), assume_world=True)


@needs_prover
def test_tau_has_calls_times_and_sizes_of_all_ranks(tmp_path: Path) -> None:
    """Of a file its folder, and the other way round; callpaths, other threads and other events do not count."""
    tau_files.write(tmp_path)
    made = profiles.read(str(tmp_path))
    assert made.uses == profiles.read(str(tmp_path / "profile.2.0.0")).uses
    assert (made.tool, made.library, made.ranks, made.run_s) == ("TAU", "", 4, 2.0)
    found = {use.collective: (use.bytes, use.calls, use.seconds) for use in made.uses}
    assert found == {
        "bcast": ((4, 8191), 64, pytest.approx(0.1)),  # 4 to 4096 B: of several classes
        "allreduce": ((8, 15), 1000, pytest.approx(0.5)),
        "allgather": (None, 10, pytest.approx(0.01)),  # MPI_Allgatherv has the same event
        "allgatherv": (None, 10, pytest.approx(0.01)),
        "alltoall": ((1024, 2047), 20, pytest.approx(0.2)),  # sent and received are added up
        "gather": ((256, 511), 5, pytest.approx(0.001)),
        "barrier": (None, 7, pytest.approx(0.02)),
    }
    by_name = {use.collective: use for use in made.uses}
    assert by_name["gather"].root == 1
    assert [by_name[name].call_count for name in ("bcast", "gather")] == [64, 5], "of a rank"
    assert by_name["alltoall"].mean_bytes == 1024
    assert all(use.ranks is None and use.waiting_s is None and not use.in_place for use in made.uses)
    assert "how many calls had which size" in made.lacks[1]
    world = profiles.read(str(tmp_path), assume_world=True)
    assert {(use.ranks, use.nodes, use.per_node) for use in world.uses} == {(4, 2, 2)}
    other_root = tau_files.text(3, events=[*tau_files.EVENTS, tau_files.GATHERED])
    (tmp_path / "profile.3.0.0").write_text(other_root, encoding="utf-8")
    (gather,) = [use for use in profiles.read(str(tmp_path)).uses if use.collective == "gather"]
    assert gather.root == 0  # not one rank alone


@needs_prover
@pytest.mark.parametrize(
    ("name", "before", "after", "message"),
    [
        ("profile.1.0.0", None, None, "profile.1.0.0 is missing beside the others"),
        ("profile.2.0.0", "MULTI_TIME", "MULTI_PAPI_FP_OPS", "of the metric PAPI_FP_OPS; name the profile of TIME"),
        ("profile.2.0.0", "0 aggregates", "", "it ends before its last function: it was cut short"),
        ("profile.2.0.0", '"Message size for all-to-all"', "", "where TAU has a function or an event"),
        ("profile.3.0.0", " 64 0 100000 100000 ", " 64 0 100000 never ", '"never" where TAU has a number'),
        ("profile.3.0.0", " 20 2048 2048 ", " 20 2048 1e99 ", "these are not sizes"),
        ("profile.0.0.0", "<name>Hostname</name>", "<name>Shell</name>", "no host in the metadata of some rank"),
    ],
)
def test_a_damaged_profile_of_tau_is_named(
    name: str, before: str | None, after: str | None, message: str, tmp_path: Path
) -> None:
    tau_files.write(tmp_path)
    path = tmp_path / name
    text = path.read_text(encoding="utf-8")
    if before is None or after is None:
        path.unlink()
    else:
        assert before in text
        path.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(UserError, match=message):
        profiles.read(str(tmp_path), assume_world=True)


@needs_prover
def test_tau_needs_the_files_of_all_ranks_under_their_names(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(tau_files.text(0), encoding="utf-8")
    with pytest.raises(UserError, match="one per rank: keep the names"):
        profiles.read(str(tmp_path / "mine"))
    with pytest.raises(UserError, match="a folder without TAU's profile.0.0.0"):
        profiles.read(str(tmp_path))
    (tmp_path / "profile.0.0.0").write_text(tau_files.text(0), encoding="utf-8")
    with pytest.raises(UserError, match="the profile of one rank; copy the files of all ranks"):
        profiles.read(str(tmp_path))


@needs_prover
def test_a_number_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_text(MPIP.read_text(encoding="utf-8").replace("   0.0174 ", "   ****** ", 8), encoding="utf-8")
    with pytest.raises(UserError, match=r'"\*+" where mpiP has a number'):
        profiles.read(str(path))


@needs_prover
@pytest.mark.parametrize(
    ("library", "decision"),
    [
        ("Open MPI v4.1.4, package", "decision/ompi_4_1"),
        ("Open MPI v5.0.11", "decision/ompi_5_0"),
        ("MPICH Version:      4.3.2", "decision/mpich_4"),
        ("Open MPI v6.0.0", None),
        ("Intel(R) MPI Library 2021.10", None),
    ],
)
def test_a_librarys_own_choice_is_known_by_its_name_and_version(library: str, decision: str | None) -> None:
    assert profiles.decision_of(library) == decision


def test_a_run_of_several_profiles_has_no_duration_where_one_has_none() -> None:
    one, other = (Profile(name, "mpiP", "", ranks, run_s, ()) for name, ranks, run_s in (("a", 4, 2.0), ("b", 8, None)))
    both = profiles.joined([one, other])
    assert (both.file, both.ranks, both.run_s) == ("a and b", 8, None)
    assert profiles.joined([one, one]).run_s == 4.0
