"""preload, collscope.commands.profile, collscope.commands.advise: a profile of a program of Debian's packages, or of a script of mpi4py,
has the calls that another counter finds, and ./collscope advise reads it; NAS's integer sort makes the same calls in simulation."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import libraries
import nas
import packaged
import packaged_inputs
from collscope.base import paths, programs
from open_mpi import needs_open_mpi

pytestmark = [
    pytest.mark.full,
    needs_open_mpi,
    pytest.mark.skipif(not programs.PRELOAD.exists(), reason="build/mpi is not made"),
]
HELPERS = Path(packaged.__file__).parent
COLLSCOPE = [sys.executable, paths.ROOT / "collscope"]
RANKS = 4


@pytest.fixture(scope="session")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """call_counter.c as a library."""
    made = tmp_path_factory.mktemp("counter") / "call_counter.so"
    words = [libraries.own().mpicc, "-shared", "-fPIC", "-O1", HELPERS / "call_counter.c", "-o", made, "-ldl"]
    subprocess.run(list(map(str, words)), check=True, env=libraries.own().environment)
    return made


def profiled(words: list[str | Path], folder: Path, counter: Path) -> tuple[Counter[str], Counter[str]]:
    """Calls of all ranks by collective: of the profile, and of the counter."""
    counted_in = folder / "counted"
    counted_in.mkdir()
    profile = [*COLLSCOPE, "profile", "--out", "profile.json", "--", libraries.own().mpirun, "-np", RANKS]
    variables = [f"COUNTED_IN={counted_in}", f"LD_PRELOAD={counter}:{programs.PRELOAD}"]
    packaged.ran([*profile, "env", *variables, *words], folder)
    found: Counter[str] = Counter()
    for row in json.loads((folder / "profile.json").read_text())["rows"]:
        found[row["collective"]] += row["calls"] * row["communicator"]["size"]
    counted: Counter[str] = Counter()
    for path in counted_in.iterdir():
        for line in path.read_text().splitlines():
            name, calls = line.split()
            counted[name] += int(calls)
    assert len(list(counted_in.iterdir())) == RANKS
    return found, counted


@pytest.mark.parametrize("name", packaged.PROGRAMS)
def test_a_profile_has_every_collective_call_of_a_program(name: str, counter: Path, tmp_path: Path) -> None:
    program = packaged.PROGRAMS[name]
    program.lay_out(tmp_path)
    found, counted = profiled([program.path(), *program.words], tmp_path, counter)
    assert found == counted and set(program.chosen) <= set(found)
    advice = packaged.ran([*COLLSCOPE, "advise", "profile.json", "--on", "schooner"], tmp_path)
    assert "Where the time is" in advice and "in collectives: " in advice


def test_a_profile_has_every_collective_call_of_a_script_of_mpi4py(counter: Path, tmp_path: Path) -> None:
    """Objects go as pickles, in blocks of several sizes, to one rank: a vector form that the root alone knows."""
    python, _ = libraries.mpi4py()
    (tmp_path / "cg.py").write_text(packaged_inputs.MPI4PY)
    found, counted = profiled([python, "cg.py"], tmp_path, counter)
    assert found == counted and set(found) == {"bcast", "allreduce", "allgather", "gather", "gatherv"}
    rows = json.loads((tmp_path / "profile.json").read_text())["rows"]
    assert {row["passed_on"] for row in rows if row["collective"] == "gatherv"} == {
        "a vector form: the root alone knows whether blocks are equal"
    }


needs_simulation = pytest.mark.skipif(
    not (programs.SIM_LIBRARY.exists() and shutil.which("smpicc")), reason="build/smpi is not made"
)
SIMULATED = ("--on", "schooner", "--ranks", RANKS, "--nodes", 2)


def reported(words: list[str | Path | int], folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """What ./collscope exec prints, and the rows of its report."""
    printed = packaged.ran([*COLLSCOPE, "exec", "--report", "report.json", *words], folder)
    rows: list[dict[str, Any]] = json.loads((folder / "report.json").read_text())["rows"]
    return printed, rows


@needs_simulation
def test_a_program_makes_the_same_calls_in_simulation(tmp_path: Path) -> None:
    real, simulated = tmp_path / "real", tmp_path / "simulated"
    for folder in (real, simulated):
        folder.mkdir()
    words = ["--", libraries.own().mpirun, "-np", RANKS, nas.for_open_mpi(real), RANKS, "S"]
    found = [
        reported(words, real),
        reported([*SIMULATED, "--", nas.for_smpi(simulated), RANKS, "S"], simulated),
    ]
    same = ("collective", "bytes_from", "bytes_to", "calls", "bytes", "in_place", "root", "passed_on")
    calls = [sorted(tuple(str(row[name]) for name in same) for row in rows) for _, rows in found]
    assert calls[0] == calls[1] and len(calls[0]) >= 4
    assert all("SUCCESSFUL" in printed.split() for printed, _ in found)
    assert {row["collective"] for row in found[0][1]} == {"allreduce", "alltoall", "alltoallv", "reduce"}


@needs_simulation
def test_a_program_passes_its_own_check_in_simulation_with_algorithms(tmp_path: Path) -> None:
    chosen = "allreduce=ring,alltoall=bruck,reduce=in_order_binary"
    printed, rows = reported(["--choose", chosen, *SIMULATED, "--", nas.for_smpi(tmp_path), RANKS, "S"], tmp_path)
    assert "SUCCESSFUL" in printed.split()
    assert {row["collective"] for row in rows if row["algorithm"]} == {"allreduce", "alltoall", "reduce"}
    assert {row["passed_on"] for row in rows if not row["algorithm"]} == {
        "a vector form: each rank knows its own blocks alone"
    }
