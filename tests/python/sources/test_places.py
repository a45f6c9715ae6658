"""validate: where ranks sit on a real machine, told by hwloc: on machines that are made up (hwloc's synthetic ones), core by core."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.sources import mpirun

pytestmark = pytest.mark.skipif(
    not (shutil.which("mpirun") and programs.MPI_DRIVER.exists()) or len(os.sched_getaffinity(0)) < 2,
    reason="needs two cores, mpirun and the real driver; ./collscope doctor says what is missing",
)


def places(folder: Path, machine: str, *binding: str) -> list[list[int]]:
    """[node, socket, cache] of two ranks; `machine` as hwloc describes synthetic ones."""
    plan = folder / "plan.txt"
    plan.write_text("id=0 algorithm=barrier/linear count=0 repetitions=1\n")
    made_up = ["env", "HWLOC_THISSYSTEM=1", f"HWLOC_SYNTHETIC={machine}"]
    command = [*mpirun.command(2), *binding, *made_up, str(programs.MPI_DRIVER), "--plan", str(plan)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[list[int]] = json.loads(done.stdout.splitlines()[0])["meta"]["places"]
    return found


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        ("package:1 l3:1 core:2 pu:1", [[0, 0, 0], [0, 0, 0]]),
        ("package:1 l3:2 core:1 pu:1", [[0, 0, 0], [0, 0, 1]]),
        ("package:2 l3:1 core:1 pu:1", [[0, 0, 0], [0, 1, 1]]),
        ("package:2 core:1 pu:1", [[0, 0, 0], [0, 1, 1]]),  # no cache that cores share: the socket stands for it
    ],
)
def test_bound_ranks_sit_where_they_are_bound(machine: str, expected: list[list[int]], tmp_path: Path) -> None:
    assert places(tmp_path, machine, "--bind-to", "core") == expected


def test_unbound_ranks_have_no_place(tmp_path: Path) -> None:
    assert places(tmp_path, "package:2 l3:1 core:1 pu:1", "--bind-to", "none") == [[0, 0, 0], [0, 0, 0]]
