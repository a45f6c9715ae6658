"""Files that options of a call name, with a line for each rank: `--skew file:PATH`, `--counts file:PATH`."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UsageError

PREFIX = "file:"
MAX_PATH_CHARACTERS = 255  # in a plan


def parse(option: str, name: str, what: str) -> str:
    """The file behind PREFIX as a plan has it. UsageError: there is no such, or a plan cannot hold its name; `what` stands on its lines."""
    path = paths.expanded(name).absolute()
    if not path.is_file():
        raise UsageError(f"{option} {PREFIX}{name}: there is no such file; give one with {what} on each line")
    if re.search(r"\s|#", str(path)) or len(str(path).encode()) > MAX_PATH_CHARACTERS:
        raise UsageError(
            f"{option} {PREFIX}{name}: a plan cannot hold blanks, # or more than {MAX_PATH_CHARACTERS} bytes of a path"
        )
    return f"{PREFIX}{path}"


def lines(path: str) -> list[str]:
    """What stands on the lines of a file, without remarks."""
    from collscope.base.toml_table import read_text  # it brings pydantic

    return [text for line in read_text(Path(path), path).splitlines() if (text := line.partition("#")[0].strip())]


def identity(text: str) -> str:
    """What an option says, for caches: a file by what is in it, not by its name."""
    if not text.startswith(PREFIX):
        return text
    return f"{PREFIX}{hashlib.sha256(Path(text.removeprefix(PREFIX)).read_bytes()).hexdigest()}"
