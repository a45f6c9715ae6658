"""The opening comment of an algorithm's file: fixed fields, and a small picture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from collscope.base import paths
from collscope.catalogue.keys import stem_of

FIELDS = ("Idea", "Rounds", "Cost", "Needs", "Scratch", "Source")
_FIELD = re.compile(r" \* (%s)\b ?\s*(.*)" % "|".join(FIELDS))  # noqa: UP031 - braces would need doubling


@dataclass(frozen=True)
class Header:
    """The opening comment of an algorithm's file."""

    path: Path
    title: str  # the key, as the file has it
    fields: dict[str, str]  # in the order of the file
    picture: tuple[str, ...]  # lines, without the comment's border

    @property
    def missing(self) -> list[str]:
        """The fields that every opening comment has and this one lacks."""
        return [name for name in FIELDS if name not in self.fields]


def read(path: Path) -> Header | None:
    """The header of one file; None when it does not begin with a comment."""
    text = path.read_text(encoding="utf-8", errors="replace")  # somebody's own file may be of another encoding
    if not text.startswith("/* "):
        return None
    lines = text.partition("*/")[0].splitlines()
    fields: dict[str, str] = {}
    name, after = "", False
    picture: list[str] = []
    for line in lines[1:]:
        match = _FIELD.match(line)
        body = line.removeprefix(" *")
        if match and not picture:
            name = match[1]
            fields[name] = match[2].strip()
            after = False
        elif not body.strip():
            after = after or bool(name)
            if picture:
                picture.append("")
        elif after:
            picture.append(body.rstrip())
        elif name:
            fields[name] += " " + body.strip()
    while picture and not picture[-1]:
        picture.pop()
    margin = min((len(x) - len(x.lstrip()) for x in picture if x), default=0)
    return Header(path, lines[0].removeprefix("/* ").strip(), fields, tuple(x[margin:] for x in picture))


def prose(path: Path) -> str:
    """The opening comment of a file that is plain text: its paragraphs, each in one line, an empty line between them."""
    comment = path.read_text(encoding="utf-8").split("*/")[0].removeprefix("/*")
    text = re.sub(r"^ \* ?", "", comment, flags=re.MULTILINE)
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n *\n", text))


@lru_cache(maxsize=1)
def all_headers() -> dict[str, Header]:
    """By key, from the files below algorithms/ whose comment begins with one; a file may speak for several keys."""
    found: dict[str, Header] = {}
    for path in sorted((paths.ROOT / "algorithms").glob("*/*.c")):
        header = read(path)
        if header is None:
            continue
        for key in keys_of(header):
            found.setdefault(key, header)
    return found


def add(path: Path) -> None:
    """Takes in a file outside of the tree, whose algorithms this process knows; one without these fields says nothing."""
    header = read(path)
    if header and "Idea" in header.fields:
        for key in keys_of(header):
            all_headers()[key] = header


def keys_of(header: Header) -> list[str]:
    """The algorithms that a file speaks for."""
    return re.findall(r"\b[a-z_]+/[a-z0-9_]+", header.title)


def of_key(key: str) -> Header | None:
    """The header of the file that this algorithm is in."""
    return all_headers().get(stem_of(key))
