"""Text of comments and tables, taken apart: what is code, what names an algorithm or a decision, what a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_PIECE = re.compile(
    r"`(?P<code>[^`]+)`|(?P<doi>\bdoi:10\.\d+/[\w./()-]*\w)|(?P<key>\b[a-z_]+/[a-z0-9_]+(?:\[[^\[\]]*\])?)"
)


@dataclass(frozen=True)
class Piece:
    """A piece of a text: where it leads, if anywhere: the anchor of a key, or an address."""

    text: str
    code: bool = False
    anchor: str = ""
    address: str = ""


def pieces(text: str, anchors: Mapping[str, str]) -> Iterator[Piece]:
    """The pieces of a text in which backticks mark code; keys that `anchors` does not know are text. What comments set apart by
    blanks is set apart by dots."""
    text = re.sub(r"  +", " · ", text.strip())
    end = 0
    for match in _PIECE.finditer(text):
        found = _piece(match, anchors)
        if found:
            if end < match.start():
                yield Piece(text[end : match.start()])
            yield found
            end = match.end()
    if end < len(text):
        yield Piece(text[end:])


def _piece(match: re.Match[str], anchors: Mapping[str, str]) -> Piece | None:
    if code := match["code"]:
        return Piece(code, code=True, anchor=_anchor(code, anchors))
    if doi := match["doi"]:
        return Piece(doi, address=f"https://doi.org/{doi.removeprefix('doi:')}")
    anchor = _anchor(match["key"], anchors)
    return Piece(match["key"], anchor=anchor) if anchor else None


def _anchor(key: str, anchors: Mapping[str, str]) -> str:
    return anchors.get(key.partition("[")[0], "")
