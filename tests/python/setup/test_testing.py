"""The summary of `test`: what ctest and pytest write down, counted; and the exit status that follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from collscope.setup import junit, testing

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


def test_skipped_tests_have_their_own_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "call", writing(CTEST, 8))
    step = testing.ctest("mpi", full=False)
    assert (step.passed, step.failed, step.skipped) == (1, 2, 1)
    assert step.remarks == ["failed: three", "failed: four"]
    assert testing.counts(step) == "    1 passed    2 failed    1 skipped"


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


def test_what_pytest_writes(tmp_path: Path) -> None:
    (tmp_path / "results.xml").write_text(PYTEST)
    made = {v.name.rpartition("::")[2]: v.outcome for v in junit.read(tmp_path / "results.xml")}
    assert made == {"test_a": "passed", "test_b[1]": "failed", "test_c": "failed", "test_d": "skipped"}


@pytest.mark.parametrize(("failing", "status"), [(None, 0), ("build", 1), ("style", 1), ("ctest", 1), ("pytest", 1)])
def test_the_exit_status_tells_whether_anything_failed(
    failing: str | None, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def step(name: str) -> testing.Step:
        return testing.Step(name, passed=2, failed=int(name == failing), seconds=1.0)

    monkeypatch.setattr("collscope.setup.machine.ensure_python", lambda *_: None)
    monkeypatch.setattr(testing, "builds", lambda: [step("build")])
    monkeypatch.setattr(testing, "style", lambda: [step("style")])
    monkeypatch.setattr(testing, "ctest", lambda preset, full: step("ctest"))
    monkeypatch.setattr(testing, "pytest", lambda full: step("pytest"))
    monkeypatch.setattr(testing, "has_tests", lambda preset: preset == "prove")
    assert testing.run() == status
    assert capsys.readouterr().out.splitlines()[-1] == f"8 passed, {status} failed"
