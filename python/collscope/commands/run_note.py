"""What `run` says before long work: how many points there are, what made them so many, and about how long they take."""

from __future__ import annotations

from collections.abc import Sequence

from collscope.base import console
from collscope.base.progress import duration
from collscope.points.plan import Task
from collscope.sources import simulate
from collscope.sources.batches import estimate

MANY = 500  # points that nobody asks for by mistake
LONG_S = 60.0
MESSAGE_S = 3e-5  # that a message takes to simulate: rough, it depends on how many are under way at once


def announce(tasks: Sequence[Task], sources: Sequence[str], jobs: int | None, factors: Sequence[str]) -> None:
    """Says it on standard error where there are many points, or where they take long; `factors` are what multiplies to them."""
    many = len(tasks) > MANY
    if many:
        console.note(f"{len(tasks):,} points: {' × '.join(factors)}")
    if "sim" not in sources:
        return
    messages = sum(estimate(point, layout.ranks) for layout, point in tasks)
    if many or messages * MESSAGE_S > LONG_S:
        left = simulate.left(tasks)
        seconds = (
            sum(estimate(point, layout.ranks) for layout, point in left) * MESSAGE_S / (jobs or simulate.default_jobs())
        )
        if seconds > LONG_S:
            console.note(f"simulating {len(left):,} points: {duration(seconds)} by a rough estimate; {simulate.HINT}")
