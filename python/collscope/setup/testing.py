"""The `test` command: builds everything, runs every test, checks the style, and sums up."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from collscope.base import depends, leftovers, paths, programs
from collscope.base.errors import UserError
from collscope.setup import junit, machine, needs, simgrid_source, state
from collscope.setup.steps import SetupError

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
        for extra in ("dev", "cluster", "parquet", "synthesis", *["browser"] * full):
            machine.ensure_python(paths.ROOT, extra)
        # Builds wait for one core while they configure and link, C's tests for clocks and messages: something else runs beside them.
        with _side() as beside:
            checked = beside.submit(style)
            steps = [*builds(full), *([other_simgrid()] if full else [])]
            steps += checked.result()
            trees = [beside.submit(ctest, preset, full) for preset in PRESETS if has_tests(preset)]
            python = pytest(full)
            steps += [tree.result() for tree in trees]
    except SetupError as error:
        raise UserError(str(error)) from error
    steps.append(python)
    passed, failed, skipped = (sum(getattr(s, name) for s in steps) for name in ("passed", "failed", "skipped"))
    print()
    for step in steps:
        mark = "FAILED" if step.failed else "ok"
        print(f"{mark:<7} {step.name:<22} {counts(step)} {step.seconds:>7.1f} s")
        for remark in step.remarks:
            print(f"          {remark}")
    print(f"in {time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {failed} failed" + f", {skipped} skipped" * bool(skipped))
    return 1 if failed else 0


@contextlib.contextmanager
def _side() -> Iterator[ThreadPoolExecutor]:
    """One step after the other beside those of the block. Where the block is interrupted, all that runs is ended."""
    leftovers.watch()
    with ThreadPoolExecutor(1) as beside:
        try:
            yield beside
        except BaseException:
            ending = threading.Thread(target=beside.shutdown, kwargs={"cancel_futures": True})
            ending.start()
            while ending.is_alive():  # again and again: a step may just have been about to start something
                leftovers.end(leftovers.mark())
                ending.join(0.1)
            raise


def has_tests(preset: str) -> bool:
    """Whether the tree of a preset was configured: where it was not, its build has failed already."""
    return (paths.BUILD / preset / "CTestTestfile.cmake").exists()


def counts(step: Step) -> str:
    """The numbers of a step, in columns."""
    return f"{step.passed:>5} passed {step.failed:>4} failed {step.skipped:>4} skipped"


def say(text: str) -> None:
    """Says on standard output what begins."""
    print(f"== {text}", flush=True)


def builds(full: bool) -> list[Step]:
    """All targets of all presets: tests too, and the sanitized build."""
    steps = []
    setup = machine.Setup(paths.ROOT)
    with machine.locked(paths.ROOT):
        # Without these, their tests say that they are skipped.
        optional = [needs.TEST_BED, *[needs.WASM, needs.BROWSER] * full] if needs.apt_command() else []
        names, packages = needs.missing_packages([*programs.BUILT, *optional])
        if packages:
            setup.apt_install(setup.start_apt(names, packages), packages, "installing " + ", ".join(names))
        before = [list(s) for s in state.sources(paths.ROOT)]
        for preset in PRESETS:
            start = time.monotonic()
            step = Step(f"build {preset}")
            say(step.name)
            try:
                setup.build(preset, ["all"])
                step.passed = 1
            except SetupError as error:
                print(error, flush=True)
                step.failed = 1
            step.seconds = time.monotonic() - start
            steps.append(step)
        if not any(step.failed for step in steps):
            state.remember(paths.ROOT, list(programs.BUILT), before)
    return steps


def other_simgrid() -> Step:
    """Another SimGrid, and what simulates built with it, for the tests that compare: built once, kept below .cache."""
    start = time.monotonic()
    step = Step(f"build SimGrid {simgrid_source.OTHER}")
    say(step.name)
    try:
        simgrid_source.ensure_other(paths.ROOT)
        step.passed = 1
    except SetupError as error:
        print(error, flush=True)
        step.failed = 1
    step.seconds = time.monotonic() - start
    return step


def c_files() -> list[str]:
    """The C and C++ files of all programs, below the root."""
    found = (p for folder in depends.PROGRAMS for p in (paths.ROOT / folder).rglob("*"))
    return sorted(str(p.relative_to(paths.ROOT)) for p in found if p.suffix in (".c", ".h", ".cpp"))


def style() -> list[Step]:
    """Each check of the code's style and types counts as one test."""
    steps = []
    format_c = ("-c", "from clang_format import clang_format as main; main()", "--dry-run", "-Werror", *c_files())
    for name, arguments in (*STYLE, ("clang-format", format_c)):
        start = time.monotonic()
        status, output = call([sys.executable, *arguments])
        if output:
            print(f"== {name}\n{output}", end="", flush=True)
        steps.append(Step(name, int(status == 0), int(status != 0), time.monotonic() - start))
    return steps


def call(command: Sequence[str | Path], **env: str) -> tuple[int, str]:
    """(exit status, what it printed on both outputs) of a command in the root of the repository."""
    done = subprocess.run(
        [str(c) for c in command],
        cwd=paths.ROOT,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


def ctest(preset: str, full: bool) -> Step:
    """The C tests of one tree, in silence where all of them pass. A tree whose tests have vanished is a failure, too."""
    step = Step(f"ctest {preset}")
    start = time.monotonic()
    results = results_file(step.name)
    command = ["ctest", "--test-dir", str(paths.BUILD / preset), "--output-on-failure", "--no-tests=error", "-j", "2"]
    status, output = call([*command, "--output-junit", results, *([] if full else ["-LE", "full"])])
    step.seconds = time.monotonic() - start
    judge(step, results, status)
    if step.failed:
        print(f"\n== {step.name}\n{output}", flush=True)
    return step


def pytest(full: bool) -> Step:
    """The Python tests; what they print is passed on as it comes."""
    step = Step("pytest")
    say("pytest, and ctest beside it")
    start = time.monotonic()
    results = results_file(step.name)
    command = [sys.executable, "-m", "pytest", "tests/python", "-p", "no:cacheprovider", f"--junitxml={results}"]
    # One more than cores: tests of programs that start, wait or end leave a core idle for a while.
    command += ["-n", str(min(8, len(os.sched_getaffinity(0)) + 1)), "--dist", "worksteal"]
    more = ["--durations=15", "-m", ""] if full else []
    status = subprocess.run([*command, *more], cwd=paths.ROOT, stdin=subprocess.DEVNULL, check=False).returncode
    step.seconds = time.monotonic() - start
    judge(step, results, status)
    return step


def results_file(name: str) -> Path:
    """Where a program writes its results; what an earlier run left there is taken away."""
    path = paths.CACHE / "log" / f"{name.replace(' ', '-')}.xml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    return path


def judge(step: Step, results: Path, status: int) -> None:
    """Counts the tests of a results file. A program that ends with an error though no test failed is a failure itself."""
    verdicts = junit.read(results)
    count = Counter(v.outcome for v in verdicts)
    step.passed, step.failed, step.skipped = count["passed"], count["failed"], count["skipped"]
    if status and not step.failed:
        step.failed = 1
        step.remarks.append(f"{step.name.split()[0]} ended with status {status}")
    step.remarks += [f"failed: {v.name}" for v in verdicts if v.outcome == "failed"]
