"""Whether a committed reference can be made again here."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.sources import smpirun


def skip_without_the_simulator(table: Path) -> None:
    """Skips the test where there is no simulator, or another than the table was made with."""
    if not shutil.which("smpirun"):
        pytest.skip("smpirun is not installed")
    if not programs.SIM_DRIVER.exists() or not programs.PROVER.exists():
        pytest.skip("the driver or the prover is not built")
    with table.open(newline="") as file:
        made_with = {row["back_end"] for row in csv.DictReader(file) if row["source"] == "sim"}
    if made_with != {f"SimGrid {smpirun.version()}"}:
        pytest.skip(f"the reference was made with {', '.join(made_with)}, this is SimGrid {smpirun.version()}")
