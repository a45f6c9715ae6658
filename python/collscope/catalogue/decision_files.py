"""Decisions from files, decision/file:PATH: which collectives a file has rules for, and what programs and caches know it by.

core/catalogue/decision_file.h has the grammar; the programs read it."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UsageError, UserError
from collscope.catalogue import prover
from collscope.catalogue.keys import FILE

MAX_PATH_CHARACTERS = 300
_NAMED = re.compile(rf"(?<![^\s=]){re.escape(FILE)}([^\s\]]+)")  # in a plan's text


def path_of(key: str) -> Path:
    """The file of decision/file:PATH. UsageError: it does not exist, or no plan could hold its name."""
    name = key.removeprefix(FILE)
    path = paths.expanded(name).absolute()
    if not path.is_file():
        raise UsageError(f"{key}: there is no such file; give one with rules (docs/decisions.md)")
    check_path(path, key)
    return path


def check_path(path: Path, what: str) -> None:
    """UsageError: no plan could hold the path's name. `what`: where it comes from."""
    if re.search(r"[\s#\[\],|]", str(path)) or len(str(path).encode()) > MAX_PATH_CHARACTERS:
        raise UsageError(
            f"{what}: the path has blanks, one of # [ ] , | or more than {MAX_PATH_CHARACTERS} bytes; rename the file or its folders"
        )


def collectives_of(key: str) -> tuple[str, ...]:
    """The collectives that the file has rules for, in its order. UserError: file and line of what is wrong."""
    lines = prover.replies(["--rules", f"decision={FILE}{paths.display(path_of(key))}"])
    return tuple(dict.fromkeys(str(line["collective"]) for line in lines))


def placed(text: str) -> str:
    """A plan's text with whole paths, which programs find from any folder."""
    return _NAMED.sub(lambda m: f"{FILE}{paths.expanded(m[1]).absolute()}", text)


def identity(text: str) -> str:
    """A plan's text for caches: a file by what is in it, not by its name."""
    return _NAMED.sub(lambda m: FILE + _hash_now(paths.expanded(m[1]).absolute()), text)


def _hash_now(path: Path) -> str:
    if not path.is_file():
        raise UserError(f"{path}: there is no such file any more; give one with rules")
    stat = path.stat()
    return _hash(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=32)
def _hash(path: Path, *_stamp: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
