"""Which key has which colour in one figure: never two the same, what never comes near the best grey."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd
from matplotlib.colors import to_hex, to_rgb

from collscope.catalogue.keys import Key
from collscope.figures.style import INK, OTHERS, RINGS, TREES, colour_of, darker

MANY = 8  # so many colours are told apart at a glance; of more keys, those that come near the best have one
MAX_COLOURS = 12
NEAR = 1.1  # times the best
APART = 0.12  # colours in Oklab
GREY = "#a4adb6"
_KEYS = (
    TREES,
    RINGS,
    *(colour for colour in OTHERS if colour not in ("#2F4F4F", "#661100")),
)  # dark ones are for decisions
# Far from all others, where those come too close.
_MORE = ("#F078F0", "#00C800", "#B800F0", "#F07890", "#40CFA0", "#A878F0", "#0000D8")
_SHAPES = ("s", "D", "^", "v", "P", "X")
_DASH = 3.5  # line widths


@dataclass(frozen=True)
class Looks:
    """Colour of each key, dash and marker of each decision. A name has one colour in all collectives: bcast/mst and reduce/mst."""

    colours: Mapping[str, str]  # name with parameters, without the collective → colour
    dashes: Mapping[
        str, Any
    ]  # the same of decisions: where their lines coincide, each is seen between the others' dashes
    shapes: Mapping[str, str]  # matplotlib's marker of each decision
    grey_note: str  # what grey means, where some key is grey

    def colour(self, key: str) -> str:
        """The colour of a key or decision in this figure."""
        return self.colours[short(key)]

    def is_grey(self, key: str) -> bool:
        """Whether the key never comes near the best."""
        return self.colours.get(short(key)) == GREY


def short(key: str) -> str:
    """A key without its collective."""
    return str(Key.parse(key).short)


def fixed(keys: Iterable[str]) -> dict[str, str]:
    """Colours that these keys keep in every figure of several, for `looks`: as many as can be told apart."""
    every = looks(pd.DataFrame({"algorithm": list(dict.fromkeys(keys)), "ratio": 1.0}))
    return {name: colour for name, colour in every.colours.items() if colour != GREY}


def looks(timed: pd.DataFrame, kept: Mapping[str, str] | None = None) -> Looks:
    """`timed`, one row per time: algorithm; ratio to the best of its place (1 for the best). `kept`: colours from `fixed`."""
    kept = kept or {}
    keys = list(dict.fromkeys(timed["algorithm"]))
    decisions = sorted({short(k) for k in keys if Key.parse(k).is_decision})
    gap = _DASH * (len(decisions) - 1) or 1.5
    dashes = {name: (k * _DASH, (_DASH, gap)) for k, name in enumerate(decisions)}
    shapes = {name: _SHAPES[k % len(_SHAPES)] for k, name in enumerate(decisions)}
    colours = {name: INK for name in (short(k) for k in keys) if Key.parse(name).is_builtin}
    for name in decisions:
        own_dark, *dark = (to_hex(darker(colour)) for colour in (colour_of(f"decision/{name}"), *OTHERS))
        colours[name] = kept.get(name) or distinct(dark, colours.values(), own_dark)
    ratios: dict[str, list[float]] = {}
    for key, ratio in zip(timed["algorithm"], timed["ratio"], strict=True):
        if short(key) not in colours:
            ratios.setdefault(short(key), []).append(ratio)
    best = sorted(ratios, key=lambda name: (-sum(r <= 1 for r in ratios[name]), min(ratios[name])))
    shown = [name for name in best if len(best) <= MANY or min(ratios[name]) <= NEAR][:MAX_COLOURS]
    own = {short(key): colour_of(key) for key in keys}
    colours |= {name: kept[name] for name in shown if name in kept}
    for name in shown:
        if name not in colours and own[name] in _KEYS and room(own[name], colours.values()) >= APART:
            colours[name] = own[name]
    for name in shown:
        if name not in colours:
            colours[name] = distinct(_KEYS, colours.values())
    grey = [name for name in best if name not in shown]
    never = all(min(ratios[name]) > NEAR for name in grey)
    note = f"grey: never within {100 * (NEAR - 1):.0f} % of the best" if never else "grey: seldom or never the best"
    return Looks(colours | dict.fromkeys(grey, GREY), dashes, shapes, note if grey else "")


def distinct(choice: Sequence[str], taken: Collection[str], own: str = "") -> str:
    """A colour that is APART from all that are taken: a key's own, or the farthest of a choice; where none is, of a wider one."""
    if own and room(own, taken) >= APART:
        return own
    best = max(choice, key=lambda colour: room(colour, taken))
    return best if room(best, taken) >= APART else max((*choice, *_MORE), key=lambda colour: room(colour, taken))


def room(colour: str, taken: Iterable[str]) -> float:
    """How far a colour is from the nearest that is taken, or grey."""
    return min(math.dist(_lab(colour), _lab(other)) for other in (*taken, GREY))


@cache
def _lab(colour: str) -> tuple[float, float, float]:
    """A place in Oklab, where distance is what the eye sees (Ottosson 2020)."""
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in to_rgb(colour))
    lo, me, sh = (
        (x * r + y * g + z * b) ** (1 / 3)
        for x, y, z in (
            (0.4122214708, 0.5363325363, 0.0514459929),
            (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005),
        )
    )
    return (
        0.2104542553 * lo + 0.7936177850 * me - 0.0040720468 * sh,
        1.9779984951 * lo - 2.4285922050 * me + 0.4505937099 * sh,
        0.0259040371 * lo + 0.7827717662 * me - 0.8086757660 * sh,
    )
