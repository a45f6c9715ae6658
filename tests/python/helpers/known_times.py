"""Frames of times that follow formulas: for tests of what is concluded from times."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

SIZES = [2**k for k in range(2, 24)]


def table(times: Mapping[str, Callable[[int], float]], nodes: int = 2, collective: str = "bcast") -> pd.DataFrame:
    """The columns of analysis/crossover.py; `times`: name → seconds by bytes."""
    rows = [(collective, 32, nodes, size, name, f(size)) for name, f in times.items() for size in SIZES]
    return pd.DataFrame(rows, columns=["collective", "ranks", "nodes", "bytes", "name", "time_s"])


def power(at_one: float, exponent: float) -> Callable[[int], float]:
    return lambda size: at_one * size**exponent
