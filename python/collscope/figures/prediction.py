"""Predicted beside measured: every call as a dot, the error of each algorithm over sizes, and who wins where."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullFormatter

from collscope.base.units import format_size
from collscope.catalogue.keys import Key
from collscope.figures.axes import tick_time
from collscope.figures.decision_map import map_colours
from collscope.figures.style import FAINT, GRID, INK, SHADE

FAR = 0.75  # an error from which on the colour is full
ERRORS = LinearSegmentedColormap.from_list("errors", ["#2166AC", "#92C5DE", "#F7F7F7", "#F4A582", "#B2182B"])
NEAR = 0.2  # the band around the diagonal
FEWEST = 3
MANY = 12  # algorithms of a panel; of more only some have room for a name
CELL, LETTER = (0.46, 0.3), 0.068  # of the heat map, in inches: a cell's width and height, a letter of a name
MARKERS = "os^DvP*X<>"
BANDS = {  # of a prediction: width and opacity of its bar, and what it is
    "whole": (0.5, 0.3, "thin bars: 80 % by what is not known of the machine and the model's own error"),
    "drawn": (0.5, 0.3, "thin bars: 80 % of draws of what is not known of the machine"),
    "noise": (1.2, 0.45, "thick bars: 90 % of draws of the messages' noise"),
}


def scatter(both: pd.DataFrame) -> Figure:
    """Predicted over measured time, one dot per call, decisions below algorithms, one panel per collective; the line is where both agree,
    the shade 20 % around it. Of more than MANY algorithms only those with a dot outside the shade have a colour and a name. A bar through a
    dot is the band of its prediction, where `both` has one: thin from whole_low_s to whole_high_s, of what is not known of the machine and
    of the model's own error, else from drawn_low_s to drawn_high_s, of the former alone; thick from noise_low_s to noise_high_s, in which
    90 % of the call's times should lie."""
    less = "drawn" if "whole_low_s" in both else ""
    bands = {name: looks for name, looks in BANDS.items() if f"{name}_low_s" in both and name != less}
    names = sorted(both.collective.unique())
    columns = min(3, len(names))
    lines = -(-len(names) // columns)
    fig = Figure(figsize=(4.4 * columns + 0.3, 4.5 * lines + 0.6), dpi=150)
    axes = fig.subplots(lines, columns, squeeze=False)
    low, high = (f([f(both.measured_s), f(both.predicted_s)]) * 1e6 for f in (min, max))
    low, high = low / 1.5, high * 1.5
    for ax, name in zip(axes.flat, names, strict=False):
        part = both[both.collective == name]
        keys = sorted(part.algorithm.unique(), key=_order)
        named = _farthest(part) if len(keys) > MANY else keys
        colours, names_of = dict.fromkeys(keys, FAINT) | map_colours(named), _legend(named)
        ends = np.array([low, high])
        ax.fill_between(ends, ends * (1 - NEAR), ends * (1 + NEAR), color=SHADE, lw=0, zorder=0)
        ax.plot(ends, ends, color=FAINT, lw=0.9, zorder=1)
        for i, key in enumerate(keys):
            of = part[part.algorithm == key]
            for band, (width, alpha, _) in bands.items():
                ax.vlines(of.measured_s * 1e6, of[f"{band}_low_s"] * 1e6, of[f"{band}_high_s"] * 1e6, lw=width, alpha=alpha,
                          color=colours[key], zorder=1.5)  # fmt: skip
            ax.plot(of.measured_s * 1e6, of.predicted_s * 1e6, ls="", marker=MARKERS[i % len(MARKERS)], ms=3.0, mew=0,
                    alpha=0.6, color=colours[key], label=names_of.get(key), zorder=2 - _order(key)[0] / 4)  # fmt: skip
        ax.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), aspect="equal")
        ax.set_title(name, fontsize=10)
        ax.grid(color=GRID, lw=0.5)
        if named:
            ax.legend(fontsize=7, loc="upper left", handletextpad=0.1, borderpad=0.2, markerscale=1.8)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(lambda value, _: tick_time(value * 1e-6))
            axis.set_major_locator(LogLocator(10, numticks=8))
            axis.set_minor_formatter(NullFormatter())
        ax.tick_params(labelsize=7.5)
        ax.set_xlabel("measured")
        ax.set_ylabel("predicted")
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    bars = "".join(f"; {words}" for _, _, words in bands.values())
    height = fig.get_figheight()
    fig.text(
        0.02,
        1 - 0.18 / height,
        "Predicted and measured time of every call",
        fontsize=11,
        fontweight="bold",
        va="center",
    )
    crowded = both.groupby("collective").algorithm.nunique().max() > MANY
    some = f"; of more than {MANY} algorithms those outside are named" if crowded else ""
    fig.text(0.02, 1 - 0.4 / height, f"shaded: within 20 %{some}{bars}", color=FAINT, fontsize=8.5, va="center")
    fig.tight_layout(rect=(0, 0, 1, 1 - 0.5 / height))
    return fig


