"""collscope.base.folders: a folder of somebody else is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import folders, paths
from collscope.base.errors import UsageError, UserError
from collscope.base.files import write_atomically


def own(name: str | Path) -> Path:
    return folders.own(str(name), "pictures", lambda there: folders.only(there, "*.svg", "*.png"))


def test_a_new_an_empty_and_an_own_folder_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert own("a/b") == tmp_path / "a" / "b" and not (tmp_path / "a").exists()
    assert own(tmp_path) == tmp_path
    for name in ("x.svg", "y.png"):
        (tmp_path / name).touch()
        assert own(tmp_path) == tmp_path


def test_others_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.svg").touch()
    (tmp_path / "loop").symlink_to("loop")
    for name, message in (
        ("", "--out needs the name of a folder"),
        (tmp_path, "contains files that are not pictures; name an empty or a new folder"),
        (tmp_path / "x.svg", "not a folder"),
        (tmp_path / "loop", "not a folder"),
    ):
        with pytest.raises(UsageError, match=message):
            own(name)
    monkeypatch.setattr(paths, "is_writable", lambda _: False)
    with pytest.raises(UsageError, match="cannot be written to"):
        own(tmp_path / "new")


def test_a_link_to_itself_is_shown_and_not_written_to(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    assert paths.display(loop) == str(loop)
    with pytest.raises(UserError, match="loop: a link to itself"):
        write_atomically(loop, "x")
