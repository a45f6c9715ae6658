"""Where one algorithm stops being the best and another begins, and the rules that follow from it.

Every function here goes from a tidy frame to a value or another frame. The frame holds one time a point:

    collective, ranks, nodes, bytes, name, time_s

`name` is what competes: a class (short, long, builtin) or an algorithm's key.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

CASE = ["collective", "ranks", "nodes"]

# Times that differ by less than this, relatively, are the same time: two names of one message pattern
# reach the same simulated time but for the last digits.
SAME = 1e-9


def size_text(size: float) -> str:
    """A size to three digits for people: 4 B, 1 KiB, 23.4 KiB, 512 MiB."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            value = size / factor
            # Whole powers of two such as 1023 MiB stay whole; the rest is rounded to three digits.
            return f"{value:.0f} {unit}" if value >= 100 or value == int(value) else f"{value:.3g} {unit}"
    return f"{size:.0f} B" if size >= 100 or size == int(size) else f"{size:.3g} B"


# ---- crossovers ------------------------------------------------------------------------------------------


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


def _crossing(x: Sequence[float], ratio: Sequence[float]) -> list[tuple[float, int, int]]:
    """Sign changes of log(ratio) over log(x): (size, index before, index after). Ties are no side."""
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
    for (collective, ranks, nodes), wide in _cases(times):
        sizes, table = wide.index.to_numpy(), wide.to_numpy(dtype=float)
        for a, b in combinations(range(len(wide.columns)), 2):
            both = ~np.isnan(table[:, a]) & ~np.isnan(table[:, b]) & (sizes > 0)
            size = [int(s) for s in sizes[both]]
            ratio = [float(r) for r in table[both, a] / table[both, b]]
            names = str(wide.columns[a]), str(wide.columns[b])
            for at, i, j in _crossing(size, ratio):
                below, above = names[::-1] if ratio[i] > 1 else names
                found.append(Crossover(str(collective), int(ranks), int(nodes), below, above, at, size[i], size[j]))
    return found


def _cases(times: pd.DataFrame) -> Iterator[tuple[tuple[str, int, int], pd.DataFrame]]:
    """Each case as a table of sizes by names, the names in the frame's order."""
    for (collective, ranks, nodes), case in times.groupby(CASE, sort=False):
        yield (str(collective), int(ranks), int(nodes)), _by_name(case)


def _by_name(case: pd.DataFrame) -> pd.DataFrame:
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
    for (collective, ranks, nodes), wide in _cases(times):
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
    wides = dict(_cases(times))
    out: list[Span] = []
    for (collective, ranks, nodes), case in best.groupby(CASE, sort=False):
        wide = wides[str(collective), int(ranks), int(nodes)]
        size = [int(s) for s in case["bytes"]]
        name = list(case["best"])
        edge = [float(size[0])]
        start = [0]
        for i in range(1, len(size)):
            if name[i] != name[i - 1]:
                edge.append(_edge(wide, name[i - 1], name[i], size[i - 1], size[i]))
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


def _wide(times: pd.DataFrame, collective: object, ranks: object, nodes: object) -> pd.DataFrame:
    case = times[(times["collective"] == collective) & (times["ranks"] == ranks) & (times["nodes"] == nodes)]
    return _by_name(case)


def _edge(wide: pd.DataFrame, a: str, b: str, low: int, high: int) -> float:
    """Where a hands over to b between two neighbouring sizes; the middle when one of the times is missing."""
    try:
        r0 = math.log(wide.at[low, a] / wide.at[low, b])
        r1 = math.log(wide.at[high, a] / wide.at[high, b])
    except KeyError:
        return math.sqrt(low * high)
    if not (math.isfinite(r0) and math.isfinite(r1)) or r0 * r1 > 0 or r0 == r1:
        return math.sqrt(low * high)
    return math.exp(math.log(low) + (math.log(high) - math.log(low)) * r0 / (r0 - r1))


# ---- a decision tree -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """On these nodes and sizes (bytes_min <= bytes < bytes_end; None: no limit) use this algorithm."""

    collective: str
    ranks: int
    nodes_min: int | None
    nodes_max: int | None
    nodes: tuple[int, ...]  # the node counts it was made from
    bytes_min: int | None
    bytes_end: int | None
    algorithm: str
    worst_loss: float  # against the best at each of its points
    mean_loss: float

    def covers(self, ranks: int, nodes: int, size: int) -> bool:
        return (
            ranks == self.ranks
            and (self.nodes_min is None or nodes >= self.nodes_min)
            and (self.nodes_max is None or nodes <= self.nodes_max)
            and (self.bytes_min is None or size >= self.bytes_min)
            and (self.bytes_end is None or size < self.bytes_end)
        )


