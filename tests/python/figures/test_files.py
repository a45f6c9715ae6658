"""Figures as files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from PIL import Image

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


ABOUT = {
    "Description": "./collscope run -a 'x & <y>' --scale 1.23456",
    "Source": "collscope 0.1; sim: sources 0a1.98765 α",
}


def titled() -> Figure:
    made = Figure()
    made.suptitle("Times")
    return made


def test_a_picture_keeps_where_it_comes_from(tmp_path: Path) -> None:
    svg = ElementTree.fromstring(files.render(titled(), "svg", ABOUT))
    dc = "{http://purl.org/dc/elements/1.1/}"
    assert {name: svg.findtext(f".//{dc}{name.lower()}") for name in ABOUT} == ABOUT
    assert svg.findtext(f".//{dc}title") == "Times"
    files.save(titled(), tmp_path / "a.png", ABOUT)
    assert Image.open(tmp_path / "a.png").info.items() >= {"Title": "Times", **ABOUT}.items()
    pdf = files.render(titled(), "pdf", ABOUT)
    assert b"/Title (Times)" in pdf and b"--scale 1.23456" in pdf and b"/Keywords" in pdf


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_no_date_and_nothing_said_unless_asked(kind: str) -> None:
    for about in (None, ABOUT):
        made = files.render(titled(), kind, about)
        assert b"Date" not in made and b"dc:date" not in made and b"tIME" not in made
        assert made == files.render(titled(), kind, about)
    plain = files.render(titled(), kind)
    assert not [
        word for word in (b"Description", b"dc:source", b"/Subject", b"/Keywords", b"iTXt", b"tEXt") if word in plain
    ]
