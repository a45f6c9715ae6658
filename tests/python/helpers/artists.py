"""What a figure is made of, as text: a line for all artists that look alike, with their places and words, and one for each axes. Nothing
that a renderer would have to measure, so that it is the same whichever matplotlib draws."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Patch
from matplotlib.text import Annotation, Text

EXPECTED = Path(__file__).parents[1] / "figures" / "expected" / "artists"
NEAR = 0.15  # points: places are kept in tenths
_PLACE = re.compile(r"(\[[-\d. ]*\])")
_MAX_WORDS = 12  # of artists that look alike


def dump(fig: Figure) -> str:
    """All of a figure; places are points from its lower left corner."""
    wide, tall = fig.get_size_inches()
    found = [f"figure {wide:.4g} x {tall:.4g} inches at {fig.dpi:g} dots"]
    title = [fig._suptitle] if fig._suptitle else []  # type: ignore[attr-defined]
    found += _group(fig, [*title, *fig.texts, *fig.lines, *fig.patches])
    found += [line for legend in fig.legends for line in _legend(legend)]
    for ax in fig.axes:
        found += _axes(fig, ax)
    return "".join(f"{line}\n" for line in found)


def check(fig: Figure, name: str, folder: Path) -> None:
    """Fails where a figure is not made of what is kept under this name; what was made is then put into `folder`."""
    kept, made = EXPECTED / f"{name}.txt", dump(fig)
    here, there = made.splitlines(), kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    if len(here) == len(there) and all(map(_same, here, there)):
        return
    other = [(a, b) for a, b in zip(there, here, strict=False) if not _same(a, b)] or [("", "more or fewer lines")]
    new = folder / kept.name
    new.write_text(made, encoding="utf-8")
    pytest.fail(
        f"{kept} says\n{other[0][0]}\nand drawn is\n{other[0][1]}\nIf it is meant, copy {new} there", pytrace=False
    )


def _same(a: str, b: str) -> bool:
    """Places may differ by what nobody sees; looks and words may not."""
    one, other = _PLACE.split(a), _PLACE.split(b)
    here, there = (np.array([float(v) for place in line[1::2] for v in place[1:-1].split()]) for line in (one, other))
    return one[::2] == other[::2] and len(here) == len(there) and bool((abs(here - there) <= NEAR).all())


def _axes(fig: Figure, ax: Axes) -> Iterator[str]:
    box = ax.get_position()
    wide, tall = fig.get_size_inches() * 72
    corners = [(box.x0 * wide, box.y0 * tall), (box.x1 * wide, box.y1 * tall)]
    yield f"axes z={ax.get_zorder():g} {'on' if ax.axison else 'off'} at {_places(corners)}"
    spines = [
        f"{name} {_colour(s.get_edgecolor())} {s.get_linewidth():g}" for name, s in ax.spines.items() if s.get_visible()
    ]
    if spines:
        yield f"  spines {', '.join(spines)}"
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        yield from (f"  {name} {line}" for line in _axis(ax, axis))
    titles = [ax.title, ax._left_title, ax._right_title]  # type: ignore[attr-defined]
    parts = [*titles, ax.xaxis.label, ax.yaxis.label, *ax.texts, *ax.lines, *ax.patches, *ax.collections, *ax.images]
    yield from (f"  {line}" for line in _group(fig, parts))
    legend = ax.get_legend()
    if legend:
        yield from (f"  {line}" for line in _legend(legend))


def _axis(ax: Axes, axis: Axis) -> Iterator[str]:
    low, high = ax.get_xlim() if axis is ax.xaxis else ax.get_ylim()
    yield f"axis {axis.get_scale()} from {low:.5g} to {high:.5g}"
    for which in ("major", "minor"):
        at = [v for v in axis.get_ticklocs(minor=which == "minor") if min(low, high) <= v <= max(low, high)]
        if not at:
            continue
        ticks = axis.get_minor_ticks(1) if which == "minor" else axis.get_major_ticks(1)
        label, mark, line = ticks[0].label1, ticks[0].tick1line, ticks[0].gridline
        formatter = axis.get_minor_formatter() if which == "minor" else axis.get_major_formatter()
        words = [str(t) for t in formatter.format_ticks(at)]
        looks = f"{label.get_fontsize():g} {_colour(label.get_color())}" if label.get_visible() else "hidden"
        grid = f", grid {_colour(line.get_color())} {line.get_linewidth():g}" if line.get_visible() else ""
        yield (
            f"{which} {len(at)} from {at[0]:.5g} to {at[-1]:.5g}: {_words(words)}, labels {looks}, "
            f"marks {mark.get_markersize():g} {_colour(mark.get_color())}{grid}"
        )


def _legend(legend: Legend) -> Iterator[str]:
    gaps = [
        f"{name}={getattr(legend, name):g}"
        for name in ("borderaxespad", "borderpad", "handlelength", "columnspacing", "labelspacing")
    ]
    anchor = legend.get_bbox_to_anchor().get_points() / legend.get_figure().dpi * 72  # type: ignore[union-attr]
    yield f"legend at {legend._loc} of {_places(anchor)} in {legend._ncols} columns, {' '.join(gaps)}"  # type: ignore[attr-defined]
    for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
        yield f"  {_look(handle)} says {text.get_fontsize():g} {_colour(text.get_color())} {text.get_text()!r}"


def _group(fig: Figure, artists: Iterable[Artist]) -> Iterator[str]:
    """A line for each look, in the order in which it is first used."""
    groups: dict[str, list[Artist]] = defaultdict(list)
    for artist in artists:
        if artist.get_visible() and not (isinstance(artist, Text) and not artist.get_text()):
            groups[_look(artist)].append(artist)
    for look, alike in groups.items():
        places = np.vstack([_points(fig, artist) for artist in alike])
        words = [artist.get_text() for artist in alike if isinstance(artist, Text)]
        yield f"{look}: {len(alike)} with {len(places)} points at {_places(places)}{' say ' + _words(words) if words else ''}"


def _words(words: list[str]) -> str:
    first = ", ".join(repr(word) for word in words[:_MAX_WORDS])
    return first + (f", … {words[-1]!r}" if len(words) > _MAX_WORDS else "")


def _places(points: Any) -> str:
    """Lower left and upper right corner of all points, and their middle."""
    at = np.atleast_2d(np.asarray(points, dtype=float))
    at = at[np.isfinite(at).all(axis=1)]
    parts = (at.min(axis=0), at.max(axis=0), at.mean(axis=0)) if len(at) else ()
    return "[" + "  ".join(" ".join(f"{v:.1f}" for v in part) for part in parts) + "]"


def _points(fig: Figure, artist: Any) -> np.ndarray:
    """Where it is, [point, 2]."""
    dots = fig.dpi / 72
    if isinstance(artist, Annotation):
        at = np.asarray(artist._get_xy_transform(None, artist.xycoords).transform(artist.xy)) / dots  # type: ignore[arg-type]
        if artist.anncoords == "offset points":
            return np.array([at, at + artist.xyann], dtype=float)
        words = artist._get_xy_transform(None, artist.anncoords).transform(artist.xyann)  # type: ignore[arg-type]
        return np.array([at, np.asarray(words) / dots], dtype=float)
    if isinstance(artist, Text):
        return np.atleast_2d(artist.get_transform().transform(artist.get_position())) / dots
    if isinstance(artist, Line2D):
        return np.asarray(artist.get_transform().transform(np.column_stack(artist.get_data())), dtype=float) / dots
    if isinstance(artist, Patch):
        return np.asarray(artist.get_transform().transform(artist.get_path().vertices)) / dots
    if isinstance(artist, Collection):
        lines = [np.empty((0, 2)), *(artist.get_transform().transform(path.vertices) for path in artist.get_paths())]
        offsets = np.ma.filled(artist.get_offset_transform().transform(artist.get_offsets()), np.nan)
        return (np.vstack(offsets) if len(offsets) and np.ptp(offsets) else np.vstack(lines)) / dots
    left, right, bottom, top = artist.get_extent()  # of an image
    return np.asarray(artist.axes.transData.transform([(left, bottom), (right, top)])) / dots


def _look(artist: Any) -> str:
    kind = f"{type(artist).__name__} z={artist.get_zorder():g}"
    if artist.get_alpha() is not None:
        kind += f" alpha={artist.get_alpha():g}"
    if isinstance(artist, Text):
        ground = artist.get_bbox_patch()
        kind += f" {artist.get_fontsize():.4g} {artist.get_fontweight()} {_colour(artist.get_color())} {artist.get_ha()} {artist.get_va()}"
        kind += f" turned {artist.get_rotation():g}" if artist.get_rotation() else ""
        kind += (
            f" on {_colour(ground.get_facecolor())} {ground.get_alpha()} {ground.get_boxstyle().pad:g}"
            if ground
            else ""
        )
        arrow = artist.arrowprops if isinstance(artist, Annotation) else None
        return kind + (f" arrow {sorted(arrow.items())}" if arrow else "")
    if isinstance(artist, Line2D):
        widths = f"{artist.get_markersize():.4g} {artist.get_markeredgewidth():.4g}"
        marker = f" {artist.get_marker()} {widths} {_colour(artist.get_markerfacecolor())}"
        dash = artist._unscaled_dash_pattern  # type: ignore[attr-defined]
        kind += f" {_colour(artist.get_color())} {artist.get_linestyle()} {dash if dash[1] else ''} {artist.get_linewidth():.4g}"
        return kind + (marker if artist.get_marker() not in ("None", None, "") else "")
    if isinstance(artist, Patch):
        edge = (
            f"{_colour(artist.get_edgecolor())} {artist.get_linewidth():.4g} {artist.get_linestyle()}"
            if artist.get_linewidth()
            else ""
        )
        hatch = f" hatch {artist.get_hatch()}" if artist.get_hatch() else ""
        if isinstance(artist, FancyBboxPatch):
            hatch += f" box {vars(artist.get_boxstyle())} {artist.get_mutation_aspect():g}"
        return f"{kind} {_colour(artist.get_facecolor())} {edge}{hatch}{' dots' * bool(artist.get_rasterized())}"
    if isinstance(artist, Collection):
        widths = " ".join(f"{v:.4g}" for v in np.unique(artist.get_linewidths()))
        sized = artist.get_sizes() if hasattr(artist, "get_sizes") else ()
        sizes = f" {sized[0]:.4g}" if len(sized) else ""
        colours = sorted({_colour(c) for c in [*artist.get_edgecolors(), *artist.get_facecolors()]})
        return f"{kind} {' '.join(colours[:6])} {len(colours)} {widths}{sizes}"
    pixels = np.asarray(artist.get_array())
    if pixels.ndim == 2:  # numbers, whose colours a scale says
        pixels = np.asarray(artist.to_rgba(artist.get_array()))
    mean = " ".join(
        to_hex(row) for row in np.atleast_2d(pixels.reshape(-1, pixels.shape[-1])[:: max(1, pixels.size // 24)])
    )
    return f"{kind} {pixels.shape} {artist.get_interpolation()} {mean}"


def _colour(colour: Any) -> str:
    if isinstance(colour, str) and colour == "none":
        return "none"
    return (
        to_hex(colour, keep_alpha=True).removesuffix("ff")
        if len(to_hex(colour, keep_alpha=True)) == 9
        else to_hex(colour)
    )
