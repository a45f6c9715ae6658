"""Measured points: the driver under mpirun, on the machine this runs on, in the allocation of a batch system, or where `launcher` says.

Nothing is cached: a measurement belongs to its moment. The driver's lines are kept in .cache/raw/.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from collscope.base import cache, depends, paths, programs
from collscope.base.errors import UserError, disk_error
from collscope.base.progress import Progress
from collscope.machines import placement
from collscope.machines.platform import content_hash
from collscope.points.plan import Layout, Point, Task, describe, plan_text
from collscope.points.table import Row, make_row
from collscope.sources import launch, mpirun
from collscope.sources.batches import Numbered, finish
from collscope.sources.chosen import name_builtins
from collscope.sources.launch import Children, Report
from collscope.sources.launcher import LOCAL, Launcher
from collscope.sources.outcome import OK, STOPPED, Outcome, summarise, times_text
from collscope.sources.source import Bar, Options, Source, Stopped
from collscope.sources.spread import describe as describe_spread

REPETITIONS = 10
WARMUP = 2
SILENCE_S = 300.0  # a point that says nothing for so long hangs


def rows(tasks: Sequence[Task], options: Options, bar: Bar) -> list[Row]:
    """Rows of source "real", one a task."""
    wanted = in_rounds(
        [
            (
                layout,
                replace(
                    timed(point, options.repetitions),
                    until_ci=options.until_ci,
                    budget_s=options.budget_s if options.until_ci else 0.0,
                    buffers=options.buffers,
                ),
            )
            for layout, point in tasks
        ],
        options.interleaved,
    )
    with bar("measuring", len(tasks) * options.launches) as progress:
        made = run_tasks(
            wanted,
            launches=options.launches,
            progress=progress,
            limit_s=options.point_limit_s,
            launcher=options.launcher,
            keep_times=options.keep_times,
        )
    return name_builtins(tasks, made) if options.launcher.is_local else made


SOURCE = Source("real", rows)


def timed(point: Point, repetitions: int | None = None) -> Point:
    """The point with the calls that a real run makes of it: those to warm up, and `repetitions` that count."""
    return replace(point, repetitions=repetitions or REPETITIONS, warmup=WARMUP)


def in_rounds(tasks: Sequence[Task], interleaved: bool = True) -> list[Task]:
    """The tasks, in their order, each with the group of its call: the algorithms of a call in a layout, measured in rounds. A call that
    has one algorithm has no group."""
    calls = [(layout, replace(point, algorithm="", group=0)) for layout, point in tasks]
    many = {call: i + 1 for i, call in enumerate(dict.fromkeys(c for c, n in Counter(calls).items() if n > 1))}
    groups = [many.get(call, 0) if interleaved else 0 for call in calls]
    return [(layout, replace(point, group=group)) for (layout, point), group in zip(tasks, groups, strict=True)]


def run_tasks(
    tasks: Sequence[Task],
    *,
    launches: int = 1,
    progress: Progress | None = None,
    limit_s: float | None = None,
    launcher: Launcher = LOCAL,
    keep_times: bool = False,
) -> list[Row]:
    """Measured rows of any mixture of layouts and points, in their order; `launches` whole launches, all repetitions taken
    together. One launch runs at a time. `progress` is told of each point of each launch; a point may take `limit_s` in each.
    `keep_times`: every repetition stands in its row.
    Raises Stopped, with the rows, when the user ends the work."""
    groups: dict[Layout, list[Numbered]] = {}
    for i, (layout, point) in enumerate(tasks):
        groups.setdefault(layout, []).append((str(i), point))
    for layout, members in groups.items():  # those of a group follow each other
        first = {point.group: k for k, (_, point) in reversed(list(enumerate(members)))}
        groups[layout] = [
            m for _, m in sorted(enumerate(members), key=lambda e: first[e[1][1].group] if e[1][1].group else e[0])
        ]
    if not programs.MPI_DRIVER.exists():
        build()
    work = _Measurement(tasks, [[] for _ in tasks], progress, limit_s, launcher)
    sources = cache.sources_hash(*depends.MEASUREMENT)[:12]
    try:
        for number in range(launches):
            for layout, points in groups.items():
                work.launch(layout, points, number)
    except KeyboardInterrupt as stop:
        late = [Outcome(STOPPED, "not finished")]
        seen = zip(tasks, work.outcomes, strict=True)
        raise Stopped([_row(task, found or late, len(found), sources, keep_times) for task, found in seen]) from stop
    finally:
        work.children.stop()
    return [_row(task, seen, launches, sources, keep_times) for task, seen in zip(tasks, work.outcomes, strict=True)]


def build() -> None:
    """Brings the build for real runs up to date: it is made when it is first needed. UserError when it cannot be made."""
    from collscope.setup import machine
    from collscope.setup.steps import SetupError

    try:
        machine.ensure(paths.ROOT, ["mpi"])
    except SetupError as error:
        raise UserError(str(error)) from error


def _row(task: Task, seen: Sequence[Outcome], launches: int, sources: str, keep_times: bool = False) -> Row:
    layout, point = task
    bad = next((o for o in seen if o.kind != OK), None)
    reps = [o.reps for o in seen] if bad is None else []
    return make_row(
        source="real",
        **layout.cells(),
        **point.cells(layout.ranks) | {"buffers": point.buffers},
        launches=launches,
        repetitions=max(map(len, reps), default=0),
        **summarise(reps, point.metric),
        **describe_spread(reps, point.metric, max((o.clock_step_s for o in seen), default=0.0), point.until_ci),
        start="/".join(dict.fromkeys(o.start for o in seen if o.start)),
        chose=seen[0].chose if seen else "",
        status=bad.status if bad else "ok",
        kind=bad.kind if bad else OK,
        back_end=next((o.back_end for o in seen if o.back_end), ""),
        sources_hash=sources,
        platform_hash=content_hash(layout.platform)[:12] if layout.platform else "",
        **({"times_s": times_text(reps, point.metric)} if keep_times else {}),
    )


@dataclass
class _Measurement:
    """One launch after the other."""

    tasks: Sequence[Task]
    outcomes: list[list[Outcome]]  # of each task, one a launch; a point's id is its place here
    progress: Progress | None
    limit_s: float | None
    launcher: Launcher = LOCAL
    children: Children = field(default_factory=Children)

    def launch(self, layout: Layout, points: Sequence[Numbered], number: int) -> None:
        """The points of one layout, for the `number`-th time."""

        def once(left: Sequence[Numbered], folder: Path) -> Report:
            report = attempt(left, folder)
            if report.meta and report.unfinished and any(point.group for _, point in left):
                # In rounds nobody knows which of them it was: each by itself will tell.
                by_themselves = [(name, replace(q, group=0)) for name, q in left if name in set(report.unfinished)]
                report = attempt(by_themselves, folder)
            return report

        def attempt(left: Sequence[Numbered], folder: Path) -> Report:
            together = max((Counter(q.group for _, q in left if q.group) or Counter([0])).values())
            try:
                with _raw_file(layout, number) as raw:
                    return launch.run(
                        command(layout, left, folder, self.launcher),
                        [name for name, _ in left],
                        self._done,
                        children=self.children,
                        folder=folder,
                        silence_s=SILENCE_S + together * max(q.budget_s for _, q in left),
                        limit_s=self.limit_s and self.limit_s * together,
                        on_start=lambda name: self._now(describe(self.tasks[int(name)])),
                        raw=raw,
                        explain=mpirun.reason,
                        ranks=layout.ranks,
                    )
            except OSError as error:
                raise disk_error(error, paths.CACHE) from error

        not_started = f"{self.launcher.program} with {layout.ranks} ranks did not start the driver"
        parent = self.launcher.folder
        finish(points, once, self._done, died="launch failed", not_started=not_started, parent=parent)

    def _now(self, what: str) -> None:
        if self.progress:
            self.progress.now(0, what)

    def _done(self, name: str, outcome: Outcome) -> None:
        self.outcomes[int(name)].append(outcome)
        if self.progress:
            self.progress(1)


def _raw_file(layout: Layout, number: int) -> IO[bytes]:
    folder = paths.cache_dir() / "raw"
    folder.mkdir(exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return open(folder / f"real-{stamp}-{os.getpid()}-{layout.ranks}x{number}.jsonl", "ab")


def command(layout: Layout, points: Sequence[Numbered], folder: Path, launcher: Launcher = LOCAL) -> list[str | Path]:
    """The launcher's words for these points (id, point), the driver's among them; writes the plan, and the file of a mapping that
    has one, into `folder`."""
    (folder / "plan.txt").write_text(plan_text(points), encoding="utf-8")
    program: list[str | Path] = [programs.MPI_DRIVER, "--plan", folder / "plan.txt"]
    if layout.platform and (path := placement.file_of(layout.mapping)):
        text = placement.rankfile_for_mpirun(path, layout.platform, layout.ranks, "localhost")
        (folder / "ranks.txt").write_text(text, encoding="utf-8")
        program = ["--rankfile", folder / "ranks.txt", *program]
    return launcher.command(program, layout.ranks, layout.nodes, layout.mapping)
