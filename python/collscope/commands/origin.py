"""What a picture says inside its file of where it comes from: the command, the commit, and the hashes of sources and platform."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from collscope import __version__
from collscope.base import cache, commit, depends

if TYPE_CHECKING:
    from collscope.machines.platform import Platform

FOLDERS = {
    "sim": depends.SIMULATION,
    "real": depends.MEASUREMENT,
    "model": depends.MODEL,
}  # source of numbers → what they follow from
DIGITS = 12  # of a hash, as in the table


def of_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Of a picture of rows of the table: their own hashes, by source."""
    parts = []
    for source in dict.fromkeys(str(row["source"]) for row in rows):
        mine = [row for row in rows if row["source"] == source]
        hashes = [
            f"{what} {' '.join(found)}"
            for what in ("sources", "platform")
            if (found := list(dict.fromkeys(str(row[f"{what}_hash"]) for row in mine if row[f"{what}_hash"])))
        ]
        parts.append(f"{source}: {', '.join(hashes)}" if hashes else source)
    return _about(parts)


def of_sources(names: Sequence[str], platform: Platform | None = None) -> dict[str, str]:
    """Of a picture of schedules or decisions, made now by these sources of FOLDERS."""
    from collscope.machines.platform import content_hash

    on = f", platform {content_hash(platform)[:DIGITS]}" if platform else ""
    return _about([f"{name}: sources {cache.sources_hash(*FOLDERS[name])[:DIGITS]}{on}" for name in names])


def _about(parts: Sequence[str]) -> dict[str, str]:
    """The words of files.render. No date: the same command makes the same file."""
    sources = commit.describe()
    version = f"collscope {__version__}" + (f", commit {sources}" if sources else "")
    command = shlex.join(["./collscope", *sys.argv[1:]])
    return {
        # Formats have no place for control characters, nor for bytes that are not text.
        "Description": "".join(c if c.isprintable() else "?" for c in command),
        "Source": "; ".join([version, *parts]),
    }
