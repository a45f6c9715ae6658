"""The templates of reports: one environment and one style sheet, whoever writes the page."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

SHARED = Path(__file__).parent / "templates"  # page.css


@cache
def environment(folder: Path) -> jinja2.Environment:
    """The templates of a folder, which may include page.css; those of HTML (NAME.html.j2) escape what they show. One for each folder:
    its filters are its owner's."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, SHARED]),
        autoescape=lambda name: bool(name and name.endswith(".html.j2")),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
