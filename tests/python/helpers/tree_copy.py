"""A copy of the tree with its builds, where commands may write what they like."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

from collscope.base import depends, paths, programs
from collscope.setup import state

SOURCES = frozenset({*depends.PROGRAMS, "python"} - {"tests"})


def made(root: Path, presets: Sequence[str], more: Collection[str] = (), whole_builds: bool = False) -> Path:
    """The tree at `root`, set up for these presets: its sources and `more`, no caches, this tree's libraries.

    Of each build it has the programs, or (whole_builds) all that is in it, which own algorithms are linked with."""
    root.mkdir()
    skip = shutil.ignore_patterns(
        "this_machine", "own", "fresh"
    )  # what Python has compiled is taken along: it saves seconds
    for name in {*SOURCES, *more}:
        shutil.copytree(paths.ROOT / name, root / name, ignore=skip)
    for name in ("collscope", "pyproject.toml", *state.SOURCE_FILES):
        shutil.copy(paths.ROOT / name, root)
    for preset in presets:
        built, target = paths.BUILD / preset, root / "build" / preset
        if whole_builds:
            shutil.copytree(built, target, symlinks=True)
            continue
        target.mkdir(parents=True)
        for name in programs.BUILT[preset].values():
            shutil.copy2(built / name, target)
    (root / ".venv").symlink_to(paths.ROOT / ".venv")
    (root / ".cache").mkdir()
    (root / "results").mkdir(exist_ok=True)
    state.remember(root, presets, [list(s) for s in state.sources(root)])
    return root
