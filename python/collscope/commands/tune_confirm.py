"""What `tune --confirm` measures, or simulates: the calls that the model leaves open, the most deciding first, within a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from collscope.base import cache, console, depends
from collscope.base.errors import UsageError
from collscope.base.units import counted, format_size, format_time, parse_time
from collscope.campaigns.run import Kept
from collscope.commands import requests
from collscope.machines.platform import content_hash
from collscope.points.plan import Task, Timing
from collscope.points.table import Row
from collscope.sources import measure
from collscope.sources.launcher import LOCAL, Launcher, launcher_of
from collscope.sources.outcome import OK
from collscope.sources.rows import SOURCES
from collscope.sources.source import Options
from collscope.tuning.confirm import Contest, Measured, Worth
from collscope.tuning.origin import REAL, SIM
from collscope.tuning.rules import Call

PLACE = ("platform", "nodes", "ranks", "mapping")  # columns that say where ranks sit
REPETITIONS = 7
LAUNCH_S = 2.0  # of a real launch, on top of its calls
ROUND_S = 20.0  # so long a round of contests should take: what is over the budget at most, and lost when it is ended
GIVEN_UP_S = 60.0  # a call that takes longer
SIMULATED_S = 0.1  # of a simulated call, until rounds tell


@dataclass(frozen=True)
class How:
    """How open calls are confirmed: the source of their times, what starts real ranks, how long it may take, and where what was measured
    is kept."""

    source: str
    launcher: Launcher
    budget_s: float
    kept: Path
    remeasure: bool

    @property
    def is_real(self) -> bool:
        """Whether the machine is measured."""
        return self.source == REAL


def read(
    source: str | None, budget: str | None, launcher: str | None, hosts: str | None, remeasure: bool, platform: str,
    kept: Path,
) -> How | None:  # fmt: skip
    """The options; None: nothing is confirmed. UsageError: they do not fit each other, or the machine is not here."""
    if source is None:
        for name, value in (("budget", budget), ("launcher", launcher), ("hosts", hosts), ("remeasure", remeasure)):
            if value:
                raise UsageError(f"--{name} goes with --confirm, which measures the calls that the model leaves open")
        return None
    if source not in (REAL, SIM):
        raise UsageError(f"--confirm {source}: name {REAL}, which is the default, or {SIM}")
    if source == SIM and (launcher or hosts or remeasure):
        raise UsageError(
            "--launcher, --hosts and --remeasure are for measured times: drop them, or take --confirm real"
        )
    started = launcher_of(launcher, hosts) if source == REAL else LOCAL
    if source == REAL:
        requests.check_real(platform, started)
    return How(source, started, parse_time("--budget", budget or "10min"), kept, remeasure)


@dataclass
class _Work:
    """Contests under way: what is known, and how much longer rounds take than was estimated."""

    how: How
    tasks: Mapping[Call, Task]
    seconds: Mapping[Call, Mapping[str, float]]
    kept: Kept
    slower: float = 1.0

    def task(self, call: Call, key: str) -> Task:
        layout, point = self.tasks[call]
        return layout, replace(point, algorithm=key, timing=Timing(REPETITIONS if self.how.is_real else None))

    def row(self, call: Call, key: str) -> Row | None:
        return self.kept.row(self.task(call, key))

    def missing(self, contest: Contest) -> list[str]:
        return [key for key in contest.keys if self.row(contest.call, key) is None]

    def cost_s(self, contest: Contest) -> float:
        if not self.how.is_real:
            return SIMULATED_S * len(self.missing(contest))
        calls = REPETITIONS + measure.WARMUP
        return calls * sum(self.seconds[contest.call][key] for key in self.missing(contest))

    def estimate_s(self, contests: Sequence[Contest]) -> float:
        layouts = {self.tasks[contest.call][0] for contest in contests}
        return self.slower * (LAUNCH_S * len(layouts) + sum(map(self.cost_s, contests)))

    def next_round(self, contests: Sequence[Contest], left_s: float) -> list[Contest]:
        """The first of them, as many as fit into a round and into what is left."""
        chosen: list[Contest] = []
        for contest in contests:
            taken = self.estimate_s([*chosen, contest])
            if taken <= left_s:
                chosen.append(contest)
            if taken >= ROUND_S and chosen:
                break
        return chosen


def run(
    contests: Sequence[Contest], tasks: Mapping[Call, Task], seconds: Mapping[Call, Mapping[str, float]], how: How,
    left_s: float, clock: Callable[[], float] = time.monotonic,
) -> tuple[dict[Call, dict[str, Measured]], float]:  # fmt: skip
    """What is known of each contest afterwards, and the seconds spent: what was kept costs nothing. `tasks`: a point of each call, whose
    algorithm is replaced; `seconds`: what keys take by the model."""
    work = _Work(how, tasks, seconds, Kept.of(how.kept, how.remeasure, _is_of(how, tasks)))
    begin = clock()
    open_ones = [contest for contest in contests if work.missing(contest)]
    if len(open_ones) < len(contests):
        console.note(
            f"{counted(len(contests) - len(open_ones), 'open call')} measured before; --remeasure measures again"
        )
    try:
        while chosen := work.next_round(open_ones, left_s - (clock() - begin)):
            estimate, before = work.estimate_s(chosen), clock()
            _measure(work, chosen, len(open_ones))
            work.slower = max(1.0, work.slower * (clock() - before) / estimate)
            done = set(chosen)
            open_ones = [contest for contest in open_ones if contest not in done]
    finally:
        work.kept.write()
    return _found(work, contests), clock() - begin


def _is_of(how: How, tasks: Mapping[Call, Task]) -> Callable[[Row], bool]:
    """Whether a kept row is of these layouts. What was simulated holds for the very numbers of the machine and the sources that it follows
    from; what was measured is a fact, whatever its machine's file says."""

    places = {tuple(layout.cells()[name] for name in PLACE): layout for layout, _ in tasks.values()}
    sources = "" if how.is_real else cache.sources_hash(*depends.SIMULATION)[:12]
    hashes = {
        at: content_hash(layout.platform)[:12] for at, layout in places.items() if layout.platform and not how.is_real
    }

    def is_mine(row: Row) -> bool:
        at = tuple(row[name] for name in PLACE)
        same = how.is_real or (row["platform_hash"], row["sources_hash"]) == (hashes.get(at), sources)
        return at in places and same

    return is_mine


