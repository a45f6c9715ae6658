"""Simulated points: the driver under smpirun.

Launches run side by side, the most expensive first; each finished point goes into the cache at once, under a hash of all that its
number depends on: the C sources and what was built of them, the platform, the SimGrid version, the layout and the point.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import cached_property

from collscope.base import cache, console, depends, programs
from collscope.base.errors import UserError
from collscope.base.progress import LONG_S, Progress
from collscope.machines.placement import identity
from collscope.machines.platform import content_hash
from collscope.points.plan import Layout, Point, Task, Timing, describe
from collscope.points.table import Row, make_row
from collscope.sources import forecast, remote, smpirun
from collscope.sources.batches import Batch, batches, estimate
from collscope.sources.batches import simulate as simulate_batch
from collscope.sources.launch import Children
from collscope.sources.outcome import DIED, FAILED, LIMIT, STOPPED, UNSUPPORTED, Outcome, overlaps, summarise
from collscope.sources.source import Options, Source, Stopped, display, in_loop, is_builtin, lacks_cores

NOT_KEPT = (FAILED, DIED, LIMIT)  # what broke is tried again the next time
DEFAULTS = Options()

BUILTIN = "the MPI library's own call cannot be simulated; take decision/ompi_4_1 or another decision"
HINT = (
    "--source model answers in seconds, --point-timeout TIME gives up what takes longer, Ctrl-C prints what is finished"
)
LOOP_CALLS = 10  # of the metric `loop`, unless the point says how many


def rows(tasks: Sequence[Task], options: Options) -> list[Row]:
    """Rows of source "sim", one per task, then those of the further metrics of the same calls."""
    check_platforms(tasks)
    if not options.quiet:
        _announce(tasks, options)
    with display(options, "simulating", len(tasks), "" if options.title else HINT) as progress:
        return run_tasks(tasks, options, progress)


def timed(task: Task) -> Task:
    """The task with the calls that a simulation makes of it: no two differ, so that one tells all but in a loop."""
    layout, point = task
    point = in_loop(point)
    calls = LOOP_CALLS if point.metric == "loop" else 1
    given = point.timing
    return layout, replace(point, timing=Timing(given.repetitions or calls, given.warmup, buffers=given.buffers))


def check_platforms(tasks: Sequence[Task]) -> None:
    """UserError: a platform is too large to be simulated."""
    for platform in {layout.platform for layout, _ in tasks}:
        if platform and callable(platform.file) and (problem := platform.beyond_simulation()):
            raise UserError(problem)


def _announce(tasks: Sequence[Task], options: Options) -> None:
    """Says how long it takes: of work that has a title always, otherwise where that is long."""
    jobs, todo = workers(options), tasks if options.force else left(tasks)
    if options.title:
        console.note(forecast.sentence(options.title, len(tasks), todo, jobs, options.speed))
    elif todo and forecast.duration_s(todo, jobs) >= LONG_S:
        console.note(f"{forecast.sentence('simulating', len(tasks), todo, jobs)}; {HINT}")


def run_tasks(tasks: Sequence[Task], options: Options = DEFAULTS, progress: Progress | None = None) -> list[Row]:
    """As `rows`, silently. `progress` is told of cached points too. Points on which the simulator died, or which took too
    long, have that as their status. Raises Stopped, with the rows, when the user ends the work."""
    tasks = [timed(task) for task in tasks]
    origin = Origin.now(tasks)
    keys = [origin.key(layout, point) for layout, point in tasks]
    with cache.Cache() as store:
        known = {} if options.force else {key: Outcome(**plain) for key, plain in store.get_many(keys).items()}
        for key, task in zip(keys, tasks, strict=True):
            if is_builtin(task[1]):
                known[key] = Outcome(UNSUPPORTED, BUILTIN)
            elif reason := lacks_cores(task):
                known[key] = Outcome(UNSUPPORTED, reason)
        todo = {key: task for key, task in zip(keys, tasks, strict=True) if key not in known}
        if progress:
            progress(len(tasks) - len(todo))
        if todo:
            work = _Simulation(list(todo.items()), store, known, progress, options, origin.sources)
            try:
                work.run()
            except KeyboardInterrupt as stop:
                with work.lock:
                    found = dict(known)
                late = Outcome(STOPPED, "not finished")
                raise Stopped(
                    [origin.row(task, found.get(key, late)) for key, task in zip(keys, tasks, strict=True)]
                ) from stop
    made = [origin.row(task, known[key]) for key, task in zip(keys, tasks, strict=True)]
    for metric in options.also_metrics:
        for key, (layout, point) in zip(keys, tasks, strict=True):
            if known[key].kind not in NOT_KEPT:
                made.append(origin.row((layout, replace(point, metric=metric)), known[key]))
    return made


def default_jobs() -> int:
    """Simulations side by side: one per core that we may use."""
    return max(1, len(os.sched_getaffinity(0)))


def workers(options: Options) -> int:
    """How many simulations run at a time."""
    return options.cluster.workers if options.cluster else options.jobs or default_jobs()


def left(tasks: Sequence[Task]) -> list[Task]:
    """Those of these points that would have to be simulated now, each once."""
    simulated = [task for task in tasks if not is_builtin(task[1])]
    origin = Origin.now(simulated)
    by_key = {origin.key(*timed(task)): task for task in simulated}
    with cache.Cache() as store:
        known = store.get_many(by_key)
    return [task for key, task in by_key.items() if key not in known]


SOURCE = Source("sim", rows, left)


@dataclass(frozen=True)
class Origin:
    """What every number of this run depends on, beside its task."""

    sources: str  # hash of the C sources
    build: str  # and of the programs, which may be older
    simgrid: str  # version
    platforms: dict[int, str]  # id of the Platform → its content hash

    @staticmethod
    def now(tasks: Sequence[Task]) -> Origin:
        """The origin of these tasks' numbers, were they simulated now."""
        platforms = {id(layout.platform): layout.platform for layout, _ in tasks}
        hashes = {name: content_hash(platform) for name, platform in platforms.items() if platform}
        build = cache.build_hash(programs.SIM_DRIVER, programs.PLUGIN)
        return Origin(cache.sources_hash(*depends.SIMULATION), build, smpirun.version(), hashes)

    def key(self, layout: Layout, point: Point) -> str:
        """The task's key in the cache."""
        place = f"nodes={layout.nodes} ranks={layout.ranks} mapping={identity(layout.mapping)}"
        # Every call gives each rank's time: the root's and the last one's are read from the same simulation.
        same = replace(point, metric="makespan") if point.metric == "root" else point
        return cache.digest(
            "sim", self.sources, self.build, self.simgrid, self.platforms[id(layout.platform)], place, same.identity()
        )

    def row(self, task: Task, outcome: Outcome) -> Row:
        """The task's row of the tidy table."""
        layout, point = task
        return make_row(
            source="sim",
            **layout.cells(),
            **point.cells(layout.ranks),
            launches=1,
            repetitions=len(outcome.reps),
            **summarise([outcome.reps], point.metric),
            **overlaps([outcome.reps], point.metric),
            chose=outcome.chose,
            status=outcome.status,
            kind=outcome.kind,
            back_end=f"SimGrid {self.simgrid}",
            sources_hash=self.sources[:12],
            platform_hash=self.platforms[id(layout.platform)][:12],
        )