def heat(both: pd.DataFrame) -> Figure:
    """The error of each algorithm over sizes: the median over ranks, signed, as a colour and in percent. Numbers of ranks with fewer than
    FEWEST sizes are left out: the medians of a row are to be of the same ranks."""
    both = pd.concat([_swept(part.assign(block=_block(part))) for _, part in both.groupby("collective")])
    keys = sorted(both.algorithm.unique(), key=_order)
    rows = [(c, k) for c in sorted(both.collective.unique()) for k in keys if len(_of(both, c, k))]
    sizes = sorted(both.block.unique())
    errors = np.full((len(rows), len(sizes)), np.nan)
    for i, (collective, key) in enumerate(rows):
        for size, part in _of(both, collective, key).groupby("block"):
            errors[i, sizes.index(size)] = part.error.median()
    labels = [_label(c, k) for c, k in rows]
    # Inches: names, cells, the colours' bar with its words; a title above and sizes below.
    names, cells, bar = LETTER * max(map(len, labels)) + 0.2, CELL[0] * len(sizes), 1.1
    left, below, above = max(names, 0.6), 0.95, 0.5
    width, height = max(left + cells + bar, 7.0), CELL[1] * len(rows) + below + above
    fig = Figure(figsize=(width, height), dpi=150)
    ax = fig.add_axes((left / width, below / height, cells / width, 1 - (below + above) / height))
    image = ax.imshow(errors, cmap=ERRORS, norm=TwoSlopeNorm(0, -FAR, FAR), aspect="auto")
    for (i, j), value in np.ndenumerate(errors):
        if value == value:
            ax.text(j, i, f"{100 * value:+.0f}" if abs(value) >= 0.005 else "0", ha="center", va="center", fontsize=6.5,
                    color="white" if abs(value) > 0.6 * FAR else INK)  # fmt: skip
    ax.set_xticks(
        range(len(sizes)),
        [format_size(s) for s in sizes],
        rotation=60,
        ha="right",
        rotation_mode="anchor",
        fontsize=7.5,
    )
    ax.set_yticks(range(len(rows)), labels, fontsize=8)
    ax.set_xlabel("bytes of a block, or of the whole vector where there are no blocks")
    ax.spines[:].set_visible(False)
    fig.text(0.1 / width, 1 - 0.2 / height, "Error of the prediction, median over ranks (percent of the measured time)",
             fontsize=10.5, fontweight="bold", va="center")  # fmt: skip
    tall = min(2.6, height - below - above)
    scale = fig.add_axes(((left + cells + 0.25) / width, 1 - (above + tall) / height, 0.14 / width, tall / height))
    fig.colorbar(image, cax=scale, label="too fast       too slow", ticks=[-FAR, 0, FAR],
                 format=lambda v, _: f"{100 * v:+.0f} %" if v else "0")  # fmt: skip
    return fig


