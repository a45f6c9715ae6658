"""collscope.base.commit: what git says of the sources."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from collscope.base import commit, paths


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_sources_are_known_by_their_commit_and_whether_they_differ_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> str:
        command = [
            "git",
            "-c",
            "user.name=a",
            "-c",
            "user.email=b",
            "-c",
            "commit.gpgsign=false",
            "-C",
            tmp_path,
            *words,
        ]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    monkeypatch.setattr(paths, "ROOT", tmp_path)
    assert commit.describe() == "", "outside a repository"
    git("init", "-q")
    (tmp_path / "a.c").write_text("one")
    git("add", "a.c")
    git("commit", "-qm", "one")
    git("tag", "-am", "a release", "v1.0")
    short = git("rev-parse", "--short", "HEAD")
    assert commit.describe() == short, "its own name, not that of a tag"
    (tmp_path / "a.c").write_text("two")
    assert commit.describe() == f"{short}+"
