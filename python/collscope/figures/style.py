"""Colours, dashes and markers: a key looks the same in all figures. Importing this module sets matplotlib's style."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.colors import to_rgb

from collscope.catalogue.keys import Key

INK = "#1f2328"
FAINT = "#6e7781"
GRID = "#d8dee4"
SHADE = "#eef1f4"

RGB = tuple[float, float, float]

STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "font.size": 9.5,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.edgecolor": "#afb8c1",
    "axes.labelcolor": INK,
    "axes.grid": False,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "xtick.major.width": 0.8,
    "ytick.major.width": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 8.8,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.2,
    "lines.solid_capstyle": "round",
    "svg.fonttype": "none",
    "svg.hashsalt": "collscope",
    "path.simplify": True,
}
mpl.rcParams.update(STYLE)
mpl.rcParams["text.parse_math"] = False  # a dollar in a title is a dollar, not a formula

# Two families stand out: minimum spanning trees, which suit short vectors, and bucket (ring) algorithms, which suit long ones.
TREES, RINGS = "#0072B2", "#D55E00"
_DECISIONS = {
    "ompi_4_0": "#009E73",
    "ompi_4_1": "#AA3377",
    "ompi_5_0": "#B8860B",
    "rd_ring": "#5B4FCF",
    "smpi_ompi": "#7f7f7f",
    "mpich_4": "#0E7C86",
}
# For all that is neither of the two families nor a decision: far from those colours and from each other.
OTHERS = (
    "#56B4E9", "#E69F00", "#332288", "#117733", "#882255", "#44AA99", "#999933", "#661100",
    "#6699CC", "#B15928", "#7B5EA7", "#4D9221", "#C51B7D", "#2F4F4F", "#A6761D", "#1B7837",
)  # fmt: skip
_STEMS = (
    "binomial", "linear_nb", "pipeline", "knomial", "ring", "recursive_doubling", "chain", "binary", "split_binary",
    "rabenseifner", "neighbor_exchange", "bruck", "linear_sync", "linear", "recursive_halving", "butterfly",
    "scatter_ring", "scatter_recursive_doubling", "in_order_binary", "nonoverlapping", "ring_segmented", "binary_tree",
)  # fmt: skip
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h")
_ROTATIONS = {
    "shift": (TREES, "-", "o"),
    "nonblocking": ("#56B4E9", DASHES[1], "s"),
    "ordered": ("#E69F00", "-", "D"),
    "serial": (RINGS, "-", "^"),
}


@dataclass(frozen=True)
class Look:
    """How a key is drawn: a colour, a matplotlib dash and a matplotlib marker."""

    colour: str
    dash: Any
    marker: str


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def style_of(key: str) -> Look:
    """The look of an algorithm's or decision's key, the same wherever it is drawn."""
    written = Key.parse(key)
    owner, name = written.owner, written.name
    if written.is_decision:
        colour = _DECISIONS.get(name) or OTHERS[_number(name) % len(OTHERS)]
        order = list(_DECISIONS).index(name) if name in _DECISIONS else _number(name)
        return Look(colour, DASHES[1 + order % 3], "^Dv<>"[order % 5])
    if owner == "rotation" and name in _ROTATIONS:
        return Look(*_ROTATIONS[name])
    if "bucket" in name or (name == "linear" and owner in ("scatter", "gather")):
        return Look(RINGS, "-", "s")
    if name == "mst" or name.startswith("mst_"):
        return Look(TREES, "-", "o")
    if name == "builtin":
        return Look(INK, "-", "*")
    k = _STEMS.index(name) if name in _STEMS else _number(name)
    # Parameters do not change the colour, so that a family stays together; they change dash and marker.
    variant = _number(key) if written.params else 0
    return Look(OTHERS[k % len(OTHERS)], DASHES[variant % 4], _MARKERS[(k + variant) % len(_MARKERS)])


def colour_of(key: str) -> str:
    """The colour of a key, as a hexadecimal text."""
    return style_of(key).colour


def lighter(colour: str | RGB, share: float) -> RGB:
    """The colour mixed with white; share 1 is white."""
    r, g, b = to_rgb(colour)
    return (r + (1 - r) * share, g + (1 - g) * share, b + (1 - b) * share)


def darker(colour: str) -> RGB:
    """The colour mixed with black, for text on its lighter tint."""
    r, g, b = to_rgb(colour)
    return (r * 0.62, g * 0.62, b * 0.62)