def winner_maps(won: pd.DataFrame, collective: str, where: str = "") -> Figure:
    """Who is fastest over sizes and ranks, measured and predicted side by side; a dot is where the predicted one loses more than the
    noise. Numbers of ranks with fewer than FEWEST sizes are left out. `won`: prediction.winners_by_call, of one place;
    `where` names it behind the collective."""
    part = _swept(won[won.collective == collective].assign(block=lambda f: _block(f)))
    ranks, sizes = sorted(part.ranks.unique()), sorted(part.block.unique())
    keys = sorted({*part.measured, *part.predicted})
    colours = map_colours(keys)
    legend = -(-len(keys) // 4)
    height = min(max(0.24 * len(ranks) + 1.5 + 0.2 * legend, 2.8), 7.5)
    fig = Figure(figsize=(9.6, height), dpi=150)
    axes = fig.subplots(1, 2, sharey=True)
    for ax, column in zip(axes, ("measured", "predicted"), strict=True):
        picture = np.ones((len(ranks), len(sizes), 3))
        for row in part.itertuples(index=False):
            at = ranks.index(row.ranks), sizes.index(row.block)
            picture[at] = _rgb(colours[getattr(row, column)])
            if column == "predicted" and row.verdict == "other":
                ax.plot(at[1], at[0], marker="o", ms=2.8, color="white", mec=INK, mew=0.6)
        ax.imshow(picture, aspect="auto", origin="lower", interpolation="nearest")
        _named(ax, ranks, sizes)
        ax.set_title(f"{column}", fontsize=10)
        ax.set_xlabel("bytes")
    axes[0].set_ylabel("ranks")
    handles: list[Patch | Line2D] = [Patch(color=colours[k], label=name) for k, name in _legend(keys).items()]
    handles.append(
        Line2D([], [], ls="", marker="o", ms=4, color="white", mec=INK, mew=0.7, label="loses more than the noise")
    )
    fig.suptitle(f"{collective}{where}: the fastest algorithm", x=0.02, ha="left", fontsize=11, fontweight="bold")
    fig.tight_layout(rect=(0, (0.1 + 0.2 * legend) / height, 1, 1))
    fig.legend(handles=handles, loc="lower left", ncols=4, fontsize=8, bbox_to_anchor=(0.05, 0.0), handlelength=1.1)
    return fig


def _named(ax: Axes, ranks: Sequence[int], sizes: Sequence[int]) -> None:
    step = max(1, len(ranks) // 14)
    ax.set_yticks(range(0, len(ranks), step), [str(r) for r in ranks[::step]], fontsize=7.5)
    every = max(1, len(sizes) // 10)
    ax.set_xticks(range(0, len(sizes), every), [format_size(s) for s in sizes[::every]], rotation=45, fontsize=7.5)


def _block(frame: pd.DataFrame) -> pd.Series:
    """Bytes as the benchmarks count them: of a rank's block where the whole vector has one for each rank."""
    blocks = frame.collective.isin(["scatter", "gather", "allgather", "alltoall", "reduce_scatter_block", "rotation"])
    return (frame.bytes // frame.ranks.where(blocks, 1)).astype("int64")


def _swept(part: pd.DataFrame) -> pd.DataFrame:
    """The calls of a collective without numbers of ranks that have fewer than FEWEST sizes, unless all have so few."""
    sizes = part.groupby("ranks").block.transform("nunique")
    return part[sizes >= min(FEWEST, sizes.max())]


def _order(key: str) -> tuple[bool, str]:
    """Algorithms by name, then decisions."""
    return key.startswith("decision/"), key


def _farthest(part: pd.DataFrame) -> list[str]:
    """Of algorithms with a dot outside the shade those that are farthest off, MANY at most."""
    off = (part.predicted_s / part.measured_s - 1).abs().groupby(part.algorithm).max()
    return sorted(off[off > NEAR].nlargest(MANY).index, key=_order)


def _of(both: pd.DataFrame, collective: str, key: str) -> pd.DataFrame:
    return both[(both.collective == collective) & (both.algorithm == key)]


def _label(collective: str, key: str) -> str:
    return key if key.startswith(f"{collective}/") else f"{collective}: {_short(key)}"


def _short(key: str) -> str:
    return key.removeprefix("decision/") if key.startswith("decision/") else str(Key.parse(key).short)


def _legend(keys: Sequence[str]) -> dict[str, str]:
    """Short names; parameters only where another key has the same without."""
    short = {key: _short(key) for key in keys}
    bare = [name.partition("[")[0] for name in short.values()]
    return {k: name if bare.count(name.partition("[")[0]) > 1 else name.partition("[")[0] for k, name in short.items()}


def _rgb(colour: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(colour)
