"""What `tune --profile` times for rules: the calls of programs, each with the weight of the time that it takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isqrt

from collscope.base.errors import UserError
from collscope.base.units import format_ranks, join_words
from collscope.catalogue import registry
from collscope.commands import advise_model
from collscope.commands.tune_search import Search, Searched
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Task
from collscope.points.table import Row
from collscope.sources import model
from collscope.sources.source import Options
from collscope.tuning import demand, profiles, search
from collscope.tuning.demand import Demand, Load
from collscope.tuning.search import Grid, Times
from collscope.tuning.targets import Target
from collscope.tuning.uses import Profile, Use

NOTHING_SAMPLED = Grid((), (), (), ())


def read(files: Sequence[str], assume_world: bool, target: Target) -> list[Profile]:
    """The profiles. UserError: one cannot be used; they are of several libraries. UsageError: rules for another library."""
    made = profiles.read_all(files, assume_world)
    profiles.check_library(made[0], target)
    return made


def own_choice(made: Sequence[Profile], target: Target) -> Target:
    """The target with the own choice of the library that the programs ran with, where that is known."""
    decision = profiles.decision_of(made[0].library)
    return replace(target, default=decision) if decision else target


def of_programs(
    made: Sequence[Profile], platform: Platform, target: Target, collectives: Collection[str] | None, is_real: bool
) -> Search:
    """UserError: the machine has no place for a program's ranks, or no rule can be made for any of the calls."""
    library = made[0].library
    decision = profiles.decision_of(library) if library else target.default
    chosen: list[tuple[Profile, list[Use]]] = []
    left_out: list[list[tuple[Use, str]]] = []
    for profile in made:
        advise_model.check_fits(profile, platform)
        reasons = [(use, _reason(use, target, decision, collectives)) for use in profile.uses]
        chosen.append((profile, [use for use, why in reasons if not why]))
        left_out.append([(use, why) for use, why in reasons if why])
    plans = [_Plan.of(use, platform, target, is_real) for _, uses in chosen for use in uses]
    plans.sort(key=lambda plan: -plan.use.working_s)
    groups = _groups(plans, target)
    between = {held: [task for plan in _main(of) for task in plan.between(of, target)] for held, of in groups.items()}
    tasks = list(dict.fromkeys([t for plan in plans for t in plan.all] + [t for of in between.values() for t in of]))
    title = f"tune for {target.title}: {join_words([profile.file for profile in made])}"
    rows = dict(zip(tasks, model.rows(tasks, Options(title=title)) if tasks else [], strict=True))
    loads = {id(plan.use): plan.load(rows, target) for plan in plans}
    demands = [
        Demand(
            profile,
            [load for use in uses if isinstance(load := loads[id(use)], Load)],
            [*without, *((use, why) for use in uses if isinstance(why := loads[id(use)], str))],
        )
        for (profile, uses), without in zip(chosen, left_out, strict=True)
    ]
    if not any(d.loads for d in demands):
        why = join_words(list(dict.fromkeys(f"{use.collective}: {why}" for d in demands for use, why in d.left_out)))
        raise UserError(
            f"{join_words([p.file for p in made])}: no rule for {target.title} can be made for any of the calls ({why}); "
            "name --ranks and --bytes instead of --profile"
        )
    parts = []
    for held, of in groups.items():
        there = [load for plan in of if isinstance(load := loads[id(plan.use)], Load)]
        if there:
            held_out = search.times_of([rows[task] for task in between[held]], target, NOTHING_SAMPLED)
            times = demand.mixed(there, held_out)
            parts.append(Searched(of[0].use.per_node, held, [t for p in of for t in p.calls] + between[held], times))
    return _search(parts, demands)


def _reason(use: Use, target: Target, decision: str | None, collectives: Collection[str] | None) -> str:
    """Why no rule is made for calls; "": one is."""
    if collectives is not None and use.collective not in collectives:
        return "not named with -c"
    return advise_model.reason_against(use, target, decision)


def _search(parts: Sequence[Searched], demands: Sequence[Demand]) -> Search:
    loads = [load for d in demands for load in d.loads]
    nodes: dict[int, int] = {}
    for load in loads:
        p, on = load.call[1], load.use.nodes or 1
        nodes[p] = max(nodes.get(p, p), on, key=lambda n, p=p: (1 < n < p, n < p))  # type: ignore[misc]
    each = sorted({load.use.per_node or 1 for load in loads})
    sizes = sorted({load.vector_bytes for load in loads})
    return Search(parts, nodes, format_ranks(nodes), ",".join(map(str, each)), ",".join(map(str, sizes)), demands)


