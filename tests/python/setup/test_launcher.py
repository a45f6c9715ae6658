"""The launcher: what each command asks for, and what it says before anything is installed."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from collscope.base import paths


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
