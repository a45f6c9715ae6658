"""collscope.base.programs: programs that are called for their answer, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from collscope.base import leftovers, programs


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C is heard: a shell that starts us in the background has us ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


TIDY = """
import os, signal, sys, time
def end(*_):
    time.sleep(0.5)  # longer than nothing at all
    os.unlink("shared")
    sys.exit()
signal.signal(signal.SIGTERM, end)
open("shared", "w").close()
child = os.fork()
if child == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    open("child", "w").write(str(os.getpid()))
    os.kill(int(sys.argv[1]), signal.SIGINT)
time.sleep(600)
"""


def test_a_program_that_is_interrupted_tidies_up_before_it_ends_and_its_children_end_with_it(
    tmp_path: Path, ctrl_c: None
) -> None:

    with pytest.raises(KeyboardInterrupt):
        programs.answer([sys.executable, "-c", TIDY, str(os.getpid())], cwd=tmp_path)
    assert not (tmp_path / "shared").exists()
    child = int((tmp_path / "child").read_text())
    while leftovers._start(child):  # until pytest's limit
        time.sleep(0.02)


def test_a_program_that_ignores_sigterm_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "PATIENCE_S", 0.05)
    command = ["sh", "-c", "trap '' TERM; echo ready; sleep 600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout and process.stdout.readline() == b"ready\n"
        programs.end_group(process)
        assert process.returncode == -signal.SIGKILL


def test_a_program_that_takes_too_long_has_ended_when_its_caller_hears_of_it() -> None:
    with pytest.raises(subprocess.TimeoutExpired) as error:
        programs.answer(["sleep", "600"], timeout=0.05)
    assert error.value.cmd == ["sleep", "600"]


def test_a_program_answers_on_both_outputs_with_a_status(tmp_path: Path) -> None:
    done = programs.answer(["sh", "-c", "cat; pwd; echo µ >&2; exit 3"], input="read ", cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (f"read {tmp_path}\n", "µ\n", 3)
    assert programs.answer(["cat"]).stdout == "", "without input there is nothing to read"
    with pytest.raises(subprocess.CalledProcessError):
        programs.answer(["false"], check=True)
    with pytest.raises(FileNotFoundError):
        programs.answer(["no-such-program"])


@pytest.mark.parametrize(
    ("preset", "target", "name"),
    [
        ("prove", "collscope-prove", "PROVER"),
        ("prove", "collscope-recorded", "RECORDED"),
        ("smpi", "collscope-driver", "SIM_DRIVER"),
        ("mpi", "collscope-driver", "MPI_DRIVER"),
    ],
)
def test_a_program_with_own_algorithms_takes_the_place_of_the_built_one(
    monkeypatch: pytest.MonkeyPatch, preset: str, target: str, name: str
) -> None:
    before = {key: getattr(programs, key) for key in ("PROVER", "RECORDED", "SIM_DRIVER", "MPI_DRIVER", "OWN")}
    for key, value in before.items():
        monkeypatch.setattr(programs, key, value)
    programs.use_own({(preset, target): Path("made")}, [Path("mine.c")])
    assert {key: getattr(programs, key) for key in before} == before | {name: Path("made"), "OWN": (Path("mine.c"),)}
