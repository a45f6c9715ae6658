"""Who wins where: machines beside each other, collectives below each other, a box for each size in the colour of the winner's family."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from collscope.base.units import rounded_size
from collscope.figures.axes import text_inches
from collscope.figures.heading import Heading
from collscope.figures.palette import GREY, distinct
from collscope.figures.style import FAINT, INK, OTHERS, lighter

# Inches: a box and a row of them, the gap between machines, what titles of rows take, what stands above and below the boxes.
_BOX, _ROW, _GAP, _LEFT, _RIGHT, _HEADS, _FOOT = 0.36, 0.3, 0.14, 1.42, 0.12, 0.52, 0.62
_TITLE = 8.6  # points of a row's title
_TINT = 0.45  # of a winner's box
_WORTH = 1.05  # gains from here on are printed
# Apart from each other as tints, too; further families have what is left of the figures' colours.
_FAMILIES = ("#0072B2", "#D55E00", "#009E73", "#AA3377", "#E69F00", "#56B4E9", "#7B5EA7", "#999933", "#F07890")

Row = tuple[str, int, int]  # collective, ranks, nodes


def family_colours(families: Sequence[str]) -> dict[str, str]:
    """A colour for each family, apart from each other."""
    made = dict(zip(families[: len(_FAMILIES)], _FAMILIES[: len(families)], strict=True))
    for name in families[len(_FAMILIES) :]:
        made[name] = distinct(OTHERS, list(made.values()))
    return made


def who_wins_figure(
    winners: pd.DataFrame, families: Sequence[str], titles: Mapping[Row, str], *, title: str, subtitle: str = ""
) -> Figure:
    """`winners`: platform, collective, ranks, nodes, bytes, family, gain, a row per box; machines in their order there. `families`: those
    that have a colour, in the order of the legend; others are grey. `titles`: row → what stands beside it, in the order of the rows. A
    number is how many times as long the best of the grey ones takes; a collective without data has one box."""
    machines = list(dict.fromkeys(winners["platform"]))
    there = set(_rows_of(winners))
    rows = [row for row in titles if row in there]
    sizes = sorted(set(winners.loc[winners["bytes"] > 0, "bytes"]))
    block = _BOX * max(1, len(sizes))
    before = max(_LEFT, 0.1 + max((text_inches(titles[row], _TITLE) for row in rows), default=0.0))
    wide = before + len(machines) * (block + _GAP) - _GAP + _RIGHT
    colours = family_colours(families)
    won = set(winners["family"])
    handles = [Patch(facecolor=lighter(colours[name], _TINT), label=name) for name in families if name in won]
    handles.append(Patch(facecolor=lighter(GREY, 0.6), label="what was there before"))
    heading = Heading(title, subtitle, handles, wide - 0.3)  # type: ignore[arg-type]
    tall = heading.height + _HEADS + _ROW * len(rows) + _FOOT
    fig = Figure(figsize=(wide, tall), dpi=150)
    heading.draw(fig, 0.15)
    bottom = _FOOT / tall
    for k, machine in enumerate(machines):
        left = before + k * (block + _GAP)
        ax = fig.add_axes((left / wide, bottom, block / wide, _ROW * len(rows) / tall))
        mine = winners[winners["platform"] == machine]
        _boxes(ax, mine, rows, sizes, colours)
        _words(ax, machine, block)
        if k == 0:
            ax.set_yticks([r + 0.5 for r in range(len(rows))], [titles[row] for row in rows], fontsize=_TITLE)
    return fig


def _rows_of(winners: pd.DataFrame) -> list[Row]:
    return list(winners[["collective", "ranks", "nodes"]].itertuples(index=False, name=None))


def _boxes(ax: Axes, mine: pd.DataFrame, rows: Sequence[Row], sizes: Sequence[int], colours: Mapping[str, str]) -> None:
    ax.set_xlim(0, max(1, len(sizes)))
    ax.set_ylim(len(rows), 0)
    ax.set_yticks([])
    ax.set_xticks([k + 0.5 for k in range(len(sizes))], [rounded_size(s) for s in sizes], fontsize=7, rotation=90)
    ax.tick_params(length=0, pad=2)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    place = {size: k for k, size in enumerate(sizes)}
    for row, one in zip(_rows_of(mine), mine.to_dict("records"), strict=True):
        left, right = (
            (place[one["bytes"]], place[one["bytes"]] + 1) if one["bytes"] in place else (0, max(1, len(sizes)))
        )
        top = rows.index(row)
        colour = colours.get(str(one["family"]), "")
        face = to_hex(lighter(colour, _TINT)) if colour else to_hex(lighter(GREY, 0.6))
        ax.add_patch(Rectangle((left, top), right - left, 1, facecolor=face, edgecolor="white", lw=1.2))
        gain = float(one["gain"])
        if colour and not math.isnan(gain) and gain >= _WORTH:
            text = f"{gain:.1f}" if gain < 9.95 else f"{gain:.0f}"
            ax.text((left + right) / 2, top + 0.52, text, ha="center", va="center", fontsize=7.4, color=INK)


def _words(ax: Axes, machine: str, width: float) -> None:
    """The machine's name above its boxes, in as many lines as it needs."""
    lines = [""]
    for word in machine.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_inches(longer, 8.6, "bold") > width:
            lines.append(word)
        else:
            lines[-1] = longer
    ax.annotate(
        "\n".join(lines), (0, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points", fontsize=8.6,
        fontweight="bold", color=INK, va="bottom", linespacing=1.05, annotation_clip=False,
    )  # fmt: skip
    ax.tick_params(axis="x", colors=FAINT)
