"""Simulated points: the driver under smpirun.

Points that share a layout share launches (a start costs 0.1 s). Launches run side by side, the most expensive first; each
finished point goes into the cache at once, under a hash of all that its number depends on: the C sources, the platform, the
SimGrid version, the layout and the point.
"""

from __future__ import annotations

import math
import os
import queue
import re
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from collscope.base import cache, depends, programs
from collscope.base.console import Progress
from collscope.base.errors import UserError, disk_error
from collscope.points.plan import Layout, Point, Task, plan_text
from collscope.points.table import Row, make_row
from collscope.sources import launch
from collscope.sources.launch import Children, Interrupted, Outcome

if TYPE_CHECKING:
    from collscope.machines.platform import Platform


def run(
    platform: Platform,
    nodes: int,
    ranks: int,
    mapping: str,
    points: Sequence[Point],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    force: bool = False,
) -> list[Row]:
    """Rows of these points in one layout, in their order."""
    layout = Layout(platform, nodes, ranks, mapping)
    return run_tasks([(layout, point) for point in points], jobs=jobs, progress=progress, force=force)


def run_tasks(
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    force: bool = False,
) -> list[Row]:
    """Rows of any mixture of layouts and points, in their order. `progress` is told of cached points too. `force` computes
    again what the cache has. Points on which the simulator died have that as their status."""
    origin = Origin.now(tasks)
    keys = [origin.key(layout, point) for layout, point in tasks]
    with cache.Cache() as store:
        known: dict[str, Outcome] = {} if force else store.get_many(keys)
        known |= {key: failure(BUILTIN) for key, (_, point) in zip(keys, tasks, strict=True) if is_builtin(point)}
        todo: dict[str, Task] = {key: task for key, task in zip(keys, tasks, strict=True) if key not in known}
        if progress:
            progress(len(tasks) - len(todo))
        if todo:
            _Simulation(todo, store, known, jobs or default_jobs(), progress).run()
    return [origin.row(task, known[key]) for key, task in zip(keys, tasks, strict=True)]


BUILTIN = "the MPI library's own call cannot be simulated; take decision/ompi_4_1 or another decision"


def is_builtin(point: Point) -> bool:
    return point.algorithm.endswith("/builtin")


def default_jobs() -> int:
    return max(1, len(os.sched_getaffinity(0)))


def uncached(tasks: Sequence[Task]) -> int:
    """How many of these points would have to be simulated now."""
    origin = Origin.now(tasks)
    keys = {origin.key(layout, point) for layout, point in tasks if not is_builtin(point)}
    with cache.Cache() as store:
        return len(keys - store.get_many(keys).keys())


@dataclass(frozen=True)
class Origin:
    """What every number of this run depends on, beside its task."""

    sources: str
    simgrid: str
    platforms: dict[int, str]  # id of the Platform → its content hash

    @staticmethod
    def now(tasks: Sequence[Task]) -> Origin:
        platforms = {id(layout.platform): layout.platform for layout, _ in tasks}
        hashes = {name: platform.content_hash() for name, platform in platforms.items() if platform}
        return Origin(cache.sources_hash(*depends.SIMULATION), simgrid_version(), hashes)

    def key(self, layout: Layout, point: Point) -> str:
        place = f"nodes={layout.nodes} ranks={layout.ranks} mapping={layout.mapping}"
        # Every call gives each rank's time: the root's and the last one's are read from the same simulation.
        same = replace(point, metric="makespan") if point.metric == "root" else point
        return cache.digest("sim", self.sources, self.simgrid, self.platforms[id(layout.platform)], place, same.text())

    def row(self, task: Task, outcome: Outcome) -> Row:
        layout, point = task
        numbers = launch.summarise([outcome["reps"]], point.metric)
        return make_row(
            source="sim",
            **layout.cells(),
            **point.cells(layout.ranks),
            launches=1,
            repetitions=len(outcome["reps"]),
            **numbers,
            chose=outcome["chose"],
            status=outcome["status"],
            back_end=f"SimGrid {self.simgrid}",
            sources_hash=self.sources[:12],
            platform_hash=self.platforms[id(layout.platform)][:12],
        )


