"""python/collscope, docs/architecture.md: layers, circles and floors of Python's rooms are as the page draws them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import grimp
import pytest

from collscope.base import paths

PACKAGE = paths.ROOT / "python" / "collscope"
OUTSIDE = {"collscope", "collscope.__main__"}
MAX_FLOORS, MAX_FLOORS_INSIDE = 10, 6

Graph = Mapping[str, set[str]]


@cache
def modules() -> Graph:
    """Which module imports which, lazily or for types, too."""
    graph = grimp.build_graph("collscope", cache_dir=None)
    return {m: graph.find_modules_directly_imported_by(m) - OUTSIDE for m in graph.modules - OUTSIDE}


def room(module: str) -> str:
    return ".".join(module.split(".")[:2])


def rooms() -> Graph:
    out: dict[str, set[str]] = {}
    for importer, imported in modules().items():
        out.setdefault(room(importer), set()).update(room(m) for m in imported if room(m) != room(importer))
    return out


def floors(graph: Graph) -> list[set[str]]:
    """The nodes in floors: each stands above all that it imports. What lies on a circle has no floor."""
    left, out = {n: set(graph[n]) & set(graph) - {n} for n in graph}, []
    while left:
        floor = {n for n, below in left.items() if not below & set(left)}
        if not floor:
            break
        out.append(floor)
        for n in floor:
            del left[n]
    return out


def circles(graph: Graph) -> set[str]:
    """The nodes that lie on a circle or above one."""
    return set(graph) - set().union(*floors(graph))


def files() -> Iterable[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_no_module_lies_on_a_circle_of_imports() -> None:
    assert not circles(modules())


def test_no_room_lies_on_a_circle_and_the_house_has_few_floors() -> None:
    assert not circles(rooms())
    assert len(floors(rooms())) <= MAX_FLOORS


@pytest.mark.parametrize("name", sorted(rooms()))
def test_a_room_has_few_floors(name: str) -> None:
    inside = {m: {i for i in below if room(i) == name} for m, below in modules().items() if room(m) == name}
    assert len(floors(inside)) <= MAX_FLOORS_INSIDE, floors(inside)


def test_no_module_stands_outside_the_rooms() -> None:
    assert {p.name for p in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}


def test_circles_and_floors_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"a"}, "c": set()}) == {"a", "b"}
    assert floors({"a": {"b"}, "b": {"c"}, "c": set()}) == [{"c"}, {"b"}, {"a"}]


@cache
def tree(path: Path) -> ast.Module:
    """A file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


def undocumented(path: Path) -> Iterable[str]:
    """Public functions and classes at the top of a module, and public methods of classes that stand for themselves.

    A class with bases may override what its base documents.
    """
    for node in tree(path).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            methods = (
                [m for m in node.body if isinstance(m, ast.FunctionDef)]
                if isinstance(node, ast.ClassDef) and not node.bases
                else []
            )
            for each in (node, *methods):
                if not each.name.startswith("_") and not ast.get_docstring(each):
                    yield f"{path.relative_to(PACKAGE).as_posix()}: {each.name}"


def test_every_public_function_says_what_it_is() -> None:
    assert not [name for path in files() for name in undocumented(path)]


# What goes on while something is done, and is filled meanwhile; all other dataclasses are parameters or results.
FILLED = {
    "base.grid.Grid", "base.progress.Progress", "calibration.tables.Measurements", "campaigns.run.Kept",
    "commands.tune_confirm._Work", "commands.twins.Found", "setup.machine.Setup", "setup.testing.Step",
    "sources.batches.Batch", "sources.cluster.Cluster", "sources.launch.Children", "sources.launch.Report",
    "sources.launch._Replies", "sources.measure._Measurement", "sources.simulate._Simulation",
    "twins.messages.Own",
    "labs.play.Message", "labs.play.Rank",
}  # fmt: skip


def test_parameters_and_results_are_frozen() -> None:
    thawed = set()
    for path in files():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                made = [ast.unparse(d) for d in node.decorator_list if "dataclass" in ast.unparse(d)]
                if made and "frozen=True" not in made[0]:
                    thawed.add(".".join([*path.relative_to(PACKAGE).with_suffix("").parts, node.name]))
    assert thawed == FILLED


# Lists that end with the shorter one on purpose: pieces that may be missing, neighbours, axes left over.
UNEVEN = {
    "analysis.fits": 1, "calibration.samples": 1, "figures.prediction": 1, "machines.platform": 1,
    "machines.spec": 1, "machines.spec_fields": 1, "studies.report.tables": 1, "studies.rows": 1, "studies.sensitivity": 2,
}  # fmt: skip


def test_lists_that_go_together_are_as_long() -> None:
    found: dict[str, int] = {}
    for path in files():
        loose = sum(
            isinstance(x, ast.keyword) and x.arg == "strict" and ast.unparse(x) == "strict=False"
            for x in ast.walk(tree(path))
        )
        if loose:
            found[".".join(path.relative_to(PACKAGE).with_suffix("").parts)] = loose
    assert found == UNEVEN
