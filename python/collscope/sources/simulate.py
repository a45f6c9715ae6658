"""Simulated points: the driver under smpirun.

Launches run side by side, the most expensive first; each finished point goes into the cache at once, under a hash of all that its
number depends on: the C sources, the platform, the SimGrid version, the layout and the point.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import cached_property

from collscope.base import cache, console, depends
from collscope.base.errors import UserError
from collscope.base.progress import Progress, duration
from collscope.base.units import counted
from collscope.machines.placement import identity
from collscope.machines.platform import content_hash
from collscope.points.plan import Layout, Point, Task, describe, in_loop
from collscope.points.table import Row, make_row
from collscope.sources import remote, smpirun
from collscope.sources.batches import Batch, batches, estimate, seconds
from collscope.sources.batches import simulate as simulate_batch
from collscope.sources.cluster import Cluster
from collscope.sources.launch import Children
from collscope.sources.outcome import DIED, LIMIT, STOPPED, UNSUPPORTED, Outcome, summarise
from collscope.sources.source import Bar, Options, Source, Stopped, is_builtin

BUILTIN = "the MPI library's own call cannot be simulated; take decision/ompi_4_1 or another decision"

TOLD_FROM_S = 60
HINT = "--source model answers in seconds, --point-limit SECONDS gives up what takes longer, Ctrl-C prints what is finished"


def rows(tasks: Sequence[Task], options: Options, bar: Bar) -> list[Row]:
    """Rows of source "sim", one a task; calls repeat in the tight loop of the metric `loop` alone, as no two differ."""
    wanted = [
        (
            layout,
            replace(
                one,
                repetitions=options.repetitions or (10 if one.metric == "loop" else one.repetitions),
                buffers=options.buffers,
            ),
        )
        for layout, one in ((layout, in_loop(point)) for layout, point in tasks)
    ]
    tell_length(wanted, workers(options.jobs, options.cluster), options.force)
    with bar("simulating", len(tasks), HINT) as progress:
        return run_tasks(
            wanted,
            jobs=options.jobs,
            progress=progress,
            force=options.force,
            limit_s=options.point_limit_s,
            cluster=options.cluster,
        )


SOURCE = Source("sim", rows)


def tell_length(tasks: Sequence[Task], jobs: int, force: bool) -> None:
    """Says, before it begins, that a simulation takes more than a minute. UserError: a platform is too large to be simulated."""
    for platform in {layout.platform for layout, _ in tasks}:
        if platform and callable(platform.file) and (problem := platform.beyond_simulation()):
            raise UserError(problem)
    if _length(tasks, jobs) < TOLD_FROM_S:
        return
    todo = tasks if force else left(tasks)
    if (took := _length(todo, jobs)) >= TOLD_FROM_S:
        console.note(
            f"simulating {counted(len(todo), 'point')} takes about {duration(took)}, roughly; --source model gives the same times sooner"
        )


def _length(tasks: Sequence[Task], jobs: int) -> float:
    return sum(seconds(layout, point) for layout, point in tasks) / max(1, min(jobs, len(tasks)))


def run_tasks(
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    force: bool = False,
    limit_s: float | None = None,
    cluster: Cluster | None = None,
) -> list[Row]:
    """Rows of any mixture of layouts and points, in their order. `progress` is told of cached points too. `force` computes
    again what the cache has. Points on which the simulator died, or for which `limit_s` was not enough, have that as their status.
    `cluster`: whose workers simulate, in place of `jobs` here. Raises Stopped, with the rows, when the user ends the work."""
    origin = Origin.now(tasks)
    keys = [origin.key(layout, point) for layout, point in tasks]
    with cache.Cache() as store:
        known = {} if force else {key: Outcome(**plain) for key, plain in store.get_many(keys).items()}
        for key, (_, point) in zip(keys, tasks, strict=True):
            if is_builtin(point):
                known[key] = Outcome(UNSUPPORTED, BUILTIN)
        todo = {key: task for key, task in zip(keys, tasks, strict=True) if key not in known}
        if progress:
            progress(len(tasks) - len(todo))
        if todo:
            work = _Simulation(list(todo.items()), store, known, progress, limit_s, cluster, origin.sources)
            try:
                work.run(jobs or default_jobs())
            except KeyboardInterrupt as stop:
                with work.lock:
                    seen = dict(known)
                late = Outcome(STOPPED, "not finished")
                raise Stopped(
                    [origin.row(task, seen.get(key, late)) for key, task in zip(keys, tasks, strict=True)]
                ) from stop
    return [origin.row(task, known[key]) for key, task in zip(keys, tasks, strict=True)]


def default_jobs() -> int:
    """Simulations side by side: one a core that we may use."""
    return max(1, len(os.sched_getaffinity(0)))


def workers(jobs: int | None, cluster: Cluster | None) -> int:
    """How many simulations run at a time."""
    return cluster.workers if cluster else jobs or default_jobs()


def left(tasks: Sequence[Task]) -> list[Task]:
    """Those of these points that would have to be simulated now, each once."""
    origin = Origin.now(tasks)
    by_key = {origin.key(layout, point): (layout, point) for layout, point in tasks if not is_builtin(point)}
    with cache.Cache() as store:
        known = store.get_many(by_key)
    return [task for key, task in by_key.items() if key not in known]


@dataclass(frozen=True)
class Origin:
    """What every number of this run depends on, beside its task."""

    sources: str  # hash of the C sources
    simgrid: str  # version
    platforms: dict[int, str]  # id of the Platform → its content hash

    @staticmethod
    def now(tasks: Sequence[Task]) -> Origin:
        """The origin of these tasks' numbers, were they simulated now."""
        platforms = {id(layout.platform): layout.platform for layout, _ in tasks}
        hashes = {name: content_hash(platform) for name, platform in platforms.items() if platform}
        return Origin(cache.sources_hash(*depends.SIMULATION), smpirun.version(), hashes)

    def key(self, layout: Layout, point: Point) -> str:
        """The task's key in the cache."""
        place = f"nodes={layout.nodes} ranks={layout.ranks} mapping={identity(layout.mapping)}"
        # Every call gives each rank's time: the root's and the last one's are read from the same simulation.
        same = replace(point, metric="makespan") if point.metric == "root" else point
        return cache.digest(
            "sim", self.sources, self.simgrid, self.platforms[id(layout.platform)], place, same.identity()
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
    limit_s: float | None = None
    cluster: Cluster | None = None
    sources: str = ""  # their hash
    children: Children = field(default_factory=Children)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def cost(self) -> float:
        """Of all tasks, by the estimate."""
        return sum(self._cost(i) for i in range(len(self.tasks)))

    def _cost(self, i: int) -> float:
        layout, point = self.tasks[i][1]
        return estimate(point, layout.ranks)

    def run(self, jobs: int) -> None:
        """Simulates the tasks, `jobs` launches at a time; on a cluster, where there is one."""
        numbered = {str(i): task for i, (_, task) in enumerate(self.tasks)}
        if self.cluster:
            todo = batches(numbered, self.cluster.workers)
            remote.run(self.cluster, todo, self.sources, self.limit_s, self._done, self._news(todo))
            return
        todo = batches(numbered, jobs)
        with ThreadPoolExecutor(min(jobs, len(todo))) as pool:
            try:
                for future in as_completed([pool.submit(self._work, batch) for batch in todo]):
                    future.result()
            except BaseException:
                # Also the way out of Ctrl-C: what is finished is in the cache, the rest is stopped.
                pool.shutdown(wait=False, cancel_futures=True)
                self.children.stop()
                raise

    def _news(self, todo: Sequence[Batch]) -> remote.OnNews:
        def told(place: int, name: str | None) -> None:
            self._now(todo[place], name and describe(self.tasks[int(name)][1]))

        return told

    def _work(self, batch: Batch) -> None:
        try:
            simulate_batch(
                batch.layout,
                batch.points,
                self._done,
                children=self.children,
                limit_s=self.limit_s,
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
            if (
                key in self.known
            ):  # a cluster tells of a point twice, and another worker does again what one that died had done
                return
            self.known[key] = outcome
            if outcome.kind not in (DIED, LIMIT):  # what broke is tried again the next time
                self.store.put(key, outcome.plain())
            if self.progress:
                self.progress(1, self._cost(int(name)) / self.cost)
