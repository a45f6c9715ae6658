"""tests/python: a test file names its modules, a test's name is a sentence, and no test depends on how fast a machine is."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import cache

import pytest

import ratchet
from collscope.base import paths

Check = Callable[[str, Mapping[str, str]], None]
CLOCKS = {"time", "monotonic", "perf_counter", "process_time", "time_ns", "monotonic_ns", "perf_counter_ns", "now"}
NAMES_A_CLOCK = re.compile(r"\b(time|datetime)\.|\bsleep\b")
NO_SENTENCE = re.compile(r"test_(what|who|whom|whose|which|of|how|where|why)_")
C_CLOCK = re.compile(
    r"\b(usleep|nanosleep|sleep|clock_gettime|gettimeofday|MPI_Wtime|clock|alarm|port_now|port_idle)\("
)

C_MAY: Mapping[str, tuple[str, ...]] = {
    "tests/driver/large_test.c": ("port_now",),  # SMPI's clock, which is simulated
    "tests/driver/late_test.c": ("port_idle",),  # of virtual_clock.c
    "tests/driver/osu_test.c": ("MPI_Wtime",),  # SMPI's, or that of osu_virtual.c
    "tests/driver/start_test.c": ("port_idle",),  # of virtual_clock.c
    "tests/libraries/resting.c": ("nanosleep",),  # a rank that waits sleeps; nothing depends on how long
    "tests/model/script_mpi.c": ("MPI_Wtime",),  # SMPI's clock, which is simulated
    "tests/preload/phases.c": ("nanosleep",),  # a rank comes late
    "tests/preload/timed.c": ("MPI_Wtime", "nanosleep"),  # SMPI's clock
    "tests/python/helpers/contention.c": ("MPI_Wtime",),  # the same
    "tests/python/helpers/pings.c": ("MPI_Wtime",),  # the same
    "tests/python/helpers/ordinary.c": ("MPI_Wtime",),  # an ordinary program: its clock runs
    "tests/readers/fuzz.c": ("alarm",),  # a watchdog
    "tests/threads/broken.c": ("usleep",),  # perturbs the order of threads
    "tests/threads/segments.c": ("nanosleep",),  # the same
    "tests/threads/threads.c": ("usleep", "alarm"),  # the same; a watchdog
    "tests/threads/world.c": ("nanosleep",),  # perturbs the order of threads
}
"""C file → the clocks that it may name, and why."""


def python_tests() -> list[str]:
    return [p for p in ratchet.tracked() if p.startswith("tests/python/") and p.endswith(".py")]


@cache
def tree(path: str) -> ast.Module:
    return ast.parse(ratchet.text(path))


# ---- names -----------------------------------------------------------------------------------------------------------


def is_module(name: str) -> bool:
    """A module of the package, a helper of tests, or a file or folder of the repository."""
    at = paths.ROOT / "python" / name.replace(".", "/")
    helper = paths.ROOT / "tests" / "python" / "helpers" / f"{name}.py"
    if name.startswith("collscope."):
        return at.with_suffix(".py").exists() or (at / "__init__.py").exists()
    return helper.exists() or (bool(re.fullmatch(r"[\w./-]+", name)) and (paths.ROOT / name).exists())


def unnamed(docstring: str) -> str:
    """What is wrong with the modules that a test file's docstring names before its first colon; empty: nothing."""
    names, *text = re.split(r":\s", docstring, maxsplit=1)
    if not text:
        return 'the docstring begins with the modules that it tests and a colon: """collscope.room.module: …"""'
    absent = [name for name in re.split(r",\s+", names) if not is_module(name)]
    return f"no such module: {absent[0]}" if absent else ""


def test_a_test_file_names_the_modules_that_it_tests(only_listed: Check) -> None:
    files = [p for p in python_tests() if p.rpartition("/")[2].startswith("test_")]
    only_listed("docstrings", {p: why for p in files if (why := unnamed(ast.get_docstring(tree(p)) or ""))})


def test_a_test_is_named_by_a_sentence(only_listed: Check) -> None:
    wrong: dict[str, str] = {}
    for path in python_tests():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef) and NO_SENTENCE.match(node.name):
                wrong[path] = f"{node.name} states nothing that could be false"
    only_listed("sentences", wrong)


# ---- clocks ----------------------------------------------------------------------------------------------------------


def reads_clock(node: ast.AST, instants: set[str]) -> bool:
    """Whether a node calls a clock, or names what was read from one."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id in instants:
            return True
        if isinstance(each, ast.Attribute) and each.attr in CLOCKS and ast.unparse(each.value) in ("time", "datetime"):
            return True
    return False


def is_sleep(function: ast.expr) -> bool:
    """time.sleep, or sleep alone."""
    if isinstance(function, ast.Attribute):
        return function.attr == "sleep" and isinstance(function.value, ast.Name) and function.value.id == "time"
    return isinstance(function, ast.Name) and function.id == "sleep"


def measures(node: ast.AST, instants: set[str], durations: set[str]) -> bool:
    """Whether a node takes one reading of a clock from another, or names such a difference."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id in durations:
            return True
        taken = (
            isinstance(each, ast.BinOp) and isinstance(each.op, ast.Sub) and not isinstance(each.right, ast.Constant)
        )
        if taken and reads_clock(each, instants):  # a constant moves an instant
            return True
    return False


