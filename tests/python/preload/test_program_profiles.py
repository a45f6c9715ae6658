"""preload, collscope.commands.profile, collscope.commands.advise: a profile of a program of Debian's packages, or of a script of mpi4py, has
the calls that another counter finds, and ./collscope advise reads it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import libraries
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
