"""Decision trees: which algorithm to take for which ranks, nodes and sizes, and what following a choice costs.

Trees are fitted to the frames that analysis/crossover.py describes: collective, ranks, nodes, bytes, name, time_s.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from collscope.analysis.crossover import CASE, by_name, cases, handover
from collscope.base.units import counted, join_words, rounded_size


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
        """Whether the rule speaks of this many ranks and nodes and of this size in bytes."""
        return (
            ranks == self.ranks
            and (self.nodes_min is None or nodes >= self.nodes_min)
            and (self.nodes_max is None or nodes <= self.nodes_max)
            and (self.bytes_min is None or size >= self.bytes_min)
            and (self.bytes_end is None or size < self.bytes_end)
        )


@dataclass(frozen=True)
class Tree:
    """Rules that cover every size and number of nodes; `tolerance` is the share of the time that a point may lose."""

    tolerance: float
    rules: tuple[Rule, ...]

    def choose(self, collective: str, ranks: int, nodes: int, size: int) -> str | None:
        """The algorithm that the rules name; None where none covers the point."""
        for rule in self.rules:
            if rule.collective == collective and rule.covers(ranks, nodes, size):
                return rule.algorithm
        return None

    def as_json(self) -> str:
        """tolerance and rules, these with the fields of Rule."""
        rules = [asdict(r) for r in self.rules]
        return json.dumps({"tolerance": self.tolerance, "rules": rules}, indent=1) + "\n"

    def as_text(self) -> str:
        """The tree for people: collectives, node counts, ranges of sizes."""
        lines = []
        for collective in dict.fromkeys(r.collective for r in self.rules):
            lines.append(collective)
            mine = [r for r in self.rules if r.collective == collective]
            groups = list(dict.fromkeys((r.ranks, r.nodes) for r in mine))
            for g, (ranks, nodes) in enumerate(groups):
                last = g == len(groups) - 1
                lines.append(f"{'└─' if last else '├─'} {nodes_text(nodes)}, {ranks} ranks")
                leaves = [r for r in mine if (r.ranks, r.nodes) == (ranks, nodes)]
                width = max(len(_size_text(r)) for r in leaves)
                for k, rule in enumerate(leaves):
                    bar = "   " if last else "│  "
                    tip = "└─" if k == len(leaves) - 1 else "├─"
                    lines.append(f"{bar}{tip} {_size_text(rule):<{width}}  {rule.algorithm}")
        return "\n".join(lines) + "\n"


def nodes_text(nodes: Sequence[int]) -> str:
    """1 node; 2, 4 and 8 nodes."""
    return join_words([str(n) for n in nodes[:-1]] + [counted(nodes[-1], "node")])


def _size_text(rule: Rule) -> str:
    if rule.bytes_min is None and rule.bytes_end is None:
        return "any size"
    if rule.bytes_min is None:
        return f"below {rounded_size(rule.bytes_end or 0)}"
    if rule.bytes_end is None:
        return f"from {rounded_size(rule.bytes_min)}"
    return f"from {rounded_size(rule.bytes_min)} to {rounded_size(rule.bytes_end)}"


def fit_tree(times: pd.DataFrame, tolerance: float = 0.02) -> Tree:
    """The smallest set of rules whose choice is within `tolerance` of the best at every measured point.

    Exact, not greedy: for each collective and number of ranks, the node counts are cut into runs of
    neighbours, and within each run the sizes into ranges with one algorithm each; among all such partitions the one with the
    fewest rules is taken, and of these the one that loses least in all.
    """
    rules: list[Rule] = []
    for (collective, ranks), frame in times.groupby(["collective", "ranks"], sort=False):
        groups = cut({int(n): by_name(part) for n, part in frame.groupby("nodes")}, tolerance)
        for g, (group, pieces, edges) in enumerate(groups):
            low = None if g == 0 else group[0]
            high = None if g == len(groups) - 1 else groups[g + 1][0][0] - 1
            for piece, start, end in zip(pieces, [None, *edges], [*edges, None], strict=True):
                rules.append(
                    Rule(str(collective), int(ranks), low, high, group, start, end, piece.name, piece.worst, piece.mean)
                )
    return Tree(tolerance, tuple(rules))


def cut(wide: Mapping[int, pd.DataFrame], tolerance: float) -> list[tuple[tuple[int, ...], list[Piece], list[int]]]:
    """The numbers (of nodes, or of ranks) cut into runs, the sizes of each run into pieces, and the first size of each piece but the
    first; all in all the fewest pieces that `fit_tree` describes. `wide`: number → times of names by size."""
    groups = _partition({n: _losses(w) for n, w in wide.items()}, tolerance)
    return [
        (group, pieces, [threshold([wide[n] for n in group], a, b) for a, b in pairwise(pieces)])
        for group, pieces in groups
    ]


_Groups = list[tuple[tuple[int, ...], list["Piece"]]]  # runs of neighbouring node counts, and how each cuts the sizes


def _partition(loss: Mapping[int, pd.DataFrame], tolerance: float) -> _Groups:
    """The node counts, ascending, cut into the runs that need the fewest pieces, and of these lose least."""
    nodes = sorted(loss)
    best: list[tuple[int, float, _Groups] | None]
    best = [(0, 0.0, [])] + [None] * len(nodes)  # best[k]: the first k node counts are covered
    for end in range(1, len(nodes) + 1):
        for start in range(end):
            before = best[start]
            group = tuple(nodes[start:end])
            pieces = _pieces([loss[n] for n in group], tolerance)
            if before is None or pieces is None:
                continue
            rank = (before[0] + len(pieces), before[1] + sum(p.total for p in pieces))
            if _better(rank, best[end]):
                best[end] = (*rank, [*before[2], (group, pieces)])
    done = best[-1]
    assert done is not None  # a single node count and a single size always have a best
    return done[2]


def _better(rank: tuple[int, float], known: tuple[Any, ...] | None) -> bool:
    """Fewer pieces; of as many, a smaller loss. A tenth of a billionth decides nothing: sums of logarithms differ by rounding."""
    return known is None or rank[0] < known[0] or (rank[0] == known[0] and rank[1] < known[1] - 1e-10)


@dataclass(frozen=True)
class Piece:
    """Neighbouring sizes with one name."""

    name: str
    first_bytes: int
    last_bytes: int
    total: float  # sum of log(time / best)
    worst: float
    mean: float


def _losses(wide: pd.DataFrame) -> pd.DataFrame:
    return np.log(wide.div(wide.min(axis=1), axis=0))


def _pieces(loss: Sequence[pd.DataFrame], tolerance: float) -> list[Piece] | None:
    """The sizes cut into the fewest ranges; None when at some size no name is good enough on all nodes of the group."""
    sizes = sorted(set().union(*(set(f.index) for f in loss)))
    names = [n for n in loss[0].columns if all(n in f.columns for f in loss)]
    if not names:
        return None
    stack = np.stack([f.reindex(index=sizes, columns=names).to_numpy(dtype=float) for f in loss])
    limit = math.log1p(tolerance) + 1e-12
    # A size that one node count lacks altogether does not count there; a missing time of one name bars the name.
    lacking = np.stack([f.reindex(index=sizes).isna().all(axis=1).to_numpy() for f in loss])[:, :, np.newaxis]
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
                before = best[start]
                if before is None:
                    continue
                rank = (before[0] + 1, before[1] + total)
                if _better(rank, best[end]):
                    best[end], back[end] = rank, (start, k)
    if best[n] is None:
        return None
    out: list[Piece] = []
    end = n
    while end > 0:
        start, k = back[end]
        part = cost[start:end, k]
        points = len(loss) * (end - start)
        out.append(
            Piece(
                names[k], int(sizes[start]), int(sizes[end - 1]), float(part.sum()),
                math.expm1(float(worst[start:end, k].max())), math.expm1(float(part.sum()) / points),
            )
        )  # fmt: skip
        end = start
    return out[::-1]


def threshold(wides: Iterable[pd.DataFrame], a: Piece, b: Piece) -> int:
    """First size that belongs to b, between the last measured size of a and the first of b."""
    logs = [math.log(handover(w, a.name, b.name, a.last_bytes, b.first_bytes)) for w in wides]
    at = round(math.exp(sum(logs) / len(logs)))
    return min(max(at, a.last_bytes + 1), b.first_bytes)


def regret(times: pd.DataFrame, choose: Tree | dict[str, str] | str) -> pd.DataFrame:
    """Time lost at every point by a choice, against the best name there.

    `choose` is a tree, a name that is always taken, or a name for each collective. Columns: collective, ranks, nodes, bytes; name,
    what is chosen; time_s, its time (NaN where it has none); best_s, the least; regret, time_s / best_s - 1.
    """
    rows = []
    for (collective, ranks, nodes), wide in cases(times):
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
