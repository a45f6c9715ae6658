"""When nothing is to be done, and which changes are seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.setup import machine, state
from collscope.setup.machine import Setup


@pytest.mark.parametrize("change", ["edit", "add", "remove", "program", "python", "pyproject", "cmake"])
def test_every_change_is_seen(tree: Path, steps: list[str], change: str) -> None:
    machine.ensure(tree)
    source = tree / "algorithms" / "bcast" / "mst.c"
    if change == "edit":
        source.write_text("int xy;")
    elif change == "add":
        (source.parent / "chain.c").write_text("int y;")
    elif change == "remove":
        source.unlink()
    elif change == "program":
        (tree / "build" / "prove" / "collscope-prove").unlink()
    elif change == "python":
        (tree / ".venv" / "bin" / "python").unlink()
    elif change == "pyproject":
        (tree / "pyproject.toml").write_text("[project]\ndependencies = []\n")
    elif change == "cmake":
        (tree / "CMakeLists.txt").write_text("project(longer)")
    assert not state.is_ready(tree)


def test_what_is_no_source_does_not_count(tree: Path, steps: list[str]) -> None:
    machine.ensure(tree)
    (tree / "algorithms" / "bcast" / "notes.md").write_text("words")
    (tree / "tests" / "python" / "not_built.c").write_text("changed again")
    assert state.is_ready(tree)


def test_an_edit_during_the_build_is_not_lost(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tree / "algorithms" / "bcast" / "mst.c"
    monkeypatch.setattr(Setup, "everything", lambda self, presets: source.write_text("edited while it was built"))
    machine.ensure(tree)
    assert not state.is_ready(tree)
