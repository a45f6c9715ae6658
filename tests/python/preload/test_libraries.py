"""preload, libraries: libcollscope.so built with other MPI libraries passes its own programs there."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import libraries

CHOICES = {
    "BARRIER": "tree", "BCAST": "knomial[k=4]", "REDUCE": "in_order_binary", "SCATTER": "binomial", "GATHER": "binomial",
    "ALLGATHER": "bruck", "REDUCE_SCATTER": "butterfly", "REDUCE_SCATTER_BLOCK": "butterfly", "ALLREDUCE": "recursive_doubling",
    "ALLTOALL": "bruck", "SCAN": "linear", "EXSCAN": "recursive_doubling",
}  # fmt: skip
"""An algorithm for every collective; none that needs an operator that commutes."""
PROGRAMS = ("preload_calls", "preload_threads", "preload_many")

pytestmark = pytest.mark.full


def launched(library: libraries.Library, program: Path, words: list[str], variables: Mapping[str, str]) -> str:
    """What it printed; it must end well."""
    given = [f"{name}={value}" for name, value in variables.items()]
    line = [str(library.mpirun), "-np", "4", "env", *given, str(program), *words]
    done = subprocess.run(line, capture_output=True, text=True, timeout=300, env=library.environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("find", [libraries.openmpi_5, libraries.mpich], ids=["Open MPI 5", "MPICH"])
def test_every_collective_runs_by_an_algorithm(find: Callable[[], libraries.Library], tmp_path: Path) -> None:
    library, report = find(), tmp_path / "report.json"
    preload = libraries.preload(library, *PROGRAMS)
    variables = {f"COLLSCOPE_{name}": key for name, key in CHOICES.items()}
    variables |= {"LD_PRELOAD": str(preload), "COLLSCOPE_REPORT": str(report)}
    assert "0 wrong" in launched(library, preload.parent / "preload_calls", ["errors"], variables)
    ran = {row["collective"] for row in json.loads(report.read_text())["rows"] if row["algorithm"]}
    assert {name.lower() for name in CHOICES} <= ran
    for program in PROGRAMS[1:]:
        launched(library, preload.parent / program, ["100"] if program == "preload_many" else [], variables)
