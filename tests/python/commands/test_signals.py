"""collscope.commands.errors, collscope.sources.simulate, collscope.calibration.samples: a signal leaves no program and no file behind."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.sources import mpirun
from terminal import heard, shown

TESTS = Path(__file__).parents[1]

# The command line with a small registry, a small platform, and a fake in place of smpirun.
PROGRAM = """
import sys
from pathlib import Path
import fake_list, tiny_platform
from collscope.base import paths, progress
from collscope.catalogue import registry
from collscope.commands import cli, run_answer
from collscope.machines import find
made = registry.parse(fake_list.TEXT)
registry.load = lambda: made
find.load = lambda name: tiny_platform.tiny()
progress.PERIOD_S, progress.SLOW_S = 0.1, 0.1
paths.CACHE = Path(sys.argv[1]) / ".cache"
run_answer.bounds_for_display = lambda tasks, rows: []
cli.main(["run", "--on", "tiny", "--ranks", "4", "-a", "bcast/linear", "--bytes", "800,396", *sys.argv[2:]])
"""


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@dataclass
class Busy:
    """A command in the middle of a simulation, and the child that simulates."""

    process: subprocess.Popen[str]
    child: int
    temporary: Path

    def wait_until_one_point_is_finished(self) -> None:
        """It says so, and what it is at, in a line on standard error every 0.1 s."""
        assert self.process.stderr
        line = "a first one"
        while line and not (
            line.startswith("collscope: simulating: 1 of 2, ")
            and "; now bcast/linear, 396 B, 4 ranks on 1 node" in line
        ):
            line = self.process.stderr.readline()
        assert line, "it ended"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment in which the fake simulates."""
    programs, temporary, reported = tmp_path / "bin", tmp_path / "temp", tmp_path / "pid"
    programs.mkdir()
    temporary.mkdir()
    shutil.copy(TESTS / "helpers" / "fake_smpirun", programs / "smpirun")
    return {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(map(str, (TESTS.parents[1] / "python", TESTS / "helpers"))),
        "TMPDIR": str(temporary),
        "FAKE_COUNT": str(tmp_path / "count"),
        "FAKE_PID": str(reported),
    }


@pytest.fixture
def started(tmp_path: Path, env: dict[str, str]) -> Iterator[Callable[..., Busy]]:
    """Starts the command line, the first of a process group, and waits until its child is at work."""
    reported, temporary = Path(env["FAKE_PID"]), Path(env["TMPDIR"])

    def start(*words: str) -> Busy:
        reported.unlink(missing_ok=True)
        command = [sys.executable, "-c", PROGRAM, str(tmp_path), *words]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, env=env, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True, preexec_fn=heard, start_new_session=True
        )  # fmt: skip
        running.append(process)
        for _ in range(600):
            if (reported.exists() and reported.read_text()) or process.poll() is not None:
                break
            time.sleep(0.05)
        assert process.poll() is None
        return Busy(process, int(reported.read_text()), temporary)

    running: list[subprocess.Popen[str]] = []
    yield start
    for process in running:
        process.kill()
        process.communicate()


def soon_gone(pid: int) -> bool:
    """Whether it ends in a while, or has."""
    for _ in range(100):
        if gone(pid):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_children_too(started: Callable[[], Busy], number: signal.Signals) -> None:
    busy = started()
    busy.wait_until_one_point_is_finished()
    busy.process.send_signal(number)
    table, errors = busy.process.communicate(timeout=60)
    assert busy.process.returncode == 1
    assert (
        errors.splitlines()[-1] == "collscope: stopped; finished points are kept, the same command goes on from there"
    )
    assert "67.00 µs" in table  # what is finished
    assert "396 B" not in table
    assert "— sim bcast/linear: not finished" in table
    assert soon_gone(busy.child)
    assert not list(busy.temporary.iterdir())


def test_ctrl_c_while_libraries_are_imported_is_a_line_too(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(TESTS.parents[1] / "python")])}
    done = subprocess.run(
        [sys.executable, "-m", "collscope", "list"], env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "collscope: stopped\n")


