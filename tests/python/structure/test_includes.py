"""core, docs/architecture.md: who may include what in C, lists of sources against folders, guards and circles."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from collscope.base import paths

ROOT = paths.ROOT
CORE = frozenset({"algorithms", "core"})
MAY_INCLUDE: Mapping[str, frozenset[str]] = {
    "algorithms": frozenset(),
    "core": frozenset({"algorithms"}),
    "model": CORE,
    "prove": CORE | {"model"},
    "driver": CORE,
    "sim": CORE | {"driver"},
    "validate": CORE | {"driver"},
    "preload": CORE,
    "bench": CORE | {"driver"},
    "platforms": frozenset(),
    "tests": CORE | {"model", "prove", "driver", "validate"},
}
"""Room → the rooms below it; it includes itself, too."""

INSIDE_ALGORITHMS = ("patterns", "primitives", "composite")
"""Folders of algorithms/ from below; each includes those before it. The others, the collectives, include these and their own."""

FOREIGN: Mapping[str, tuple[str, ...]] = {
    "mpi.h": ("bench", "core/nonblocking", "core/runtime", "driver", "preload", "sim", "tests", "validate"),
    "smpi/": ("platforms", "sim", "tests/model"),
    "simgrid/": ("platforms", "sim", "tests/model"),
    "xbt/": ("platforms", "sim", "tests/model"),
    "hwloc.h": ("validate",),
    "pthread.h": ("tests",),
}
"""A library's header, or the beginning of its name → the folders that may include it."""

WITHOUT_MPI = ("algorithms", "core/catalogue", "core/nonblocking/builder.h", "core/nonblocking/plan.c", "core/plan",
               "core/schedule", "model", "prove", "driver/check/points.c",
               "driver/check/verify.c",
               "tests/algorithms", "tests/prove", "tests/readers", "tests/threads")  # fmt: skip
"""What sees no MPI, neither through other headers."""

BACK_ENDS = ("sim", "validate")
PORTS = ("core/runtime/port.h", "core/runtime/port_memory.h", "driver/port.h", "driver/port_caches.h")
"""What back-ends implement: their folders runtime/ and driver/."""
ONE_SIDED = {
    "runtime/program_memory.c",
    "runtime/copies.cpp",
    "runtime/copies.h",
    "runtime/give_up.h",
    "runtime/platform.c",
    "runtime/platform.h",
}
"""What simulation alone needs; sim/driver/describe.c says why."""
REAL_ONLY = {"driver/clocks.c", "driver/clocks.h", "driver/environment.c", "driver/environment.h",
             "runtime/hardware.c", "runtime/hardware.h", "runtime/pages.h"}  # fmt: skip
"""What real runs alone need; validate/driver/describe.c says why."""

COMPILED_BY_TOOLS = ("validate/twins/", "tests/libraries/", "tests/python/")
"""Sources that Python compiles with the library in question: no build names them."""

INSIDE_ARRAYS = ("algorithms/decision/ompi_4_1_rows.h",)
"""No headers but rows, included where they stand: twice in a program, and without a guard."""


# ---- the files -------------------------------------------------------------------------------------------------------


@cache
def sources() -> Mapping[str, str]:
    """Every C and C++ file: path from the top → text."""
    found = (p for room in MAY_INCLUDE for p in (ROOT / room).rglob("*.*") if p.suffix in (".c", ".h", ".cpp"))
    return {p.relative_to(ROOT).as_posix(): p.read_text("utf-8") for p in sorted(found)}


def included(text: str) -> Iterator[tuple[str, bool]]:
    """What a file includes, in order; true where it stands in quotation marks, which says that it is ours."""
    for mark, name in re.findall(r'^\s*#\s*include\s+(["<])([^">]+)[">]', text, re.MULTILINE):
        yield name, mark == '"'


def file_of(name: str) -> str | None:
    """The file that an include names: from algorithms/, or from the top. None: there is no such file."""
    return next((path for path in (f"algorithms/{name}", name) if path in sources()), None)


def room(path: str) -> str:
    return path.partition("/")[0]


@cache
def arrows() -> Mapping[str, frozenset[str]]:
    """File → the files of ours that it includes."""
    return {
        path: frozenset(target for name, ours in included(text) if ours and (target := file_of(name)))
        for path, text in sources().items()
    }


def reached(path: str) -> frozenset[str]:
    """A file and all that it includes, directly or not."""
    noted: set[str] = set()
    left = {path}
    while left:
        at = left.pop()
        noted.add(at)
        left |= arrows()[at] - noted
    return frozenset(noted)


