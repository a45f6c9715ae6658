"""docs/algorithms.html and docs/algorithms/: the Markdown page as HTML, a page per section. They need no network; pictures are files
beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from collscope.base import pages, paths
from collscope.base.files import write_atomically
from collscope.base.pages import Sheet

INDEX = "algorithms.html"
FOLDER = "algorithms"  # of all other pages, beside the index
_SECTION = re.compile(r'^(?=<a id="[\w-]+"></a>\n\n## )', re.M)
_ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')


@dataclass(frozen=True)
class _Section:
    """A section of the Markdown page, its headings one level up: a page."""

    sheet: Sheet
    text: str


def _sections(markdown: str) -> list[_Section]:
    """What stands before the first section is the index."""
    first, *rest = _SECTION.split(markdown)
    made = [_Section(Sheet(INDEX, "Algorithms"), first)]
    for text in rest:
        anchor, _, title = text.split("\n", 3)[:3]
        path = f"{FOLDER}/{_ANCHOR.fullmatch(anchor)[1]}.html"  # type: ignore[index]
        made.append(_Section(Sheet(path, title.removeprefix("## ")), re.sub(r"^#(?=##? )", "", text, flags=re.M)))
    return made


def render(markdown: str) -> Iterator[tuple[str, str]]:
    """(path below docs/, content) of every page."""
    sections = _sections(markdown)
    sheets = [s.sheet for s in sections]
    where = {anchor: s.sheet.path for s in sections for anchor in _ANCHOR.findall(s.text)}

    def place(address: str) -> str:
        """Where an address of the Markdown page leads, from docs/."""
        return where[address[1:]] + address if address.startswith("#") else address

    for s in sections:
        yield (
            s.sheet.path,
            pages.html(s.text, paths.ROOT / "docs", embed=False, sheets=sheets, here=s.sheet, places=place),
        )


def write(markdown: str, folder: Path) -> int:
    """Writes all pages below `folder`, deletes those that no longer belong there; returns how many there are."""
    files = dict(render(markdown))
    for path, text in files.items():
        write_atomically(folder / path, text)
    for old in (folder / FOLDER).glob("*.html"):
        if f"{FOLDER}/{old.name}" not in files:
            old.unlink()
    return len(files)