@lru_cache(maxsize=1)
def simgrid_version() -> str:
    """The version that smpirun says it is."""
    try:
        said = subprocess.run(["smpirun", "-version"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise UserError("smpirun: not found; install libsimgrid-dev (./collscope doctor says more)") from error
    match = re.search(r"(\d+\.\d+(?:\.\d+)?)", said)
    return match.group(1) if match else "unknown"


SMALL_SEGMENT = 12288  # about where messages stop being eager


def estimate(point: Point, ranks: int) -> float:
    """How long a point takes to simulate, in messages: rough, only to balance launches. Small segments are all on their way at
    once, and each that starts or ends has the shares of all others computed anew."""
    stem = point.algorithm.partition("[")[0]
    rounds = math.log2(max(2, ranks)) if re.search("mst$|binomial|doubling|dissemination|bruck|tree", stem) else ranks
    size, segment = point.bytes(ranks), segment_of(point, ranks)
    messages = ranks * rounds * (1 if point.collective != "alltoall" else 2) + ranks * (1 + size / segment)
    crowd = min(max(1.0, messages / 1000), 8.0) if segment <= SMALL_SEGMENT else 1.0
    return messages * crowd**2


def segment_of(point: Point, ranks: int) -> float:
    """Bytes of a segment. What a decision will take is not known here: the smallest segments that a table has for the size."""
    if point.algorithm.startswith("decision/"):
        size = point.bytes(ranks)
        return 1 << 10 if size < 1 << 19 else 1 << 13 if size < 1 << 23 else 1 << 16
    found = re.search(r"[\[,]s=(\d+)", point.algorithm)
    return int(found.group(1)) if found and int(found.group(1)) else math.inf


LAUNCH_COST = 3000.0  # below this, in messages, another launch costs more than it saves


@dataclass
class Batch:
    """Points of one layout for one launch."""

    layout: Layout
    points: list[tuple[str, Point]]  # (cache key, point)
    cost: float = 0.0

    @property
    def fold(self) -> bool:
        return not self.points[0][1].check


def batches(todo: dict[str, Task], jobs: int) -> list[Batch]:
    """Cuts the work into launches of one layout, the longest points first: while they run, the other workers have short ones
    left. The estimates only keep launches from getting long."""
    groups: dict[tuple[Layout, bool], list[tuple[str, Point]]] = {}
    for key, (layout, point) in todo.items():
        groups.setdefault((layout, point.check), []).append((key, point))
    total = sum(estimate(point, layout.ranks) for layout, point in todo.values())
    limit = max(total / (8 * jobs), LAUNCH_COST)
    made: list[Batch] = []
    for (layout, _), members in groups.items():
        batch = Batch(layout, [])
        for key, point in sorted(members, key=lambda m: _longest_first(layout, m[1])):
            cost = estimate(point, layout.ranks)
            if batch.points and batch.cost + cost > limit:
                made.append(batch)
                batch = Batch(layout, [])
            batch.points.append((key, point))
            batch.cost += cost
        made.append(batch)
    return sorted(made, key=lambda b: _longest_first(b.layout, b.points[0][1]))


def _longest_first(layout: Layout, point: Point) -> tuple[float, int]:
    return -estimate(point, layout.ranks), -point.bytes(layout.ranks)


@dataclass
class _Simulation:
    """Launches side by side. Worker threads only wait for children; all decisions are here."""

    todo: dict[str, Task]
    store: cache.Cache
    known: dict[str, Outcome]
    jobs: int
    progress: Progress | None
    children: Children = field(default_factory=Children)
    waiting: queue.SimpleQueue[Batch | None] = field(default_factory=queue.SimpleQueue)
    events: queue.SimpleQueue[object] = field(default_factory=queue.SimpleQueue)

    def run(self) -> None:
        todo = batches(self.todo, self.jobs)
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(min(self.jobs, len(todo)))]
        for batch in todo:
            self.waiting.put(batch)
        left = len(self.todo)
        try:
            for worker in workers:
                worker.start()
            while left:
                event = self.events.get()
                if isinstance(event, BaseException):
                    raise event
                assert isinstance(event, int)
                left -= event
                if self.progress:
                    self.progress(event)
        finally:
            # Also the way out of Ctrl-C: what is finished is in the cache, the rest is stopped.
            for _ in workers:
                self.waiting.put(None)
            if left:
                self.children.stop()
            for worker in workers:
                worker.join(timeout=10)

    def _work(self) -> None:
        try:
            while (batch := self.waiting.get()) is not None and not self.children.stopped.is_set():
                self._launch(batch)
        except Interrupted:
            pass
        except BaseException as error:
            self.events.put(error)

    def _launch(self, batch: Batch) -> None:
        with tempfile.TemporaryDirectory(prefix="collscope-") as name:
            folder = Path(name)
            report = launch.run(
                command(batch, folder),
                [f"{i}" for i in range(len(batch.points))],
                lambda i, outcome: self._done(batch.points[int(i)][0], outcome),
                children=self.children,
                folder=folder,
                # smpirun leaves files where mktemp puts them: let that be a folder that goes away.
                env={"TMPDIR": name, **(batch.layout.platform.env() if batch.layout.platform else {})},
            )
        if not report.unfinished:
            return
        key, _ = batch.points[int(report.unfinished[0])]
        layout = batch.layout
        if not report.meta:
            raise UserError(
                f"the simulation of {layout.platform_name}, {layout.nodes} nodes, {layout.ranks} ranks did not start: "
                f"{report.complaint}"
            )
        # The first point that is missing is the one it died on. Its neighbours get another launch.
        self._done(key, failure(f"simulation failed: {report.complaint}"))
        rest = [batch.points[int(i)] for i in report.unfinished[1:]]
        if rest:
            self._launch(Batch(layout, rest))

    def _done(self, key: str, outcome: Outcome) -> None:
        self.known[key] = outcome
        if not outcome["status"].startswith(NOT_KEPT):  # what broke is tried again the next time
            self.store.put(key, outcome)
        self.events.put(1)


def failure(status: str) -> Outcome:
    return {"status": status, "reps": [], "chose": "", "checked": 0, "back_end": ""}


def failed(rows: Sequence[Row]) -> list[Row]:
    """Rows whose point broke the program that ran it, or whose data is wrong: failures, unlike unsupported points."""
    return [row for row in rows if str(row["status"]).startswith(FAILURES)]


NOT_KEPT = ("simulation failed",)
FAILURES = ("simulation failed", "launch failed", "wrong data")


def command(batch: Batch, folder: Path) -> list[str | Path]:
    """smpirun's command line for a batch; writes its plan and host file into `folder`."""
    layout = batch.layout
    platform = layout.platform
    assert platform is not None
    hosts = platform.hosts(layout.nodes, layout.ranks, layout.mapping)
    try:
        (folder / "plan.txt").write_text(plan_text((f"{i}", point) for i, (_, point) in enumerate(batch.points)))
        (folder / "hosts.txt").write_text("".join(f"{host}\n" for host in hosts))
    except OSError as error:
        raise disk_error(error, folder) from error
    return [
        "smpirun",
        "-np",
        str(layout.ranks),
        "-hostfile",
        folder / "hosts.txt",
        *platform.smpirun_args(),
        programs.SIM_DRIVER,
        "--plan",
        folder / "plan.txt",
        *(["--fold"] if batch.fold else []),
    ]
