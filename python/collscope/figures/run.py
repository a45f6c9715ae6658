"""Whatever `run` computed or measured: times over sizes, ranks or nodes, and below them how many times the best each takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from collscope.base.errors import UserError
from collscope.base.units import counted, join_words, rounded_size
from collscope.figures.axes import INSIDE, Focus
from collscope.figures.heading import Heading
from collscope.figures.key_text import names
from collscope.figures.palette import GREY, Looks, looks
from collscope.figures.ranking import ranking_figure
from collscope.figures.run_panel import Band, Scale, draw_panel, ends_of_times, gutter, heights
from collscope.figures.source_style import BOUND, DONE, LINE, source_handles
from collscope.figures.style import INK

_MAY_VARY = ("collective", "platform", "mapping", "metric", "nodes", "ranks", "root", "type", "in_place")
_LEFT, _RIGHT, _HEAD, _FOOT, _BELOW = 0.86, 0.08, 0.3, 0.45, 0.08  # inches: of a panel, and below a line of panels
_MAX_PANELS = 36  # panels
# Ranks whose data was there before they asked for it would stretch the axis over decades of nothing.
MIN_TIME = 1e-9  # seconds


@dataclass(frozen=True)
class _Plan:
    """What is drawn over what: `x` is a column, `size` the one that says sizes, `panel_by` those whose values make panels."""

    size: str
    x: str
    panel_by: list[str]
    panels: list[pd.DataFrame]

    @property
    def shared(self) -> bool:
        """Panels differ in their layout alone: with one axis of times they can be compared by eye."""
        return "collective" not in self.panel_by and self.size not in self.panel_by

    @property
    def x_label(self) -> str:
        """Of the axis."""
        blocks = any(self._has_blocks(part) for part in self.panels)
        sizes = dict.fromkeys(("bytes", "block_bytes"), "size of a block" if blocks else "size of the vector")
        return sizes.get(self.x, self.x)

    def _has_blocks(self, part: pd.DataFrame) -> bool:
        """Whether sizes are those of blocks, and a block is not the whole vector."""
        return self.size == "block_bytes" and bool((part["block_bytes"] != part["bytes"]).any())

    def words(self, part: pd.DataFrame, of_panel: bool) -> str:
        """What no axis says: of all panels, or of the one that `part` is."""
        first = part.iloc[0]
        shown = [
            c
            for c in (*_MAY_VARY, self.size)
            if (c in self.panel_by) == of_panel and (c != self.x or (not of_panel and part[c].nunique() == 1))
        ]
        same = {c: part[c].nunique() == 1 for c in ("ranks", "nodes", self.size)}
        words = [join_words(list(dict.fromkeys(part["collective"])))] if "collective" in shown or not of_panel else []
        if self.size in shown and same[self.size] and first[self.size] > 0:
            words.append(rounded_size(int(first[self.size])) + " per block" * self._has_blocks(part))
        ranks = counted(first["ranks"], "rank") if "ranks" in shown and same["ranks"] else ""
        nodes = counted(first["nodes"], "node") if "nodes" in shown and same["nodes"] else ""
        words.append(" on ".join(w for w in (ranks, nodes) if w))
        if not same["ranks"] and not same["nodes"] and part["per_node"].nunique() == 1:
            words.append(f"{first['per_node']} ranks per node")
        if of_panel:
            words += [str(first[c]) for c in ("platform", "mapping", "metric") if c in shown]
            words += [f"{c} {first[c]}" for c in ("root", "type", "in_place") if c in shown]
        return ", ".join(w for w in words if w)

    def subtitle(self, table: pd.DataFrame) -> str:
        """Machine, what was done there, and what is not as usual."""
        words = [str(table["platform"].iloc[0])] if "platform" not in self.panel_by else []
        words.append(join_words([DONE[s] for s in _sources(table)]))
        usual = {"mapping": "block", "metric": ""}
        words += [str(table[c].iloc[0]) for c, v in usual.items() if c not in self.panel_by and table[c].iloc[0] != v]
        return " · ".join(w for w in words if w)


def run_figure(
    table: pd.DataFrame,
    title: str = "",
    size: str = "bytes",
    called: Mapping[str, str] | None = None,
    subtitle: str = "",
    colours: Mapping[str, str] | None = None,
    focus: Focus | None = None,
) -> Figure:
    """Any table: time against size, or against ranks or nodes where more of these vary, and time relative to the best; a panel
    for all else that varies. Where neither varies, algorithms in the order of their times.

    `table`: the columns of points/table.py; rows without a time are left out, and a ValueError says when none has one. `size`:
    which column says sizes, bytes or block_bytes. Colour is the algorithm, line and marker the source; measured times lie
    between their quartiles. `called`: what keys are called, where not by themselves; `subtitle`: in place of platform and source;
    `colours`: from palette.fixed, what keys have in other figures, too; `focus`: sizes
    that are shaded. Times that no clock tells from none are left out, and the
    subtitle says so. A UserError says when there are too many panels to draw.
    """
    table = table[(table["status"] == "ok") & table["median_s"].notna() & (table["median_s"] > 0)]
    table = table.assign(per_node=table["ranks"] // table["nodes"])
    if table.empty:
        raise ValueError("no row of the table has a time: nothing to draw")
    measurable = table["median_s"] >= MIN_TIME
    hidden = int((~measurable).sum()) if measurable.any() else 0
    table = table[measurable] if hidden else table
    plan, ratio_name = _with_ratios(_plan(table, size))
    if len(plan.panels) > _MAX_PANELS:
        by = join_words([c.replace("_", " ") for c in plan.panel_by])
        raise UserError(
            f"a figure of {len(plan.panels)} panels (by {by}) cannot be read; ask for at most {_MAX_PANELS} at once"
        )
    drawn = pd.concat(plan.panels)
    timed = drawn[drawn["source"] != "bound"]
    found, names_of = looks(timed, colours), names(dict.fromkeys(timed["algorithm"])) | dict(called or {})
    title, subtitle = title or plan.words(table, of_panel=False), subtitle or plan.subtitle(table)
    if hidden:
        subtitle += f" · {counted(hidden, 'time')} below 1 ns left out"
    headings = [plan.words(part, of_panel=True) for part in plan.panels]
    ranked = all(part[plan.x].nunique() == 1 for part in plan.panels)
    if "drawn_low_s" in table and not ranked:
        subtitle += " · shaded: eight of ten draws of what is not known of the machine"
    handles = _handles(drawn, found, lines=not ranked)
    if ranked:
        return ranking_figure(list(zip(headings, plan.panels, strict=True)), title, subtitle, handles, found)
    times = ends_of_times(drawn) if plan.shared else None
    scale = Scale(
        plan.x, plan.x == size, times, _bands(timed, ratio_name, found), tuple(_sources(drawn)), found, names_of, focus
    )
    return _sheet(plan, scale, title, subtitle, headings, handles)


def _sheet(plan: _Plan, scale: Scale, title: str, subtitle: str, headings: list[str], handles: list[Line2D]) -> Figure:
    """All panels, beside and below each other."""
    n = len(plan.panels)
    columns = 1 if n == 1 else 2 if n <= 4 else 3
    inside = INSIDE if n == 1 else 4.3
    labels = gutter(plan.panels, scale, inside)
    size = heights(plan.panels, scale)
    wide = columns * (_LEFT + inside + labels) + _RIGHT
    head = Heading(title, subtitle, handles, wide - _LEFT - _RIGHT)
    above = _HEAD if any(headings) else 0.08
    row = above + size.all + _FOOT + _BELOW
    tall = head.height + -(-n // columns) * row - _BELOW
    fig = Figure(figsize=(wide, tall), dpi=150)
    head.draw(fig, _LEFT)
    for k, (part, heading) in enumerate(zip(plan.panels, headings, strict=True)):
        left = _LEFT + k % columns * (_LEFT + inside + labels)
        start = head.height + k // columns * row + above

        def place(
            top: float, height: float, left: float = left, start: float = start
        ) -> tuple[float, float, float, float]:
            return left / wide, 1 - (start + top + height) / tall, inside / wide, height / tall

        draw_panel(fig, place, part, scale, size, heading).set_xlabel(plan.x_label)
    return fig


def _plan(table: pd.DataFrame, size: str) -> _Plan:
    """Of sizes, ranks and nodes the one that varies most is the axis."""
    count: dict[str, Any] = {c: table.loc[table[c] > 0, c].nunique() for c in (size, "ranks", "nodes")}
    along = "ranks" if count["ranks"] > 1 else "nodes"
    x = size if (count[size] > 1 and count[size] >= count[along]) or count[along] == 1 else along
    if x == "ranks" and table.groupby("ranks")["nodes"].nunique().max() > 1:  # else nodes follow from ranks
        nodes = min(("nodes", "per_node"), key=lambda c: table[c].nunique())
    else:
        nodes = "" if x == "ranks" else "nodes"
    panel_by = [
        c for c in (*(c for c in _MAY_VARY if c != "nodes"), nodes, size) if c and c != x and table[c].nunique() > 1
    ]
    if not panel_by:
        return _Plan(size, x, panel_by, [table.sort_values(x, kind="stable")])
    places = pd.DataFrame(
        {c: pd.factorize(table[c])[0] for c in panel_by}, index=table.index
    )  # in the order of the table
    panels = [table.loc[part.index].sort_values(x, kind="stable") for _, part in places.groupby(panel_by)]
    return _Plan(size, x, panel_by, panels)


def _with_ratios(plan: _Plan) -> tuple[_Plan, str]:
    """Each time in times of the best of its source at its place; where there is one key alone, of the bound, if that is there. And
    what these ratios are called."""
    if any(part.loc[part["source"] != "bound", "algorithm"].nunique() > 1 for part in plan.panels):
        return replace(plan, panels=[_to_best(part, plan.x) for part in plan.panels]), "time / best"
    panels, holds = [], True
    for part in plan.panels:
        bound = part[part["algorithm"] == "bound/loggp"].drop_duplicates(plan.x).set_index(plan.x)["median_s"]
        ratio = part["median_s"] / part[plan.x].map(bound)
        holds = holds and bool(ratio.notna().all()) and (part["metric"] == "makespan").all()
        panels.append(part.assign(ratio=ratio))
    return (
        (replace(plan, panels=panels), "time / bound")
        if holds
        else (replace(plan, panels=[part.assign(ratio=1.0) for part in panels]), "")
    )


def _to_best(part: pd.DataFrame, x: str) -> pd.DataFrame:
    return part.assign(ratio=part["median_s"] / part.groupby(["source", x])["median_s"].transform("min"))


def _bands(timed: pd.DataFrame, name: str, found: Looks) -> tuple[Band, ...]:
    """What is predicted and what is measured have ratios of their own, and axes that reach as far as what is not grey."""
    shown = timed[~timed["algorithm"].map(found.is_grey)]
    bands = []
    for sources in (("sim", "model"), ("real",)):
        mine = shown.loc[shown["source"].isin(sources), "ratio"]
        if name and len(mine):
            bands.append((sources, float(mine.max())))
    several = len(bands) > 1
    return tuple(Band(s, top, name.replace("time", DONE[s[0]]) if several else name) for s, top in bands)


def _sources(table: pd.DataFrame) -> list[str]:
    """Those of times, in their order; of bounds alone none."""
    return [s for s in LINE if (table["source"] == s).any()]


def _handles(table: pd.DataFrame, found: Looks, lines: bool) -> list[Line2D]:
    """What line and marker mean, where there are several, and what grey and steps mean."""
    kinds = [kind for kind in BOUND if (table["algorithm"] == kind).any()]
    handles = source_handles(_sources(table), kinds, lines)
    if found.dashes and lines:
        handles.append(
            Line2D(
                [],
                [],
                color=INK,
                ls=(0, (5, 1.5)),
                lw=1.5,
                marker="s",
                ms=6,
                mfc="none",
                label="dashes: a library decides",
            )
        )
    if found.grey_note:
        mark = {"lw": 1.4} if lines else {"ls": "", "marker": "o", "mfc": "none"}
        handles.append(Line2D([], [], color=GREY, label=found.grey_note, **mark))
    return handles
