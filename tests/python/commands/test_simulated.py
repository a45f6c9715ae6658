"""collscope.commands.simulated: a program of the user's on a simulated machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.commands import simulated
from collscope.machines import find
from collscope.points.plan import Layout, Point
from collscope.sources import simulate
from collscope.sources.source import Options
from command_line import call

TIMED = paths.BUILD / "smpi" / "preload_timed"
needs_build = pytest.mark.skipif(
    not (TIMED.exists() and programs.SIM_LIBRARY.exists() and programs.PROVER.exists()), reason="build/smpi is not made"
)


@needs_build
@pytest.mark.parametrize(("key", "size"), [("knomial[k=4]", 1024), ("binomial", 65536), ("scatter_ring", 1 << 20)])
def test_a_programs_broadcast_takes_as_long_as_the_drivers(
    key: str, size: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    layout = ("--on", "schooner", "--ranks", "8", "--nodes", "2")
    words = ("--choose", f"bcast={key}", "--report", str(report), "--", str(TIMED), str(size))
    status, out, err = call(capfd, "exec", *layout, *words)
    assert status == 0, err
    machine = Layout(find.load("schooner"), 2, 8)
    (row,) = simulate.rows([(machine, Point("bcast", f"bcast/{key}", size, "byte"))], Options(quiet=True))
    assert float(out) == pytest.approx(row["median_s"], rel=1e-4)  # the program sleeps to within 1 ns of the start
    ran = [row["algorithm"] for row in json.loads(report.read_text())["rows"] if row["collective"] == "bcast"]
    assert ran == [next(iter(ran))] and ran[0].startswith(f"bcast/{key.partition('[')[0]}")


@needs_build
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--on", "schooner", "--", str(TIMED)), "--on: say how many ranks"),
        (("--ranks", "4", "--", str(TIMED)), "--ranks and --nodes are of a simulation: add --on MACHINE"),
        (("--on", "schooner", "--ranks", "4", "--", "/bin/sh"), "/bin/sh: not linked with collscope"),
        (("--on", "schoner", "--ranks", "4", "--", str(TIMED)), "unknown platform"),
        (("--on", "schooner", "--ranks", "4", "--", "/nowhere"), "/nowhere: expected a program behind --"),
    ],
)
def test_a_program_that_cannot_be_simulated_is_refused(
    words: tuple[str, ...], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    status, _, err = call(capfd, "exec", *words)
    assert status in (1, 2) and message in err


def test_the_message_says_what_smpicc_needs() -> None:
    assert simulated.flags().endswith("collscope.o -Wl,-Bsymbolic")