@dataclass
class _Simulation:
    """Launches side by side. Worker threads only wait for children."""

    tasks: Sequence[tuple[str, Task]]  # with their keys in the cache; a point's id is its place here
    store: cache.Cache
    known: dict[str, Outcome]  # by key; what is finished is added
    progress: Progress | None
    options: Options
    sources: str  # their hash
    children: Children = field(default_factory=Children)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def shares(self) -> list[float]:
        """Of the whole work, what each task is; by the rough estimate where a run before tells how long it all takes."""
        tasks = [task for _, task in self.tasks]
        rough = self.options.speed is not None
        costs = [estimate(q, at.ranks) for at, q in tasks] if rough else forecast.seconds(tasks)
        return [each / sum(costs) for each in costs]

    def run(self) -> None:
        """Simulates the tasks, on a cluster where there is one."""
        numbered = {str(i): task for i, (_, task) in enumerate(self.tasks)}
        jobs, cluster = workers(self.options), self.options.cluster
        todo = batches(numbered, jobs)
        began = time.monotonic()
        if cluster:
            remote.run(cluster, todo, self.sources, self.options.point_timeout_s, self._done, self._news(todo))
            return
        with ThreadPoolExecutor(min(jobs, len(todo))) as pool:
            try:
                for future in as_completed([pool.submit(self._work, batch) for batch in todo]):
                    future.result()
                if self.options.speed is None:
                    busy = min(jobs, len(todo))
                    forecast.learn(forecast.work_s(list(numbered.values()), jobs), (time.monotonic() - began) * busy)
            except BaseException:
                # Also the way out of Ctrl-C: what is finished is in the cache, the rest is stopped.
                pool.shutdown(wait=False, cancel_futures=True)
                self.children.stop()
                raise

    def _news(self, todo: Sequence[Batch]) -> remote.OnNews:
        def on_news(place: int, name: str | None) -> None:
            self._now(todo[place], name and describe(self.tasks[int(name)][1]))

        return on_news

    def _work(self, batch: Batch) -> None:
        try:
            simulate_batch(
                batch.layout,
                batch.points,
                self._done,
                children=self.children,
                limit_s=self.options.point_timeout_s,
                on_start=lambda name: self._now(batch, describe(self.tasks[int(name)][1])),
            )
        finally:
            self._now(batch, None)

    def _now(self, batch: Batch, what: str | None) -> None:
        if self.progress:
            self.progress.now(id(batch), what)

    def _done(self, name: str, outcome: Outcome) -> None:
        key, _ = self.tasks[int(name)]
        with self.lock:
            # A cluster tells of a point twice, and another worker does again what one that died had done.
            if key in self.known:
                return
            self.known[key] = outcome
            if outcome.kind not in NOT_KEPT:
                self.store.put(key, outcome.plain())
                console.keep()
            if self.progress:
                self.progress(1, self.shares[int(name)])
