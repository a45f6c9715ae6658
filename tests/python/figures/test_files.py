"""Figures as files."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from collscope.figures import files


def test_save_writes_by_the_ending(tmp_path: Path) -> None:
    made = Figure()
    made.add_subplot().plot([1, 2], [1, 2])
    for name, start in (("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")):
        files.save(made, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
