"""Traces, what lies where, and the pictures made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UsageError, UserError
from collscope.commands import show
from traced import traced

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def test_writes_files(tmp_path: Path) -> None:
    t = traced("scatter/mst", 8)
    written = show.draw([t], ["graph"], str(tmp_path / "x.svg"))
    assert written == [tmp_path / "x.svg"]
    assert written[0].read_text().startswith("<?xml")
    names = {p.name for p in show.draw([t], ["graph", "matrix"], str(tmp_path))}
    assert "scatter-mst-p8-graph.png" in names and "scatter-mst-p8-matrix.svg" in names
    with pytest.raises(UsageError, match="--kind"):
        show.check_out(str(tmp_path / "x.svg"), ["graph", "matrix"])
    with pytest.raises(UsageError, match=r"x\.jpg: pictures are \.svg"):
        show.check_out(str(tmp_path / "x.jpg"), ["graph"])
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written to"):
        show.check_out(str(tmp_path / "file" / "folder"), ["graph"])


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"ranks": 4, "root": 4}, "there are 4 ranks"),
        ({"ranks": 2, "nodes": 3}, "cannot occupy"),
        ({"ranks": 5000}, "1 to 1024"),
    ],
)
def test_refuses(more: dict[str, int], words: str) -> None:
    with pytest.raises(UserError, match=words):
        show.make_traces(show.Request("bcast/mst", **more))  # type: ignore[arg-type]


def test_unknown_kind() -> None:
    with pytest.raises(UsageError, match="gantt"):
        show.read_kinds("gant")


def test_large_pictures_are_told_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small, large = tmp_path / "a.png", tmp_path / "a.svg"
    small.write_bytes(b"x")
    show.list_pictures([small], 256)
    assert "MiB" not in capsys.readouterr().out
    large.write_bytes(b"x" * (3 << 20))
    show.list_pictures([small, large], 256)
    said = capsys.readouterr()
    assert "a.svg   3 MiB" in said.out
    assert all(words in said.err for words in ("the PNG", "fewer --ranks", "--no-pictures"))