@dataclass(frozen=True)
class _Plan:
    """The tasks of a use. `calls`: of its class's first, mean and last size, with all that competes; `own`: what ran, where it is known;
    `mean`: a task of the mean size."""

    use: Use
    layout: Layout
    calls: Sequence[Task]
    own: Task | None
    mean: Task

    @staticmethod
    def of(use: Use, platform: Platform, target: Target, is_real: bool) -> _Plan:
        assert use.bytes and use.mean_bytes
        layout, mean = advise_model.layout_of(use, platform, is_real), round(use.mean_bytes)
        calls = [t for size in (use.bytes[0], mean, use.bytes[1]) for t in _tasks(use, layout, target, size)]
        own = (layout, advise_model.point_of(use, use.algorithm, mean)) if use.algorithm else None
        at = (layout, advise_model.point_of(use, target.default, mean))
        return _Plan(use, layout, list(dict.fromkeys(calls)), own, at)

    @property
    def all(self) -> list[Task]:
        return [*self.calls, *([self.own] if self.own else [])]

    def between(self, others: Sequence[_Plan], target: Target) -> list[Task]:
        """Of held-out calls: a size between each two classes of the program on so many ranks."""
        same = [p.use for p in others if (p.use.collective, p.use.ranks) == (self.use.collective, self.use.ranks)]
        classes = sorted({use.bytes for use in same if use.bytes})
        gaps = [(a[1], b[0]) for a, b in pairwise(classes) if b[0] > a[1] + 1]
        return [task for low, high in gaps for task in _tasks(self.use, self.layout, target, isqrt(low * high))]

    def load(self, rows: Mapping[Task, Row], target: Target) -> Load | str:
        """What the model says of the use; why it has no time."""
        ranks = self.layout.ranks
        sizes = tuple(sorted({point.bytes(ranks) for _, point in self.calls}))
        times = search.times_of([rows[task] for task in self.calls], target, Grid((ranks,), sizes, (), ()))
        call = search.call_of(self.mean, target)
        ran = rows[self.own or self.mean]
        if call not in times.default or not ran["median_s"]:
            return f"{ran['algorithm']} has no time: {ran['status']}"
        now = str(ran["chose"] or ran["algorithm"])
        return Load(
            self.use, call, self._bounds(target, times), self.mean[1].bytes(ranks), now, float(ran["median_s"]), times
        )

    def _bounds(self, target: Target, times: Times) -> tuple[int, int]:
        """Of its class, as rules compare sizes, and of what was timed for it, which is of whole elements."""
        assert self.use.bytes
        blocks = registry.load().collective(self.use.collective).counts_blocks and target.per_vector
        whole, timed = self.layout.ranks if blocks else 1, [size for _, _, size in times.default]
        return min(self.use.bytes[0] * whole, *timed), max((self.use.bytes[1] + 1) * whole - 1, *timed)


def _tasks(use: Use, layout: Layout, target: Target, size: int) -> list[Task]:
    """A call with all that competes for it."""
    points = [advise_model.point_of(use, key, size) for key in (*target.keys(use.collective), target.default)]
    return [(layout, point) for point in points if search.competes(point, layout.ranks)]


def _groups(plans: Sequence[_Plan], target: Target) -> dict[tuple[int, int] | None, list[_Plan]]:
    """By the ranks per node that rules name; where they cannot, or need not, all together."""
    numbers = {plan.use.per_node or 1 for plan in plans}
    made: dict[tuple[int, int] | None, list[_Plan]] = {}
    for plan in plans:
        each = plan.use.per_node or 1
        made.setdefault((each, each) if target.knows_nodes and len(numbers) > 1 else None, []).append(plan)
    return made


def _main(plans: Sequence[_Plan]) -> list[_Plan]:
    """Of each collective and number of ranks the plan that takes most of the time: the first."""
    made: dict[tuple[str, int | None], _Plan] = {}
    for plan in plans:
        made.setdefault((plan.use.collective, plan.use.ranks), plan)
    return list(made.values())