@dataclass(frozen=True)
class Tree:
    tolerance: float
    rules: tuple[Rule, ...]

    def choose(self, collective: str, ranks: int, nodes: int, size: int) -> str | None:
        for rule in self.rules:
            if rule.collective == collective and rule.covers(ranks, nodes, size):
                return rule.algorithm
        return None

    def as_json(self) -> str:
        rules = [asdict(r) for r in self.rules]
        return json.dumps({"tolerance": self.tolerance, "rules": rules}, indent=1) + "\n"

    def as_text(self) -> str:
        lines = []
        for collective in dict.fromkeys(r.collective for r in self.rules):
            lines.append(collective)
            mine = [r for r in self.rules if r.collective == collective]
            groups = list(dict.fromkeys((r.ranks, r.nodes) for r in mine))
            for g, (ranks, nodes) in enumerate(groups):
                last = g == len(groups) - 1
                lines.append(f"{'└─' if last else '├─'} {_nodes_text(nodes)}, {ranks} ranks")
                leaves = [r for r in mine if (r.ranks, r.nodes) == (ranks, nodes)]
                width = max(len(_size_text(r)) for r in leaves)
                for k, rule in enumerate(leaves):
                    bar = "   " if last else "│  "
                    tip = "└─" if k == len(leaves) - 1 else "├─"
                    lines.append(f"{bar}{tip} {_size_text(rule):<{width}}  {rule.algorithm}")
        return "\n".join(lines) + "\n"


def _nodes_text(nodes: Sequence[int]) -> str:
    if len(nodes) == 1:
        return f"{nodes[0]} node" + ("" if nodes[0] == 1 else "s")
    return ", ".join(str(n) for n in nodes[:-1]) + f" and {nodes[-1]} nodes"


def _size_text(rule: Rule) -> str:
    if rule.bytes_min is None and rule.bytes_end is None:
        return "any size"
    if rule.bytes_min is None:
        return f"below {size_text(rule.bytes_end or 0)}"
    if rule.bytes_end is None:
        return f"from {size_text(rule.bytes_min)}"
    return f"from {size_text(rule.bytes_min)} to {size_text(rule.bytes_end)}"


def fit_tree(times: pd.DataFrame, tolerance: float = 0.02) -> Tree:
    """The smallest set of rules whose choice is within `tolerance` of the best at every measured point.

    Exact, not greedy: for each collective and number of ranks, the node counts are cut into runs of
    neighbours, and within each run the sizes into ranges with one algorithm each; among all such partitions the one with the
    fewest rules is taken, and of these the one that loses least in all.
    """
    rules: list[Rule] = []
    for (collective, ranks), frame in times.groupby(["collective", "ranks"], sort=False):
        nodes = sorted(int(n) for n in frame["nodes"].unique())
        wide_of = {n: _wide(frame, collective, ranks, n) for n in nodes}
        loss = {n: _losses(wide_of[n]) for n in nodes}
        best: list[tuple[int, float, list[tuple[tuple[int, ...], list[_Piece]]]] | None]
        best = [(0, 0.0, [])] + [None] * len(nodes)  # best[k]: the first k node counts are covered
        for end in range(1, len(nodes) + 1):
            for start in range(end):
                before = best[start]
                group = tuple(nodes[start:end])
                pieces = _pieces([loss[n] for n in group], tolerance)
                if before is None or pieces is None:
                    continue
                rank = (before[0] + len(pieces), before[1] + sum(p.total for p in pieces))
                now = best[end]
                # A tenth of a billionth: sums of logarithms that differ by rounding alone are no reason to prefer.
                if now is None or rank[0] < now[0] or (rank[0] == now[0] and rank[1] < now[1] - 1e-10):
                    best[end] = (rank[0], rank[1], [*before[2], (group, pieces)])
        done = best[len(nodes)]
        assert done is not None  # a single node count and a single size always have a best
        for g, (group, pieces) in enumerate(done[2]):
            low = None if g == 0 else group[0]
            high = None if g == len(done[2]) - 1 else done[2][g + 1][0][0] - 1
            wides = [wide_of[n] for n in group]
            edges = [_threshold(wides, a, b) for a, b in pairwise(pieces)]
            for k, piece in enumerate(pieces):
                rules.append(
                    Rule(
                        str(collective), int(ranks), low, high, group,
                        None if k == 0 else edges[k - 1], None if k == len(pieces) - 1 else edges[k],
                        piece.name, piece.worst, piece.mean,
                    )
                )  # fmt: skip
    return Tree(tolerance, tuple(rules))


