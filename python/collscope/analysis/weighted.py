"""Sizes cut into pieces of one algorithm each, where some calls count more than others: the fewest pieces whose choice loses no more than a
share of the time that all calls take together.

`tree.cut` bounds what is lost at every call; here a call that is made often pays for one that is hardly made."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import pandas as pd

from collscope.analysis.tree import Piece

K = TypeVar("K", bound=Hashable)
TIE_BREAK = 1e-9  # of the best time: what a call that does not count weighs, so that of equal choices the one that is faster there is taken


def fewest(
    tables: Mapping[K, pd.DataFrame], weights: Mapping[K, Sequence[float]], tolerance: float
) -> dict[K, list[Piece]]:
    """The pieces of each table (times of names by size, as by_name makes them; NaN: may not be chosen): the fewest in all that lose at
    most `tolerance` of the sum over all sizes of weight × best time, and of these those that lose least. `weights`: of each size of a
    table, how many calls. Exact: by dynamic programming over sizes, then over tables. Every size needs a time."""
    best_s = {k: table.min(axis=1).to_numpy(dtype=float) for k, table in tables.items()}
    total_s = sum(float(np.dot(weights[k], best_s[k])) for k in tables)
    curves = {k: _curve(table, np.asarray(weights[k], dtype=float), total_s) for k, table in tables.items()}
    made: dict[int, tuple[float, list[int]]] = {
        0: (0.0, [])
    }  # pieces in all → what they lose, and how many of each table
    for curve in curves.values():
        longer: dict[int, tuple[float, list[int]]] = {}
        for pieces, (lost_s, chosen) in made.items():
            for more, (other_s, _) in curve.items():
                known = longer.get(pieces + more)
                if known is None or lost_s + other_s < known[0]:
                    longer[pieces + more] = (lost_s + other_s, [*chosen, more])
        made = longer
    allowed_s = (tolerance + 1e-12) * total_s + TIE_BREAK * total_s * sum(map(len, best_s.values()))
    least = min(lost_s for lost_s, _ in made.values())
    _, chosen = made[min(pieces for pieces, (lost_s, _) in made.items() if lost_s <= max(allowed_s, least))]
    return {k: curve[count][1] for (k, curve), count in zip(curves.items(), chosen, strict=True)}


def _curve(table: pd.DataFrame, weights: np.ndarray, total_s: float) -> dict[int, tuple[float, list[Piece]]]:
    """Number of pieces → the least that so many lose, in seconds, and the pieces; up to the number that loses nothing more."""
    times = table.to_numpy(dtype=float)
    ratio = times / np.nanmin(times, axis=1, keepdims=True)
    lost = (np.asarray(weights)[:, np.newaxis] * np.nanmin(times, axis=1, keepdims=True)) * (ratio - 1)
    cost = np.where(np.isnan(ratio), np.inf, lost + TIE_BREAK * max(total_s, 1e-30) * np.log(np.maximum(ratio, 1)))
    n = len(cost)
    one = np.full((n, n + 1), np.inf)  # one[start, end]: what a single piece of these sizes loses
    name = np.zeros((n, n + 1), dtype=int)
    for start in range(n):
        sums = np.cumsum(cost[start:], axis=0)
        one[start, start + 1 :] = sums.min(axis=1)
        name[start, start + 1 :] = sums.argmin(axis=1)
    best = np.where(np.arange(n + 1) == 0, 0.0, np.inf)
    came: list[np.ndarray] = []
    made: dict[int, tuple[float, list[Piece]]] = {}
    floor = cost.min(axis=1).sum()
    for count in range(1, n + 1):
        through = best[:n, np.newaxis] + one
        came.append(through.argmin(axis=0))
        best = through.min(axis=0)
        if np.isfinite(best[n]):
            made[count] = (float(best[n]), _pieces(table, ratio, name, came))
            if best[n] <= floor * (1 + 1e-12):
                break
    return made


def _pieces(table: pd.DataFrame, ratio: np.ndarray, name: np.ndarray, came: Sequence[np.ndarray]) -> list[Piece]:
    """The pieces to which the last of `came`, by number of pieces, leads back."""
    sizes, made, end = [int(size) for size in table.index], [], len(table)
    for back in reversed(came):
        start = int(back[end])
        k = int(name[start, end])
        part = np.log(np.maximum(ratio[start:end, k], 1))
        made.append(
            Piece(
                str(table.columns[k]), sizes[start], sizes[end - 1], float(part.sum()), float(np.expm1(part.max())),
                float(np.expm1(part.mean())),
            )
        )  # fmt: skip
        end = start
    return made[::-1]
