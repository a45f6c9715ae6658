"""Which sources these are: what git says of them."""

from __future__ import annotations

import subprocess

from collscope.base import paths


def describe() -> str:
    """The commit of the sources, with a + when they differ from it; "" outside a git repository."""
    command = ["git", "-C", str(paths.ROOT), "describe", "--always", "--exclude=*", "--dirty=+"]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
