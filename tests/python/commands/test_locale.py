"""collscope.base.characters: every command prints in every locale: what it cannot show is spelt in other characters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from collscope.base import paths, programs

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs the prover; ./collscope doctor says more")

SHOW = ("show", "bcast/mst", "--ranks", "4", "--no-pictures")
SIM = ("--on", "schooner", "--nodes", "2", "--ranks", "4", "-a", "bcast/mst,bcast/linear", "--bytes", "4,1MiB")


def printed(folder: Path, encoding: str, *words: str) -> str:
    """Standard output of a command that must work, in the locale C and with this encoding of its streams."""
    fixed = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-m", "collscope", *words],
        env={**os.environ, **fixed, "PYTHONPATH": str(paths.ROOT / "python")},
        cwd=folder,
        capture_output=True,
        check=False,
    )
    err = done.stderr.decode(encoding)
    assert "Traceback" not in err
    assert done.returncode == 0, err
    return done.stdout.decode(encoding)


@pytest.mark.parametrize(
    "words",
    [
        ("list", "-c", "bcast"),
        ("decide", "-c", "bcast", "--ranks", "64", "--bytes", "4KiB"),
        ("decide", "-c", "allgather", "--ranks", "8", "--map"),
        SHOW,
        ("prove", "bcast/mst", "--ranks", "1..4"),
        ("run", *SIM, "--source", "bound,model"),
    ],
    ids=lambda words: " ".join(words[:4]),
)
def test_a_command_prints_in_any_locale(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert printed(tmp_path, "ascii", *words).strip()


def test_characters_that_a_locale_has_are_printed_unchanged(tmp_path: Path) -> None:
    text = printed(tmp_path, "latin-1", "decide", "-c", "allgather", "--ranks", "8", "--map")
    assert text == printed(tmp_path, "utf-8", "decide", "-c", "allgather", "--ranks", "8", "--map").replace("…", "...")


@pytest.mark.skipif(not programs.SIM_DRIVER.exists(), reason="needs the simulation")
def test_a_simulated_run_prints_in_any_locale(tmp_path: Path) -> None:
    text = printed(tmp_path, "ascii", "run", *SIM)
    assert "us" in text  # for µs
    assert "x fastest" in text