def _measure(work: _Work, chosen: Sequence[Contest], left: int) -> None:
    """A round."""
    tasks = [work.task(contest.call, key) for contest in chosen for key in work.missing(contest)]
    title = f"{'measuring' if work.how.is_real else 'simulating'} {len(chosen)} of {counted(left, 'open call')}"
    options = Options(title=title, launcher=work.how.launcher, point_timeout_s=GIVEN_UP_S, on_row=work.kept.add)
    for row in SOURCES[work.how.source].rows(tasks, options):
        work.kept.add(row)


def _found(work: _Work, contests: Sequence[Contest]) -> dict[Call, dict[str, Measured]]:
    """Of the contests of which at least two times are known."""
    found: dict[Call, dict[str, Measured]] = {}
    for contest in contests:
        rows = {key: work.row(contest.call, key) for key in contest.keys}
        known = {key: _measured(row) for key, row in rows.items() if row and row["kind"] == OK}
        if len(known) > 1:
            found[contest.call] = known
    return found


def _measured(row: Row) -> Measured:
    median = float(row["median_s"])
    return Measured(median, float(row["q1_s"] or median), float(row["q3_s"] or median))


def gone(before: Sequence[Worth], after: Sequence[Worth]) -> list[str]:
    """The rules of the model that were slower than the library's own choice, and what stands there now."""
    now = {w.call: w.key for w in after}
    return [
        f"{_slower(w)}; now {now.get(w.call, w.default_key)}"
        for w in before
        if w.is_slower and now.get(w.call) != w.key
    ]


def left(after: Sequence[Worth]) -> list[str]:
    """The rules that are slower than the library's own choice and still stand: by too little to decide anything."""
    return [_slower(w) for w in after if w.is_slower and w.key != w.default_key]


def _slower(w: Worth) -> str:
    assert w.rule
    return (
        f"{w.call[0]}, {w.call[1]} ranks, {format_size(w.call[2])}: {w.key} took {format_time(w.rule.median_s)}, the library's own "
        f"choice {w.default_key} {format_time(w.default.median_s)}"
    )
