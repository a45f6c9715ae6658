"""One panel of a figure of `run`: times, ratios to the best, and what decisions chose, over sizes, ranks or nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from collscope.catalogue.keys import Key
from collscope.figures.axes import (
    BESIDE,
    GAPS,
    MARGIN,
    RATIOS,
    STRIP,
    TIMES,
    End,
    Focus,
    Ratios,
    end_labels,
    end_room,
    no_size_axis,
    number_axis,
    shade,
    size_axis,
    stack,
)
from collscope.figures.palette import Looks, short
from collscope.figures.source_style import BOUND, BOUND_NAME, look
from collscope.figures.strip import strip
from collscope.figures.style import FAINT

LABEL = 8.4  # points
_LINE = 1.12 * LABEL / 72  # inches that a label takes
_AWAY = 0.16  # inches between axes and labels
_MARKERS, _SHAPES = 48, 16  # on one line: dots, and the larger ones of decisions

DRAWN = ("drawn_low_s", "drawn_high_s")
"""Columns of a table whose times were drawn: between them lie eight of ten draws of what the machine's file leaves open."""
Place = Callable[[float, float], tuple[float, float, float, float]]  # (top, height) in inches → matplotlib's rectangle


@dataclass(frozen=True)
class Band:
    """Ratios that stand in axes of their own: of sources that can be compared with each other."""

    sources: tuple[str, ...]
    top: float  # the largest that is shown
    name: str


@dataclass(frozen=True)
class Scale:
    """What the panels of a figure share: the column of x, the ends of the axes, looks and names."""

    x: str
    is_size: bool
    times: tuple[float, float] | None  # seconds; None: each panel's own
    bands: tuple[Band, ...]
    sources: tuple[str, ...]
    looks: Looks
    names: Mapping[str, str]  # key → what stands beside its line
    focus: Focus | None = None  # of an axis of sizes

    def of_times(self, part: pd.DataFrame) -> tuple[float, float]:
        """Least and most of the axis of times, in seconds."""
        return self.times or ends_of_times(part)


def ends_of_times(part: pd.DataFrame) -> tuple[float, float]:
    """The least and the largest time, quartiles of measured ones and bands of draws included, in seconds."""
    lows, highs = (part.reindex(columns=["median_s", *more]) for more in (("q1_s", DRAWN[0]), ("q3_s", DRAWN[1])))
    return float(lows.min(axis=None)), float(highs.max(axis=None))


@dataclass(frozen=True)
class Heights:
    """Inches of times and of each band of ratios, and how many strips are below."""

    times: float
    ratios: tuple[float, ...]
    strips: int

    @property
    def above_strips(self) -> float:
        """Of times and ratios."""
        return self.times + sum(GAPS[0] + height for height in self.ratios) + GAPS[1] * bool(self.strips)

    @property
    def all(self) -> float:
        """Of a panel without heading and foot."""
        return self.above_strips + STRIP * self.strips


def heights(panels: Sequence[pd.DataFrame], scale: Scale) -> Heights:
    """Such that every label beside the lines of every panel has room."""
    times = max(len(_time_ends(part, scale)) for part in panels)
    ratios = [max(len(_ratio_ends(part, scale, band)) for part in panels) for band in scale.bands]
    strips = max(len(_chosen(part, scale)) for part in panels)
    return Heights(max(TIMES, _LINE * times + 0.15), tuple(max(RATIOS, _LINE * some + 0.15) for some in ratios), strips)


def gutter(panels: Sequence[pd.DataFrame], scale: Scale, inside: float) -> float:
    """Inches that the labels take beside axes that are `inside` wide."""
    texts = {end.text for part in panels for end in _time_ends(part, scale)}
    texts |= {f"{scale.names[key]} chose" for part in panels for key, _ in _chosen(part, scale)}
    return _AWAY + end_room(inside, texts, LABEL)


def draw_panel(fig: Figure, place: Place, part: pd.DataFrame, scale: Scale, size: Heights, heading: str) -> Axes:
    """Draws a panel and returns its lowest axes. `part`: rows of points/table.py's table with a time, by x, and their ratio; `place`:
    where its parts stand."""
    ax = fig.add_axes(place(0, size.times))
    ax.set_title(heading, fontsize=10, loc="left", pad=5)
    chosen = _chosen(part, scale)
    values = sorted(part[scale.x].unique())

    def make_x(a: Axes, labels: bool) -> None:
        if values == [0]:  # a barrier beside collectives that have data
            no_size_axis(a, labels)
        elif scale.is_size:
            size_axis(a, values[0], values[-1], labels, most=7)
        else:
            number_axis(a, values, labels)

    ratios, top = [], size.times
    for band, height in zip(scale.bands, size.ratios, strict=True):
        ratios.append(Ratios(fig.add_axes(place(top + GAPS[0], height)), band.top, band.name))
        top += GAPS[0] + height
    stack(ax, ratios, make_x, scale.of_times(part), last=not chosen)
    for a in (ax, *(r.axes for r in ratios)) if scale.is_size and values != [0] else ():
        shade(a, scale.focus, values[0], values[-1], text=a is ax)
    for kind, line in _bounds(part, scale):
        ax.plot(line[scale.x].clip(lower=1), line["median_s"], zorder=1.5, label=kind, **BOUND[kind])
    _curves(ax, part, scale, "median_s")
    end_labels(ax, _time_ends(part, scale), LABEL, _AWAY)
    for below, band in zip(ratios, scale.bands, strict=True):
        _curves(below.axes, part[part["source"].isin(band.sources)], scale, "ratio")
        end_labels(below.axes, _ratio_ends(part, scale, band), LABEL, _AWAY)
    lowest = ratios[-1].axes if ratios else ax
    for k, (key, line) in enumerate(chosen):
        lowest = fig.add_axes(place(size.above_strips + STRIP * k, STRIP))
        colour = scale.looks.colour(key)
        at, chose, beyond = list(line[scale.x].clip(lower=1)), list(line["chose"]), MARGIN if scale.is_size else BESIDE
        strip(lowest, scale.names[key], colour, at, chose, make_x, k == len(chosen) - 1, beyond)
    return lowest


