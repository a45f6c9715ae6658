"""collscope.setup.needs: what is missing, and which packages and libraries bring it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from collscope.base import paths, programs
from collscope.setup import doctor, needs, state
from collscope.setup.doctor import Finding


def test_needs_name_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    names, packages = needs.missing_packages(["prove", "smpi", "mpi"])
    assert "C compiler" in names
    assert {"build-essential", "cmake", "ninja-build", "libsimgrid-dev", "openmpi-bin", "libopenmpi-dev"} <= set(
        packages
    )
    assert len(packages) == len(set(packages))
    names, packages = needs.missing_packages(["prove", "smpi"])
    assert "MPI" not in names
    assert "SimGrid with SMPI" not in needs.missing_packages(["prove"])[0]
    assert "libsimgrid-dev" in packages


def test_dependencies_come_from_pyproject(tree: Path) -> None:
    assert needs.dependencies(tree) == "click>=8\nrich\n"
    assert "numpy" in needs.dependencies(paths.ROOT)
    assert "pytest" in needs.dependencies(paths.ROOT, "dev")
    assert "pytest" not in needs.dependencies(paths.ROOT)


ALL = ["C compiler", "C++ compiler", "CMake", "Ninja", "SimGrid with SMPI", "MPI"]


@pytest.mark.parametrize(
    ("presets", "names"),
    [
        ([], []),
        (["prove"], ["C compiler", "CMake", "Ninja"]),
        (["smpi"], ALL[:5]),
        (["mpi"], ["C compiler", "CMake", "Ninja", "MPI"]),
        (["prove", "smpi", "mpi"], ALL),
    ],
)
@pytest.mark.parametrize("venv", [False, True])
def test_a_build_needs_its_own_parts(
    monkeypatch: pytest.MonkeyPatch, presets: list[str], names: list[str], venv: bool
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(needs, "has_venv_module", lambda: venv)
    found, packages = needs.missing_packages(presets)
    assert found == names + ["Python's venv"] * (not venv)
    assert (packages[:1] == ["python3-venv"]) == (not venv)
    monkeypatch.setattr(shutil, "which", lambda name: name if name in ("gcc", "smpicc") else None)
    assert [n.name for n in needs.missing(presets)] == names, "one of two programs is not enough"
    monkeypatch.setattr(shutil, "which", lambda name: name)
    assert needs.missing(presets) == []


@pytest.mark.parametrize(
    ("there", "user", "sudo", "command"),
    [
        ("", 0, 0, None),
        ("sudo", 0, 0, None),
        ("apt-get sudo", 0, 1, ["/apt-get"]),
        ("apt-get", 1, 0, None),
        ("apt-get sudo", 1, 1, None),
        ("apt-get sudo", 1, 0, ["/sudo", "-n", "DEBIAN_FRONTEND=noninteractive", "/apt-get"]),
    ],
)
def test_packages_are_installed_by_root_or_with_sudo(
    monkeypatch: pytest.MonkeyPatch, there: str, user: int, sudo: int, command: list[str] | None
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/{name}" if name in there.split() else None)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=sudo))
    assert needs.apt_command() == command
    for name in ("DEBIAN_FRONTEND", "NEEDRESTART_MODE"):
        monkeypatch.delenv(name, raising=False)
    asks_nothing = {"DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_MODE": "a"}
    assert needs.apt_environment() == {**os.environ, **asks_nothing}


@pytest.mark.parametrize("lacking", ["venv", "ensurepip", ""])
def test_both_halves_of_venv_are_needed(monkeypatch: pytest.MonkeyPatch, lacking: str) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == lacking else name)
    assert needs.has_venv_module() == (not lacking)


def finding(made: Sequence[Finding], name: str) -> Finding:
    return next(f for f in made if f.name == name)


@pytest.mark.parametrize("there", [False, True])
def test_the_doctor_looks_at_the_system(monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/{name}" if there else None)
    monkeypatch.setattr(doctor, "version", lambda command: f"version of {command[0]}")
    monkeypatch.setattr(needs, "has_venv_module", lambda: there)
    made = list(doctor.system())
    assert made[0] == Finding("Python", True, f"{platform.python_version()} ({sys.executable})")
    assert [f.name for f in made[1:]] == [*ALL, "Emscripten", "Chromium (tests of pages)", "namespaces (test bed)"] + [
        "Python's venv"
    ] * (not there)
    assert {f.fine for f in made[1:]} == {there}
    if there:
        assert finding(made, "MPI").text == "version of mpirun (/mpirun)"
        return
    assert [f.name for f in made if f.needed and not f.fine] == ["C compiler", "CMake", "Ninja", "Python's venv"]
    mpi = finding(made, "MPI")
    assert mpi.text == "mpicc and mpirun not found"
    assert mpi.advice.startswith("apt-get install openmpi-bin libopenmpi-dev libhwloc-dev; without root: the cluster's")
    assert finding(made, "CMake").advice == "apt-get install cmake"


def test_the_doctor_looks_at_libraries(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "ROOT", tree)
    project = '[project]\ndependencies = ["click>=8", "rich"]\n[project.optional-dependencies]\ndev = ["pytest>=8"]\n'
    (tree / "pyproject.toml").write_text(project)
    printed = {"click": "8.1", "rich": "-", "pytest": "7"}

    def run(command: list[str], **_: Any) -> SimpleNamespace:
        return SimpleNamespace(stdout="".join(f"{n} {printed[n]}\n" for n in command[3:] if n in printed))

    monkeypatch.setattr(programs, "answer", run)
    lacks = Finding(
        "Python's libraries", False, "rich not installed; there are click 8.1", "./collscope list installs them"
    )
    assert list(doctor.libraries()) == [lacks, Finding("tools for tests", True, "pytest 7")]
    printed.clear()
    none, tools = doctor.libraries()
    assert none == Finding("Python's libraries", False, "click, rich not installed", "./collscope list installs them")
    assert tools == Finding("tools for tests", False, "pytest not installed", "./collscope test installs them", False)
    (tree / ".venv" / "bin" / "python").unlink()
    assert [(f.fine, f.needed, f.text) for f in doctor.libraries()] == [(False, True, ".venv not made yet")]


@pytest.mark.parametrize("ready", [False, True])
def test_the_doctor_looks_at_builds(tree: Path, monkeypatch: pytest.MonkeyPatch, ready: bool) -> None:
    monkeypatch.setattr(paths, "ROOT", tree)
    monkeypatch.setattr(paths, "BUILD", tree / "build")
    monkeypatch.setattr(state, "is_ready", lambda root: ready)
    made = list(doctor.builds())
    assert [f.name for f in made] == ["build prove", "build smpi", "build mpi", "set-up"]
    assert all(f.fine for f in made[:3])
    assert made[0].text == "build/prove/collscope-prove, build/prove/collscope-recorded"
    assert (made[3].fine, made[3].needed) == (ready, False)
    assert made[3].text == ("complete, nothing changed since" if ready else "something changed since the last set-up")
    for preset, files in programs.BUILT.items():
        (tree / "build" / preset / list(files.values())[-1]).unlink()
    log = tree / ".cache" / "log" / "build-smpi.log"
    log.parent.mkdir(parents=True)
    log.touch()
    assert [(f.fine, f.text, f.advice, f.needed) for f in list(doctor.builds())[:3]] == [
        (False, "build/prove/collscope-recorded is not there", "any command builds it", True),
        (
            *(False, "build/smpi/collscope-platform.so is not there"),
            *(f"the first simulation builds it; the last attempt's log is {log}", False),
        ),
        (False, "build/mpi/libcollscope.so is not there", "the first real run builds it", False),
    ]


@pytest.mark.parametrize(("free", "fine"), [(1 << 28, False), (1 << 30, True)])
@pytest.mark.parametrize("measured", [None, False, True])
def test_the_doctor_looks_at_the_machine(
    tree: Path, monkeypatch: pytest.MonkeyPatch, free: int, fine: bool, measured: bool | None
) -> None:
    monkeypatch.setattr(paths, "ROOT", tree)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    here = tree / "platforms" / "this_machine"
    if measured is not None:
        here.mkdir(parents=True)
        if measured:
            (here / "spec.toml").touch()
    machine, disk, this = doctor.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    assert machine.text.startswith(f"{len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB memory, ")
    assert (disk.fine, disk.text.partition(" ")[0]) == (fine, f"{free / 2**30:.1f}") and disk.needed
    assert (this.fine, this.text, this.needed) == (
        (True, f"calibrated ({here}/spec.toml)", False) if measured else (False, "not calibrated", False)
    )


def test_the_doctor_knows_the_machines_of_a_user_and_of_whoever_keeps_the_tree(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the tree cannot be written to, this machine as the user measured it stands before the tree's."""
    home = tree / "home" / "collscope" / "platforms"
    monkeypatch.setattr(paths, "ROOT", tree)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tree / "home"))
    places = ("platforms/this_machine/spec", "platforms/own/cluster/spec", "platforms/own/rack", "platforms/shipped")
    for name in (*places, "home/collscope/platforms/mine", "home/collscope/platforms/this_machine/spec"):
        (tree / f"{name}.toml").parent.mkdir(parents=True, exist_ok=True)
        (tree / f"{name}.toml").touch()
    _, _, this, *own = doctor.machine()
    assert this.text == f"calibrated ({tree}/platforms/this_machine/spec.toml)"
    assert [(f.name, f.text) for f in own] == [("own machines", f"cluster, rack ({tree}/platforms/own)")]
    monkeypatch.setattr(paths, "is_writable", lambda path: tree / "platforms" not in (path, *path.parents))
    _, _, this, *own = doctor.machine()
    assert this.text == f"calibrated ({home}/this_machine/spec.toml)"
    assert [f.text for f in own] == [f"mine ({home})", f"cluster, rack ({tree}/platforms/own)"]


