"""The whole synthesis of one call on one machine: what the catalogue has, what the solver and the greedy search find, and the fastest of
all of them with its operations in a better order."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from collscope.base.errors import UserError
from collscope.base.units import counted
from collscope.catalogue import registry
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Layout, Point, plan_text
from collscope.points.table import Row
from collscope.sources import bounds, model
from collscope.sources.outcome import OK
from collscope.synthesis import exact, greedy, improve, network, pareto
from collscope.synthesis.demand import BACKWARD, BOTH, Send, chunks_of, design_of, moving
from collscope.synthesis.emit import Call, schedule_of
from collscope.synthesis.improve import Candidate
from collscope.synthesis.judge import Judge, judging

METHODS = ("exact", "greedy", "reordered")
MAX_EXACT_RANKS = 16
MAX_EXACT_CHUNKS = 128
FROM_CATALOGUE = 4  # its fastest, whose operations are put into another order
SHARES = {"exact": 0.4, "greedy": 0.7}  # of the time: how long the solver is asked; until when all candidates are there
SEEDS = 8
STARTS = 3  # of the local search
WEIGHTS = (
    1,
    16,
    1 / 16,
)  # of a block's bytes beside the latency: the engine knows more of both than the solver's model


@dataclass(frozen=True)
class Task:
    """What is searched: a call in a layout. `time_s` is how long; `tries` how often the local search may ask the engine."""

    layout: Layout
    point: Point  # its algorithm means nothing
    time_s: float
    methods: tuple[str, ...] = METHODS
    parts: int | None = None
    steps: int | None = None
    rounds: int | None = None
    tries: int = 1_000_000
    seed: int = 0


@dataclass(frozen=True)
class Outcome:
    """What was found. `best` None: nothing at all, before the user stopped it."""

    catalogue: Row | None  # the fastest of it
    bound_s: float  # telephone
    loggp_s: float  # that no makespan beats
    solver: pareto.Cheapest | None  # what it said; None: it was not asked
    candidates: tuple[Candidate, ...]  # the fastest of each method, the fastest first
    evaluations: int
    seconds: float
    stopped: bool
    wrong: tuple[str, ...] = ()  # what was found and is wrong: why

    @property
    def best(self) -> Candidate | None:
        """The fastest that is right."""
        return self.candidates[0] if self.candidates else None


@dataclass(frozen=True)
class _Work:
    """What the parts of a search share; the lists grow."""

    task: Task
    judge: Judge
    network: network.Network
    began: float
    say: Callable[[str], None]
    found: list[Candidate] = field(default_factory=list)
    solver: list[pareto.Cheapest] = field(default_factory=list)  # the first is about the call's own size

    @property
    def spent_s(self) -> float:
        return time.monotonic() - self.began

    def over(self, share: float = 1.0) -> bool:
        """Whether this share of the time has gone."""
        return self.spent_s >= share * self.task.time_s

    def call(self) -> Call:
        return Call(self.task.point.count, registry.load().type_bytes(self.task.point.type))


def run(task: Task, say: Callable[[str], None] = lambda text: None) -> Outcome:
    """Searches until the time is over, or the user stops it: then what was found so far is the answer. UserError, UsageError: it cannot be
    searched."""
    layout, point = task.layout, task.point
    moving(point.collective)
    on = network.of_layout(layout)
    if "exact" in task.methods and layout.ranks <= MAX_EXACT_RANKS:
        exact.ready()
    began = time.monotonic()
    assert layout.platform
    machine = machine_file(layout.platform, layout.nodes, layout.ranks, layout.mapping)
    rows: list[Row] = []
    stopped = False
    with judging(machine) as judge:
        work = _Work(task, judge, on, began, say)
        try:
            say("timing the catalogue")
            rows = _catalogue(task)
            _candidates(work, rows)
            _local_search(work)
        except KeyboardInterrupt:
            stopped = True
            if not work.found:
                raise UserError("stopped before anything was found; nothing is written") from None
        best, wrong = _right(work)
        telephone, loggp = _bounds(task)
        return Outcome(
            catalogue=rows[0] if rows else None,
            bound_s=telephone,
            loggp_s=loggp,
            solver=work.solver[0] if work.solver else None,
            candidates=best,
            evaluations=judge.calls,
            seconds=time.monotonic() - began,
            stopped=stopped,
            wrong=wrong,
        )


def _catalogue(task: Task) -> list[Row]:
    """Its rows that have a time, the fastest first."""
    keys = [a.full_key() for a in registry.load().of(task.point.collective)]
    rows = model.run_tasks([(task.layout, replace(task.point, algorithm=key)) for key in keys])
    timed = [row for row in rows if row["kind"] == OK]
    return sorted(timed, key=lambda row: (row["median_s"], row["algorithm"]))


def _bounds(task: Task) -> tuple[float, float]:
    rows = bounds.rows_of([(task.layout, replace(task.point, algorithm="bound"))], (bounds.TELEPHONE, bounds.LOGGP))
    times = {row["algorithm"]: float(row["median_s"]) for row in rows}
    return times[bounds.TELEPHONE], times[bounds.LOGGP]


def _candidates(work: _Work, rows: Sequence[Row]) -> None:
    task = work.task
    if "exact" in task.methods:
        _exact(work)
    if "reordered" in task.methods:
        for row in rows[:FROM_CATALOGUE]:
            work.say(f"another order of {row['algorithm']}")
            point = replace(task.point, algorithm=row["algorithm"])
            base = work.judge.recorded(plan_text([("1", point)], task.layout.ranks))
            if base:
                named = replace(base, origin=f"synthesised:{base.origin}")
                _keep(work, improve.variants("reordered", row["algorithm"], named, work.judge))
    if "greedy" in task.methods:
        _greedy(work)


def _exact(work: _Work) -> None:
    task, collective = work.task, work.task.point.collective
    root = task.point.root
    if task.layout.ranks > MAX_EXACT_RANKS:
        work.say(f"the solver is for at most {MAX_EXACT_RANKS} ranks")
        return
    chunks = len(chunks_of(moving(collective), task.layout.ranks, root, 1))
    max_parts = max(1, min(4, MAX_EXACT_CHUNKS // max(chunks, 1)))
    search = pareto.search_of(work.network, collective, root, max_parts, task.parts, task.steps, task.rounds)
    block, kept = _block_bytes(task), set()
    began_s = work.spent_s
    for weight in WEIGHTS:
        limit_s = SHARES["exact"] * task.time_s - (work.spent_s - began_s)
        if limit_s <= 0:
            return
        if weight == 1:
            limit_s /= 2
        answer = pareto.cheapest(
            search,
            int(block * weight),
            limit_s,
            lambda s: work.say(f"solver: {s.parts} parts, {s.steps} steps, {s.rounds} rounds"),
        )
        work.solver.append(answer)
        found = answer.found
        if found is not None and found.shape not in kept:
            kept.add(found.shape)
            _keep_design(work, "exact", found.shape.parts, found.answer.sends, found.shape.rounds)
        if answer.stopped:
            raise KeyboardInterrupt


def _greedy(work: _Work) -> None:
    task, collective = work.task, work.task.point.collective
    on = work.network.reversed() if collective in BACKWARD else work.network
    for seed in range(SEEDS):
        for parts in [task.parts] if task.parts else (1, 2, 4):
            for nearest in (True, False):
                if work.over(SHARES["greedy"]):
                    return
                work.say(f"greedy: {parts} parts, seed {seed + task.seed}")
                chunks = chunks_of(moving(collective), task.layout.ranks, task.point.root, parts)
                sends = greedy.schedule(on, chunks, seed + task.seed, nearest)
                if sends:
                    _keep_design(work, "greedy", parts, sends, max(s.step for s in sends))


def _keep_design(work: _Work, method: str, parts: int, sends: Sequence[Send], rounds: int) -> None:
    task = work.task
    design = design_of(task.point.collective, work.network, task.point.root, parts, sends, rounds)
    what = f"{counted(parts, 'part')}, {counted(design.steps, 'step')}, {counted(design.rounds, 'round')}"
    for in_step in (False, True):
        made = schedule_of(design, work.call(), f"synthesised:{method}", in_step)
        words = f"{what}, step by step" if in_step else what
        _keep(work, improve.variants(method, words, made, work.judge, (1, 2, 4) if method == "exact" else (1,)))


def _keep(work: _Work, candidate: Candidate | None) -> None:
    if candidate is not None:
        work.found.append(candidate)


def _local_search(work: _Work) -> None:
    """From the fastest of each method on, the fastest first; then from the fastest of all, until the time is over."""
    task = work.task
    starts = _fastest_of_each(work.found)[:STARTS]
    tries = task.tries // max(1, len(starts))
    for i, start in enumerate(starts):
        work.say(f"another order of {start.what}")
        share = SHARES["greedy"] + (1 - SHARES["greedy"]) * (i + 1) / len(starts)

        def over(share: float = share) -> bool:
            return work.over(share)

        better = work.found.append
        last = improve.improved(start, work.judge, task.seed, tries, over, better)
        _keep(work, last if last is not start else None)


def _fastest_of_each(found: Sequence[Candidate]) -> list[Candidate]:
    best: dict[str, Candidate] = {}
    for each in found:
        if each.method not in best or each.seconds < best[each.method].seconds:
            best[each.method] = each
    return sorted(best.values(), key=lambda c: c.seconds)


def _right(work: _Work) -> tuple[tuple[Candidate, ...], tuple[str, ...]]:
    """The fastest of each method that is right, and what is wrong with faster ones."""
    left, wrong = list(work.found), []
    while True:
        best = _fastest_of_each(left)
        faults = {id(each): work.judge.fault(each.schedule) for each in best}
        bad = [each for each in best if faults[id(each)]]
        wrong += [f"{each.method}, {each.what}: {faults[id(each)]}" for each in bad]
        if not bad:
            return tuple(best), tuple(wrong)
        left = [each for each in left if each not in bad]


def _block_bytes(task: Task) -> int:
    """Of a block, in the collective that is searched."""
    collective, count = task.point.collective, task.point.count
    size = count * registry.load().type_bytes(task.point.type)
    cut = collective in BOTH or collective == "reduce_scatter"
    return -(-size // task.layout.ranks) if cut else size
