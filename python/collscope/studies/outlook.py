"""What a study will take, said before it begins."""

from __future__ import annotations

from collections.abc import Sequence

from collscope.base import paths
from collscope.base.progress import duration
from collscope.points.plan import Task
from collscope.sources.batches import estimate
from collscope.studies import results
from collscope.studies.study import Study


def sentence(study: Study, points: int, left: Sequence[Task], whole: Sequence[Task], jobs: int) -> str:
    """How many points there are, how many of them have to be simulated, and about how long that takes.

    `left`: what has to be simulated; `whole`: the tasks of the whole study. The time follows from that of the committed reference, by
    the rough cost of points; nothing is said of it where there is none of the same points.
    """
    if not left:
        return f"{study.name}: {points} points, all of them cached"
    cached = f", {points - len(left)} of them cached" if len(left) < points else ""
    text = f"{study.name}: {points} points{cached}; {len(left)} to simulate, {jobs} at a time"
    seconds = _seconds(study, left, whole, jobs)
    if seconds is None:
        return text
    return f"{text}: about {duration(seconds)} at the speed at which the reference was made"


def _seconds(study: Study, left: Sequence[Task], whole: Sequence[Task], jobs: int) -> float | None:
    origin = results.record(paths.RESULTS / study.name).get("origin") or {}
    try:
        took = float(origin["wall_s"]) * int(origin["jobs"])
        same = not origin["quick"] and origin["simulated"] == len(whole)
    except (TypeError, KeyError, ValueError):
        return None
    return took / jobs * _cost(left) / _cost(whole) if same else None


def _cost(tasks: Sequence[Task]) -> float:
    return sum(estimate(point, layout.ranks) for layout, point in tasks)
