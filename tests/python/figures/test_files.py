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


def test_a_dollar_in_a_title_is_no_formula() -> None:
    from matplotlib.figure import Figure

    from collscope.figures import style

    assert style.STYLE
    fig = Figure()
    fig.suptitle("$x_{$")
    assert b"x_{" in files.render(fig, "svg")