def circles(graph: Mapping[str, Iterable[str]]) -> set[frozenset[str]]:
    """The sets of nodes that reach each other (Tarjan 1972), but for nodes that stand alone."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: set[frozenset[str]] = set()

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            members = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(members) > 1:
                found.add(frozenset(members))

    for node in graph:
        if node not in index:
            visit(node)
    return found


# ---- includes --------------------------------------------------------------------------------------------------------


def test_an_include_of_ours_names_a_file_from_its_root() -> None:
    """From algorithms/ or from the top: never "../", never a neighbour by its bare name."""
    assert not [
        f"{p}: {name}" for p, text in sources().items() for name, ours in included(text) if ours and not file_of(name)
    ]


def test_a_room_includes_only_rooms_below_it() -> None:
    assert not [
        f"{path}: {target}"
        for path, targets in arrows().items()
        for target in targets
        if room(target) not in MAY_INCLUDE[room(path)] | {room(path)}
    ]


def test_algorithms_stand_on_composites_primitives_and_patterns() -> None:
    def folder(path: str) -> str:
        return path.split("/")[1] if path.count("/") > 1 else ""

    def may(of: str) -> tuple[str, ...]:
        below = INSIDE_ALGORITHMS
        return ("", *below[: below.index(of) + 1]) if of in below else ("", of, *below)

    assert not [
        f"{path}: {target}"
        for path, targets in arrows().items()
        for target in targets
        if path.startswith("algorithms/") and folder(path) and folder(target) not in may(folder(path))
    ]


def test_libraries_stay_where_they_belong() -> None:
    assert not [
        f"{path}: {name}"
        for path, text in sources().items()
        for name, ours in included(text)
        for header, folders in FOREIGN.items()
        if not ours and name.startswith(header) and not path.startswith(tuple(f"{f}/" for f in folders))
    ]


def test_code_without_mpi_sees_no_header_of_mpi() -> None:
    with_mpi = {path for path, text in sources().items() if ("mpi.h", False) in included(text)}
    assert with_mpi
    outside = [path for path in sources() if path.startswith(WITHOUT_MPI)]
    assert {w for w in WITHOUT_MPI if not any(path.startswith(w) for path in outside)} == set()
    assert not {path: by for path in outside if (by := reached(path) & with_mpi)}


def test_no_circle_of_includes() -> None:
    assert not circles(arrows())


def test_guards_are_made_from_the_path() -> None:
    wrong = {}
    for path, text in sources().items():
        if path.endswith(".h") and path not in INSIDE_ARRAYS:
            expected = re.sub(r"[/.]", "_", f"COLLSCOPE_{path.removeprefix('algorithms/')}".upper())
            expected = expected.replace("COLLSCOPE_COLLSCOPE", "COLLSCOPE")
            first = re.search(r"^#.*\n#.*\n", text, re.MULTILINE)
            if not first or first.group() != f"#ifndef {expected}\n#define {expected}\n":
                wrong[path] = expected
    assert not wrong


def back_end(name: str) -> set[str]:
    """The files of a back-end that implement the two ports, from its folder."""
    return {p.removeprefix(f"{name}/") for p in sources() if p.startswith((f"{name}/runtime/", f"{name}/driver/"))}


def test_the_back_ends_are_mirrors_of_each_other() -> None:
    sim, validate = map(back_end, BACK_ENDS)
    assert sim - ONE_SIDED == validate - REAL_ONLY
    assert validate >= REAL_ONLY
    assert sim >= ONE_SIDED


def test_back_ends_know_of_the_driver_its_port_alone_and_operations_need_no_driver() -> None:
    for path in sources():
        if room(path) in BACK_ENDS:
            of_driver = {target for target in reached(path) if room(target) == "driver"}
            in_runtime = path.split("/")[1] == "runtime"
            assert of_driver <= (set() if in_runtime else set(PORTS)), path
            assert not in_runtime or not {t for t in reached(path) if t.startswith(f"{room(path)}/driver/")}, path


# ---- lists of sources ------------------------------------------------------------------------------------------------


def lists() -> Mapping[str, str]:
    """Folder → the text of its CMakeLists.txt, without comments."""
    found = [ROOT / "CMakeLists.txt", *(p for room in MAY_INCLUDE for p in (ROOT / room).rglob("CMakeLists.txt"))]
    return {p.parent.relative_to(ROOT).as_posix(): re.sub(r"#.*", "", p.read_text("utf-8")) for p in found}


def named(folder: str, text: str) -> Iterator[str]:
    """The sources that targets of this list are made of."""
    loops = {variable: values.split() for variable, values in re.findall(r"\bforeach\((\w+) ([^)]*)\)", text)}
    for arguments in re.findall(r"\badd_(?:library|executable)\(([^)]*)\)", text):
        for word in arguments.split():
            if word.endswith((".c", ".cpp")):
                loop = re.search(r"\$\{(\w+)\}", word)
                for value in loops[loop[1]] if loop else [""]:
                    yield f"{folder}/{re.sub(r'[$].*}', value, word)}".removeprefix("./")


def test_every_source_is_named_once_in_the_list_of_its_folder() -> None:
    counts: Counter[str] = Counter()
    folders = lists()
    for folder, text in folders.items():
        for source in named(folder, text):
            assert max((f for f in folders if source.startswith(f"{f}/")), key=len, default=".") == folder, source
            counts[source] += 1
    there = {p for p in sources() if not p.endswith(".h") and not p.startswith(COMPILED_BY_TOOLS)}
    assert set(counts) == there
    assert not {source: n for source, n in counts.items() if n > 1}


# ---- calls -----------------------------------------------------------------------------------------------------------


def symbols(objects: Iterable[Path]) -> Mapping[Path, tuple[set[str], set[str]]]:
    """Object file → the names that it defines for others, and those that it wants of others."""
    listed = subprocess.run(
        ["nm", "--print-file-name", "--format=posix", *map(str, objects)], capture_output=True, text=True, check=True
    )
    made: dict[Path, tuple[set[str], set[str]]] = {}
    for line in listed.stdout.splitlines():
        file, name, kind = re.match(r"(.*): (\S+) (\S)", line).groups()  # type: ignore[union-attr]
        defined, expected = made.setdefault(Path(file), (set(), set()))
        if kind == "U":
            expected.add(name)
        elif kind.isupper():
            defined.add(name)
    return made


@cache
def uses(preset: str) -> frozenset[tuple[str, str, str]]:
    """Who names whose function or data in a build: (source file, name, source file). No tests: their programs define the same
    names. Nor MPI's functions, which preload/ defines for other programs."""
    if not shutil.which("nm"):
        pytest.skip("nm, of binutils, is not installed")
    build = ROOT / "build" / preset
    source_of: dict[Path, str] = {}
    for file in build.rglob("*.o"):
        folder, _, rest = file.relative_to(build).as_posix().partition("/CMakeFiles/")
        source = f"{folder}/{rest.partition('.dir/')[2]}".removesuffix(".o")
        if source in sources() and not source.startswith("tests/"):  # what has moved may have left its object
            source_of[file] = source
    if not source_of:
        pytest.skip(f"build/{preset} is not made; ./collscope doctor says what is missing")
    table = symbols(source_of)
    owner = {
        name: source_of[file]
        for file, (defined, _) in table.items()
        for name in defined - {"main"}
        if not name.startswith("MPI_")
    }
    return frozenset(
        (source_of[file], name, owner[name])
        for file, (_, expected) in table.items()
        for name in expected
        if name in owner
    )


