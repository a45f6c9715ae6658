"""collscope.setup.state: when nothing is to be done, and which changes are seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from collscope.base import depends
from collscope.setup import machine, state
from collscope.setup.machine import Setup


@pytest.mark.parametrize("change", ["edit", "add", "remove", "program", "python", "pyproject", "cmake"])
def test_every_change_is_noticed(tree: Path, steps: list[str], change: str) -> None:
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


def test_only_sources_count(tree: Path, steps: list[str]) -> None:
    machine.ensure(tree)
    (tree / "algorithms" / "bcast" / "notes.md").write_text("words")
    (tree / "tests" / "python" / "not_built.c").write_text("changed again")
    assert state.is_ready(tree)


def test_an_edit_during_the_build_is_not_lost(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tree / "algorithms" / "bcast" / "mst.c"
    monkeypatch.setattr(Setup, "everything", lambda self, presets: source.write_text("edited while it was built"))
    machine.ensure(tree)
    assert not state.is_ready(tree)


@pytest.mark.parametrize("stamp", ["", "no json", "[]", '{"built": 3}', "{}"])
def test_a_stamp_that_cannot_be_read_is_none(tree: Path, steps: list[str], stamp: str) -> None:
    machine.ensure(tree)
    (tree / ".cache" / "setup.json").write_text(stamp)
    assert not state.is_ready(tree)
    machine.ensure(tree)
    assert len(steps) == 2 and state.is_ready(tree)


def test_a_program_that_changed_since_is_not_ready(tree: Path, steps: list[str]) -> None:
    """Nor is one of two, nor one that was not there."""
    machine.ensure(tree, ["prove", "smpi"])
    for preset, name in (("prove", "collscope-recorded"), ("smpi", "collscope-platform.so")):
        (tree / "build" / preset / name).write_text("built by somebody else")
        assert not state.is_ready(tree, [preset])
        assert state.is_ready(tree, {"prove": ["smpi"], "smpi": []}[preset])
        machine.ensure(tree, ["prove", "smpi"])
        assert state.is_ready(tree, [preset])
    machine.ensure(tree, ["mpi"])
    assert state.is_ready(tree, ["prove", "smpi", "mpi"])
    (tree / "build" / "mpi" / "collscope-driver").unlink()
    assert not state.is_ready(tree, ["mpi"]) and state.is_ready(tree, ["prove", "smpi"])
    state.remember(tree, ["mpi"], [list(s) for s in state.sources(tree)])
    assert not state.is_ready(tree, ["mpi"]), "what is not there was not built"


def test_a_build_of_other_sources_is_forgotten(tree: Path, steps: list[str]) -> None:
    machine.ensure(tree, ["prove", "smpi"])
    (tree / "algorithms" / "bcast" / "mst.c").write_text("int other;")
    before = [list(s) for s in state.sources(tree)]
    state.remember(tree, ["prove"], before)
    assert state.is_ready(tree, ["prove"]) and not state.is_ready(tree, ["smpi"])
    built = json.loads(state.stamp_path(tree).read_text())["built"]
    assert {name for name, time in built.items() if time} == {"prove/collscope-prove", "prove/collscope-recorded"}
    state.remember(tree, ["smpi"], before)
    assert state.is_ready(tree, ["prove", "smpi"])
    state.remember(tree, ["prove", "smpi", "mpi"], before[1:])
    assert not state.is_ready(tree, ["mpi"]), "edited meanwhile"


def test_sources_are_those_of_the_builds(tree: Path) -> None:
    for name in ("x.h", "x.cpp", "x.hpp", "x.cmake", "CMakeLists.txt", "x.py", "x.md"):
        (tree / "algorithms" / name).write_text("1234")
    for folder in ("core/deep/deeper", "core/__pycache__", "platforms/this_machine", "results", "sim/fresh"):
        (tree / folder).mkdir(parents=True)
        (tree / folder / "y.c").write_text("1234")
    (tree / "core" / "link").symlink_to(tree / "core" / "deep")
    (tree / "CMakePresets.json").write_text("{}")
    found = {name: size for name, time, size in state.sources(tree) if time}
    assert found == {
        "CMakeLists.txt": 10,
        "CMakePresets.json": 2,
        "algorithms/bcast/mst.c": 6,
        "core/deep/deeper/y.c": 4,
        **{f"algorithms/{name}": 4 for name in ("x.h", "x.cpp", "x.hpp", "x.cmake", "CMakeLists.txt")},
    }
    assert tuple(sorted(depends.PROGRAMS)) == depends.PROGRAMS
    names = [name for name, *_ in state.sources(tree)]
    assert names[2:] == sorted(names[2:])
