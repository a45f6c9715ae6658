"""collscope.setup.machine, collscope.setup.own_simgrid: the set-up does what is needed, once, and says what it may not do."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from collscope.setup import machine, needs, own_simgrid, state
from collscope.setup.machine import Setup
from collscope.setup.steps import SetupError, Steps


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


def test_calls_at_the_same_time_set_up_once(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []
    waiting = threading.Semaphore(0)
    say = machine.Steps.say

    def slow(self: Setup, presets: list[str]) -> None:
        for _ in range(3):  # until the three others have said that they wait
            waiting.acquire()
        done.append("once")

    monkeypatch.setattr(machine.Steps, "say", lambda self, text: (say(self, text), waiting.release()))
    monkeypatch.setattr(Setup, "everything", slow)
    threads = [threading.Thread(target=machine.ensure, args=(tree,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == ["once"]
    assert "another call is setting the machine up; waiting for it" in capsys.readouterr().err


def test_without_rights_the_message_names_the_command(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "apt_command", lambda: None)
    monkeypatch.setattr(
        needs, "missing_packages", lambda presets: (["C compiler", "MPI"], ["build-essential", "openmpi-bin"])
    )
    with pytest.raises(SetupError) as error:
        machine.ensure(tree)
    assert str(error.value).splitlines() == [
        "missing: C compiler, MPI",
        "    as root:       apt-get update && apt-get install -y build-essential openmpi-bin",
        "    without root:  the cluster's own MPI, which has mpicc and mpirun (module load openmpi, say)",
    ]
    assert not state.is_ready(tree)


Called = list[tuple[str, list[str]]]


@pytest.fixture
def called(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Called:
    """What steps say, and the commands of each; no program is started. All that is needed is there."""
    commands: Called = []

    def run(self: Steps, what: str, command: list[str | Path], log: Path, **more: Any) -> None:
        commands.append((what, [str(word) for word in command]))
        if more.get("cwd"):
            assert more["cwd"] == tree

    monkeypatch.setattr(Steps, "run", run)
    monkeypatch.setattr(os, "sync", lambda: None)
    monkeypatch.setattr(needs, "missing", lambda presets: [])
    monkeypatch.setattr(needs, "has_venv_module", lambda: True)
    monkeypatch.setattr(needs, "apt_command", lambda: ["apt"])
    monkeypatch.setattr(Setup, "works", lambda self: True)
    return commands


def names_of(called: Called) -> list[str]:
    return [what for what, _ in called]


@pytest.mark.parametrize(
    ("configured", "here", "steps"),
    [
        (True, True, ["building prove"]),
        (True, False, ["configuring prove", "building prove"]),
        (True, None, ["configuring prove", "building prove"]),
        (False, True, ["configuring prove", "building prove"]),
    ],
)
def test_a_tree_is_configured_where_it_was_not_or_elsewhere(
    tree: Path, called: Called, configured: bool, here: bool | None, steps: list[str]
) -> None:
    built = tree / "build" / "prove"
    if configured:
        (built / "build.ninja").touch()
    if here is not None:
        place = tree if here else tree / "elsewhere"
        (built / "CMakeCache.txt").write_text(f"A:B=c\nCMAKE_HOME_DIRECTORY:INTERNAL={place}\n")
    log = tree / ".cache" / "log" / "build-prove.log"
    log.parent.mkdir(parents=True)
    log.write_text("of the last time")
    Setup(tree).build("prove")
    assert names_of(called) == steps
    assert called[-1][1] == [
        *(["cmake", "--build", "--preset", "prove", "-j", "2", "--target", "collscope-prove", "collscope-recorded"]),
    ]
    assert called[0][1][:3] == (["cmake", "--preset", "prove"] if len(steps) == 2 else ["cmake", "--build", "--preset"])
    assert built.exists() == (len(steps) == 1), "what was made for another place goes"
    assert not log.exists()
    Setup(tree).build("smpi", ["all"])
    assert called[-1][1][-2:] == ["--target", "all"]


def test_a_tree_that_cannot_be_configured_is_taken_away(
    tree: Path, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Steps, what: str, *_: Any, **__: Any) -> None:
        (tree / "build" / "prove").mkdir()
        raise SetupError(what)

    monkeypatch.setattr(Steps, "run", fail)
    with pytest.raises(SetupError, match="configuring prove"):
        Setup(tree).build("prove")
    assert not (tree / "build" / "prove").exists()


PROJECT = '[project]\ndependencies = ["click>=9"]\n[project.optional-dependencies]\ndev = ["pytest"]\n'


def test_libraries_are_installed_once_until_pyproject_names_others(
    tree: Path, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = Setup(tree)
    setup.libraries()
    python = str(tree / ".venv" / "bin" / "python")
    assert names_of(called) == ["installing Python's libraries", "first import"]
    quiet = ["--disable-pip-version-check", "--no-input", "-q", "--no-compile"]
    assert called[0][1] == [python, "-m", "pip", "install", *quiet, "click>=8", "rich"]
    assert setup.has_libraries() and not setup.has_libraries("dev")
    setup.libraries()
    assert len(called) == 2
    (tree / "pyproject.toml").write_text(PROJECT)
    assert not setup.has_libraries()
    setup.libraries("dev")
    assert names_of(called)[2:] == ["installing Python's libraries for dev"]
    assert called[-1][1][-1] == "pytest" and setup.has_libraries("dev")
    works = [False]
    monkeypatch.setattr(Setup, "works", lambda self: works[0])
    assert not setup.has_libraries("dev"), "an environment that does not start has none"
    setup.libraries()
    assert names_of(called)[3:] == ["making .venv", "installing Python's libraries", "first import"]
    assert called[3][1] == [sys.executable, "-m", "venv", "--clear", str(tree / ".venv")]
    setup.pip("fetching", ["x"], tree / "log", "download")
    assert called[-1][1] == [python, "-m", "pip", "download", *quiet[:3], "x"]


def out_of_reach(self: Steps, what: str, *_: Any, **__: Any) -> None:
    raise SetupError(f"{what} failed\n    Temporary failure resolving 'x'")


def test_without_a_network_what_to_fetch_elsewhere_is_one_message(
    tree: Path, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Steps, "run", out_of_reach)
    (tree / "pyproject.toml").write_text(PROJECT)
    with pytest.raises(SetupError) as error:
        Setup(tree).libraries()
    first, fetch, tests, then, *_ = str(error.value).splitlines()
    assert first == "no network: Python's libraries are missing"
    assert "pip download" in fetch and fetch.endswith("-d wheels 'click>=9'") and tests.endswith(" pytest")
    assert f"copy wheels to {tree}/wheels" in then
    with pytest.raises(SetupError) as error:
        Setup(tree).start_apt(["MPI"], ["openmpi-bin", "libopenmpi-dev"])
    assert str(error.value).startswith("no network: MPI cannot be installed\n")
    assert "--download-only" in str(error.value) and " openmpi-bin libopenmpi-dev\n" in str(error.value)
    assert f"\n{first}\n{fetch}\n" in str(error.value), "who fetches packages fetches the libraries, too"
    monkeypatch.setattr(Setup, "has_libraries", lambda self: True)
    with pytest.raises(SetupError) as error:
        Setup(tree).start_apt(["MPI"], ["openmpi-bin"])
    assert first not in str(error.value)
    with pytest.raises(SetupError, match="fetching x failed"):
        Setup(tree).pip("fetching x", ["--no-deps", "x"], tree / "log", "download")


def test_libraries_come_from_wheels_where_that_folder_exists(
    tree: Path, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "wheels").mkdir()
    Setup(tree).libraries()
    assert called[0][1][-5:] == ["--no-index", "--find-links", str(tree / "wheels"), "click>=8", "rich"]
    monkeypatch.setattr(Steps, "run", out_of_reach)
    (tree / "pyproject.toml").write_text(PROJECT)
    with pytest.raises(SetupError, match=f"^{tree}/wheels lacks some of Python's libraries"):
        Setup(tree).libraries("dev")


def test_an_environment_works_where_it_starts_and_has_pip(tree: Path) -> None:
    setup = Setup(tree)
    for script, works in (("exit 0", True), ("exit 1", False)):
        setup.python.write_text(f'#!/bin/sh\ntest "$*" = "-c import pip" && {script}\n')
        setup.python.chmod(0o755)
        assert setup.works() == works
    setup.python.unlink()
    assert not setup.works()


@pytest.mark.parametrize(
    ("names", "packages", "steps"),
    [
        ([], [], ["libraries", "build prove", "build smpi"]),
        (
            ["CMake", "MPI"],
            ["cmake", "mpi"],
            ["updating the list of packages", "installing CMake, MPI", "libraries", "build prove", "build smpi"],
        ),
        (
            ["MPI", "Python's venv"],
            ["python3-venv", "mpi"],
            [
                *("updating the list of packages", "installing Python's venv", "installing MPI"),
                *("libraries", "build prove", "build smpi"),
            ],
        ),
        (
            ["Python's venv"],
            ["python3-venv"],
            ["updating the list of packages", "installing Python's venv", "libraries", "build prove", "build smpi"],
        ),
    ],
)
def test_everything_is_packages_libraries_and_builds(
    tree: Path,
    called: Called,
    monkeypatch: pytest.MonkeyPatch,
    names: list[str],
    packages: list[str],
    steps: list[str],
) -> None:
    monkeypatch.setattr(needs, "missing_packages", lambda presets: (list(names), list(packages)))
    monkeypatch.setattr(Setup, "libraries", lambda self, extra="": called.append(("libraries", [])))
    monkeypatch.setattr(Setup, "build", lambda self, preset, targets: called.append((f"build {preset}", [])))
    wheels: list[list[str]] = []
    monkeypatch.setattr(Setup, "wheels", lambda self, presets: wheels.append(presets))
    Setup(tree).everything(["prove", "smpi"])
    assert wheels == [["prove", "smpi"]]
    assert sorted(names_of(called)) == sorted(steps)
    assert names_of(called)[-2:] == ["build prove", "build smpi"]
    installed = [word for what, words in called if what.startswith("installing") for word in words[7:]]
    assert installed == packages
    if packages:
        assert called[0][1] == ["apt", "update", "-q"]
        install = next(words for what, words in called if what.startswith("installing"))
        assert install[:5] == ["apt", "install", "-y", "-q", "--no-install-recommends"]


def test_an_error_of_a_step_on_the_side_is_raised(tree: Path, called: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    built = threading.Event()

    def fail(self: Setup, extra: str = "") -> None:
        built.wait()  # the builds do not wait for it, their end does
        raise SetupError("no network")

    monkeypatch.setattr(Setup, "libraries", fail)
    monkeypatch.setattr(Setup, "builds", lambda self, presets: built.set())
    monkeypatch.setattr(needs, "missing_packages", lambda presets: ([], []))
    with pytest.raises(SetupError, match="no network"):
        Setup(tree).everything(["prove"])


@pytest.mark.parametrize(
    ("has", "venv", "works", "extra", "steps"),
    [
        ({""}, True, True, "", []),
        ({""}, True, True, "dev", ["libraries", "libraries dev"]),
        ({"", "dev"}, True, True, "dev", []),
        ({"dev"}, True, True, "", ["libraries"]),
        (set(), True, False, "", ["libraries"]),
        (set(), False, True, "", ["libraries"]),
        (set(), False, False, "", ["updating the list of packages", "installing Python's venv", "libraries"]),
    ],
)
def test_libraries_alone(
    tree: Path,
    called: Called,
    monkeypatch: pytest.MonkeyPatch,
    has: set[str],
    venv: bool,
    works: bool,
    extra: str,
    steps: list[str],
) -> None:
    monkeypatch.setattr(needs, "has_venv_module", lambda: venv)
    monkeypatch.setattr(Setup, "works", lambda self: works)
    monkeypatch.setattr(Setup, "has_libraries", lambda self, extra="": extra in has)
    monkeypatch.setattr(Setup, "libraries", lambda self, e="": called.append((f"libraries {e}".strip(), [])))
    machine.ensure_python(tree, extra)
    assert names_of(called) == steps


def test_each_step_has_its_log_and_what_it_needs_around_it(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, str, bool]] = []
    around: list[dict[str, str]] = []

    def run(self: Steps, what: str, command: object, log: Path, *, quiet: bool = False, **more: Any) -> None:
        assert log.parent == tree / ".cache" / "log"
        ran.append((what, log.name, quiet))
        around.append(more.get("env") or {})

    monkeypatch.setattr(Steps, "run", run)
    monkeypatch.setattr(Setup, "works", lambda self: False)
    monkeypatch.setattr(os, "sync", lambda: None)
    monkeypatch.setattr(needs, "apt_command", lambda: ["apt"])
    (tree / "pyproject.toml").write_text("[project]\ndependencies = []\n[project.optional-dependencies]\ndev = []\n")
    setup = Setup(tree)
    setup.apt_install(setup.start_apt(["x"], ["libx"]), ["libx"], "installing x")
    setup.apt_install(["apt"], [], "nothing")
    setup.libraries()
    setup.libraries("dev")
    (tree / "build" / "prove" / "build.ninja").unlink(missing_ok=True)
    setup.build("prove")
    assert ran == [
        ("updating the list of packages", "apt.log", False), ("installing x", "apt.log", False),
        ("making .venv", "python.log", True), ("installing Python's libraries", "python.log", False), ("first import", "python.log", True),
        ("making .venv", "python-dev.log", True), ("installing Python's libraries for dev", "python-dev.log", False),
        ("configuring prove", "build-prove.log", True), ("building prove", "build-prove.log", False),
    ]  # fmt: skip
    assert around[0] == around[1] == needs.apt_environment()
    assert around[4] == {**os.environ, "MPLCONFIGDIR": str(tree / ".cache" / "matplotlib")}


@pytest.mark.parametrize("expected", [[], ["cmake>=3.21", "ninja"]])
@pytest.mark.parametrize("venv", [False, True])
@pytest.mark.parametrize("apt", [None, ["apt"]])
def test_tools_come_from_wheels_where_nobody_may_install(
    tree: Path,
    called: Called,
    monkeypatch: pytest.MonkeyPatch,
    expected: list[str],
    venv: bool,
    apt: list[str] | None,
) -> None:
    lacking = [n for n in needs.NEEDS if n.wheel in expected or n.name == "MPI"] if expected else []
    monkeypatch.setattr(needs, "missing", lambda presets: lacking)
    monkeypatch.setattr(needs, "has_venv_module", lambda: venv)
    monkeypatch.setattr(needs, "apt_command", lambda: apt)
    monkeypatch.setattr(Setup, "libraries", lambda self, extra="": called.append(("libraries", [])))
    monkeypatch.setenv("PATH", "/bin")
    (tree / ".venv" / "bin" / "ninja").touch()
    Setup(tree).wheels(["prove"])
    if expected and venv and not apt:
        assert names_of(called) == ["libraries", "installing cmake>=3.21, ninja"]
        assert called[1][1][-2:] == expected
        assert os.environ["PATH"] == f"/bin:{tree}/.venv/bin:/usr/sbin:/sbin"
    else:
        assert not called and os.environ["PATH"] == "/bin"


def test_programs_below_the_tree_are_found_once_each(tree: Path) -> None:
    def path(text: str = "/a:/b") -> str:
        return (
            own_simgrid.search_path(tree, f"{text}:/usr/sbin:/sbin")
            .replace(str(tree), "T")
            .replace(":/usr/sbin:/sbin", "")
        )

    assert path() == "/a:/b"
    script = own_simgrid.folder(tree) / "bin" / "smpirun"
    script.parent.mkdir(parents=True)
    script.write_text("of another place")
    assert path() == "/a:/b" and not own_simgrid.is_there(tree)
    script.write_text(f"P={own_simgrid.folder(tree)}/lib")
    assert path() == "T/.cache/simgrid/bin:/a:/b"
    (tree / ".venv" / "bin" / "cmake").touch()
    assert path() == "T/.cache/simgrid/bin:/a:/b:T/.venv/bin"
    once = own_simgrid.search_path(tree, "/a")
    assert once.endswith(":/usr/sbin:/sbin"), "Debian keeps ip and tc there"
    assert own_simgrid.search_path(tree, once) == once
