"""Files that are written whole, or not at all."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.base.files import write_atomically


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = open

    def full(path: object, *rest: str) -> object:
        return real("/dev/full", *rest)

    monkeypatch.setattr("builtins.open", full)
    with pytest.raises(UserError, match="disk is full"):
        write_atomically(tmp_path / "x.csv", "x" * 100_000)
    monkeypatch.undo()
    assert not list(tmp_path.iterdir())


def test_a_file_is_as_readable_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    write_atomically(tmp_path / "whole", "x")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_threads_that_write_one_file_do_not_meet(tmp_path: Path) -> None:
    texts = [str(i) * 200_000 for i in range(8)]
    with ThreadPoolExecutor(len(texts)) as pool:
        list(pool.map(lambda text: write_atomically(tmp_path / "x", text), texts * 4))
    assert (tmp_path / "x").read_text() in texts
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_what_is_no_file_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, "a,b\n")
    assert os.read(reader, 100) == b"a,b\n"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_full_disk_is_said_and_a_link_is_followed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="full"):
        write_atomically("/dev/full", "x" * 10_000)
    assert not Path("/dev/full").is_file()
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    write_atomically(tmp_path / "link.csv", "new")
    assert (tmp_path / "real.csv").read_text() == "new" and (tmp_path / "link.csv").is_symlink()
