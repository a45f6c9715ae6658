"""The keys of JSON documents as docs/json.md says them, and what a document has in their place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from collscope.points import table

PAGE = Path(__file__).parents[3] / "docs" / "json.md"
LINE = re.compile(r"\| `([^`]+)` \| ([^|]+) \|")
KINDS = {"text": str, "whole": int, "number": (int, float), "true or false": bool, "object": dict}


@cache
def documented(schema: str) -> dict[str, str]:
    """Key → kind of value, of the document of this name: `rows[]` are the entries of a list, `x{}` the values of any key."""
    parts = re.split(r"^## +", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    part = next(part for part in parts if part.splitlines()[0].strip() == schema)
    found: dict[str, str] = {}
    for line in parts[0].splitlines() + part.splitlines():
        if match := LINE.match(line):
            found[match[1]] = match[2].strip()
    return found


def check(text: str, schema: str) -> dict[str, Any]:
    """The document of a text; AssertionError where it is not one line, or a key of it is not documented, is absent or of another kind."""
    assert text.count("\n") == 1 and text.endswith("\n")
    made: dict[str, Any] = json.loads(text, parse_constant=_refuse)
    assert (made["schema"], made["version"]) == (f"collscope/{schema}", 1)
    wrong = [*_differences(made, "", documented(schema))]
    assert not wrong, f"{schema}: {'; '.join(wrong)}"
    return made


def _refuse(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


def _differences(value: dict[str, Any], path: str, known: dict[str, str]) -> Iterator[str]:
    children = {key for key in known if _parent(key) == path}
    names = {_last(key): key for key in children}
    yield from (f"{path}: no {name}" for name in names.keys() - value.keys())
    for name, one in value.items():
        if name in names:
            yield from _of_value(one, names[name], known)
        else:
            yield f"{path}: {name} is not documented"


def _parent(key: str) -> str:
    return key.rpartition(".")[0]


def _last(key: str) -> str:
    return re.sub(r"(\[\]|\{\})+$", "", key.rpartition(".")[2])


def _of_value(value: Any, key: str, known: dict[str, str]) -> Iterator[str]:
    kind = known[key].removesuffix(" or null")
    if value is None and known[key].endswith(" or null"):
        return
    entries: list[Any] = [value]
    marks = re.search(r"((\[\]|\{\})*)$", key.rpartition(".")[2])
    assert marks
    for mark in re.findall(r"\[\]|\{\}", marks[1]):
        if not all(isinstance(e, list if mark == "[]" else dict) for e in entries):
            yield f"{key}: not a {'list' if mark == '[]' else 'map'}"
            return
        entries = [e for one in entries for e in (one if mark == "[]" else one.values())]
    for entry in entries:
        if kind == "line":  # as the prover prints it
            if not isinstance(entry, dict):
                yield f"{key}: not an object"
        elif kind == "row":
            if not set(table.COLUMNS) <= set(entry) <= {*table.COLUMNS, *table.EXTRA}:
                yield f"{key}: not the columns of the table"
        elif not isinstance(entry, KINDS[kind]) or (isinstance(entry, bool) and kind != "true or false"):
            yield f"{key}: {str(entry)[:30]} is not {kind}"
        elif kind == "object":
            yield from _differences(entry, key, known)
