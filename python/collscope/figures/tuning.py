"""What rules gain: times by a library's own choice and by its rules, over those of the best that it has."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from collscope.figures.axes import grid, headings, ratio_axis, size_axis
from collscope.figures.palette import GREY
from collscope.figures.style import INK

_WIDE, _HIGH, _COLUMNS = 3.6, 2.3, 3  # inches of a panel, panels beside each other
_LEFT, _HEAD, _TOP, _FOOT, _BETWEEN = 0.65, 0.7, 0.3, 0.5, 0.55


def tuning_figure(table: pd.DataFrame, title: str) -> Figure:
    """A panel for each collective: a line for each number of ranks over the sizes, grey by the library's own choice, dark by the rules.

    `table`: columns collective, ranks_per_node, ranks, bytes, default_loss and rule_loss, the losses against the best. Dots: the same as it
    was confirmed, where the table has columns default_confirmed_s, rule_confirmed_s, best_confirmed_s."""
    several = table["ranks_per_node"].nunique() > 1
    panels = list(
        table.groupby(["collective", "ranks_per_node"] if several else "collective", sort=False, dropna=False)
    )
    columns = min(_COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    wide = _LEFT + columns * (_WIDE + _BETWEEN)
    tall = _HEAD + lines * (_TOP + _HIGH + _FOOT)
    fig = Figure(figsize=(wide, tall), dpi=110)
    dots = "; dots: confirmed" if "best_confirmed_s" in table and table["best_confirmed_s"].notna().any() else ""
    headings(
        fig, title, f"grey: by the library's own choice; dark: by the rules; a line for each number of ranks{dots}"
    )
    for k, (collective, part) in enumerate(panels):
        left = _LEFT + (k % columns) * (_WIDE + _BETWEEN)
        bottom = tall - _HEAD - (k // columns + 1) * (_TOP + _HIGH + _FOOT) + _FOOT
        top = float((1 + part[["default_loss", "rule_loss"]]).to_numpy().max())
        ax = fig.add_axes((left / wide, bottom / tall, _WIDE / wide, _HIGH / tall))
        for _, line in part.sort_values("bytes").groupby("ranks"):
            ax.plot(line["bytes"], 1 + line["default_loss"], color=GREY, lw=1)
            ax.plot(line["bytes"], 1 + line["rule_loss"], color=INK, lw=1.2)
        for column, colour in (("default_confirmed_s", GREY), ("rule_confirmed_s", INK)):
            if column in part and part[column].notna().any():
                ratio = part[column] / part["best_confirmed_s"]
                ax.plot(part["bytes"], ratio, "o", color=colour, ms=3)
                top = max(top, float(ratio.max()))
        size_axis(ax, part["bytes"].min(), part["bytes"].max(), most=6)
        ratio_axis(ax, top)
        grid(ax)
        name = f"{collective[0]}, {collective[1]:.0f} per node" if several else str(collective)
        ax.set_title(name, fontsize=10, loc="left")
        ax.set_ylabel("time / best" if k % columns == 0 else "")
    return fig
