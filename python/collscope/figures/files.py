"""Figures as files: the one module of figures that writes. A file is written whole or not at all."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from collscope.base.files import write_atomically


def render(fig: Figure, kind: str, about: Mapping[str, str] | None = None) -> bytes:
    """The figure as "svg", "png" or "pdf". No dates inside, so the same figure is the same file.

    `about`: "Description" and "Source", and "Title" where it is not the figure's own; they are kept in the file. Figures that are
    committed have none: they would be other files with every commit."""
    out = io.BytesIO()
    words = {"Title": _title(fig), **about} if about else {}
    if kind == "svg":
        fig.savefig(out, format="svg", metadata={"Date": None, "Creator": "collscope", **words})
        head, end, drawing = out.getvalue().partition(b"</metadata>")
        # Hundredths of a point are finer than any screen; the rest is two thirds of the file.
        return head + end + shorter(drawing, 2)
    if kind == "png":
        return _png(fig, words)
    if words:  # PDF's own names
        words = {"Title": words["Title"], "Subject": words["Description"], "Keywords": words["Source"]}
    fig.savefig(out, format=kind, metadata={"CreationDate": None, **words})
    return out.getvalue()


def shorter(svg: bytes, digits: int) -> bytes:
    """The same picture with so many digits behind the point of a coordinate; what it says keeps all of its own."""
    number = re.compile(rb"(\d\.\d{%d})\d+" % digits)
    return re.sub(rb"<[^>]*>", lambda tag: number.sub(rb"\1", tag[0]), svg)


def _title(fig: Figure) -> str:
    """What stands above the figure, or else above its first panel that has a title."""
    titles = [fig.get_suptitle(), *(ax.get_title(loc) for ax in fig.axes for loc in ("left", "center"))]
    return " ".join(next(filter(None, titles), "collscope").split())


def _png(fig: Figure, words: Mapping[str, str]) -> bytes:
    """Few colours are enough for lines and text: a third of the size."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[:, :, :3])
    out = io.BytesIO()
    few = picture.quantize(256, dither=Image.Dither.NONE)
    text = PngInfo()
    for name, word in words.items():
        text.add_itxt(name, word)
    few.save(out, format="png", dpi=(fig.dpi, fig.dpi), optimize=False, pnginfo=text)
    return out.getvalue()


def write(content: bytes, path: Path) -> Path:
    """Writes a picture that is made already, and the folders above it; returns its path. A UserError says why it cannot."""
    write_atomically(path, content)
    return path


def save(fig: Figure, path: str | Path, about: Mapping[str, str] | None = None) -> Path:
    """Writes the figure and returns its path; the ending of the name says the format, .png without an ending. `about`: as render."""
    path = Path(path)
    return write(render(fig, path.suffix.lstrip(".").lower() or "png", about), path)


def save_all(makers: Iterable[tuple[str, Callable[[], Figure]]], folder: Path) -> list[str]:
    """Draws figures, each (stem, function that draws it), and writes them as SVG and PNG; returns the names of the files."""
    written = []
    for stem, make in makers:
        fig = make()
        for kind in ("svg", "png"):
            name = f"{stem}.{kind}"
            write(render(fig, kind), folder / name)
            written.append(name)
    return written
