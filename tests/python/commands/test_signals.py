"""Being told to end while a simulation is busy: nothing may be left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

# The command line with a small registry, a small platform, and a fake in place of smpirun.
PROGRAM = """
import sys
from pathlib import Path
import fake_list, tiny_platform
from collscope.base import paths
from collscope.catalogue import registry
from collscope.commands import cli, run as runs
from collscope.machines import find
made = registry.parse(fake_list.TEXT)
registry.load = lambda: made
find.load = lambda name: tiny_platform.tiny()
paths.CACHE = Path(sys.argv[1]) / ".cache"
runs.bounds_for_display = lambda tasks, rows: []
cli.main(["run", "--on", "tiny", "--ranks", "4", "-a", "bcast/linear", "--bytes", "396"])
"""


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_children_too(tmp_path: Path, number: signal.Signals) -> None:
    programs, temp, told = tmp_path / "bin", tmp_path / "temp", tmp_path / "pid"
    programs.mkdir()
    temp.mkdir()
    shutil.copy(TESTS / "helpers" / "fake_smpirun", programs / "smpirun")
    env = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(map(str, (TESTS.parents[1] / "python", TESTS / "helpers"))),
        "TMPDIR": str(temp),
        "FAKE_COUNT": str(tmp_path / "count"),
        "FAKE_PID": str(told),
    }
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, env=env, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(600):
            if (told.exists() and told.read_text()) or process.poll() is not None:
                break
            time.sleep(0.05)
        assert process.poll() is None
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 1
    assert said.strip() == "collscope: stopped; finished points are kept, the same command goes on from there"
    for _ in range(40):
        if gone(int(told.read_text())):
            break
        time.sleep(0.05)
    assert gone(int(told.read_text()))
    assert not list(temp.iterdir())
