"""How long simulations take: from the rough cost of their points, or from what a run before took."""

from __future__ import annotations

from collections.abc import Sequence

from collscope.base.progress import duration
from collscope.points.plan import Task
from collscope.sources.batches import estimate, seconds

LONG_S = 60.0  # from here on the time is said before the work begins


def cost(tasks: Sequence[Task]) -> float:
    """Of all tasks, in estimated messages."""
    return sum(estimate(point, layout.ranks) for layout, point in tasks)


def duration_s(left: Sequence[Task], jobs: int, speed: float | None = None) -> float:
    """Seconds to simulate these tasks, `jobs` at a time. `speed`: seconds of a core per unit of cost, where it is known."""
    if speed is not None:
        return cost(left) * speed / jobs
    return sum(seconds(layout, point) for layout, point in left) / max(1, min(jobs, len(left)))


def sentence(what: str, total: int, left: Sequence[Task], jobs: int, speed: float | None = None) -> str:
    """How many of `total` points have to be simulated, and about how long that takes."""
    if not left:
        return f"{what}: {total} points, all of them cached"
    cached = f", {total - len(left)} of them cached" if len(left) < total else ""
    how = "as fast as the reference was made" if speed is not None else "a rough estimate"
    took = duration(duration_s(left, jobs, speed))
    return f"{what}: {total} points{cached}; {len(left)} to simulate, {jobs} at a time: about {took} ({how})"
