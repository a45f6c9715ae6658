"""How long simulations take: from the operations that their ranks do and what the same took on this machine before."""

from __future__ import annotations

import math
import socket
from collections.abc import Sequence

from collscope.base import cache
from collscope.base.errors import UserError
from collscope.base.progress import duration
from collscope.machines.machine import PLUG_IN
from collscope.points.plan import Layout, Task
from collscope.sources import proven
from collscope.sources.batches import batches, estimate

# Seconds of one core, by SimGrid 3.32: of a launch, and with the plug-in, and per rank; of a point, per rank and per operation.
START_S, PLUG_IN_S, RANK_S = 0.05, 0.04, 4.5e-4
POINT_S, OPERATION_S = 5e-5, 5e-6
LEARNT = 5  # runs that say how fast this machine is; with them count as many as …
TRUSTED = 2  # … that took what the constants say
WORTH_S = 1.0  # a shorter run tells nothing of it
UNSURE = 2.0  # the factor to both sides where ranks are more than what is counted


def cost(tasks: Sequence[Task]) -> float:
    """Of all tasks, in estimated messages."""
    return sum(estimate(point, layout.ranks) for layout, point in tasks)


def seconds(tasks: Sequence[Task]) -> list[float]:
    """Of one core for each task, without its launch, on the machine on which this was measured."""
    try:
        counts = proven.operations(tasks)
    except UserError:  # without a prover
        counts = [4 * estimate(point, layout.ranks) for layout, point in tasks]
    return [POINT_S * layout.ranks + OPERATION_S * n for (layout, _), n in zip(tasks, counts, strict=True)]


def work_s(tasks: Sequence[Task], jobs: int) -> float:
    """Of one core for all tasks, with their launches."""
    launches = batches({str(i): task for i, task in enumerate(tasks)}, jobs)
    return sum(seconds(tasks)) + sum(_start_s(batch.layout) for batch in launches)


def _start_s(layout: Layout) -> float:
    plugged = layout.platform is not None and layout.platform.machine.priced_by == PLUG_IN
    return START_S + PLUG_IN_S * plugged + RANK_S * layout.ranks


def duration_s(left: Sequence[Task], jobs: int, speed: float | None = None) -> float:
    """Seconds to simulate these tasks, `jobs` at a time. `speed`: seconds of a core per unit of cost, where it is known."""
    if speed is not None:
        return cost(left) * speed / jobs
    return work_s(left, jobs) * factor() / max(1, min(jobs, len(left)))


def factor() -> float:
    """How much longer simulations took on this machine than on the one on which the constants were measured."""
    with cache.Cache() as store:
        kept = store.get_many([_key()]).get(_key(), [])
    return usual(kept)


def usual(factors: Sequence[float]) -> float:
    """The factor that the last runs tell: their geometric mean with TRUSTED of 1."""
    last = factors[-LEARNT:]
    return math.exp(sum(map(math.log, last)) / (len(last) + TRUSTED))


def learn(expected_s: float, took_s: float) -> None:
    """Keeps how long a run took of all cores together, beside `work_s`."""
    if min(expected_s, took_s) < WORTH_S:
        return
    with cache.Cache() as store:
        kept = store.get_many([_key()]).get(_key(), [])
        store.put(_key(), [*kept, took_s / expected_s][-LEARNT:])


def _key() -> str:
    return cache.digest("speed of simulations", socket.gethostname())


def sentence(what: str, total: int, left: Sequence[Task], jobs: int, speed: float | None = None) -> str:
    """How many of `total` points have to be simulated, and about how long that takes."""
    if not left:
        return f"{what}: {total} points, all of them cached"
    cached = f", {total - len(left)} of them cached" if len(left) < total else ""
    took = duration_s(left, jobs, speed)
    about, how = f"about {duration(took)}", "as fast as the reference was made"
    if speed is None:
        how = "by their operations"
        if any(layout.ranks > proven.MAX_RANKS for layout, _ in left):
            about = f"{duration(took / UNSURE)} to {duration(took * UNSURE)}"
    return f"{what}: {total} points{cached}; {len(left)} to simulate, {jobs} at a time: {about} ({how})"