def test_the_doctor_says_where_numbers_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "CACHE", tmp_path / "own")
    monkeypatch.setattr(paths, "SHARED_CACHE", None)
    assert doctor.cache() == Finding("cache", True, f"{tmp_path}/own")
    monkeypatch.setattr(paths, "SHARED_CACHE", tmp_path / "group")
    assert doctor.cache().text.endswith(f"own; read from {tmp_path}/group, too, which cannot be written to")
    monkeypatch.setattr(paths, "is_writable", lambda _: False)
    assert not doctor.cache().fine and "COLLSCOPE_CACHE" in doctor.cache().advice and doctor.cache().needed


@pytest.mark.parametrize(
    ("found", "status", "lines"),
    [
        ([Finding("a", True, "here", "x")], 0, ["ok       a    here", "", "all that is needed is there"]),
        (
            [Finding("a", False, "gone", "buy", False)],
            0,
            ["note     a    gone → buy", "", "all that is needed is there"],
        ),
        ([Finding("a", False, "gone")], 1, ["MISSING  a    gone", "", "missing: a"]),
        (
            [Finding("a", False, "gone", "buy"), Finding("b", True, "t"), Finding("c", False, "g", "", False)],
            1,
            ["MISSING  a    gone → buy", "ok       b    t", "note     c    g", "", "missing: a"],
        ),
    ],
)
def test_the_doctor_is_unhappy_about_what_is_needed_alone(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    found: list[Finding],
    status: int,
    lines: list[str],
) -> None:
    monkeypatch.setattr(doctor, "findings", lambda: [*found, Finding("abc", True, "d")])
    assert doctor.main() == status
    assert capsys.readouterr().out.splitlines() == [*lines[:-2], "ok       abc  d", *lines[-2:]]


@pytest.mark.parametrize(
    ("terminal", "colour", "line"),
    [
        (True, True, "\033[33mnote   \033[0m  a  one two three four five six"),
        (True, False, "note     a  one two three four five six"),
        (False, True, "note     a  one two three four five six seven"),
    ],
)
def test_the_doctor_wraps_and_paints_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool, colour: bool, line: str
) -> None:
    monkeypatch.setattr(
        doctor, "findings", lambda: [Finding("a", False, "one two three four five six seven", "", False)]
    )
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda _: os.terminal_size((40, 24)))
    monkeypatch.delenv("NO_COLOR", raising=False)
    if not colour:
        monkeypatch.setenv("NO_COLOR", "1")
    assert doctor.main() == 0
    assert capsys.readouterr().out.splitlines()[:-2] == [line] + ["            seven"] * terminal


def test_a_version_is_the_first_line(tmp_path: Path) -> None:
    assert doctor.version(["sh", "-c", "echo; echo ' one '; echo two"]) == "one"
    assert doctor.version(["sh", "-c", "echo other >&2"]) == "other"
    assert doctor.version(["sh", "-c", "true"]) == ""
    assert doctor.version(["no-such-program"]) == ""
