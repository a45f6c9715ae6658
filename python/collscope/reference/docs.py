"""The generated reference: docs/algorithms.md, docs/algorithms.html and docs/pictures/, written or checked.

All of it comes from the registry and from the opening comments of the files; nothing is typed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from collscope.base import console, paths
from collscope.base.files import write_atomically
from collscope.reference import pictures
from collscope.reference.entries import Entry, entries
from collscope.reference.markdown import markdown
from collscope.reference.page import page


def folder() -> Path:
    """Where the reference is."""
    return paths.ROOT / "docs"


def stale(all_: Sequence[Entry]) -> list[str]:
    """What is out of date, in words."""
    found = []
    path = folder() / "algorithms.md"
    if not path.exists() or path.read_text(encoding="utf-8") != markdown(all_):
        found.append(f"{path.relative_to(paths.ROOT)}: not what the registry and the headers say")
    return [*found, *pictures.stale(all_)]


def run(check: bool = False) -> int:
    """Writes the reference, or says what of it is out of date; returns the exit status."""
    all_ = entries()
    for e in all_:
        if e.header.missing:
            console.note(f"{e.path}: the header lacks {', '.join(e.header.missing)}")
    if check:
        problems = stale(all_)
        for text in problems:
            console.note(text)
        if problems:
            console.note("run ./collscope docs")
        return 1 if problems else 0
    drawn = pictures.draw(all_)
    write_atomically(folder() / "algorithms.md", markdown(all_))
    write_atomically(folder() / "algorithms.html", page(all_))
    print(f"written: docs/algorithms.md, docs/algorithms.html, {drawn} of {2 * len(all_)} pictures drawn anew")
    return 0
