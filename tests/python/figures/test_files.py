"""collscope.figures.files: figures as files."""

from __future__ import annotations

import io
import re
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


def test_several_are_written_by_stem_and_kind_and_others_by_their_ending(tmp_path: Path) -> None:
    names = files.save_all([("a", Figure), ("b", Figure)], tmp_path / "below")
    assert names == ["a.svg", "a.png", "b.svg", "b.png"]
    assert sorted(p.name for p in (tmp_path / "below").iterdir()) == sorted(names)
    assert (tmp_path / "below" / "b.png").read_bytes().startswith(b"\x89PNG")
    assert files.save(Figure(), tmp_path / "bare").read_bytes().startswith(b"\x89PNG")
    assert files.save(Figure(), tmp_path / "A.SVG").read_bytes().startswith(b"<?xml")


def test_coordinates_are_in_hundredths_and_a_picture_has_few_colours() -> None:
    made = Figure(figsize=(1, 1), dpi=120)
    made.add_axes((0, 0, 1, 1)).imshow([[k * 37 % 301 for k in range(n, n + 40)] for n in range(40)])
    drawing = files.render(made, "svg").partition(b"</metadata>")[2]
    assert re.search(rb"\d\.\d\d\b", drawing) and not re.search(rb"[ML] [-\d.]*\.\d\d\d", drawing)
    made.text(0.51234, 0.5, "R² 0.9994")
    assert b">R\xc2\xb2 0.9994</text>" in files.render(made, "svg")
    picture = Image.open(io.BytesIO(files.render(made, "png")))
    assert picture.mode == "P" and picture.size == (120, 120)
    assert picture.info["dpi"] == pytest.approx((120, 120), rel=1e-3)
    assert 40 < len(picture.getcolors()) <= 256


def test_a_picture_is_called_by_what_stands_above_it() -> None:
    made = Figure()
    assert files._title(made) == "collscope"
    ax = made.add_subplot()
    ax.set_title("in the middle", loc="center")
    assert files._title(made) == "in the middle"
    ax.set_title("at\nthe left", loc="left")
    assert files._title(made) == "at the left"
    made.suptitle("above")
    assert files._title(made) == "above"


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
def test_files_have_no_date_and_a_description_only_where_given(kind: str) -> None:
    for about in (None, ABOUT):
        made = files.render(titled(), kind, about)
        assert b"Date" not in made and b"dc:date" not in made and b"tIME" not in made
        assert made == files.render(titled(), kind, about)
    plain = files.render(titled(), kind)
    assert not [
        word for word in (b"Description", b"dc:source", b"/Subject", b"/Keywords", b"iTXt", b"tEXt") if word in plain
    ]