def measured_names(module: ast.Module) -> tuple[set[str], set[str]]:
    """Names of variables and functions that give readings of a clock, and of those that give differences."""
    instants: set[str] = set()
    durations: set[str] = set()
    while True:
        before = len(instants) + len(durations)
        for node in ast.walk(module):
            values: list[ast.expr] = []
            names: set[str] = set()
            if isinstance(node, ast.Assign):
                values = [node.value]
                names = {n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("test_"):
                values = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value]
                names = {node.name}
            for value in values:
                if measures(value, instants, durations):
                    durations |= names
                elif reads_clock(value, instants):
                    instants |= names
        if len(instants) + len(durations) == before:
            return instants, durations


def wall_clock(module: ast.Module) -> str:
    """The first place where a test depends on how fast a machine is; empty: nowhere.

    No measured duration stands in an assertion (an order of instants may), and nothing sleeps but in a loop that polls.
    """
    instants, durations = measured_names(module)
    polled = {id(n) for loop in ast.walk(module) if isinstance(loop, ast.While | ast.For) for n in ast.walk(loop)}
    for node in ast.walk(module):
        if isinstance(node, ast.Assert) and measures(node.test, instants, durations):
            return f"line {node.lineno}: a measured time in an assertion"
        if isinstance(node, ast.Call) and is_sleep(node.func) and id(node) not in polled:
            return f"line {node.lineno}: sleeps, and hopes that it was long enough; poll in a loop"
    return ""


def c_clocks(text: str) -> set[str]:
    """The clocks that a C test calls, but for those that it plays itself."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    played = re.findall(r"^\w[\w *]*?\b(\w+)\([^;{]*\)\s*\{", code, re.MULTILINE)
    return set(C_CLOCK.findall(code)) - set(played)


def test_no_python_test_depends_on_real_time(only_listed: Check) -> None:
    named = [p for p in python_tests() if NAMES_A_CLOCK.search(ratchet.text(p))]  # few do, and trees are walked slowly
    only_listed("clocks", {p: why for p in named if (why := wall_clock(tree(p)))})


def test_no_c_test_names_a_clock(only_listed: Check) -> None:
    wrong = {}
    for path in ratchet.tracked():
        if path.startswith("tests/") and path.endswith((".c", ".h")):
            named = c_clocks(ratchet.text(path))
            if named - set(C_MAY.get(path, ())):
                wrong[path] = f"{min(named)}: play the clock, or count"
            assert set(C_MAY.get(path, ())) <= named, f"{path} names no clock any more: take it off C_MAY"
    only_listed("c_clocks", wrong)


# ---- the checks themselves -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "def test_x():\n    start = time.monotonic()\n    run()\n    assert time.monotonic() - start < 1",
        "def test_x():\n    start = time.time()\n    spent = f() - start\n    assert spent < 2",
        "def test_x():\n    a = time.perf_counter()\n    b = time.perf_counter() - a\n    assert 1 < b",
        "def seconds():\n    a = time.time()\n    return time.time() - a\ndef test_x():\n    assert seconds() < seconds()",
        "def test_x():\n    time.sleep(1)\n    assert done()",
    ],
)
def test_a_dependence_on_real_time_is_found(text: str) -> None:
    assert wall_clock(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "def test_x():\n    while not done():\n        time.sleep(0.01)\n    assert found()",
        "def test_x():\n    end = time.monotonic() + 60\n    while time.monotonic() < end:\n        pass",
        "def test_x():\n    assert row['time'] < 1 and now() == 2",
        "def test_x():\n    before = time.monotonic()\n    assert before <= at(before - 5) <= time.monotonic()",
    ],
)
def test_polling_and_simulated_times_are_taken(text: str) -> None:
    assert not wall_clock(ast.parse(text))


def test_a_clock_that_a_c_test_plays_is_its_own() -> None:
    assert c_clocks("x = port_now(); usleep(3); /* sleep(1) */") == {"port_now", "usleep"}
    assert c_clocks("double port_now(void) {\n  return now_s;\n}\nvoid f(void) { x = port_now(); }") == set()


def test_modules_of_a_docstring_are_found() -> None:
    assert not unnamed("collscope.base.paths, collscope.base,\nratchet, core/plan, README.md: what they do.")
    assert unnamed("collscope.base.nowhere: what it does.") == "no such module: collscope.base.nowhere"
    assert unnamed("What it does: this and that.") and unnamed("collscope.base.paths")
    assert [NO_SENTENCE.match(name) is None for name in ("test_what_is_told", "test_whatever_it_takes", "test_a_who")] == [
        False, True, True,
    ]  # fmt: skip
