"""collscope.setup.testing: the summary of `test`: what ctest and pytest write down, counted; and the exit status that follows."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from collscope.base import paths, programs
from collscope.base.errors import UserError
from collscope.setup import junit, machine, needs, state, testing
from collscope.setup.machine import Setup
from collscope.setup.steps import SetupError

CTEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="x" tests="5" failures="1" disabled="0" skipped="2">
  <testcase name="one" classname="one" time="0.01" status="run"><system-out/></testcase>
  <testcase name="two" classname="two" time="0.01" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
  <testcase name="three" classname="three" time="0.01" status="fail"><failure message=""/></testcase>
  <testcase name="four" classname="four" time="0" status="notrun"><skipped message="Unable to find executable"/></testcase>
</testsuite>"""

PYTEST = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4">
  <testcase classname="tests.python.base.test_cache" name="test_a" time="0.1"/>
  <testcase classname="tests.python.base.test_cache" name="test_b[1]" time="0.1"><failure message="no">text</failure></testcase>
  <testcase classname="tests.python.base.test_cache" name="test_c" time="0.1"><error message="no">text</error></testcase>
  <testcase classname="tests.python.base.test_cache" name="test_d" time="0"><skipped type="pytest.skip" message="x"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture(autouse=True)
def own_place(workplace: Path) -> None:
    """Results of these tests lie in a folder of their own."""


def writing(text: str, status: int) -> Callable[..., tuple[int, str]]:
    """Stands for ctest: writes its results where it is told to."""

    def call(command: list[str | Path]) -> tuple[int, str]:
        if text:
            Path(command[command.index("--output-junit") + 1]).write_text(text)
        return status, "what it printed"

    return call


def test_skipped_tests_have_their_own_column_and_failures_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(testing, "call", writing(CTEST, 8))
    step = testing.ctest("mpi", full=False)
    assert (step.passed, step.failed, step.skipped) == (1, 2, 1)
    assert step.remarks == ["failed: three", "failed: four"]
    assert testing.counts(step) == "    1 passed    2 failed    1 skipped"
    assert capsys.readouterr().out == "\n== ctest mpi\nwhat it printed\n"
    monkeypatch.setattr(
        testing, "call", writing(CTEST.replace("<failure", "<system-out").replace("Unable", "SKIP_"), 0)
    )
    assert testing.ctest("mpi", full=False).failed == 0
    assert not capsys.readouterr().out, "in silence where all pass"


@pytest.mark.parametrize("preset", testing.PRESETS)
def test_a_tree_without_tests_is_a_failure(monkeypatch: pytest.MonkeyPatch, preset: str) -> None:
    monkeypatch.setattr(testing, "call", writing('<testsuite name="x" tests="0"/>', 8))
    step = testing.ctest(preset, full=False)
    assert (step.failed, step.remarks) == (1, ["ctest ended with status 8"])


def test_a_program_that_dies_without_results_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "call", writing(CTEST[:200], -11))
    assert testing.ctest("mpi", full=False).failed == 1
    monkeypatch.setattr(testing, "call", writing("", -11))
    step = testing.ctest("mpi", full=False)  # the results of the run before do not count
    assert (step.passed, step.failed) == (0, 1)


def test_results_of_pytest_are_read(tmp_path: Path) -> None:
    (tmp_path / "results.xml").write_text(PYTEST)
    made = {v.name.rpartition("::")[2]: v.outcome for v in junit.read(tmp_path / "results.xml")}
    assert made == {"test_a": "passed", "test_b[1]": "failed", "test_c": "failed", "test_d": "skipped"}


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> dict[str, testing.Step]:
    """The parts of a test in place of those that take minutes: each says what this table says, two passed if nothing else, and under
    "calls" is what was called for, with what."""
    steps: dict[str, Any] = {n: testing.Step(n, 2) for n in ("build", "style", "ctest", "pytest")} | {"calls": []}
    calls = steps["calls"].append
    monkeypatch.setattr(machine, "ensure_python", lambda root, extra: calls(extra))
    monkeypatch.setattr(testing, "builds", lambda full: [steps["build"]])
    monkeypatch.setattr(testing, "style", lambda: [steps["style"]])
    monkeypatch.setattr(testing, "other_simgrid", lambda: calls("other") or testing.Step("other"))
    monkeypatch.setattr(testing, "ctest", lambda preset, full: calls(("ctest", preset, full)) or steps["ctest"])
    monkeypatch.setattr(testing, "pytest", lambda full: calls(("pytest", full)) or steps["pytest"])
    monkeypatch.setattr(testing, "has_tests", lambda preset: preset in ("prove", "smpi"))
    return steps


