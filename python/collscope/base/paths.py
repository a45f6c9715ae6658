"""Where things are. All paths start at the root of the repository, so the tool may be called from anywhere."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(os.environ.get("COLLSCOPE_ROOT") or Path(__file__).resolve().parents[3])
BUILD = ROOT / "build"
CACHE = ROOT / ".cache"
RESULTS = ROOT / "results"


def cache_dir() -> Path:
    """The folder of what can be computed again, made where it is missing."""
    CACHE.mkdir(parents=True, exist_ok=True)
    return CACHE


def display(path: Path) -> str:
    """The path as the user would type it: relative to where they stand when it is below."""
    try:
        return str(Path(path).resolve().relative_to(Path.cwd().resolve()))
    except ValueError:
        return str(path)
