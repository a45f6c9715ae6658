"""Folders that commands write into: new or empty ones, or those that hold nothing but what such a command wrote before."""

from __future__ import annotations

import os
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UsageError


def own(out: str, what: str, is_own: Callable[[Path], bool]) -> Path:
    """The folder that `--out` names. UsageError: it is not a folder, cannot be written to, or holds files that are not `what`, as `is_own`
    says."""
    if not out:
        raise UsageError("--out needs the name of a folder")
    folder = Path(out).absolute()
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if not there.is_dir():  # also a link that leads to itself, or nowhere
        raise UsageError(f"--out {out}: {'not a folder' if there == folder else f'{there} is not a folder'}")
    if not paths.is_writable(folder):
        raise UsageError(f"--out {out}: cannot be written to")
    if folder.is_dir() and any(folder.iterdir()) and not is_own(folder):
        raise UsageError(f"--out {out}: contains files that are not {what}; name an empty or a new folder")
    return folder


def only(folder: Path, *patterns: str) -> bool:
    """Whether every name in the folder is like one of the patterns."""
    return all(any(fnmatch(entry.name, pattern) for pattern in patterns) for entry in folder.iterdir())
