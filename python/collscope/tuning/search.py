"""What is timed for rules: calls on a grid of ranks and sizes, and held-out ones between them, each with all that competes for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isqrt

import pandas as pd

from collscope.catalogue import registry
from collscope.catalogue.keys import Key
from collscope.points.plan import Layout, Point, Task
from collscope.points.sweep import Sweep
from collscope.points.table import Row
from collscope.tuning.rules import OWN, Call
from collscope.tuning.targets import Target, is_made_of_others

MAX_SEGMENTS = 256
ALL_RANKS = 12  # so many numbers of ranks are sampled one by one


@dataclass(frozen=True)
class Grid:
    """Numbers of ranks and bytes of the vector: what rules are made from, and what they are checked on."""

    ranks: tuple[int, ...]
    sizes: tuple[int, ...]
    other_ranks: tuple[int, ...]
    other_sizes: tuple[int, ...]

    @staticmethod
    def of(ranks: Sequence[int], sizes: Sequence[int]) -> Grid:
        """Of many numbers of ranks, the powers of two, three quarters of them and the ends are sampled; a number between two of these is
        held out, as is a size between two sizes."""
        p, n = sorted(set(ranks)), sorted(set(sizes))
        sampled = [
            r for r in p if len(p) <= ALL_RANKS or r in (p[0], p[-1]) or r & (r - 1) == 0 or is_three_quarters(r)
        ]
        between = [r for r in p if r not in sampled]
        others = [next((r for r in between if a < r < b and 2 * r >= a + b), None) for a, b in pairwise(sampled)]
        sizes_between = tuple(isqrt(a * b) for a, b in pairwise(n) if b > a + 1)
        return Grid(tuple(sampled), tuple(n), tuple(r for r in others if r), sizes_between)

    def tasks(self, target: Target, collectives: Iterable[str], layouts: Sequence[Layout]) -> list[Task]:
        """Every call with all that competes for it: by layout, then size. A segment that holds the whole vector is not one;
        more than MAX_SEGMENTS of them are not tried."""
        keys = [(c, key) for c in collectives for key in (*target.keys(c), target.default)]
        sizes = sorted({*self.sizes, *self.other_sizes})
        return [
            (layout, point)
            for layout, point in Sweep(keys, sizes, layouts, fit="round").tasks()
            if competes(point, layout.ranks)
        ]

    def is_sampled(self, ranks: int, size: int, whole: int) -> bool:
        """Whether rules are made from this call: its size is that of a sampled one, rounded down to the `whole` bytes of an element on each
        rank."""
        return ranks in self.ranks and size in {max(whole, n // whole * whole) for n in self.sizes}


def call_of(task: Task, target: Target) -> Call:
    """The call of a task, by the size that the target's rules compare."""
    layout, point = task
    return point.collective, layout.ranks, target.bytes(point.collective, point.bytes(layout.ranks), layout.ranks)


def calls_of(tasks: Iterable[Task], target: Target) -> dict[Call, Task]:
    """A point of each call, the first of them."""
    made: dict[Call, Task] = {}
    for task in tasks:
        made.setdefault(call_of(task, target), task)
    return made


def competes(point: Point, ranks: int) -> bool:
    """Whether its segments and chains are worth a try: see Grid.tasks."""
    segment, size = int(point.key.values.get("s", 0)), point.bytes(ranks)
    fits = not segment or size / MAX_SEGMENTS <= segment < size
    return fits and int(point.key.values.get("chains", 1)) < max(2, ranks)


def is_three_quarters(number: int) -> bool:
    """3, 6, 12, 24, …"""
    return number % 3 == 0 and (number // 3) & (number // 3 - 1) == 0


@dataclass(frozen=True)
class Program:
    """What programs call. `calls`: how many of each call; `bounds`: the first and the last size that they call of a collective, on so many
    ranks."""

    calls: Mapping[Call, float]
    bounds: Mapping[tuple[str, int], tuple[int, int]]


@dataclass(frozen=True)
class Times:
    """What was timed. `frame`: as rules has it, without what cannot be chosen; `default`: call → key and seconds of the library's own
    choice; `held_out`: calls that no rule is made from; `program`: whose calls these are; None: all calls count alike; `slower`: call and
    name → seconds that it takes more than, of what has no time, since it is slower than the best; `at_least`: calls whose default is
    such."""

    frame: pd.DataFrame
    default: dict[Call, tuple[str, float]]
    held_out: frozenset[Call]
    program: Program | None = None
    slower: Mapping[tuple[Call, str], float] = field(default_factory=dict)
    at_least: frozenset[Call] = frozenset()

    @property
    def sampled(self) -> pd.DataFrame:
        """The frame of the calls that rules are made from."""
        return self.of(call for call in self.default if call not in self.held_out)

    def of(self, calls: Iterable[Call]) -> pd.DataFrame:
        """The frame of these calls."""
        these = set(calls)
        keep = [
            call in these
            for call in zip(self.frame["collective"], self.frame["ranks"], self.frame["bytes"], strict=True)
        ]
        return self.frame[keep]


def times_of(rows: Sequence[Row], target: Target, grid: Grid) -> Times:
    """The times of a model's or a simulation's rows of the grid's tasks, of calls where the library's own choice has one."""
    known = registry.load()
    cells: list[tuple[str, int, int, str, float]] = []
    default: dict[Call, tuple[str, float]] = {}
    held_out: set[Call] = set()
    slower: dict[tuple[Call, str], float] = {}
    at_least: set[Call] = set()
    for row in rows:
        time_s, slower_than_s = float(row["median_s"] or math.nan), row.get("slower_than_s")
        if math.isnan(time_s) and slower_than_s is None:
            continue
        collective, ranks, size = str(row["collective"]), int(row["ranks"]), int(row["bytes"])
        call = (collective, ranks, target.bytes(collective, size, ranks))
        whole = known.type_bytes(row["type"]) * (ranks if known.collective(collective).counts_blocks else 1)
        if not grid.is_sampled(ranks, size, whole):
            held_out.add(call)
        name = str(row["algorithm"])
        if Key.parse(name).is_decision:
            default[call] = (str(row["chose"]), time_s if slower_than_s is None else slower_than_s)
            at_least |= {call} if slower_than_s is not None else set()
            algorithm = known.algorithm(default[call][0])
            assert algorithm
            name = OWN if target.may_decline else default[call][0]
            if target.may_decline and is_made_of_others(algorithm):
                continue  # the library would make it of what its new rules say
        if slower_than_s is not None:
            slower[call, name] = max(slower_than_s, slower.get((call, name), 0.0))
        cells.append((*call, name, time_s))
    frame = pd.DataFrame(cells, columns=["collective", "ranks", "bytes", "name", "time_s"])
    best = frame.groupby(["collective", "ranks", "bytes"])["time_s"].min().to_dict()
    for call in [
        call for call in at_least if not default[call][1] >= best.get(call, math.inf)
    ]:  # perhaps the best, but too long
        del default[call]
    there = [call in default for call in zip(frame["collective"], frame["ranks"], frame["bytes"], strict=True)]
    frame = frame[pd.Series(there, dtype=bool)].reset_index(drop=True)  # a gain is against the library's own choice
    return Times(frame, default, frozenset(held_out), None, slower, frozenset(at_least & default.keys()))
