"""The set-up's decisions: what is missing, when nothing is to be done, and what is said when it cannot be done."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import ModuleType

import pytest

from collscope.base import paths, programs
from collscope.setup import machine as setup_machine
from collscope.setup.machine import Setup, SetupError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository that looks set up."""
    (tmp_path / "algorithms" / "bcast").mkdir(parents=True)
    (tmp_path / "algorithms" / "bcast" / "mst.c").write_text("int x;")
    (tmp_path / "tests" / "python").mkdir(parents=True)
    (tmp_path / "tests" / "python" / "not_built.c").write_text("no part of the build")
    (tmp_path / "CMakeLists.txt").write_text("project(x)")
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["click>=8", "rich"]\n')
    for preset, files in programs.BUILT.items():
        for name in files.values():
            path = tmp_path / "build" / preset / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("")
    return tmp_path


@pytest.fixture
def steps(tree: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every set-up that really runs leaves a word here."""
    done: list[str] = []
    monkeypatch.setattr(Setup, "everything", lambda self, presets: done.append(" ".join(presets)))
    return done


def test_nothing_is_done_twice(tree: Path, steps: list[str]) -> None:
    assert not setup_machine.is_ready(tree)
    setup_machine.ensure(tree)
    setup_machine.ensure(tree)
    assert steps == ["prove smpi"]
    assert setup_machine.is_ready(tree)


def test_the_build_for_real_runs_waits_until_it_is_needed(tree: Path, steps: list[str]) -> None:
    setup_machine.ensure(tree)
    assert not setup_machine.is_ready(tree, ["prove", "smpi", "mpi"])
    setup_machine.ensure(tree, ["prove", "smpi", "mpi"])
    setup_machine.ensure(tree)
    setup_machine.ensure(tree, ["prove", "smpi", "mpi"])
    assert steps == ["prove smpi", "prove smpi mpi"]
    (tree / "algorithms" / "bcast" / "mst.c").write_text("int changed;")
    setup_machine.ensure(tree)
    assert steps[2:] == ["prove smpi"]
    assert not setup_machine.is_ready(tree, ["prove", "smpi", "mpi"])


@pytest.mark.parametrize("change", ["edit", "add", "remove", "program", "python", "pyproject", "cmake"])
def test_every_change_is_seen(tree: Path, steps: list[str], change: str) -> None:
    setup_machine.ensure(tree)
    source = tree / "algorithms" / "bcast" / "mst.c"
    if change == "edit":
        source.write_text("int xy;")
    elif change == "add":
        (source.parent / "chain.c").write_text("int y;")
    elif change == "remove":
        source.unlink()
    elif change == "program":
        (tree / "build" / "smpi" / "collscope-driver").unlink()
    elif change == "python":
        (tree / ".venv" / "bin" / "python").unlink()
    elif change == "pyproject":
        (tree / "pyproject.toml").write_text("[project]\ndependencies = []\n")
    elif change == "cmake":
        (tree / "CMakeLists.txt").write_text("project(longer)")
    assert not setup_machine.is_ready(tree)


def test_what_is_no_source_does_not_count(tree: Path, steps: list[str]) -> None:
    setup_machine.ensure(tree)
    (tree / "algorithms" / "bcast" / "notes.md").write_text("words")
    (tree / "tests" / "python" / "not_built.c").write_text("changed again")
    assert setup_machine.is_ready(tree)


def test_an_edit_during_the_build_is_not_lost(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tree / "algorithms" / "bcast" / "mst.c"
    monkeypatch.setattr(Setup, "everything", lambda self, presets: source.write_text("edited while it was built"))
    setup_machine.ensure(tree)
    assert not setup_machine.is_ready(tree)


def test_calls_at_the_same_time_set_up_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def slow(self: Setup, presets: list[str]) -> None:
        time.sleep(0.3)
        done.append("once")

    monkeypatch.setattr(Setup, "everything", slow)
    threads = [threading.Thread(target=setup_machine.ensure, args=(tree,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == ["once"]


def test_needs_name_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    names, packages = setup_machine.missing_packages(["prove", "smpi", "mpi"])
    assert "C compiler" in names
    assert {"build-essential", "cmake", "ninja-build", "libsimgrid-dev", "openmpi-bin", "libopenmpi-dev"} <= set(
        packages
    )
    assert len(packages) == len(set(packages))
    names, packages = setup_machine.missing_packages(["prove", "smpi"])
    assert "MPI" not in names
    assert "libsimgrid-dev" in packages


def test_without_rights_the_command_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_machine, "apt_command", lambda: None)
    monkeypatch.setattr(
        setup_machine, "missing_packages", lambda presets: (["C compiler", "MPI"], ["build-essential", "openmpi-bin"])
    )
    with pytest.raises(SetupError) as error:
        setup_machine.ensure(tree)
    assert "missing: C compiler, MPI" in str(error.value)
    assert "apt-get install -y build-essential openmpi-bin" in str(error.value)
    assert not setup_machine.is_ready(tree)


def test_a_failed_step_shows_its_errors(tree: Path) -> None:
    setup = Setup(tree)
    log = tree / ".cache" / "log" / "x.log"
    script = "echo working; echo 'mst.c:3: error: no such thing'; echo more; exit 3"
    with pytest.raises(SetupError) as error:
        setup.steps.run("building x", ["sh", "-c", script], log)
    assert "building x failed (exit status 3)" in str(error.value)
    assert "mst.c:3: error: no such thing" in str(error.value)
    assert str(log) in str(error.value)
    with pytest.raises(SetupError, match="no-such-program"):
        setup.steps.run("starting", ["no-such-program"], log)


def test_dependencies_come_from_pyproject(tree: Path) -> None:
    assert setup_machine.dependencies(tree) == "click>=8\nrich\n"
    assert "numpy" in setup_machine.dependencies(paths.ROOT)
    assert "pytest" in setup_machine.dependencies(paths.ROOT, "dev")
    assert "pytest" not in setup_machine.dependencies(paths.ROOT)


# ---- the launcher -------------------------------------------------------------------------------------------


@pytest.fixture
def launcher() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("launcher", str(paths.ROOT / "collscope"))
    spec = importlib.util.spec_from_loader("launcher", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    loader.exec_module(module)
    sys.path[:] = before
    return module


@pytest.mark.parametrize(
    ("words", "need"),
    [
        ([], "python"),
        (["--help"], "python"),
        (["run", "--help"], "python"),
        (["test", "--full"], "python"),
        (["doctor"], "nothing"),
        (["doctor", "--help"], "python"),
        (["list", "--json"], "everything"),
        (["study", "run", "x"], "everything"),
        (["run", "--on", "x", "--source", "sim,real"], "everything and mpi"),
        (["run", "--source=real"], "everything and mpi"),
        (["calibrate"], "everything and mpi"),
    ],
)
def test_each_command_asks_for_what_it_needs(launcher: ModuleType, words: list[str], need: str) -> None:
    assert launcher.need(words) == need


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The launcher in a tree of its own, whose .venv is a script that tells how it was called."""
    root = tmp_path / "a place with blanks"
    shutil.copytree(
        paths.ROOT / "python" / "collscope", root / "python" / "collscope", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(paths.ROOT / "collscope", root)
    shutil.copy(paths.ROOT / "pyproject.toml", root)
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$PYTHONPATH" "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    return root


def call(program: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | env
    return subprocess.run(
        [program, *words],
        capture_output=True,
        text=True,
        cwd="/",
        env=environment,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_from_elsewhere_and_through_a_link(copy: Path, tmp_path: Path) -> None:
    link = tmp_path / "cs"
    link.symlink_to(copy / "collscope")
    for program in (copy / "collscope", link):
        done = call(program, "doctor", "two words")
        assert done.stdout == f"{copy / 'python'} -m collscope doctor two words\n"
        assert done.returncode == 0


def test_doctor_speaks_before_anything_is_installed(copy: Path) -> None:
    shutil.rmtree(copy / ".venv")
    done = call(copy / "collscope", "doctor")
    assert done.returncode == 1
    assert "MISSING  build prove" in done.stdout
    assert "./collscope list makes it" in done.stdout
    assert not (copy / ".venv").exists()


def test_a_missing_compiler_without_apt(copy: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python3").symlink_to(sys.executable)
    (programs / "env").symlink_to("/usr/bin/env")
    done = call(copy / "collscope", "list", PATH=str(programs))
    assert done.returncode == 1
    assert "missing: C compiler, C++ compiler, CMake, Ninja, SimGrid with SMPI" in done.stderr
    assert "apt-get install -y build-essential" in done.stderr
    assert done.stdout == ""
