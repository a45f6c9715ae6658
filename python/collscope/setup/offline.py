"""Where nothing can be fetched: what to fetch elsewhere, and where to put it. Standard library alone."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from collscope.setup import needs

WHEELS = "wheels"  # the folder below the tree from which pip installs where it exists
NO_NETWORK = re.compile(
    "[Tt]emporary failure|Failed to establish a new connection|[Nn]etwork is unreachable|Could not (resolve|connect)"
    "|Connection (refused|timed out|failed)|Unable to locate package|No matching distribution"
)
"""What pip and apt-get print where they reach nothing, or find nothing in what was fetched before."""


def libraries(root: Path, required: Sequence[str], log: Path) -> str:
    """What to do where pip reached nothing."""
    version = ".".join(map(str, sys.version_info[:2]))
    fetch = f"pip download --only-binary :all: --python-version {version} -d {WHEELS}"
    tests = [word for word in needs.dependencies(root, "dev").split() if word not in required]
    here = root / WHEELS
    return "\n".join(
        [
            f"{here} lacks some of Python's libraries"
            if here.is_dir()
            else "no network: Python's libraries are missing",
            f"    elsewhere, on such a machine:  {fetch} {shlex.join(required)}",
            f"    for ./collscope test also:     {shlex.join(tests)}",
            f"    then:                          copy {WHEELS} to {here}, and repeat the command",
            f"    an index of your own site:     PIP_INDEX_URL, as for any pip (the whole log is {log})",
        ]
    )


def packages(names: Sequence[str], required: Sequence[str], log: Path) -> str:
    """What to do where apt-get reached nothing."""
    fetch = f"apt-get install --download-only -o Dir::Cache::archives=$PWD {' '.join(required)}"
    return "\n".join(
        [
            f"no network: {', '.join(names)} cannot be installed",
            f"    elsewhere, on such a machine:  apt-get update && {fetch}",
            "    then:                          copy the .deb files here, dpkg -i *.deb, and repeat the command",
            f"    a mirror of your own site:     /etc/apt/sources.list (the whole log is {log})",
        ]
    )