PRESETS = ("prove", "smpi", "mpi")


@pytest.mark.parametrize("preset", PRESETS)
def test_no_circle_of_calls_inside_a_room(preset: str) -> None:
    graph: dict[str, set[str]] = {}
    for user, _, owner in uses(preset):
        if room(user) == room(owner):
            graph.setdefault(user, set()).add(owner)
    assert graph
    assert not circles(graph)


@pytest.mark.parametrize("preset", PRESETS)
def test_calls_go_where_includes_go_or_to_the_port(preset: str) -> None:
    assert not [
        (user, name, owner)
        for user, name, owner in uses(preset)
        if room(owner) not in MAY_INCLUDE[room(user)] | {room(user)}
        and not (room(owner) in BACK_ENDS and name.startswith("port_"))
    ]


# ---- the checks themselves -------------------------------------------------------------------------------------------


def test_circles_are_found() -> None:
    assert circles({"a": "b", "b": "c", "c": "ad", "d": "e", "e": ""}) == {frozenset("abc")}
    assert not circles({"a": "bc", "b": "c", "c": ""})


def test_includes_and_names_are_read() -> None:
    assert list(included('#include "a/b.h"\n  # include <mpi.h>\n// #include "no.h"\n')) == [
        ("a/b.h", True),
        ("mpi.h", False),
    ]
    text = "add_library(y STATIC\n a.c\n b/c.cpp)\nadd_test(NAME z COMMAND d.c)"
    assert list(named("x", text)) == ["x/a.c", "x/b/c.cpp"]
    assert list(named(".", "foreach(t e f)\nadd_executable(${t}_test ${t}.c)\nendforeach()")) == ["e.c", "f.c"]