@pytest.mark.parametrize("failing", [None, "build", "style", "ctest", "pytest"])
def test_the_exit_status_and_the_last_line_say_whether_anything_failed(
    failing: str | None, parts: dict[str, testing.Step], capsys: pytest.CaptureFixture[str]
) -> None:
    if failing:
        parts[failing] = testing.Step(failing, 2, 1, 20.0, 3, ["failed: x"])
    assert testing.run() == (1 if failing else 0)
    lines = capsys.readouterr().out.splitlines()
    failed = {None: 0, "ctest": 2}.get(failing, 1)  # of two trees
    assert lines[-1] == f"10 passed, {failed} failed" + f", {3 * failed} skipped" * bool(failing)
    assert lines[-2].startswith("in ") and f"ok      {'other':<22}" not in lines
    if failing:
        at = lines.index(f"FAILED  {failing:<22}     2 passed    1 failed    3 skipped    20.0 s")
        assert lines[at + 1] == "          failed: x"


@pytest.mark.parametrize("full", [False, True])
def test_the_long_tests_run_with_full_alone(parts: dict[str, Any], monkeypatch: pytest.MonkeyPatch, full: bool) -> None:
    assert testing.run(full) == 0
    expected = [
        "dev",
        "cluster",
        "parquet",
        "synthesis",
        *["browser", "other"] * full,
        ("ctest", "prove", full),
        ("ctest", "smpi", full),
    ]
    assert [call for call in parts["calls"] if call != ("pytest", full)] == expected
    assert parts["calls"].count(("pytest", full)) == 1

    def fail(*_: object) -> None:
        raise SetupError("no network")

    monkeypatch.setattr(machine, "ensure_python", fail)
    with pytest.raises(UserError, match="no network"):
        testing.run()


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("status", [0, 1])
def test_ctest_and_pytest_leave_out_long_tests_unless_full(
    monkeypatch: pytest.MonkeyPatch, full: bool, status: int
) -> None:
    called: list[list[str]] = []

    def run(command: list[str], **options: Any) -> SimpleNamespace:
        called.append([str(word) for word in command])
        assert (options["cwd"], options["check"], options["stdin"]) == (paths.ROOT, False, subprocess.DEVNULL)
        return SimpleNamespace(returncode=status, stdout="")

    monkeypatch.setattr(subprocess, "run", run)
    ctest, pytests = testing.ctest("mpi", full), testing.pytest(full)
    assert (ctest.failed, pytests.failed) == (status, status)
    assert pytests.remarks == [f"pytest ended with status {status}"] * status
    first, second = called
    assert first[:3] == ["ctest", "--test-dir", str(paths.BUILD / "mpi")] and "--no-tests=error" in first
    assert first[first.index("--output-junit") + 1].endswith("/log/ctest-mpi.xml")
    assert (first[-2:] == ["-LE", "full"]) == (not full)
    assert second[1:4] == ["-m", "pytest", "tests/python"]
    assert (second[-3:] == ["--durations=15", "-m", ""]) == ("--durations=15" in second) == full
    assert any(word.endswith("/log/pytest.xml") for word in second)


@pytest.mark.full
def test_each_failing_test_is_named_when_it_fails(tmp_path: Path) -> None:
    """Behind the letter of its own result, and before the letters of those that come later."""
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\ndef test_a(): pass\ndef test_b(): assert 0\n@pytest.fixture\ndef broken(): assert 0\n"
        "def test_c(broken): pass\ndef test_d(): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "failing_names", "-p", "no:cacheprovider"]
    helpers = {"PYTHONPATH": str(paths.ROOT / "tests" / "python" / "helpers")}
    ran = [*command, "-n", "1", "--rootdir", tmp_path, tmp_path]
    done = subprocess.run(ran, env={**os.environ, **helpers}, capture_output=True, text=True, check=False)
    lines = [line.split("  ")[0] for line in done.stdout.partition("=")[0].splitlines() if line[:1] in list(".FEf")]
    assert lines == [".F", "failed: test_it.py::test_b", "E", "failed: test_it.py::test_c (setup)", "."]


def test_each_check_of_style_counts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(testing, "call", lambda c: (int("mypy" in c), "printed\n" if "mypy" in c else ""))
    made = [(s.name, s.passed, s.failed) for s in testing.style()]
    assert made == [
        *(("ruff check", 1, 0), ("ruff format", 1, 0), ("mypy", 0, 1), ("layers", 1, 0), ("clang-format", 1, 0)),
    ]
    assert "== mypy\nprinted\n" in capsys.readouterr().out
    files = testing.c_files()
    assert "core/catalogue/key.h" in files and files == sorted(files)
    assert {Path(name).suffix for name in files} == {".c", ".h", ".cpp"}


