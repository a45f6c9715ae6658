"""preload: programs that check their own data pass their checks with five algorithms in place of MPI's functions: mpi4py's tests of
collectives, and HPCC; others compute what they compute without."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import libraries
import packaged
from collscope.base import programs
from open_mpi import needs_open_mpi

pytestmark = [
    pytest.mark.full,
    needs_open_mpi,
    pytest.mark.skipif(not programs.PRELOAD.exists(), reason="build/mpi is not made"),
]


def run(ranks: int, words: Sequence[str | Path], folder: Path, chosen: Mapping[str, str], prefix: str = "") -> str:
    """What the program printed; it ends well, and every choice ran: of functions whose names have this prefix."""
    report, library = folder / "report.json", libraries.own()
    variables = {"LD_PRELOAD": str(programs.PRELOAD), "COLLSCOPE_REPORT": str(report)}
    variables |= {f"COLLSCOPE_{name.upper()}": key for name, key in chosen.items()}
    given = [f"{name}={value}" for name, value in variables.items()]
    printed = packaged.ran([library.mpirun, "-np", str(ranks), "env", *given, *words], folder)
    assert {row["collective"] for row in json.loads(report.read_text())["rows"] if row["algorithm"]} >= {
        prefix + name for name in chosen
    }
    return printed


def test_mpi4py_finds_no_fault_in_its_collectives(tmp_path: Path) -> None:
    python, tests = libraries.mpi4py()
    chosen = {"bcast": "knomial[k=3]", "reduce": "in_order_binary", "allreduce": "recursive_doubling"}
    chosen |= {"allgather": "bruck", "alltoall": "bruck"}
    printed = run(3, [python, tests / "main.py", "-q", "-f", "-i", "cco_(obj|buf|vec)"], tmp_path, chosen)
    assert re.findall(r"^Ran (\d+) tests", printed, re.MULTILINE) == ["226"] * 3
    assert printed.count("\nOK\n") == 3


def test_mpi4py_finds_no_fault_in_its_non_blocking_collectives(tmp_path: Path) -> None:
    python, tests = libraries.mpi4py()
    chosen = {"bcast": "knomial[k=3]", "reduce": "in_order_binary", "allreduce": "recursive_doubling"}
    chosen |= {"allgather": "bruck", "alltoall": "pairwise", "gather": "binomial", "scatter": "binomial"}
    chosen |= {"scan": "linear", "exscan": "recursive_doubling", "barrier": "dissemination"}
    printed = run(3, [python, tests / "main.py", "-q", "-f", "-i", "cco_(nb|pr)_(buf|vec)"], tmp_path, chosen, "i")
    assert re.findall(r"^Ran (\d+) tests", printed, re.MULTILINE) == ["264"] * 3
    assert printed.count("\nOK (skipped=136)") == 3  # persistent ones, which this library has under other names


def test_hpcc_passes_its_own_checks(tmp_path: Path) -> None:
    packaged.HPCC.lay_out(tmp_path)
    run(4, [packaged.HPCC.path()], tmp_path, packaged.HPCC.chosen)
    printed = (tmp_path / packaged.HPCC.output).read_text()
    assert "End of HPC Challenge tests" in printed
    assert len(re.findall(r"^Found 0 errors in \d+ locations \(passed\)", printed, re.MULTILINE)) == 4
    assert len(re.findall(r"^\s+[15] tests completed and passed residual checks", printed, re.MULTILINE)) == 2
    assert not re.search(r"FAILED|[1-9]\d* tests completed and failed", printed)


@pytest.mark.parametrize("name", ["lammps", "quantum_espresso", "gromacs", "nwchem"])
def test_a_program_computes_the_same_with_five_algorithms(name: str, tmp_path: Path) -> None:
    """Sums are taken in another order, so not all digits are the same."""
    program, found = packaged.PROGRAMS[name], []
    for folder, chosen in ((tmp_path / "plain", {}), (tmp_path / "chosen", program.chosen)):
        folder.mkdir()
        program.lay_out(folder)
        found.append(program.numbers(folder, run(4, [program.path(), *program.words], folder, chosen)))
    plain, ours = found
    assert len(program.chosen) == 5 and len(plain) >= 4
    assert ours == pytest.approx(plain, rel=program.precision)
