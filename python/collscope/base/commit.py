"""Which sources these are: what git says of them."""

from __future__ import annotations

import subprocess

from collscope.base import paths, programs


def describe() -> str:
    """The commit of the sources, with a + when they differ from it; "" outside a git repository. The tree may be somebody else's, or an
    image's: who runs its programs trusts it."""
    command = [
        "git",
        "-c",
        f"safe.directory={paths.ROOT}",
        "-C",
        str(paths.ROOT),
        "describe",
        "--always",
        "--exclude=*",
        "--dirty=+",
    ]
    try:
        return programs.answer(command, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
