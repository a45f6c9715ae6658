"""Rules by ranks and size: the fewest whose choice loses no more than a bound, and what they lose.

Times are frames with the columns collective, ranks, bytes (as the target's rules compare them), name and time_s. A name is a full key, or
OWN: the library's own choice, where a rule can leave a call to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import pandas as pd

from collscope.analysis import tree, weighted
from collscope.analysis.crossover import by_name

OWN = ""
NOISE = 0.01  # of the default's time: a rule that takes longer than that is slower
Call = tuple[str, int, int]  # collective, ranks, bytes


@dataclass(frozen=True)
class Rule:
    """What is taken on so many ranks and for so many bytes; both ends belong to them. `per_node`: and on so many ranks of a node; None:
    on any."""

    collective: str
    ranks: tuple[int, int]
    bytes: tuple[int, int]
    key: str
    per_node: tuple[int, int] | None = None

    def covers(self, call: Call) -> bool:
        """Whether it speaks of this call."""
        name, ranks, size = call
        in_ranks = self.ranks[0] <= ranks <= self.ranks[1]
        return name == self.collective and in_ranks and self.bytes[0] <= size <= self.bytes[1]


def fitted(times: pd.DataFrame, default_s: Mapping[Call, float], loss: float) -> list[Rule]:
    """The fewest rules that lose at most `loss` against the best at every call of `times`, and NOISE against the library's own choice:
    by dynamic programming over sizes, and over runs of neighbouring numbers of ranks."""
    made: list[Rule] = []
    for collective, frame in times.groupby("collective", sort=False):
        wide = {int(p): by_name(part) for p, part in frame.groupby("ranks")}
        wide = {p: _sound(w, default_s, str(collective), p) for p, w in wide.items()}
        groups = tree.cut(wide, loss)
        ends = [group[0] - 1 for group, _, _ in groups[1:]] + [max(wide)]
        for (group, pieces, edges), last in zip(groups, ends, strict=True):
            largest = max(int(wide[p].index.max()) for p in group)
            starts, stops = [0, *edges], [*(edge - 1 for edge in edges), largest]
            for piece, low, high in zip(pieces, starts, stops, strict=True):
                made.append(Rule(str(collective), (group[0], last), (low, high), piece.name))
    return made


def of_program(
    times: pd.DataFrame, default_s: Mapping[Call, float], loss: float, calls: Mapping[Call, float],
    bounds: Mapping[tuple[str, int], tuple[int, int]],
) -> list[Rule]:  # fmt: skip
    """The fewest rules that lose at most `loss` of the time that a program's calls take (`calls`: how many of each), and at every call
    NOISE against the library's own choice. Each number of ranks has rules of its own, within the bounds of its sizes."""
    wide = {
        (str(collective), int(p)): _sound(by_name(part), default_s, str(collective), int(p))
        for (collective, p), part in times.groupby(["collective", "ranks"])
    }
    counts = {(name, p): [calls.get((name, p, int(n)), 0.0) for n in w.index] for (name, p), w in wide.items()}
    made: list[Rule] = []
    for (name, p), pieces in weighted.fewest(wide, counts, loss).items():
        first, last = bounds[name, p]
        starts = [first, *(tree.threshold([wide[name, p]], a, b) for a, b in pairwise(pieces))]
        stops = [*(start - 1 for start in starts[1:]), last]
        for piece, low, high in zip(pieces, starts, stops, strict=True):
            made.append(Rule(name, (p, p), (low, high), piece.name))
    return made


def _sound(times: pd.DataFrame, default_s: Mapping[Call, float], collective: str, ranks: int) -> pd.DataFrame:
    """Times of names by size, without those that are slower than the library's own choice."""
    limit = pd.Series([default_s.get((collective, ranks, int(n)), float("inf")) for n in times.index], times.index)
    return times.where(times.le((1 + NOISE) * limit, axis=0) | times.eq(times.min(axis=1), axis=0))


def filled(rules: Iterable[Rule]) -> list[Rule]:
    """The rules with the library's own choice between them, for a format whose rules have no upper end."""
    made: list[Rule] = []
    for rule in rules:
        last = made[-1] if made else None
        joined = last and (last.collective, last.ranks, last.bytes[1] + 1) == (
            rule.collective, rule.ranks, rule.bytes[0],
        )  # fmt: skip
        made += [] if joined else _own_before(last, rule)
        made.append(rule)
    return made


def _own_before(last: Rule | None, rule: Rule) -> list[Rule]:
    """The library's own choice between a rule and the next."""
    made, start = [], 0
    if last and last.collective == rule.collective:
        if last.ranks == rule.ranks:
            start = last.bytes[1] + 1
        elif last.ranks[1] + 1 < rule.ranks[0]:
            made.append(Rule(rule.collective, (last.ranks[1] + 1, rule.ranks[0] - 1), (0, 0), OWN))
    return (
        [*made, Rule(rule.collective, rule.ranks, (start, rule.bytes[0] - 1), OWN)] if start < rule.bytes[0] else made
    )


def chosen(rules: Iterable[Rule], call: Call) -> Rule | None:
    """The rule that speaks of a call."""
    return next((rule for rule in rules if rule.covers(call)), None)


def declined(rules: Sequence[Rule], doubtful: Iterable[Rule]) -> list[Rule]:
    """The rules with those that are in doubt left to the library; neighbours that say the same are one."""
    gone = set(doubtful)
    made: list[Rule] = []
    for rule in (replace(r, key=OWN) if r in gone else r for r in rules):
        last = made[-1] if made else None
        if last and (last.collective, last.ranks, last.key) == (rule.collective, rule.ranks, rule.key):
            made[-1] = replace(last, bytes=(last.bytes[0], rule.bytes[1]))
        else:
            made.append(rule)
    return made
