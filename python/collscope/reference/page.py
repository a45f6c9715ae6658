"""docs/algorithms.html: all algorithms with their pictures as one page that needs no other file."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from collscope.reference import entries, pictures
from collscope.reference.entries import Entry
from collscope.reference.markdown import dots, environment


def page(all_: Sequence[Entry]) -> str:
    """The whole page; the pictures have to be drawn."""
    env = environment()
    env.filters.update(dots=dots, svg=_svg)
    template = env.get_template("algorithms.html.j2")
    return template.render(entries=all_, groups=entries.groups(all_), kinds=pictures.KINDS)


def _svg(e: Entry, kind: str) -> str:
    """A picture in base 64."""
    return base64.b64encode((pictures.folder() / e.picture(kind)).read_bytes()).decode()
