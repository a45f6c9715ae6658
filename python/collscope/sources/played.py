"""A schedule from a file, played: simulated by the driver under smpirun, or run by it under mpirun, its data checked as an algorithm's."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from collscope.base import leftovers, programs
from collscope.base.errors import UserError
from collscope.machines import plain_hosts
from collscope.points.plan import Layout, Point, Timing
from collscope.sources import launch, measure, mpirun, smpirun
from collscope.sources.launch import Children, Report
from collscope.sources.launcher import LOCAL
from collscope.sources.outcome import DIED, Outcome

NAME = "played.schedule"


def simulated(path: Path, layout: Layout, point: Point) -> Outcome:
    """One simulated call. UserError: the simulation did not start."""
    programs.needed(programs.SIM_DRIVER, "it simulates schedules")
    point = _point(point, Timing(1))
    with leftovers.scratch() as folder:
        shutil.copyfile(path, folder / NAME)
        words = [*smpirun.command(layout, [("1", point)], folder), "--schedule", NAME]
        return _outcome(
            folder, words, smpirun.environment(layout), None, "the simulation did not start", plain_hosts.reason
        )


def measured(path: Path, layout: Layout, point: Point, repetitions: int | None) -> Outcome:
    """So many calls on this machine, after some to warm up. UserError: it did not start."""
    measure.build()
    point = _point(point, Timing(repetitions or measure.REPETITIONS, measure.WARMUP))
    with leftovers.scratch() as folder, LOCAL.session() as env:
        shutil.copyfile(path, folder / NAME)
        words = [*measure.command(layout, [("1", point)], folder), "--schedule", folder / NAME]
        not_started = f"{LOCAL.program} did not start the driver"
        return _outcome(folder, words, env, measure.SILENCE_S, not_started, mpirun.reason)


def _point(point: Point, timing: Timing) -> Point:
    return replace(point, algorithm=f"{point.collective}/schedule", check=True, timing=timing)


def _outcome(
    folder: Path,
    words: list[str | Path],
    env: dict[str, str],
    silence_s: float | None,
    not_started: str,
    explain: Callable[[str], str],
) -> Outcome:
    found: list[Outcome] = []
    report: Report = launch.run(
        words,
        ["1"],
        lambda name, outcome: found.append(outcome),
        children=Children(),
        folder=folder,
        env=env,
        silence_s=silence_s,
        explain=explain,
    )
    if found:
        return found[0]
    if not report.meta:
        raise UserError(f"{not_started}: {report.reason}")
    return Outcome(DIED, report.reason)
