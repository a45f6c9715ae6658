"""Which papers are here. Apart from papers.py so that a study's file can be read without what judging needs."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The papers that are here, by name: each is a file NAME.toml in FOLDER."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))
