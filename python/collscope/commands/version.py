"""What `--version` says: the version, the commit, and what of the system and of Python's libraries the numbers may depend on."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator

from collscope import __version__
from collscope.base import commit, paths
from collscope.base.errors import UserError


def text() -> str:
    """One line per part; what is not there is left out."""
    from collscope.sources import mpirun, smpirun

    sources = commit.describe()
    lines = [f"collscope {__version__}" + (f", commit {sources}" if sources else "")]
    lines += [f"SimGrid {found}" for found in _answer(smpirun.version)]
    lines += list(_answer(mpirun.library))
    lines.append(f"Python {platform.python_version()}: {', '.join(libraries())}")
    return "\n".join(lines)


def libraries() -> Iterator[str]:
    """The libraries that pyproject.toml names, with the versions that are installed."""
    import re
    from importlib import metadata

    from collscope.setup import needs

    for needed in needs.dependencies(paths.ROOT).split():
        name = re.split("[<>=!~]", needed)[0]
        try:
            yield f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue


def _answer(ask: Callable[[], str]) -> Iterator[str]:
    try:
        yield ask()
    except UserError:
        return
