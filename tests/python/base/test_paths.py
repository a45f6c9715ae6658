"""collscope.base.paths: paths as users type and read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import paths


def test_a_path_below_is_shown_from_here_and_any_other_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    assert paths.display(tmp_path / "a" / "b") == "a/b"
    assert paths.display(Path("/usr/x")) == "/usr/x"
    assert paths.display(Path("loop/x")) == "loop/x", "a link to itself"


def test_a_user_s_home_is_known_where_there_is_such_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert paths.expanded("~/x") == Path("/home/me/x")
    assert paths.expanded("~nosuch/x") == Path("~nosuch/x")
