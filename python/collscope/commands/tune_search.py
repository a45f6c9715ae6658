"""What `tune` times for rules: calls on the numbers of ranks and sizes that its options name."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from collscope.base import console
from collscope.base.errors import UsageError, UserError
from collscope.base.units import counted, format_ranks, parse_ranks, parse_sizes
from collscope.commands import requests
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Point, Task
from collscope.points.table import Row
from collscope.sources import model, race
from collscope.sources.race import Entry
from collscope.sources.source import Options
from collscope.tuning import search
from collscope.tuning.demand import Demand
from collscope.tuning.rules import NOISE, Call
from collscope.tuning.search import Grid, Times
from collscope.tuning.targets import Target

MAX_VERIFIED = 17  # ranks, which share this machine's cores
OWN_LOSS = 9.0  # of the library's own choice against the best: where it is larger, that it is has to do


@dataclass(frozen=True)
class Searched:
    """What was timed for so many ranks on a node (None: as many as it has cores). `held`: the ranks per node that its rules name; `tasks`:
    of each call some, the first of which stands for it; `complete`: finds times that were left out, up to that of the library's own choice;
    None: none was."""

    per_node: int | None
    held: tuple[int, int] | None
    tasks: Sequence[Task]
    times: Times
    complete: Callable[[Collection[tuple[Call, str]]], Times] | None = None


@dataclass(frozen=True)
class Search:
    """All that was timed. `nodes`: by number of ranks, on how many nodes they are; `demands`: of programs' profiles, whose calls these are;
    `ranks`, `per_node`, `sizes`: as the files say them."""

    parts: Sequence[Searched]
    nodes: Mapping[int, int]
    ranks: str
    per_node: str
    sizes: str
    demands: Sequence[Demand] = ()


@dataclass(frozen=True)
class Work:
    """What is timed for so many ranks on a node."""

    per_node: int | None
    ranks: Sequence[int]
    held: tuple[int, int] | None  # the ranks per node that rules of it name

    @staticmethod
    def of(ranks: Sequence[int], per_node: str | None, target: Target) -> list[Work]:
        """For each number of ranks per node. On one node ranks sit as with a smaller number, so only larger numbers are timed.
        UsageError: rules cannot speak of several, or there is nothing left for one."""
        numbers = parse_ranks(per_node, "ranks-per-node") if per_node else []
        if len(numbers) < 2:
            return [Work(numbers[0] if numbers else None, ranks, None)]
        if not target.knows_nodes:
            raise UsageError(
                f"--ranks-per-node {per_node}: rules for {target.title} speak of ranks and sizes alone; give one number, and make a "
                "folder for each (--for collscope has rules by ranks per node)"
            )
        made = []
        for less, each in pairwise([0, *sorted(numbers)]):
            left = [p for p in ranks if p > less]
            if not left:
                raise UsageError(f"--ranks-per-node {per_node}: of --ranks none needs more than {less} per node")
            made.append(Work(each, left, (less + 1, each)))
        return made


class _Raced:
    """Calls of which only what is as fast as the best by a loss has a time, and the library's own choice up to OWN_LOSS."""

    def __init__(self, tasks: Sequence[Task], target: Target, grid: Grid, loss: float) -> None:
        calls: dict[tuple[Layout, Point], list[Entry]] = {}
        for layout, point in tasks:
            within = OWN_LOSS if point.key.is_decision else loss
            one = (layout, replace(point, algorithm=""))
            calls.setdefault(one, []).append(Entry((layout, point), within))
        self.target, self.grid, self.title = target, grid, f"tune for {target.title}"
        self.rows = self._rows_of(list(calls.values()))
        left_out = Counter(
            layout.ranks for (layout, _), row in self.rows.items() if str(row["status"]).startswith("not timed")
        )
        for ranks, number in left_out.items():
            console.note(f"{counted(number, 'point')} on {ranks} ranks too long to be timed, and not chosen")

    def _rows_of(self, calls: Sequence[Sequence[Entry]]) -> dict[Task, Row]:
        tasks = [entry.task for call in calls for entry in call]
        return dict(zip(tasks, race.rows(calls, Options(title=self.title)), strict=True))

    def times(self) -> Times:
        """What is known."""
        return search.times_of(list(self.rows.values()), self.target, self.grid)

    def complete(self, pairs: Collection[tuple[Call, str]]) -> Times:
        """With the times of these, or that they are slower than the library's own choice."""
        default = self.times().default
        of = [task for task in self.rows if (search.call_of(task, self.target), task[1].algorithm) in pairs]
        limits = [(1 + NOISE) * default[search.call_of(task, self.target)][1] for task in of]
        found = self._rows_of([[Entry(task, stop_s=limit_s)] for task, limit_s in zip(of, limits, strict=True)])
        for row in found.values():  # what is too long to be timed is not chosen
            if "slower_than_s" in row:
                row["slower_than_s"] = math.inf
        self.rows |= found
        return self.times()


def on_grid(
    platform: Platform, target: Target, collectives: Sequence[str], ranks: str, per_node: str | None, sizes: str,
    is_real: bool, loss: float | None,
) -> Search:  # fmt: skip
    """`loss`: what rules may lose, where they follow from these times alone: what is slower need not be timed. UsageError: no number of
    ranks sends anything. UserError: no call has a time."""
    numbers = [p for p in parse_ranks(ranks) if p > 1]
    if not numbers:
        raise UsageError(f"--ranks {ranks}: one rank sends nothing; name 2 or more")
    parts: list[Searched] = []
    on_nodes: dict[int, int] = {}
    for work in Work.of(numbers, per_node, target):
        grid = Grid.of(work.ranks, parse_sizes(sizes))
        verifiable = [p for p in work.ranks if p <= MAX_VERIFIED]
        nodes = {
            p: -(-p // work.per_node) if work.per_node else None for p in {*grid.ranks, *grid.other_ranks, *verifiable}
        }
        layout = {p: requests.make_layout(platform, n, p, "block", is_real) for p, n in nodes.items()}
        layouts = [layout[p] for p in (*grid.ranks, *grid.other_ranks)]
        tasks = grid.tasks(target, collectives, layouts)
        raced = _Raced(tasks, target, grid, loss) if loss is not None else None
        rows = [] if raced else model.rows(tasks, Options(title=f"tune for {target.title}"))
        times = raced.times() if raced else search.times_of(rows, target, grid)
        if not times.default:
            raise UserError(
                f"{platform.name}: no call could be timed on {format_ranks(grid.ranks)} ranks; give other --ranks"
            )
        parts.append(Searched(work.per_node, work.held, tasks, times, raced.complete if raced else None))
        on_nodes |= {p: layout[p].nodes for p in sorted(layout)}
    return Search(parts, on_nodes, ranks, per_node or "", sizes)