FULL = pytest.mark.full  # without workers, or without real ranks, it is seen to be as SIGINT


@pytest.mark.parametrize("number", [pytest.param(number, marks=FULL) for number in (signal.SIGINT, signal.SIGTERM)])
def test_a_signal_to_all_of_a_command_with_workers_is_the_same_as_without(
    started: Callable[..., Busy], number: signal.Signals
) -> None:
    """A terminal sends Ctrl-C to the workers, too."""
    pytest.importorskip("distributed")
    pytest.importorskip("cryptography")
    if not programs.SIM_DRIVER.exists():
        pytest.skip("the driver is not built")
    busy = started("--cluster", "local:1")
    busy.wait_until_one_point_is_finished()
    os.killpg(busy.process.pid, number)
    table, errors = busy.process.communicate(timeout=60)
    assert busy.process.returncode == 1
    assert (
        errors.splitlines()[-1] == "collscope: stopped; finished points are kept, the same command goes on from there"
    )
    assert "Traceback" not in errors
    assert "67.00 µs" in table and "— sim bcast/linear: not finished" in table
    assert soon_gone(busy.child)
    assert not list(busy.temporary.iterdir())


@pytest.mark.parametrize(
    "number", [signal.SIGINT, *(pytest.param(number, marks=FULL) for number in (signal.SIGTERM, signal.SIGKILL))]
)
def test_a_calibration_that_is_ended_leaves_no_shared_memory(
    tmp_path: Path, env: dict[str, str], number: signal.Signals
) -> None:
    """mpirun is asked to end, and has time to take away what its ranks share."""
    if not programs.MPI_DRIVER.exists() or not mpirun.library().startswith("Open MPI"):
        pytest.skip("the driver is not built with Open MPI")
    shared = tmp_path / "shared"
    shared.mkdir()
    command = [sys.executable, "-m", "collscope", "calibrate", "--out", str(tmp_path / "spec.toml")]
    places = env | {"OMPI_MCA_btl_vader_backing_directory": str(shared)}
    with subprocess.Popen(
        command, env=places, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=heard, start_new_session=True
    ) as process:  # fmt: skip
        while not list(shared.iterdir()) and process.poll() is None:
            time.sleep(0.05)
        os.killpg(process.pid, number)
    assert process.returncode == (1 if number != signal.SIGKILL else -signal.SIGKILL)
    while number == signal.SIGKILL and list(shared.iterdir()):  # until pytest's limit: the watchdog is at work
        time.sleep(0.05)
    assert not list(shared.iterdir()) and not (tmp_path / "spec.toml").exists()


def test_kill_9_ends_children_too_and_the_next_run_takes_away_what_is_left(
    started: Callable[[], Busy], tmp_path: Path
) -> None:
    busy = started()
    left = next(busy.temporary.iterdir())
    busy.process.kill()
    busy.process.wait()
    assert soon_gone(busy.child)
    left.mkdir(exist_ok=True)  # as if the watchdog had been killed, too
    again = started()
    assert not left.exists()
    assert len(list(busy.temporary.iterdir())) == 1
    again.process.terminate()
    again.process.wait()
    assert not list(busy.temporary.iterdir())
    with sqlite3.connect(tmp_path / ".cache" / "results.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_terminal_shows_what_runs_and_after_ctrl_c_what_is_finished(tmp_path: Path, env: dict[str, str]) -> None:
    busy = "bcast/linear, 396 B, 4 ranks on 1 node, for"
    status, text = shown([str(tmp_path)], 80, program=("-c", PROGRAM), env=env, folder=tmp_path, stop_after=busy)
    assert status == 1
    assert "simulating" in text.partition(busy)[0]
    table = text.rpartition(busy)[2]
    assert "67.00 µs" in table
    assert "— sim bcast/linear: not finished" in table
    assert table.rstrip().endswith("the same command goes on from there")
