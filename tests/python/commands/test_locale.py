"""collscope.base.characters: every command prints in every locale: what it cannot show is spelt in other characters."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from collscope.base import paths, programs

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs the prover; ./collscope doctor says more")

SIM = ("--on", "schooner", "--nodes", "2", "--ranks", "4", "-a", "bcast/mst,bcast/linear", "--bytes", "4,1MiB")
COMMANDS = [
    ("list", "-c", "bcast"),
    ("decide", "-c", "bcast", "--ranks", "64", "--bytes", "4KiB"),
    ("decide", "-c", "allgather", "--ranks", "8", "--map"),
    ("show", "bcast/mst", "--ranks", "4", "--no-pictures"),
    ("prove", "bcast/mst", "--ranks", "1..4"),
    ("run", *SIM, "--source", "bound,model"),
]
# Several commands in one process, each behind a line of its own: the streams' encoding is the process's.
PROGRAM = """
import json, sys
from collscope.commands import cli
for words in json.loads(sys.argv[1]):
    print("====", flush=True)
    try:
        cli.main(words)
    except SystemExit as end:
        if end.code:
            raise
"""


def printed(folder: Path, encoding: str, *commands: tuple[str, ...]) -> list[str]:
    """Standard output of commands that must work, in the locale C and with this encoding of their streams."""
    fixed = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands)],
        env={**os.environ, **fixed, "PYTHONPATH": str(paths.ROOT / "python")},
        cwd=folder,
        capture_output=True,
        check=False,
    )
    err = done.stderr.decode(encoding)
    assert "Traceback" not in err
    assert done.returncode == 0, err
    return done.stdout.decode(encoding).split("====\n")[1:]


def test_a_command_prints_in_any_locale(tmp_path: Path) -> None:
    """And what a locale has is printed unchanged."""
    texts = printed(tmp_path, "ascii", *COMMANDS)
    assert len(texts) == len(COMMANDS) and all(text.strip() for text in texts)
    (latin,) = printed(tmp_path, "latin-1", COMMANDS[-1])
    assert "µs" in latin and "× fastest" in latin
    assert re.search(r"\d us\b", texts[-1]) and "x fastest" in texts[-1]


@pytest.mark.full
@pytest.mark.skipif(not programs.SIM_DRIVER.exists(), reason="needs the simulation")
def test_a_simulated_run_prints_in_any_locale(tmp_path: Path) -> None:
    (text,) = printed(tmp_path, "ascii", ("run", *SIM))
    assert re.search(r"\d us\b", text)  # for µs
    assert "x fastest" in text
