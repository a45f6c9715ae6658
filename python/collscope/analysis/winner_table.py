"""Which names are the best of each collective, beside what a source says they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collscope.analysis.times import Times

Rows = Mapping[str, Sequence[Sequence[str]]]  # collective → the sets of names that agree with the source, its own first


@dataclass(frozen=True)
class Cell:
    """One collective in one layout (nodes None: all of them together)."""

    collective: str
    nodes: int | None
    winners: tuple[str, ...]  # the best, and every name within the tolerance of it
    margin: float  # how much longer the best of the other names takes; NaN: there is no other
    means: Mapping[str, float]  # name → geometric mean, in seconds
    agrees: bool

    @property
    def text(self) -> str:
        """The winners: short/long."""
        return "/".join(self.winners)


@dataclass(frozen=True)
class WinnerTable:
    """The winners of all collectives, with one alternative."""

    alternative: str
    rows: tuple[tuple[str, Cell | None, tuple[Cell | None, ...]], ...]  # collective, over all layouts, in each

    @property
    def matching_rows(self) -> int:
        """How many collectives agree with the source over all layouts together."""
        return sum(1 for _, total, _ in self.rows if total and total.agrees)

    @property
    def matching_cells(self) -> int:
        """How many cells, each one collective in one layout, agree with the source."""
        return sum(1 for _, _, cells in self.rows for c in cells if c and c.agrees)

    @property
    def cells(self) -> int:
        """How many cells have all their points."""
        return sum(1 for _, _, cells in self.rows for c in cells if c)


def overall(times: Times, collective: str, names: Sequence[str]) -> dict[str, float]:
    """name → geometric mean of the means in all layouts; empty where any of them is missing. No names: all that were run."""
    places = times.places(collective)
    names = names or list(dict.fromkeys(name for place in places for name in times.names(place)))
    each = [times.means(place, names) for place in places]
    if not each or not all(len(means) == len(names) for means in each):
        return {}
    return {name: math.exp(sum(math.log(means[name]) for means in each) / len(each)) for name in names}


def cell(
    collective: str, nodes: int | None, means: Mapping[str, float], agreeing: Sequence[Sequence[str]], tied: float
) -> Cell:
    """The names within `tied` (a share) of the least mean share the place."""
    least = min(means.values())
    winners = tuple(name for name, mean in means.items() if mean <= least * (1 + tied))
    others = [mean for name, mean in means.items() if name not in winners]
    margin = min(others) / least - 1 if others else math.nan
    return Cell(collective, nodes, winners, margin, means, any(set(winners) == set(a) for a in agreeing))


def winner_table(times: Times, rows: Rows, names: Sequence[str], tied: float, alternative: str = "") -> WinnerTable:
    """A row for each collective that the table has; a cell is `None` where a name lacks points."""
    out = []
    for collective, agreeing in rows.items():
        places = times.places(collective)
        if not any(times.names(place) for place in places):
            continue
        total = overall(times, collective, names)
        cells = []
        for place in places:
            compared = names or times.names(place)
            means = times.means(place, compared)
            whole = len(means) == len(compared)
            cells.append(cell(collective, place.nodes, means, agreeing, tied) if whole else None)
        whole_row = cell(collective, None, total, agreeing, tied) if total else None
        out.append((collective, whole_row, tuple(cells)))
    return WinnerTable(alternative, tuple(out))


def fits_better(tables: Sequence[WinnerTable]) -> list[WinnerTable]:
    """Those that agree with most rows; rows that tie are told apart by cells. More than one: a draw."""
    if not tables:
        return []
    score = max((t.matching_rows, t.matching_cells) for t in tables)
    return [t for t in tables if (t.matching_rows, t.matching_cells) == score]
