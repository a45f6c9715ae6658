"""docs/algorithms.html and docs/algorithms/: the reference as HTML, a page a collective and a page a decision. They need no network;
pictures are files beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from collscope.base import paths
from collscope.base.files import write_atomically
from collscope.reference import pictures, words
from collscope.reference.entries import Entry
from collscope.reference.markdown import TEMPLATES, environment
from collscope.reference.model import Reference

INDEX = "algorithms.html"
FOLDER = "algorithms"  # of all other pages, beside the index
STYLE = f"{FOLDER}/style.css"
NUMBERS = 8  # of rules that are named one by one where a decision chooses an algorithm


@dataclass(frozen=True)
class Page:
    """A page: its file's path below docs/, its title, what it is rendered from."""

    path: str
    title: str
    template: str
    about: Any = None  # a Group or a Table

    @property
    def root(self) -> str:
        """What leads from the page to docs/."""
        return "../" * self.path.count("/")


def plan(reference: Reference) -> list[Page]:
    """All pages, in the order in which they are read."""
    made = [Page(INDEX, "Algorithms", "index")]
    made += [Page(f"{FOLDER}/{g.name}.html", g.name, "collective", g) for g in reference.groups]
    made += [Page(f"{FOLDER}/{t.anchor}.html", t.decision.key, "decision", t) for t in reference.decisions]
    if reference.differences:
        made.append(Page(f"{FOLDER}/differences.html", "Where Open MPI runs something else", "differences"))
    return made


def render(reference: Reference) -> Iterator[tuple[str, str]]:
    """(path below docs/, content) of every file."""
    pages = plan(reference)
    # Where each anchor is: an algorithm's on the page of its collective, a decision's on its own.
    places = {e.anchor: f"{FOLDER}/{e.algorithm.collective}.html#{e.anchor}" for e in reference.entries}
    places |= {t.anchor: f"{FOLDER}/{t.anchor}.html" for t in reference.decisions}
    env = environment()
    shared = {"reference": reference, "pages": pages, "kinds": pictures.KINDS, "numbers": NUMBERS, "style": STYLE}
    for page, before, after in zip(pages, [None, *pages], [*pages[1:], None], strict=False):
        env.filters["words"] = _words(reference, places, page.root)
        env.filters["img"] = _image(page.root)
        template = env.get_template(f"html/{page.template}.html.j2")
        place = {
            anchor: page.root + target for anchor, target in places.items()
        }  # anchor → address, seen from this page
        yield page.path, template.render(**shared, page=page, before=before, after=after, place=place)
    yield STYLE, (TEMPLATES / "html" / "style.css").read_text(encoding="utf-8")


def write(reference: Reference, folder: Path) -> int:
    """Writes all pages below `folder`, deletes those that no longer belong there; returns how many there are."""
    files = dict(render(reference))
    for path, text in files.items():
        write_atomically(folder / path, text)
    for old in (folder / FOLDER).glob("*.html"):
        if f"{FOLDER}/{old.name}" not in files:
            old.unlink()
    return len(files) - 1


def _words(reference: Reference, places: dict[str, str], root: str) -> Any:
    """A filter: text with its code, keys and papers marked."""

    def piece(p: words.Piece) -> Markup:
        shown = Markup("<code>{}</code>").format(p.text) if p.code or p.anchor else Markup.escape(p.text)
        target = root + places[p.anchor] if p.anchor else p.address
        return Markup('<a href="{}">{}</a>').format(target, shown) if target else shown

    return lambda text: Markup("").join(piece(p) for p in words.pieces(text, reference.anchors))


def _image(root: str) -> Any:
    """A filter: a picture of an entry as an element that is loaded when it is seen, and that keeps its place until then."""

    def image(e: Entry, kind: str) -> Markup:
        path = pictures.folder() / e.picture(kind)
        size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', path.read_text(encoding="utf-8")[:2000])
        assert size, path
        width, height = (round(float(points) * 4 / 3) for points in size.groups())
        src = root + path.relative_to(paths.ROOT / "docs").as_posix()
        element = '<a href="{}"><img loading="lazy" src="{}" width="{}" height="{}" alt="{} of {}"/></a>'
        return Markup(element).format(src, src, width, height, kind, e.algorithm.key)

    return image
