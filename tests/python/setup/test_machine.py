"""The set-up does what is needed, once, and says what it may not do."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from collscope.setup import machine, needs, state
from collscope.setup.machine import Setup
from collscope.setup.steps import SetupError


def test_nothing_is_done_twice(tree: Path, steps: list[str]) -> None:
    assert not state.is_ready(tree)
    machine.ensure(tree)
    machine.ensure(tree)
    assert steps == ["prove"]
    assert state.is_ready(tree)


def test_the_build_for_real_runs_waits_until_it_is_needed(tree: Path, steps: list[str]) -> None:
    machine.ensure(tree)
    assert not state.is_ready(tree, ["prove", "mpi"])
    machine.ensure(tree, ["prove", "mpi"])
    machine.ensure(tree)
    machine.ensure(tree, ["prove", "mpi"])
    assert steps == ["prove", "prove mpi"]
    (tree / "algorithms" / "bcast" / "mst.c").write_text("int changed;")
    machine.ensure(tree)
    assert steps[2:] == ["prove"]
    assert not state.is_ready(tree, ["prove", "mpi"])


def test_calls_at_the_same_time_set_up_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def slow(self: Setup, presets: list[str]) -> None:
        time.sleep(0.3)
        done.append("once")

    monkeypatch.setattr(Setup, "everything", slow)
    threads = [threading.Thread(target=machine.ensure, args=(tree,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == ["once"]


def test_without_rights_the_command_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "apt_command", lambda: None)
    monkeypatch.setattr(
        needs, "missing_packages", lambda presets: (["C compiler", "MPI"], ["build-essential", "openmpi-bin"])
    )
    with pytest.raises(SetupError) as error:
        machine.ensure(tree)
    assert "missing: C compiler, MPI" in str(error.value)
    assert "apt-get install -y build-essential openmpi-bin" in str(error.value)
    assert not state.is_ready(tree)
