"""Answers as JSON: one object that begins with the name and version of its schema. What each key means: docs/json.md."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from collscope import __version__

VERSION = 1  # of every schema: higher where a key goes or changes its meaning, not where one is added


def text(schema: str, fields: Mapping[str, Any]) -> str:
    """The document of a schema with these fields, in one line; what is not a finite number is null."""
    head = {
        "schema": f"collscope/{schema}",
        "version": VERSION,
        "collscope": __version__,
        "command": shlex.join(["./collscope", *sys.argv[1:]]),
    }
    return json.dumps(_plain({**head, **fields}), allow_nan=False, ensure_ascii=False) + "\n"


def show(schema: str, fields: Mapping[str, Any]) -> None:
    """Prints the document on standard output."""
    sys.stdout.write(text(schema, fields))


def _plain(value: Any) -> Any:
    """The same of the types that JSON has: null for NaN and infinity, numbers for those of numpy, texts for paths."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if hasattr(value, "item"):  # a scalar of numpy's
        return _plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [_plain(one) for one in value]
    assert isinstance(value, Path), type(value)
    return str(value)
