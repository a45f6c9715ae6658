"""Points of one layout share launches: how the work is cut, and what happens to the rest of a launch that died.

A start costs 0.1 s, so points share launches; launches run side by side, so none may be much longer than the others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from collscope.base import leftovers
from collscope.base.errors import UserError
from collscope.machines import plain_hosts
from collscope.points.plan import Layout, Point, Task
from collscope.sources import launch as launches
from collscope.sources import smpirun
from collscope.sources.launch import Children, OnOutcome, OnStart, Report
from collscope.sources.outcome import DIED, LIMIT, Outcome

LAUNCH_COST = 3000.0  # below this, in messages, another launch costs more than it saves
SMALL_SEGMENT = 12288  # about where messages stop being eager

Numbered = tuple[str, Point]
"""A point and its id in a plan."""


@dataclass
class Batch:
    """Points of one layout for one launch."""

    layout: Layout
    points: list[Numbered]  # ids are the caller's
    cost: float = 0.0  # in messages


def estimate(point: Point, ranks: int) -> float:
    """How long a point takes to simulate, in messages: rough, only to balance launches. Small segments are all on their way at
    once, and each that starts or ends has the shares of all others computed again."""
    rounds = (
        math.log2(max(2, ranks))
        if re.search("mst$|binomial|doubling|dissemination|bruck|tree", point.key.stem)
        else ranks
    )
    size, segment = point.bytes(ranks), segment_of(point, ranks)
    messages = ranks * rounds * (1 if point.collective != "alltoall" else 2) + ranks * (1 + size / segment)
    crowd = min(max(1.0, messages / 1000), 8.0) if segment <= SMALL_SEGMENT else 1.0
    return messages * crowd**2


def segment_of(point: Point, ranks: int) -> float:
    """Bytes of a segment. What a decision will take is not known here: the smallest segments that a table has for the size."""
    key = point.key
    if key.is_decision:
        size = point.bytes(ranks)
        return 1 << 10 if size < 1 << 19 else 1 << 13 if size < 1 << 23 else 1 << 16
    return int(key.values.get("s", "0")) or math.inf


def batches(todo: Mapping[str, Task], jobs: int) -> list[Batch]:
    """Cuts the work (id → task) into launches of one layout, the longest points first: while they run, the other workers have
    short ones left. The estimates only keep launches from getting long."""
    groups: dict[tuple[Layout, bool], list[Numbered]] = {}
    for name, (layout, point) in todo.items():
        groups.setdefault((layout, point.check), []).append((name, point))
    total = sum(estimate(point, layout.ranks) for layout, point in todo.values())
    limit = max(total / (8 * jobs), LAUNCH_COST)
    made: list[Batch] = []
    for (layout, _), members in groups.items():
        batch = Batch(layout, [])
        for name, point in sorted(members, key=lambda m: _longest_first(layout, m[1])):
            cost = estimate(point, layout.ranks)
            if batch.points and batch.cost + cost > limit:
                made.append(batch)
                batch = Batch(layout, [])
            batch.points.append((name, point))
            batch.cost += cost
        made.append(batch)
    return sorted(made, key=lambda b: _longest_first(b.layout, b.points[0][1]))


def _longest_first(layout: Layout, point: Point) -> tuple[float, int]:
    return -estimate(point, layout.ranks), -point.bytes(layout.ranks)


def finish(
    points: Sequence[Numbered],
    launch: Callable[[Sequence[Numbered], Path], Report],
    on_outcome: OnOutcome,
    *,
    died: str,
    not_started: str,
    parent: Path | None = None,
) -> None:
    """Launches until every point has an outcome: a launch that dies names the point it died on, and the points after it get a
    launch of their own, so one bad algorithm does not take its neighbours' numbers with it.

    `launch(points, folder)` runs one, with a folder (in `parent`) that goes away, and tells the outcomes of the points that it finished.
    `died` and `not_started` begin the text of a point that died and of the UserError raised when the program did not start."""
    left = list(points)
    while left:
        with leftovers.scratch(parent) as folder:
            report = launch(left, folder)
        if not report.unfinished:
            return
        if not report.meta:
            raise UserError(f"{not_started}: {report.reason}")
        first, *rest = report.unfinished  # the first point that is missing is the one it died on
        if report.over_limit_s:
            on_outcome(first, Outcome(LIMIT, f"took longer than {report.over_limit_s:g} s (--point-timeout)"))
        else:
            on_outcome(first, Outcome(DIED, f"{died}: {report.reason}"))
        left = [(name, point) for name, point in left if name in set(rest)]


def simulate(
    layout: Layout,
    points: Sequence[Numbered],
    on_outcome: OnOutcome,
    *,
    children: Children,
    limit_s: float | None,
    on_start: OnStart,
) -> None:
    """Simulates the points of one layout; `on_outcome` and `on_start` are told their ids. Interrupted: `children` were stopped; UserError:
    the simulation did not start."""

    def once(left: Sequence[Numbered], folder: Path) -> Report:
        return launches.run(
            smpirun.command(layout, left, folder),
            [name for name, _ in left],
            on_outcome,
            children=children,
            folder=folder,
            env=smpirun.environment(layout),
            limit_s=limit_s,
            on_start=on_start,
            explain=plain_hosts.reason,
        )

    place = f"{layout.platform_name}, {layout.nodes} nodes, {layout.ranks} ranks"
    not_started = f"the simulation of {place} did not start"
    finish(points, once, on_outcome, died="simulation failed", not_started=not_started)
