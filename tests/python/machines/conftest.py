"""Generated platform files of a test lie in its own folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import paths


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated files of a test lie in its own folder."""
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
