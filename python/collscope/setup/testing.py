"""The `test` command: builds everything, runs every test, checks the style, and sums up."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from collscope.base import paths, programs
from collscope.base.errors import UserError
from collscope.setup import machine as setup_machine

PRESETS = ("prove", "threads-tsan", "smpi", "mpi", "mpi-asan")
STYLE = (
    ("ruff check", ("-m", "ruff", "check", "--quiet", "python", "tests", "bench")),
    ("ruff format", ("-m", "ruff", "format", "--check", "--quiet", "python", "tests", "bench")),
    ("mypy", ("-m", "mypy", "--no-error-summary")),
    ("layers", ("-c", "from importlinter.cli import lint_imports_command as main; main()", "--no-cache")),
)


@dataclass
class Step:
    """What one part of the test said."""

    name: str
    passed: int = 0
    failed: int = 0
    seconds: float = 0.0
    skipped: int = 0
    remarks: list[str] = field(default_factory=list)


def run(full: bool = False) -> int:
    """Runs everything even after a failure; 0 when all is well."""
    started = time.monotonic()
    try:
        setup_machine.ensure_python(paths.ROOT, "dev")
        steps = [*builds(), *style()]
        steps += [ctest(preset, full) for preset in PRESETS if (paths.BUILD / preset / "CTestTestfile.cmake").exists()]
    except setup_machine.SetupError as error:
        raise UserError(str(error)) from error
    steps.append(pytest(full))  # last, so that its closing line stands near the end
    passed, failed, skipped = (sum(getattr(s, name) for s in steps) for name in ("passed", "failed", "skipped"))
    print()
    for step in steps:
        mark = "FAILED" if step.failed else "ok"
        print(f"{mark:<7} {step.name:<22} {counts(step)} {step.seconds:>7.1f} s")
        for remark in step.remarks:
            print(f"          {remark}")
    print(f"in {time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {failed} failed" + f", {skipped} skipped" * bool(skipped))
    sys.stdout.flush()
    return 1 if failed else 0


def counts(step: Step) -> str:
    return f"{step.passed:>5} passed {step.failed:>4} failed {step.skipped:>4} skipped"


def say(text: str) -> None:
    print(f"== {text}", flush=True)


def builds() -> list[Step]:
    """All targets of all presets: tests too, and the sanitized build."""
    steps = []
    setup = setup_machine.Setup(paths.ROOT)
    with setup_machine.locked(paths.ROOT):
        names, packages = setup_machine.missing_packages(list(programs.BUILT))
        if packages:
            setup.apt_install(setup.start_apt(names, packages), packages, "installing " + ", ".join(names))
        before = [list(s) for s in setup_machine.sources(paths.ROOT)]
        for preset in PRESETS:
            start = time.monotonic()
            step = Step(f"build {preset}")
            say(step.name)
            try:
                setup.build(preset, ["all"])
                step.passed = 1
            except setup_machine.SetupError as error:
                print(error, flush=True)
                step.failed = 1
            step.seconds = time.monotonic() - start
            steps.append(step)
        if not any(step.failed for step in steps):
            setup_machine.remember(paths.ROOT, list(programs.BUILT), before)
    return steps


def style() -> list[Step]:
    steps = []
    for name, arguments in STYLE:
        say(name)
        start = time.monotonic()
        status, output = call([sys.executable, *arguments])
        print(output, end="", flush=True)
        steps.append(Step(name, int(status == 0), int(status != 0), time.monotonic() - start))
    return steps


def call(command: Sequence[str | Path], **env: str) -> tuple[int, str]:
    done = subprocess.run(
        [str(c) for c in command],
        cwd=paths.ROOT,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


_CTEST_LINE = re.compile(r"^\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*(\*{3}\S+|Passed|Skipped)", re.MULTILINE)


def ctest(preset: str, full: bool) -> Step:
    """The C tests of one tree. A tree whose tests have vanished is a failure, too."""
    step = Step(f"ctest {preset}")
    say(step.name)
    start = time.monotonic()
    command = ["ctest", "--test-dir", str(paths.BUILD / preset), "--output-on-failure", "--no-tests=error", "-j", "2"]
    status, output = call([*command, *([] if full else ["-LE", "full"])])
    step.seconds = time.monotonic() - start
    verdicts = _CTEST_LINE.findall(output)
    step.failed = sum(verdict.startswith("***") and verdict != "***Skipped" for _, verdict in verdicts)
    step.skipped = sum(verdict.endswith("Skipped") for _, verdict in verdicts)
    step.passed = len(verdicts) - step.failed - step.skipped
    if status and not step.failed:
        step.failed = 1
        step.remarks.append(f"ctest ended with status {status}")
    step.remarks += [
        f"failed: {name}" for name, verdict in verdicts if verdict.startswith("***") and verdict != "***Skipped"
    ]
    print(output if step.failed else "\n".join(output.splitlines()[-4:]), flush=True)
    return step


def pytest(full: bool) -> Step:
    step = Step("pytest")
    say(step.name)
    start = time.monotonic()
    command = [sys.executable, "-m", "pytest", "tests/python", "-p", "no:cacheprovider"]
    if full:
        command += ["-m", ""]
    lines = []
    with subprocess.Popen(
        command,
        cwd=paths.ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout
        for line in process.stdout:
            lines.append(line)
            sys.stdout.write(line)
            sys.stdout.flush()
    step.seconds = time.monotonic() - start
    closing = next((line for line in reversed(lines) if re.search(r"\d+ (passed|failed|error|skipped)", line)), "")
    numbers = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|errors?|skipped)", closing)}
    step.passed = numbers.get("passed", 0)
    step.skipped = numbers.get("skipped", 0)
    step.failed = numbers.get("failed", 0) + numbers.get("error", 0) + numbers.get("errors", 0)
    if process.returncode and not step.failed:
        step.failed = 1
        step.remarks.append(f"pytest ended with status {process.returncode}")
    return step
