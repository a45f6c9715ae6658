"""Measured points: the driver under mpirun, on the machine this runs on, in the allocation of a batch system, or where `launcher` says.

Nothing is cached: a measurement belongs to its moment. The driver's lines are kept in .cache/raw/.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from collscope.base import cache, console, depends, paths, programs
from collscope.base.errors import UserError, disk_error
from collscope.base.progress import Progress
from collscope.base.units import counted
from collscope.machines import placement
from collscope.machines.platform import content_hash
from collscope.points.plan import Layout, Point, Task, describe, plan_text
from collscope.points.table import Row, make_row
from collscope.sources import launch, mpirun, spread
from collscope.sources.batches import Numbered, finish
from collscope.sources.identify_builtin import name_builtins
from collscope.sources.launch import Children, Report
from collscope.sources.launcher import LOCAL, Launcher
from collscope.sources.outcome import OK, STOPPED, Outcome, overlaps, summarise, times_text
from collscope.sources.source import Options, Source, Stopped, display

DEFAULTS = Options()
REPETITIONS = 10
WARMUP = 2
SILENCE_S = 300.0  # a point that says nothing for so long hangs


def rows(tasks: Sequence[Task], options: Options) -> list[Row]:
    """Rows of source "real", one per task."""
    with display(options, "measuring", len(tasks) * options.launches) as progress:
        made = run_tasks(tasks, options, progress)
    return name_builtins(tasks, made) if options.launcher.is_local else made


SOURCE = Source("real", rows)


def timed(task: Task) -> Task:
    """The task with the calls that a real run makes of it: those to warm up, and those that count."""
    layout, point = task
    timing = replace(point.timing, repetitions=point.timing.repetitions or REPETITIONS, warmup=WARMUP)
    return layout, replace(point, timing=timing)


def in_rounds(tasks: Sequence[Task], interleaved: bool = True) -> list[Task]:
    """The tasks, in their order, each with the group of its call: the algorithms of a call in a layout, measured in rounds. A call that
    has one algorithm has no group."""
    alone = [(layout, _in_group(point, 0)) for layout, point in tasks]
    calls = [(layout, replace(point, algorithm="")) for layout, point in alone]
    many = {call: i + 1 for i, call in enumerate(dict.fromkeys(c for c, n in Counter(calls).items() if n > 1))}
    groups = [many.get(call, 0) if interleaved else 0 for call in calls]
    return [(layout, _in_group(point, group)) for (layout, point), group in zip(alone, groups, strict=True)]


def _in_group(point: Point, group: int) -> Point:
    return replace(point, timing=replace(point.timing, group=group))


def run_tasks(tasks: Sequence[Task], options: Options = DEFAULTS, progress: Progress | None = None) -> list[Row]:
    """Measured rows of any mixture of layouts and points, in their order; all launches' repetitions are taken together. One launch runs
    at a time. `progress` is told of each point of each launch. Raises Stopped, with the rows, when the user ends the work."""
    tasks = in_rounds([timed(task) for task in tasks], options.interleaved)
    groups: dict[Layout, list[Numbered]] = {}
    for i, (layout, point) in enumerate(tasks):
        groups.setdefault(layout, []).append((str(i), point))
    for layout, members in groups.items():  # those of a group follow each other
        first = {point.timing.group: k for k, (_, point) in reversed(list(enumerate(members)))}
        places = [first[point.timing.group] if point.timing.group else k for k, (_, point) in enumerate(members)]
        groups[layout] = [member for _, _, member in sorted(zip(places, range(len(members)), members, strict=True))]
    if not programs.MPI_DRIVER.exists():
        build()
    work = _Measurement(tasks, options, progress, cache.sources_hash(*depends.MEASUREMENT)[:12])
    try:
        for number in range(options.launches):
            for layout, points in groups.items():
                work.launch(layout, points, number)
    except KeyboardInterrupt as stop:
        raise Stopped(work.rows()) from stop
    finally:
        work.children.stop()
    return work.rows()


def build() -> None:
    """Brings the build for real runs up to date: it is made when it is first needed. UserError when it cannot be made."""
    from collscope.setup import machine
    from collscope.setup.steps import SetupError

    try:
        machine.ensure(paths.ROOT, ["mpi"])
    except SetupError as error:
        raise UserError(str(error)) from error


@dataclass
class _Measurement:
    """One launch after the other."""

    tasks: Sequence[Task]
    options: Options
    progress: Progress | None
    sources: str  # their hash
    outcomes: list[list[Outcome]] = field(init=False)  # of each task, one per launch; a point's id is its place here
    children: Children = field(default_factory=Children)

    def __post_init__(self) -> None:
        self.outcomes = [[] for _ in self.tasks]

    def rows(self) -> list[Row]:
        """A row per task; "stopped" where nothing is known yet."""
        return [self._row(i) for i in range(len(self.tasks))]

    def launch(self, layout: Layout, points: Sequence[Numbered], number: int) -> None:
        """The points of one layout, for the `number`-th time."""
        launcher, limit_s = self.options.launcher, self.options.point_timeout_s

        def once(left: Sequence[Numbered], folder: Path) -> Report:
            report = attempt(left, folder)
            if report.meta and report.unfinished and any(point.timing.group for _, point in left):
                # In rounds nobody knows which of them it was: each by itself will tell.
                again = counted(len(report.unfinished), "point")
                console.note(
                    f"a launch of {layout.ranks} ranks ended: {report.reason}; {again}: launched again, each by itself"
                )
                by_themselves = [(name, _in_group(q, 0)) for name, q in left if name in set(report.unfinished)]
                report = attempt(by_themselves, folder)
            return report

        def attempt(left: Sequence[Numbered], folder: Path) -> Report:
            groups = Counter(g for _, q in left if (g := q.timing.group))
            together = max(groups.values(), default=1)
            try:
                with _raw_file(layout, number) as raw, launcher.session() as env:
                    return launch.run(
                        command(layout, left, folder, launcher),
                        [name for name, _ in left],
                        self._done,
                        children=self.children,
                        folder=folder,
                        env=env,
                        silence_s=SILENCE_S + together * max(q.timing.budget_s for _, q in left),
                        limit_s=limit_s and limit_s * together,
                        on_start=lambda name: self._now(int(name), groups),
                        raw=raw,
                        explain=mpirun.reason,
                        ranks=layout.ranks,
                    )
            except OSError as error:
                raise disk_error(error, paths.CACHE) from error

        not_started = f"{launcher.program} with {layout.ranks} ranks did not start the driver"
        parent = launcher.folder
        finish(points, once, self._done, died="launch failed", not_started=not_started, parent=parent)

    def _row(self, i: int) -> Row:
        layout, point = self.tasks[i]
        found = self.outcomes[i] or [Outcome(STOPPED, "not finished")]
        bad = next((o for o in found if o.kind != OK), None)
        reps = [o.reps for o in found] if bad is None else []
        clock_step_s = max((o.clock_step_s for o in found), default=0.0)
        return make_row(
            source="real",
            **layout.cells(),
            **point.cells(layout.ranks) | {"buffers": point.timing.buffers},
            launches=len(self.outcomes[i]),
            repetitions=max(map(len, reps), default=0),
            **summarise(reps, point.metric),
            **overlaps(reps, point.metric),
            **spread.describe(reps, point.metric, clock_step_s, point.timing.until_ci),
            **spread.floor(reps, point.metric),
            start="/".join(dict.fromkeys(o.start for o in found if o.start)),
            chose=found[0].chose,
            status=bad.status if bad else "ok",
            kind=bad.kind if bad else OK,
            back_end=next((o.back_end for o in found if o.back_end), ""),
            sources_hash=self.sources,
            platform_hash=content_hash(layout.platform)[:12] if layout.platform else "",
            **({"times_s": times_text(reps, point.metric)} if self.options.keep_times else {}),
        )

    def _now(self, i: int, groups: Mapping[int, int]) -> None:
        """Calls that are measured in rounds run together, and the first of them names them all."""
        others = groups.get(self.tasks[i][1].timing.group, 1) - 1
        if self.progress:
            self.progress.now(
                0, describe(self.tasks[i]) + f", in rounds with {counted(others, 'other')}" * (others > 0)
            )

    def _done(self, name: str, outcome: Outcome) -> None:
        i = int(name)
        self.outcomes[i].append(outcome)
        if self.progress:
            self.progress(1)
        if len(self.outcomes[i]) == self.options.launches:
            self.options.on_row(self._row(i))


def _raw_file(layout: Layout, number: int) -> IO[bytes]:
    folder = paths.make_dir(paths.CACHE / "raw")
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
