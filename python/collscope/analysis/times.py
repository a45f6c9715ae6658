"""Times cut for judging: one line of times over sizes for each place and name, and geometric means over sizes.

The frame has the columns collective, ranks, nodes, bytes, name, time_s, chose, and may have mapping, platform and, as in
points/table.py, bytes over links. `name` is what competes: a class (short, long, builtin) or an algorithm's key.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd

from collscope.base.units import counted
from collscope.catalogue.metrics import TRAFFIC


@dataclass(frozen=True, order=True)
class Place:
    """Where a comparison is made: one collective on so many ranks and nodes."""

    collective: str
    mapping: str
    ranks: int
    nodes: int
    platform: str = ""  # what the machine is called where several are compared


class Times:
    """The times of one table. `focus`: the sizes in bytes that count where a check names none."""

    def __init__(self, frame: pd.DataFrame, focus: Sequence[int]) -> None:
        self.focus = tuple(sorted(focus))
        frame = frame.assign(**{column: "" for column in ("mapping", "platform") if column not in frame})
        place = ["collective", "mapping", "ranks", "nodes", "platform"]
        self._bytes, self._seconds = frame["bytes"].to_numpy(), frame["time_s"].to_numpy(dtype=float)
        self._cells = frame[["chose", *(c for c in TRAFFIC if c in frame)]]
        groups = frame.groupby([*place, "name"], observed=True, sort=False).ngroup().to_numpy()
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(groups.max(initial=-1) + 2))
        self._rows: dict[Place, dict[str, np.ndarray]] = {}
        firsts = frame[[*place, "name"]].iloc[order[starts[:-1]]]
        for (collective, mapping, ranks, nodes, platform, name), (low, high) in zip(
            firsts.itertuples(index=False), pairwise(starts), strict=True
        ):
            at = Place(str(collective), str(mapping), int(ranks), int(nodes), str(platform))
            rows = order[low:high]
            self._rows.setdefault(at, {})[str(name)] = rows[np.argsort(self._bytes[rows], kind="stable")]
        # Checks ask for the same part again and again, and for its mean.
        self._parts: dict[tuple[Place, str, tuple[int, ...]], np.ndarray] = {}
        self._means: dict[tuple[Place, str, tuple[int, ...] | None], float] = {}
        self.layouts = sorted({(p.mapping, p.ranks, p.nodes, p.platform) for p in self._rows})

    def places(self, collective: str) -> list[Place]:
        """The collective in every layout of the table, whether it was run there or not."""
        return [Place(collective, *layout) for layout in self.layouts]

    def names(self, place: Place) -> list[str]:
        """What was run there, in the frame's order."""
        return list(self._rows.get(place, {}))

    def line(self, place: Place, name: str, sizes: Sequence[int] | None = None) -> pd.Series:
        """Seconds by bytes, at the sizes (default: the focus) that the table has; all there is of a collective without data."""
        part = self._part(place, name, sizes)
        return pd.Series(self._seconds[part], pd.Index(self._bytes[part], name="bytes"), name="time_s")

    def moved(self, place: Place, name: str, column: str, sizes: Sequence[int] | None = None) -> pd.Series:
        """One of TRAFFIC by bytes; empty where it is not known."""
        if column not in self._cells:
            return pd.Series(dtype=float)
        return self._column(column, self._part(place, name, sizes)).dropna()

    def chosen(self, place: Place, name: str) -> pd.Series:
        """Keys of what a decision took, by bytes, in the focus."""
        return self._column("chose", self._part(place, name, None))

    def _column(self, column: str, part: np.ndarray) -> pd.Series:
        return self._cells[column].iloc[part].set_axis(pd.Index(self._bytes[part], name="bytes"))

    def _line(self, place: Place, name: str) -> np.ndarray:
        """The rows of a name, or of the one key that is this name with parameters, by bytes; none where it was not run."""
        rows = self._rows.get(place, {})
        if name in rows:
            return rows[name]
        keys = [key for key in rows if key.partition("[")[0] == name]
        return rows[keys[0]] if len(keys) == 1 else np.array([], dtype=int)

    def _part(self, place: Place, name: str, sizes: Sequence[int] | None) -> np.ndarray:
        """The rows of a line at the sizes; all of a collective without data."""
        chosen = self.focus if sizes is None else tuple(sizes)
        part = self._parts.get((place, name, chosen))
        if part is None:
            part = self._line(place, name)
            size = self._bytes[part]
            if size.any():
                part = part[np.isin(size, chosen)]
            self._parts[place, name, chosen] = part
        return part

    def mean(self, place: Place, name: str, sizes: Sequence[int] | None = None) -> float:
        """Geometric mean over the sizes; NaN for a name that lacks some of them: it would be a mean over other points."""
        key = (place, name, None if sizes is None else tuple(sizes))
        if key not in self._means:
            part = self._part(place, name, sizes)
            full = len(sizes or ()) if self._bytes[part].any() else len(part)
            full = full or max((len(self._part(place, other, None)) for other in self.names(place)), default=0)
            self._means[key] = math.exp(np.log(self._seconds[part]).mean()) if 0 < len(part) == full else math.nan
        return self._means[key]

    def means(self, place: Place, names: Sequence[str], sizes: Sequence[int] | None = None) -> dict[str, float]:
        """The means of those names that have one."""
        every = {name: self.mean(place, name, sizes) for name in names}
        return {name: mean for name, mean in every.items() if not math.isnan(mean)}

    def text(self, place: Place) -> str:
        """bcast, 2 nodes; ranks and mapping where the table has several."""
        words = [place.collective]
        if len({ranks for _, ranks, _, _ in self.layouts}) > 1:
            words.append(f"{place.ranks} ranks")
        if len({mapping for mapping, _, _, _ in self.layouts}) > 1:
            words.append(f"mapping {place.mapping}")
        if place.platform:
            words.append(place.platform)
        return ", ".join([*words, counted(place.nodes, "node")])


def series(places: Sequence[Place], along: str) -> Iterator[list[Place]]:
    """The places in runs that differ in `along` ("nodes" or "ranks") alone, ascending."""
    runs: dict[Place, list[Place]] = {}
    for place in places:
        rest = replace(place, nodes=0) if along == "nodes" else replace(place, ranks=0)
        runs.setdefault(rest, []).append(place)
    for run in runs.values():
        yield sorted(run, key=lambda p: p.nodes if along == "nodes" else p.ranks)


def longer_text(ratio: float) -> str:
    """1.12 → "12 % longer", 0.9 → "10 % less"."""
    change = 100 * (ratio - 1)
    if abs(change) < 0.05:
        return "as long"
    size = f"{abs(change):.1f} %" if abs(change) < 10 else f"{abs(change):.0f} %"
    return f"{size} {'longer' if change > 0 else 'less'}"


def order_text(means: Mapping[str, float]) -> str:
    """The names from the fastest on, each with its time over the fastest's: long 1.00, short 1.66."""
    least = min(means.values())
    return ", ".join(f"{name} {mean / least:.2f}" for name, mean in sorted(means.items(), key=lambda i: i[1]))


def share_text(share: float, digits: int = 0) -> str:
    """0.25 → "25 %"; NaN → "–"."""
    return "–" if math.isnan(share) else f"{100 * share:.{digits}f} %"