def test_a_program_is_called_in_the_root_with_both_outputs() -> None:
    printed = testing.call(["sh", "-c", "pwd; echo $WORD >&2; exit 3"], WORD="w")
    assert printed == (3, f"{paths.ROOT}\nw\n")


@pytest.mark.parametrize("failing", [None, "mpi"])
@pytest.mark.parametrize("lacking", [[], ["x"]])
def test_a_build_that_fails_is_counted_and_not_remembered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failing: str | None, lacking: list[str]
) -> None:
    done: list[str] = []

    def build(self: Setup, preset: str, targets: list[str]) -> None:
        assert targets == ["all"]
        done.append(preset)
        if preset == failing:
            raise SetupError("it broke")

    monkeypatch.setattr(machine, "locked", lambda root: contextlib.nullcontext())
    monkeypatch.setattr(needs, "missing_packages", lambda presets: (lacking, [f"lib{name}" for name in lacking]))
    monkeypatch.setattr(Setup, "start_apt", lambda self, names, packages: done.append(f"apt {names} {packages}"))
    monkeypatch.setattr(Setup, "apt_install", lambda self, apt, packages, what: done.append(f"{what} {packages}"))
    monkeypatch.setattr(Setup, "build", build)
    monkeypatch.setattr(state, "remember", lambda root, presets, before: done.append(" ".join(presets)))
    made = [(s.name, s.passed, s.failed) for s in testing.builds(full=False)]
    assert made == [(f"build {p}", int(p != failing), int(p == failing)) for p in testing.PRESETS]
    assert capsys.readouterr().out.count("it broke\n") == bool(failing)
    expected = ["apt ['x'] ['libx']", "installing x ['libx']"] * len(lacking) + [*testing.PRESETS]
    assert done == expected + ([] if failing else [" ".join(programs.BUILT)])


def test_the_other_simgrid_is_one_step(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    done: list[Path] = []
    monkeypatch.setattr(testing.simgrid_source, "ensure_other", done.append)
    step = testing.other_simgrid()
    assert (step.name, step.passed, step.failed, done) == ("build SimGrid 4.1", 1, 0, [paths.ROOT])

    def fail(_: Path) -> None:
        raise SetupError("it broke")

    monkeypatch.setattr(testing.simgrid_source, "ensure_other", fail)
    step = testing.other_simgrid()
    assert (step.passed, step.failed) == (0, 1)
    assert capsys.readouterr().out == "== build SimGrid 4.1\n" * 2 + "it broke\n"


def test_a_tree_has_tests_once_it_is_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    assert not testing.has_tests("mpi")
    (tmp_path / "mpi").mkdir()
    (tmp_path / "mpi" / "CTestTestfile.cmake").touch()
    assert testing.has_tests("mpi")


def test_each_step_says_how_long_it_took(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(testing.time, "monotonic", iter(range(100, 1000, 7)).__next__)
    monkeypatch.setattr(machine, "locked", lambda root: contextlib.nullcontext())
    monkeypatch.setattr(testing.state, "remember", lambda *_: None)
    monkeypatch.setattr(testing.state, "sources", lambda _: [])
    monkeypatch.setattr(testing.needs, "missing_packages", lambda _: ([], []))
    monkeypatch.setattr(machine.Setup, "build", lambda *_: None)
    monkeypatch.setattr(testing.simgrid_source, "ensure_other", lambda _: None)
    monkeypatch.setattr(testing, "call", writing(CTEST, 8))
    made = [*testing.builds(full=False), testing.other_simgrid(), testing.ctest("prove", full=False)]
    monkeypatch.setattr(testing, "call", lambda *_, **__: (0, ""))
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0))
    assert {step.seconds for step in [*made, *testing.style(), testing.pytest(full=False)]} == {7}


INTERRUPTED = """
import threading
from collscope.setup import testing
begun = threading.Event()
def tree():
    print("begun")
    begun.set()
    return testing.call(["sleep", "600"])
with testing._side() as beside:
    first, second = beside.submit(tree), beside.submit(print, "the next one")
    begun.wait()
    raise KeyboardInterrupt
"""


def test_an_interruption_ends_the_step_on_the_side_and_those_after_it() -> None:
    env = {**os.environ, "PYTHONPATH": str(paths.ROOT / "python")}
    done = programs.answer([sys.executable, "-c", INTERRUPTED], env=env)
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt" and done.stdout == "begun\n"
