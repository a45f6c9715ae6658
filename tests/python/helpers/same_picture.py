"""A picture beside the one that is kept: the same elements, colours and texts, and numbers that are as good as equal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

EXPECTED = Path(__file__).parents[1] / "figures" / "expected"
NEAR = 0.15  # points: coordinates are kept in tenths
_NAMES = re.compile(r' (?:id|clip-path|xlink:href)="[^"]*"|url\(#\w+\)|<metadata>.*?</metadata>', re.DOTALL)
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)")


def check(made: bytes, kept: Path, folder: Path) -> None:
    """Fails where an SVG is not as the kept one is; what was made is then put into `folder`, to be looked at."""
    here, there = (_parts(svg) for svg in (made, kept.read_bytes() if kept.exists() else b""))
    if len(here) == len(there) and all(_same(a, b) for a, b in zip(here, there, strict=True)):
        return
    at = next((i for i, (a, b) in enumerate(zip(here, there, strict=False)) if not _same(a, b)), 0)
    new = folder / kept.name
    new.write_bytes(made)
    around = ["".join(parts[max(0, at - 8) : at + 9]) for parts in (there, here)]
    pytest.fail(
        f"{kept} says {around[0]!r}, drawn is {around[1]!r}. Look at {new}; if it is meant, copy it there",
        pytrace=False,
    )


def _parts(svg: bytes) -> list[str]:
    """Text and numbers by turns."""
    return _NUMBER.split(_NAMES.sub("", svg.decode()))


def _same(a: str, b: str) -> bool:
    if a == b:
        return True
    return bool(_NUMBER.fullmatch(a) and _NUMBER.fullmatch(b)) and "." in a + b and abs(float(a) - float(b)) <= NEAR
