"""Where one algorithm stops being the best and another begins.

Every function here goes from a tidy frame to a value or another frame. The frame holds one time a point:

    collective, ranks, nodes, bytes, name, time_s

`name` is what competes: a class (short, long, builtin) or an algorithm's key.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

CASE = ["collective", "ranks", "nodes"]

# Times that differ by less than this, relatively, are the same time: two names of one message pattern
# reach the same simulated time but for the last digits.
SAME = 1e-9


@dataclass(frozen=True)
class Crossover:
    """Below `bytes` one name is faster, above it the other; both were measured at the two sizes around."""

    collective: str
    ranks: int
    nodes: int
    faster_below: str
    faster_above: str
    bytes: float
    below_bytes: int
    above_bytes: int


def crossings(x: Sequence[float], ratio: Sequence[float]) -> list[tuple[float, int, int]]:
    """Sign changes of log(ratio) over log(x): (size, index before, index after). Ties are on neither side."""
    sign = [0 if abs(math.log(r)) <= SAME else (1 if r > 1 else -1) for r in ratio]
    found = []
    last = None
    for i, side in enumerate(sign):
        if side == 0:
            continue
        if last is not None and sign[last] != side:
            if i == last + 1:
                r0, r1 = math.log(ratio[last]), math.log(ratio[i])
                at = math.log(x[last]) + (math.log(x[i]) - math.log(x[last])) * r0 / (r0 - r1)
            else:  # equal at one or more sizes between: the middle of those
                at = (math.log(x[last + 1]) + math.log(x[i - 1])) / 2
            found.append((math.exp(at), last, i))
        last = i
    return found


def pair_crossovers(times: pd.DataFrame) -> list[Crossover]:
    """Every change of order between every two names of each case, interpolated linearly in log time over log size."""
    found = []
    for (collective, ranks, nodes), wide in cases(times):
        sizes, table = wide.index.to_numpy(), wide.to_numpy(dtype=float)
        for a, b in combinations(range(len(wide.columns)), 2):
            both = ~np.isnan(table[:, a]) & ~np.isnan(table[:, b]) & (sizes > 0)
            size = [int(s) for s in sizes[both]]
            ratio = [float(r) for r in table[both, a] / table[both, b]]
            names = str(wide.columns[a]), str(wide.columns[b])
            for at, i, j in crossings(size, ratio):
                below, above = names[::-1] if ratio[i] > 1 else names
                found.append(Crossover(str(collective), int(ranks), int(nodes), below, above, at, size[i], size[j]))
    return found


def cases(times: pd.DataFrame) -> Iterator[tuple[tuple[str, int, int], pd.DataFrame]]:
    """Each case as a table of sizes by names, the names in the frame's order."""
    for (collective, ranks, nodes), case in times.groupby(CASE, sort=False):
        yield (str(collective), int(ranks), int(nodes)), by_name(case)


def by_name(case: pd.DataFrame) -> pd.DataFrame:
    """Sizes by names. One name may have several rows at a size (two classes that chose the same algorithm): the least counts."""
    names = {name: k for k, name in enumerate(dict.fromkeys(case["name"]))}
    sizes, row = np.unique(case["bytes"].to_numpy(), return_inverse=True)
    table = np.full((len(sizes), len(names)), np.nan)
    column = np.array([names[n] for n in case["name"]], dtype=np.intp)
    np.fmin.at(table, (row, column), case["time_s"].to_numpy(dtype=float))
    return pd.DataFrame(table, index=sizes, columns=list(names))


def winners(times: pd.DataFrame) -> pd.DataFrame:
    """The best name at every size of each case, the next, and the margin: how much longer the next takes.

    Of names that take the same time the one that won at the size below is kept, else the first in the frame.
    """
    rows = []
    for (collective, ranks, nodes), wide in cases(times):
        names = list(wide.columns)
        table = wide.to_numpy(dtype=float)
        previous = -1
        for size, line in zip(wide.index, table, strict=True):
            least = np.nanmin(line)
            tied = np.flatnonzero(line <= least * (1 + SAME))
            at = previous if previous in tied else int(tied[0])
            others = np.delete(line, at)
            known = ~np.isnan(others)
            second, margin = None, math.nan
            if known.any():
                near = int(np.nanargmin(others))
                second, margin = names[near + (near >= at)], float(others[near] / least - 1)
            rows.append((collective, ranks, nodes, int(size), names[at], float(least), second, margin, len(tied) > 1))
            previous = at
    columns = [*CASE, "bytes", "best", "time_s", "second", "margin", "tied"]
    return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class Span:
    """A range of sizes over which one name is the best; `from_bytes` and `to_bytes` are interpolated edges."""

    collective: str
    ranks: int
    nodes: int
    name: str
    from_bytes: float
    to_bytes: float
    first_bytes: int
    last_bytes: int


def spans(times: pd.DataFrame, best: pd.DataFrame | None = None) -> list[Span]:
    """The sizes cut into ranges with one winner each. Edges between two winners are interpolated crossings."""
    best = winners(times) if best is None else best
    wides = dict(cases(times))
    out: list[Span] = []
    for (collective, ranks, nodes), case in best.groupby(CASE, sort=False):
        wide = wides[str(collective), int(ranks), int(nodes)]
        size = [int(s) for s in case["bytes"]]
        name = list(case["best"])
        edge = [float(size[0])]
        start = [0]
        for i in range(1, len(size)):
            if name[i] != name[i - 1]:
                edge.append(handover(wide, name[i - 1], name[i], size[i - 1], size[i]))
                start.append(i)
        edge.append(float(size[-1]))
        start.append(len(size))
        for k in range(len(start) - 1):
            out.append(
                Span(
                    str(collective), int(ranks), int(nodes), name[start[k]],
                    edge[k], edge[k + 1], size[start[k]], size[start[k + 1] - 1],
                )
            )  # fmt: skip
    return out


def handover(wide: pd.DataFrame, a: str, b: str, low: int, high: int) -> float:
    """Where a hands over to b between two neighbouring sizes; the middle when one of the times is missing."""
    try:
        r0 = math.log(wide.at[low, a] / wide.at[low, b])
        r1 = math.log(wide.at[high, a] / wide.at[high, b])
    except KeyError:
        return math.sqrt(low * high)
    if not (math.isfinite(r0) and math.isfinite(r1)) or r0 * r1 > 0 or r0 == r1:
        return math.sqrt(low * high)
    return math.exp(math.log(low) + (math.log(high) - math.log(low)) * r0 / (r0 - r1))
