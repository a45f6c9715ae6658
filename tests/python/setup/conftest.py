"""A tree that looks set up, and a set-up that only says that it ran."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import programs
from collscope.setup.machine import Setup


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
