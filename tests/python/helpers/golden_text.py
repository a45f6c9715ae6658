"""Golden texts: what a command prints, kept whole in tests/python/ROOM/golden/NAME.txt.

A test takes the fixture `golden` and calls `golden(NAME, text)`; `pytest --update-golden` rewrites what differs.
"""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
MAX_DIFF_LINES = 60


def folder_of(test: Path) -> Path:
    """Where the texts of a test file are kept: in `golden` beside the other tests of its room."""
    return TESTS / test.relative_to(TESTS).parts[0] / "golden"


def check(kept: Path, text: str, update: bool) -> None:
    """Compares a text with the kept one; rewrites the kept one where `update`. Blanks at ends of lines do not count."""
    made = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    old = kept.read_text(encoding="utf-8") if kept.exists() else ""
    if made == old:
        return
    if update:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(made, encoding="utf-8")
        return
    diff = list(difflib.unified_diff(old.splitlines(), made.splitlines(), "golden", "printed", lineterm=""))
    shown = "\n".join(diff[:MAX_DIFF_LINES] + ["…"] * (len(diff) > MAX_DIFF_LINES))
    name = kept.relative_to(TESTS.parents[1]) if kept.is_relative_to(TESTS) else kept
    pytest.fail(f"{name}: the printed text differs\n{shown}\nIf this is meant: pytest --update-golden", pytrace=False)
