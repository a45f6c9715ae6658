"""bench: the benchmark of the model at scale, on few ranks: its table is whole; no time is asserted."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from collscope.base import paths, programs

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs the prover; ./collscope doctor says more")


def test_every_line_is_there() -> None:
    command = [sys.executable, paths.ROOT / "bench" / "scale.py", "--only", "model", "--ranks", "1024"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^1,024 ranks, 16 per node +[0-9.]+ +[0-9.]+ +[0-9]+$", done.stdout, re.M)
    rates = re.findall(r"^(barrier|alltoall).* ([0-9,]+)   ≥", done.stdout, re.M)
    assert [what for what, _ in rates] == ["barrier", "barrier", "alltoall", "alltoall"]
    assert all(int(rate.replace(",", "")) > 0 for _, rate in rates)
    assert "LogGOPSim" in done.stdout


@pytest.mark.full
def test_every_dense_case_is_there() -> None:
    command = [sys.executable, paths.ROOT / "bench" / "scale.py", "--only", "dense", "--ranks", "32"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = re.findall(
        r"^(alltoall|barrier|run)\S* .* ([0-9,]+) +[0-9.]+ +[0-9.]+ +[0-9]+(?: +[0-9,]+)?$", done.stdout, re.M
    )
    assert rows == [*[("alltoall", n) for n in ("32", "32", "32", "128")], ("barrier", "32"), ("run", "32")]


def test_ranks_fill_their_nodes() -> None:
    command = [sys.executable, paths.ROOT / "bench" / "scale.py", "--ranks", "100"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "give multiples of 16" in done.stderr
