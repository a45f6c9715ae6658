"""collscope.explorer.page: which files a page's folder has."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.explorer import page


def test_machines_and_results_of_an_earlier_page_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"index.html": "a", "machines/0.js": "b", "results/mine.js": "c"}
    monkeypatch.setattr(page, "_files", lambda platforms, results: iter(made.items()))
    for old in ("machines/0.js", "machines/1.js", "results/theirs.js", "results/notes.txt"):
        (tmp_path / old).parent.mkdir(exist_ok=True)
        (tmp_path / old).write_text("old")
    assert page.write(tmp_path, [], []) == [tmp_path / name for name in made]
    there = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert there == {**made, "results/notes.txt": "old"}
