"""driver:
how the driver repeats: in rounds over a group's points, until an interval is narrow or a budget is spent, on buffers of each kind;
and what it says of the launch before and after. Simulated where what is asked is exact, real where it is about a machine."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from collscope.base import paths, programs
from collscope.sources import mpirun

needs_mpi = pytest.mark.skipif(
    not programs.MPI_DRIVER.exists(), reason="needs build/mpi; ./collscope doctor says what is missing"
)
needs_sim = pytest.mark.skipif(
    not programs.SIM_DRIVER.exists(), reason="needs build/smpi; ./collscope doctor says what is missing"
)

Lines = list[dict[str, Any]]


def lines_of(command: Iterable[str | Path], plan: str, folder: Path) -> Lines:
    """The driver's lines."""
    (folder / "plan").write_text(plan)
    words = [str(word) for word in (*command, "--plan", folder / "plan")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(folder)})
    assert not done.returncode, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def simulated(plan: str, folder: Path) -> Lines:
    sixteen = paths.ROOT / "tests" / "driver" / "sixteen"
    return lines_of(
        ["smpirun", "-np", "4", "-platform", f"{sixteen}.xml", "-hostfile", f"{sixteen}.hosts", "--log=root.thresh:critical",
         "--cfg=smpi/privatization:no", "--cfg=smpi/simulate-computation:no", "--cfg=smpi/wtime:0", programs.SIM_DRIVER], plan, folder
    )  # fmt: skip


def real(plan: str, folder: Path) -> Lines:
    return lines_of([*mpirun.command(2), programs.MPI_DRIVER], plan, folder)


def repetitions(lines: Lines, name: str) -> list[float]:
    return [line["max_s"] for line in lines if line.get("id") == name and "rep" in line]


def end(lines: Lines, name: str) -> dict[str, Any]:
    return next(line for line in lines if line.get("id") == name and line.get("done"))


@needs_sim
def test_values_that_are_all_equal_are_enough_at_once(tmp_path: Path) -> None:
    """A simulated call takes the same time again and again: its interval has no width."""
    lines = simulated("id=a algorithm=bcast/mst count=9 repetitions=20 until_ci=0.01 budget_s=100\n", tmp_path)
    assert len(repetitions(lines, "a")) == 20


@needs_sim
@pytest.mark.parametrize("calls, repeated", [(0.5, 1), (3.5, 4), (5, 8), (19, 20)])
def test_a_budget_ends_the_repetitions_when_they_have_doubled(calls: float, repeated: int, tmp_path: Path) -> None:
    one = repetitions(simulated("id=a algorithm=bcast/mst count=99999\n", tmp_path), "a")[0]
    plan = f"id=a algorithm=bcast/mst count=99999 repetitions=20 until_ci=0.01 budget_s={calls * one:.9f}\n"
    assert len(repetitions(simulated(plan, tmp_path), "a")) == repeated


@needs_sim
def test_a_simulated_group_has_each_point_s_own_time(tmp_path: Path) -> None:
    keys = ("bcast/mst", "bcast/linear", "bcast/pipeline")
    alone = simulated("".join(f"id={key} algorithm={key} count=9\n" for key in keys), tmp_path)
    group = simulated("".join(f"id={key} algorithm={key} count=9 group=1 repetitions=2\n" for key in keys), tmp_path)
    for key in keys:
        assert repetitions(group, key) == pytest.approx(2 * repetitions(alone, key), rel=1e-9)


@needs_sim
def test_a_simulation_has_no_cold_buffers(tmp_path: Path) -> None:
    ended = end(simulated("id=a algorithm=bcast/mst count=9 buffers=cold\n", tmp_path), "a")
    assert (ended["kind"], ended["status"]) == (
        "unsupported",
        "a simulation has no cold buffers; take warm or fresh ones",
    )


@needs_mpi
def test_the_points_of_a_group_end_one_by_one(tmp_path: Path) -> None:
    """One that cannot run keeps no other from its times; the group after it has other buffers."""
    lines = real(
        "id=a algorithm=allreduce/ring count=500 group=1 repetitions=3 check=1\n"
        "id=b algorithm=allreduce/builtin count=500 group=1 repetitions=5 check=1\n"
        "id=c algorithm=bcast/linear count=7 root=9 group=2 repetitions=2\n"
        "id=d algorithm=bcast/mst count=7 root=9 group=2 repetitions=2\n"
        "id=e algorithm=bcast/mst count=70000 group=3 repetitions=2 check=1 buffers=fresh\n"
        "id=f algorithm=bcast/linear count=70000 group=3 repetitions=2 check=1 buffers=fresh\n",
        tmp_path,
    )
    assert [len(repetitions(lines, name)) for name in "abcdef"] == [3, 5, 0, 0, 2, 2]
    assert [end(lines, name)["kind"] for name in "abcdef"] == ["ok", "ok", "unsupported", "unsupported", "ok", "ok"]
    assert all(end(lines, name)["checked"] for name in "abef")


@needs_mpi
def test_a_real_point_ends_at_set_numbers_of_repetitions(tmp_path: Path) -> None:
    """An interval of a millionth of the median is met by no machine, so the budget ends it."""
    plan = "id=a algorithm=bcast/linear count=9 repetitions=10 until_ci=1e-6 budget_s=0.3\n"
    checked = [1, 2, 4, 8, 10]
    while checked[-1] < 1 << 20:
        checked.append(checked[-1] + (checked[-1] + 3) // 4)
    lines = real(plan, tmp_path)
    assert len(repetitions(lines, "a")) in checked and end(lines, "a")["kind"] == "ok"


@needs_mpi
def test_a_real_launch_says_what_it_depends_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_MCA_btl_vader_eager_limit", "8192")
    lines = real("id=a algorithm=barrier/linear\n", tmp_path)
    meta, last = lines[0]["meta"], lines[-1]["end"]
    assert meta["hosts"] == 1 and meta["ranks"] == 2
    environment = meta["environment"]
    assert {"kernel", "load", "cpus_of_ranks", "settings", "library_variables"} <= set(environment)
    assert len(environment["cpus_of_ranks"]) == 2 and all(environment["cpus_of_ranks"])
    if meta["library"].startswith("Open MPI v4"):
        assert environment["settings"]["OMPI_MCA_btl_vader_eager_limit"] == "8192"
        assert environment["library_variables"]["btl_vader_eager_limit"] == 8192
    assert meta["clocks"]["scheme"] == "shared" and meta["clocks"]["clocks"] == 1 and meta["clocks"]["error_s"] == 0
    assert 0 < meta["clocks"]["step_s"] < 1e-3
    assert last["clock_offset_s"] == 0 and last["discarded"] >= 0 and len(last["load"]) == 3
