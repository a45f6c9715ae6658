"""What decision tables take over ranks and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from collscope.base.units import join_words
from collscope.catalogue.decisions import Span, library_name
from collscope.catalogue.keys import Key, stem_of
from collscope.catalogue.sizes import vector_bytes
from collscope.figures.axes import size_axis
from collscope.figures.palette import distinct
from collscope.figures.style import OTHERS, colour_of, lighter

MIN_ROW = 0.035  # inches: the height of a number of ranks, so that each can be seen
_NOTHING = {"hatch": "////", "edgecolor": "#999999"}


def decision_map(collective: str, spans: Sequence[Span], elem: int) -> Figure:
    """What each decision takes over ranks and sizes: one panel for decisions that take the same everywhere, one colour per key.
    `elem`: bytes of an element."""
    taken: dict[str, list[Span]] = {}
    for s in spans:
        taken.setdefault(s.decision, []).append(s)
    names: dict[tuple[Span, ...], list[str]] = {}  # by what they take
    for name, some in taken.items():
        names.setdefault(tuple(replace(s, decision="") for s in some), []).append(name)
    ranks = sorted({s.ranks for s in spans})
    colours = map_colours(sorted({s.takes for s in spans if not s.takes.startswith("nothing")}))
    sizes = [vector_bytes(collective, s.last, s.ranks, elem) for s in spans]
    low, high = elem, max(*sizes, 2 * elem)
    handles = [Patch(color=colour, label=str(Key.parse(key).short)) for key, colour in colours.items()]
    if any(s.takes not in colours for s in spans):
        handles.append(Patch(facecolor="white", label="nothing that is here", **_NOTHING))
    rows = -(-len(handles) // 3)
    panel = max(0.9, min(1.9, 0.2 * len(ranks) + 0.4), MIN_ROW * len(ranks))
    height = (panel + 0.38) * len(names) + 0.19 * rows + 0.95
    fig = Figure(figsize=(8.4, height), dpi=150)
    axes = fig.subplots(len(names), 1, squeeze=False, sharex=True)[:, 0]
    for ax, (mine, alike) in zip(axes, names.items(), strict=True):
        for s in mine:
            _bar(ax, s, ranks.index(s.ranks), _bytes(collective, s, elem, low, high), colours)
        size_axis(ax, low, high, labels=ax is axes[-1])
        ax.set_xlim(low, high)
        _ranks_axis(ax, ranks, panel)
        libraries = [library_name(name) for name in alike if "[" not in name]  # parameters say what decides
        title = f"{join_words(libraries)}   {', '.join(alike)}" if len(libraries) == len(alike) else ", ".join(alike)
        ax.set_title(title, loc="left", fontsize=9)
    axes[-1].set_xlabel("bytes of the whole vector")
    title = f"{collective}: what decisions take"
    if len(ranks) < ranks[-1] - ranks[0] + 1:
        title += " on these numbers of ranks (others may differ)"
    fig.suptitle(title, x=0.01, y=1 - 0.06 / height, va="top", ha="left", fontsize=11, fontweight="bold")
    bottom = (0.19 * rows + 0.62) / height
    fig.subplots_adjust(left=0.075, right=0.985, top=1 - 0.58 / height, bottom=bottom, hspace=0.3 / panel)
    fig.legend(handles=handles, loc="lower left", ncols=3, fontsize=7.5, frameon=False, bbox_to_anchor=(0.06, 0.0),
               handlelength=1.1, columnspacing=1.6)  # fmt: skip
    return fig


def map_colours(keys: Sequence[str]) -> dict[str, str]:
    """A colour for each key: its own, another where two algorithms of the map would share one; a family's parameters go
    from its colour towards white."""
    stems = list(dict.fromkeys(stem_of(key) for key in keys))
    colours: dict[str, str] = {}
    for stem in stems:
        own = colour_of(stem)
        colours[stem] = distinct(OTHERS, colours.values(), own)
    made = {}
    for stem in stems:
        family = [key for key in keys if stem_of(key) == stem]
        for i, key in enumerate(family):
            made[key] = to_hex(lighter(colours[stem], 0.55 * i / (len(family) - 1) if len(family) > 1 else 0.0))
    return {key: made[key] for key in keys}


def _bytes(collective: str, s: Span, elem: int, low: int, high: int) -> tuple[int, int]:
    """From where to where a range goes, within the axis."""
    left = max(low, vector_bytes(collective, s.first, s.ranks, elem))
    right = max(left, vector_bytes(collective, s.last + 1, s.ranks, elem))
    return left, min(right, high)


def _bar(ax: Axes, s: Span, row: int, sizes: tuple[int, int], colours: Mapping[str, str]) -> None:
    left, right = sizes
    known = s.takes in colours
    ax.barh(row, right - left, left=left, height=1, color=colours.get(s.takes, "#FFFFFF"), linewidth=0,
            hatch=None if known else _NOTHING["hatch"], edgecolor=_NOTHING["edgecolor"])  # fmt: skip


def _ranks_axis(ax: Axes, ranks: Sequence[int], panel: float) -> None:
    """Makes y an axis of numbers of ranks, a row each on so many inches; the ends and the powers of two are named, or all where
    there is room."""
    n = len(ranks)
    ax.set_ylim(-0.5, n - 0.5)
    room = int(0.14 * n / panel) + 1  # rows that a number needs
    shown: list[int] = []
    for i in reversed(range(n)):
        named = room == 1 or i in (0, n - 1) or ranks[i] & (ranks[i] - 1) == 0
        if named and (not shown or shown[-1] - i >= room):
            shown.append(i)
    ax.set_yticks(shown, [str(ranks[i]) for i in shown])
    ax.set_ylabel("ranks")