def _lines(part: pd.DataFrame, scale: Scale) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Key, source and rows of each line but bounds."""
    timed = part[part["source"] != "bound"]
    for (key, source), line in timed.groupby(["algorithm", "source"], sort=False):
        yield str(key), str(source), line


def _bounds(part: pd.DataFrame, scale: Scale) -> Iterator[tuple[str, pd.DataFrame]]:
    """Kind and rows of each bound, one for each x."""
    for kind, line in part[part["source"] == "bound"].groupby("algorithm", sort=False):
        yield str(kind), line.drop_duplicates(scale.x)


def _curves(ax: Axes, part: pd.DataFrame, scale: Scale, column: str) -> None:
    """A line for each key and source; bars between the quartiles of measured ones, shades where eight of ten draws lie."""
    for key, source, line in _lines(part, scale):
        x, y = line[scale.x].clip(lower=1), line[column]
        colour, grey = scale.looks.colour(key), scale.looks.is_grey(key)
        style = {"mfc": colour, **look(source, scale.sources), "color": colour, "markevery": -(-len(x) // _MARKERS)}
        if grey:
            style |= {name: 0.6 * style[name] for name in ("lw", "ms", "mew")}
        over = 0 if grey else 1
        if Key.parse(key).is_decision:
            # It is what it chose, whose line and dots stay visible inside its own.
            style["ls"], over = scale.looks.dashes[short(key)], 2
            if source == scale.sources[0]:
                style |= {"marker": scale.looks.shapes[short(key)], "ms": 7.0, "mfc": "none", "mew": 1.2}
                style["markevery"] = -(-len(x) // _SHAPES)
        ax.plot(x, y, zorder=2 + over + 0.5 * (source == "model"), label=f"{key} {source}", **style)
        if column == "median_s" and DRAWN[0] in line and not grey:
            ax.fill_between(x, line[DRAWN[0]], line[DRAWN[1]], color=colour, alpha=0.18, lw=0, zorder=1.2)
        if source == "real" and (line["q3_s"] > line["q1_s"]).any():
            scaled = y / line["median_s"]
            ax.vlines(x, line["q1_s"] * scaled, line["q3_s"] * scaled, colors=colour, lw=0.9, alpha=0.6, zorder=1.8)


def _chosen(part: pd.DataFrame, scale: Scale) -> list[tuple[str, pd.DataFrame]]:
    """Each decision that chose, with a row for each x."""
    found = part[part["chose"] != ""].drop_duplicates(["algorithm", scale.x])
    return [(str(key), line) for key, line in found.groupby("algorithm", sort=False)]


def _time_ends(part: pd.DataFrame, scale: Scale) -> list[End]:
    """Names of keys and bounds at the ends of their lines of times."""
    low, high = scale.of_times(part)
    ends = _ends(part, scale, "median_s", _LINE / TIMES * math.log(high / low * 1.6**2))
    for kind, line in _bounds(part, scale):
        ends.append(End(max(line[scale.x].iloc[-1], 1), line["median_s"].iloc[-1], BOUND_NAME[kind], FAINT))
    return ends


def _ratio_ends(part: pd.DataFrame, scale: Scale, band: Band) -> list[End]:
    """Names of what is not grey, at the ends of its lines of ratios."""
    shown = part[part["source"].isin(band.sources) & ~part["algorithm"].map(scale.looks.is_grey)]
    return _ends(shown, scale, "ratio", _LINE / RATIOS * math.log(band.top * 1.2))


def _ends(part: pd.DataFrame, scale: Scale, column: str, gap: float) -> list[End]:
    """The ends of lines; where sources of one key end within `gap`, a logarithm, one name does for them."""
    last: dict[str, list[tuple[float, float]]] = {}
    for key, _, line in _lines(part, scale):
        last.setdefault(key, []).append((float(line[column].iloc[-1]), max(float(line[scale.x].iloc[-1]), 1)))
    ends: list[End] = []
    for key, spots in last.items():
        kept = 0.0
        for y, x in sorted(spots):
            if not kept or math.log(y / kept) > gap:
                kept = y
                ends.append(End(x, y, scale.names[key], scale.looks.colour(key)))
    return ends
