"""preload: programs that check their own data pass their checks with five algorithms in place of MPI's functions: mpi4py's tests of
collectives, and HPCC."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import libraries
from collscope.base import programs
from open_mpi import needs_open_mpi

pytestmark = [
    pytest.mark.full,
    needs_open_mpi,
    pytest.mark.skipif(not programs.PRELOAD.exists(), reason="build/mpi is not made"),
]

HPCC = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name
8            device out: a file
1            number of problem sizes
400          Ns
1            number of NBs
80           NBs
0            process mapping by rows
1            number of process grids
2            Ps
2            Qs
16.0         threshold
1            number of panel factorizations
2            PFACTs: right
1            number of recursive stopping criteria
4            NBMINs
1            number of panels in recursion
2            NDIVs
1            number of recursive panel factorizations
1            RFACTs: Crout
1            number of broadcasts
1            BCASTs: 1rM
1            number of lookahead depths
1            DEPTHs
2            SWAP: mix
64           swapping threshold
0            L1 transposed
0            U transposed
1            equilibration
8            memory alignment in doubles
##### ignored
0            additional problem sizes for PTRANS
1200
0            additional blocking sizes for PTRANS
40
"""


def run(ranks: int, words: Sequence[str | Path], folder: Path, chosen: Mapping[str, str], prefix: str = "") -> str:
    """What the program printed; it ends well, and every choice ran: of functions whose names have this prefix."""
    report, library = folder / "report.json", libraries.own()
    variables = {"LD_PRELOAD": str(programs.PRELOAD), "COLLSCOPE_REPORT": str(report)}
    variables |= {f"COLLSCOPE_{name.upper()}": key for name, key in chosen.items()}
    line = [library.mpirun, "-np", str(ranks), "env", *(f"{name}={value}" for name, value in variables.items()), *words]
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True, cwd=folder, env=library.environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert {row["collective"] for row in json.loads(report.read_text())["rows"] if row["algorithm"]} >= {
        prefix + name for name in chosen
    }
    return done.stdout + done.stderr


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
    program = libraries.debian("hpcc", "hpcc")
    (tmp_path / "hpccinf.txt").write_text(HPCC)
    chosen = {"bcast": "scatter_ring", "reduce": "binomial", "allreduce": "rabenseifner"}
    run(4, [program], tmp_path, chosen | {"barrier": "tree", "alltoall": "pairwise"})
    printed = (tmp_path / "hpccoutf.txt").read_text()
    assert "End of HPC Challenge tests" in printed
    assert len(re.findall(r"^Found 0 errors in \d+ locations \(passed\)", printed, re.MULTILINE)) == 4
    assert len(re.findall(r"^\s+[15] tests completed and passed residual checks", printed, re.MULTILINE)) == 2
    assert not re.search(r"FAILED|[1-9]\d* tests completed and failed", printed)