@dataclass(frozen=True)
class _Piece:
    name: str
    first_bytes: int
    last_bytes: int
    total: float  # sum of log(time / best)
    worst: float
    mean: float


def _losses(wide: pd.DataFrame) -> pd.DataFrame:
    return np.log(wide.div(wide.min(axis=1), axis=0))


def _pieces(loss: Sequence[pd.DataFrame], tolerance: float) -> list[_Piece] | None:
    """The sizes cut into the fewest ranges; None when at some size no name is good enough on all nodes of the group."""
    sizes = sorted(set().union(*(set(f.index) for f in loss)))
    names = [n for n in loss[0].columns if all(n in f.columns for f in loss)]
    if not names:
        return None
    stack = np.stack([f.reindex(index=sizes, columns=names).to_numpy(dtype=float) for f in loss])
    limit = math.log1p(tolerance) + 1e-12
    # A size that one node count lacks altogether does not count there; a missing time of one name bars the name.
    lacking = np.isnan(stack).all(axis=2, keepdims=True)
    stack = np.where(lacking, 0.0, stack)
    good = (~np.isnan(stack) & (stack <= limit)).all(axis=0)  # [size, name]
    cost = np.where(good, np.nan_to_num(stack).sum(axis=0), np.inf)
    worst = np.where(good, np.nan_to_num(stack).max(axis=0), np.inf)
    n = len(sizes)
    best: list[tuple[int, float] | None] = [(0, 0.0)] + [None] * n
    back: list[tuple[int, int]] = [(0, 0)] * (n + 1)
    for end in range(1, n + 1):
        for k in range(len(names)):
            total = 0.0
            for start in range(end - 1, -1, -1):
                if not good[start, k]:
                    break
                total += cost[start, k]
                before, now = best[start], best[end]
                if before is None:
                    continue
                rank = (before[0] + 1, before[1] + total)
                if now is None or rank[0] < now[0] or (rank[0] == now[0] and rank[1] < now[1] - 1e-10):
                    best[end], back[end] = rank, (start, k)
    if best[n] is None:
        return None
    out: list[_Piece] = []
    end = n
    while end > 0:
        start, k = back[end]
        part = cost[start:end, k]
        points = len(loss) * (end - start)
        out.append(
            _Piece(
                names[k], int(sizes[start]), int(sizes[end - 1]), float(part.sum()),
                math.expm1(float(worst[start:end, k].max())), math.expm1(float(part.sum()) / points),
            )
        )  # fmt: skip
        end = start
    return out[::-1]


def _threshold(wides: Iterable[pd.DataFrame], a: _Piece, b: _Piece) -> int:
    """First size that belongs to b, between the last measured size of a and the first of b."""
    logs = [math.log(_edge(w, a.name, b.name, a.last_bytes, b.first_bytes)) for w in wides]
    at = round(math.exp(sum(logs) / len(logs)))
    return min(max(at, a.last_bytes + 1), b.first_bytes)


def regret(times: pd.DataFrame, choose: Tree | dict[str, str] | str) -> pd.DataFrame:
    """Time lost at every point by a choice, against the best name there.

    `choose` is a tree, a name that is always taken, or a name for each collective. Points where the chosen name has no
    time get NaN.
    """
    rows = []
    for (collective, ranks, nodes), wide in _cases(times):
        column = {name: k for k, name in enumerate(wide.columns)}
        for size, line in zip(wide.index, wide.to_numpy(dtype=float), strict=True):
            if isinstance(choose, Tree):
                name = choose.choose(collective, ranks, nodes, int(size))
            elif isinstance(choose, dict):
                name = choose.get(collective)
            else:
                name = choose
            best = float(np.nanmin(line))
            time = float(line[column[name]]) if name in column else math.nan
            rows.append((collective, ranks, nodes, int(size), name, time, best, time / best - 1))
    return pd.DataFrame(rows, columns=[*CASE, "bytes", "name", "time_s", "best_s", "regret"])
