"""collscope.sources.played, driver/measure/played.c: a schedule from a file is played, simulated and for real, and its data is checked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.machines import find
from collscope.points.plan import Point, check_layout, plan_text
from collscope.schedules import from_file, one_port
from collscope.sources import played
from collscope.synthesis.judge import Judge
from command_line import call
from refusals import refusal
from simulated import simulated

real = pytest.mark.skipif(
    not (shutil.which("mpirun") and programs.MPI_DRIVER.exists()), reason="needs mpirun and the real driver"
)


def recorded(key: str, ranks: int, count: int, folder: Path) -> Path:
    """The file of what an algorithm does."""
    path = folder / "recorded.schedule"
    schedule = Judge(one_port.telephone(8, None), folder).recorded(
        plan_text([("1", Point(key.split("/")[0], key, count))], ranks)
    )
    assert schedule
    path.write_text(schedule.text())
    return path


@simulated
def test_a_simulated_file_takes_what_the_model_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the plug-in's machines both price messages alike."""
    path = recorded("allreduce/rabenseifner", 4, 1000, tmp_path)
    words = ("run", "--schedule", str(path), "--on", "schooner", "--nodes", "2", "--source")
    times = {}
    for source, name in (("model", "model"), ("sim", "simulation")):
        status, out, err = call(capsys, *words, source)
        assert status == 0, err
        line = next(line for line in out.splitlines() if line.startswith(f"{name} of schooner, 2 nodes"))
        times[source] = line.rpartition(": ")[2]
        assert ("data checked on every rank: right" in out) == (source == "sim")
    assert times["model"] == times["sim"]


@simulated
@pytest.mark.parametrize(
    "key", ["allreduce/recursive_doubling", "alltoall/bruck", "scatter/binomial", "reduce_scatter/ring"]
)
def test_data_of_played_files_is_right(key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recorded(key, 5, 13, tmp_path)
    status, out, err = call(capsys, "run", "--schedule", str(path), "--on", "schooner", "--source", "sim")
    assert status == 0 and "data checked on every rank: right" in out, err


@simulated
def test_wrong_data_are_found_when_the_file_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recorded("allgather/bucket", 3, 4, tmp_path)
    path.write_text(path.read_text().replace("copy in+0 16 into out+16", "copy in+0 8 into out+16"))
    assert from_file.fault(from_file.read(path))
    layout = check_layout(find.load("schooner"), 1, 3, "block")
    outcome = played.simulated(path, layout, from_file.read(path).point())
    assert (outcome.kind, outcome.status) == ("wrong", "wrong data: 6 elements"), "two, passed around to three ranks"


@simulated
def test_a_driver_that_ends_early_is_an_outcome_and_one_that_does_not_start_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "none.schedule"
    path.write_text("no schedule\n")
    given = path, check_layout(find.load("schooner"), 1, 2, "block"), Point("barrier", "", 0)
    outcome = played.simulated(*given)
    assert outcome.kind == "died" and "played.schedule:1: " in outcome.status
    monkeypatch.setattr(programs, "SIM_DRIVER", path)
    message = refusal(played.simulated, *given)
    assert message.startswith("the simulation did not start: ")
    assert "LD_LIBRARY_PATH" not in message, "what helps mpirun does not help here"


@real
def test_a_file_is_played_by_the_mpi_library_and_its_data_is_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded("allreduce/ring", 3, 100, tmp_path)
    words = ("run", "--schedule", str(path), "--on", "this_machine", "--source", "real", "--repetitions", "2")
    status, out, err = call(capsys, *words)
    assert status == 0 and "data checked on every rank: right" in out and "(median of 2, least" in out, err


@simulated
def test_segments_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ranks = "".join(
        f"rank {r} segments=0\n  publish segment0 of {r} flag 0 value 1\n  await segment0 of {1 - r} flag 0 value 1\n"
        for r in (0, 1)
    )
    path = tmp_path / "flags.schedule"
    path.write_text(
        f"collscope-schedule 1\ncall collective=barrier ranks=2\nsegment 0 bytes=0 flags=1 ranks=0,1\n{ranks}"
    )
    status, _, err = call(capsys, "run", "--schedule", str(path), "--on", "schooner", "--source", "sim")
    assert status == 1 and "rank 0 has shared segments" in " ".join(err.split())


PARTS = "rank 1 moves parts of elements; give elem=1 or whole elements"


@simulated
@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        ("calc 1000", "rank 1 has operations that only take time, or mark it"),
        ("copy in+0 2 into out+0", PARTS),
        ("copy in+2 4 into out+0", PARTS),
        ("copy in+0 4 into out+2", PARTS),
        ("isend in+0 6 to 0 as 0\n  wait 0", PARTS),
    ],
)
def test_an_operation_that_cannot_be_played_is_refused_with_its_rank(
    operation: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.schedule"
    path.write_text(
        "collscope-schedule 1\ncall collective=allgather ranks=2 count=2\nrank 0\n  copy in+0 8 into out+0\n"
        f"rank 1\n  {operation}\n  copy in+0 8 into out+8\n"
    )
    status, _, err = call(capsys, "run", "--schedule", str(path), "--on", "schooner", "--source", "sim")
    assert status == 1 and reason in " ".join(err.split())


def uneven(first: int, second: int) -> str:
    """Two ranks' blocks of so many elements, exchanged."""
    a, b = 4 * first, 4 * second
    return f"""collscope-schedule 1
call collective=allgatherv ranks=2 count=3 counts={first},{second}
rank 0
  copy in+0 {a} into out+0
  isend out+0 {a} to 1 as 0
  irecv out+{a} {b} from 1 as 1
  wait 0 1
rank 1
  copy in+0 {b} into out+{a}
  isend out+{a} {b} to 0 as 0
  irecv out+0 {a} from 0 as 1
  wait 0 1
"""


@simulated
@pytest.mark.parametrize(("first", "kind"), [(2, "ok"), (1, "unsupported")])
def test_blocks_are_played_where_those_of_the_file_are_as_long(first: int, kind: str, tmp_path: Path) -> None:
    """The call's have 2 and 4 elements."""
    path = tmp_path / "uneven.schedule"
    path.write_text(uneven(first, 6 - first))
    layout = check_layout(find.load("schooner"), 1, 2, "block")
    outcome = played.simulated(path, layout, Point("allgatherv", "", 3, counts="linear"))
    assert outcome.kind == kind, outcome.status


@simulated
def test_blocks_of_several_lengths_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The buffers of a call are those of even blocks."""
    path = tmp_path / "uneven.schedule"
    path.write_text(uneven(1, 5))
    assert call(capsys, "prove", "--schedule", str(path))[0] == 0
    status, _, err = call(capsys, "run", "--schedule", str(path), "--on", "schooner", "--source", "sim")
    assert status != 0 and "the file is of another call: allgatherv ranks=2 count=3" in err and "with counts" in err
