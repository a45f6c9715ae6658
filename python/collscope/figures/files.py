"""Figures as files: the one module of figures that writes. A file is written whole or not at all."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from collscope.base.files import write_atomically


def render(fig: Figure, kind: str) -> bytes:
    """The figure as "svg", "png" or "pdf". No dates inside, so the same figure is the same file."""
    out = io.BytesIO()
    if kind == "svg":
        fig.savefig(out, format="svg", metadata={"Date": None, "Creator": "collscope"})
        # Hundredths of a point are finer than any screen; the rest is two thirds of the file.
        return re.sub(rb"(\d\.\d\d)\d+", rb"\1", out.getvalue())
    if kind == "png":
        return _png(fig)
    fig.savefig(out, format=kind)
    return out.getvalue()


def _png(fig: Figure) -> bytes:
    """Few colours are enough for lines and text: a third of the size."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[:, :, :3])
    out = io.BytesIO()
    picture.quantize(256, dither=Image.Dither.NONE).save(out, format="png", dpi=(fig.dpi, fig.dpi), optimize=False)
    return out.getvalue()


def write(content: bytes, path: Path) -> Path:
    """Writes a picture that is made already, and the folders above it; returns its path. A UserError says why it cannot."""
    write_atomically(path, content)
    return path


def save(fig: Figure, path: str | Path) -> Path:
    """Writes the figure and returns its path; the ending of the name says the format, .png where there is none."""
    path = Path(path)
    return write(render(fig, path.suffix.lstrip(".").lower() or "png"), path)


def save_all(
    makers: Iterable[tuple[str, Callable[[], Figure]]], folder: Path, kinds: Sequence[str] = ("svg", "png")
) -> list[str]:
    """Draws and writes some figures, each (stem, function that draws it); returns the names of the files."""
    written = []
    for stem, make in makers:
        fig = make()
        for kind in kinds:
            name = f"{stem}.{kind}"
            write(render(fig, kind), folder / name)
            written.append(name)
    return written
