"""collscope.base.depends: the table of what depends on what: every place exists, and what a hashed file includes is hashed, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from collscope.base import depends, paths

NUMBERS = ("SIMULATION", "MEASUREMENT", "MODEL", "TWINS")
PAGES = (depends.STUDY_PAGES, *depends.DOCUMENTED_PICTURES.values())
DRAWS = re.compile(r"^\s*from collscope\.((?:figures|schedules)\.[\w.]+) import", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


@pytest.mark.parametrize("name", ["BUILD", "ALGORITHMS", *NUMBERS, "PROGRAMS"])
def test_every_place_exists(name: str) -> None:
    assert not [place for place in getattr(depends, name) if not (paths.ROOT / place).exists()]


@pytest.mark.parametrize("places", PAGES)
def test_every_module_exists(places: tuple[str, ...]) -> None:
    package = paths.ROOT / "python" / "collscope"
    assert not [place for place in places if not (package / place).exists()]


@pytest.mark.parametrize("kind", depends.DOCUMENTED_PICTURES)
def test_all_that_a_drawing_imports_to_draw_is_hashed(kind: str) -> None:
    package = paths.ROOT / "python" / "collscope"
    places = depends.DOCUMENTED_PICTURES[kind]
    texts = [(package / place).read_text(encoding="utf-8") for place in places]
    imported = {f"{name.replace('.', '/')}.py" for text in texts for name in DRAWS.findall(text)}
    assert "figures/schedule/rounds.py" in imported
    assert not [place for place in imported - {*places} if (package / place).is_file()]


def sources(place: Path) -> Iterator[Path]:
    """The C and C++ files at or below a place."""
    for path in [place] if place.is_file() else place.rglob("*"):
        if path.suffix in (".c", ".h", ".cpp"):
            yield path


def included(path: Path) -> Iterator[Path]:
    """The files of the repository that a source includes: by their path from the root, or from algorithms/."""
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        found = [p for p in (paths.ROOT / name, paths.ROOT / "algorithms" / name) if p.exists()]
        assert found, f"{path}: {name} is not there"
        yield found[0]


@pytest.mark.parametrize("name", NUMBERS)
def test_all_that_a_hashed_file_includes_is_hashed(name: str) -> None:
    places = [paths.ROOT / place for place in getattr(depends, name)]
    hashed = {path for place in places for path in sources(place)}
    assert hashed
    missing = {
        f"{path.relative_to(paths.ROOT)} includes {other.relative_to(paths.ROOT)}"
        for path in hashed
        for other in included(path)
        if other not in hashed
    }
    assert not missing


def test_every_source_of_a_program_belongs_to_some_number() -> None:
    folders = ("algorithms", "core", "model", "prove", "driver", "sim", "validate")
    every = {path for folder in folders for path in sources(paths.ROOT / folder)}
    hashed = {path for name in NUMBERS for place in getattr(depends, name) for path in sources(paths.ROOT / place)}
    assert not {str(path.relative_to(paths.ROOT)) for path in every - hashed}
