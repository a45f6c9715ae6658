"""Local search: one operation of one rank is begun earlier or later, and what the engine finds faster, or as fast, is kept.

The rank is drawn from those behind the critical path, the more of it the likelier: moving what nobody waits for changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from collscope.synthesis import schedule as schedules
from collscope.synthesis.judge import Judge
from collscope.synthesis.schedule import Schedule

LOOK_EVERY = 20  # tries between two looks at the critical path of a schedule that has not become faster
PATIENCE = 400  # tries without a faster one: then it is given up


@dataclass(frozen=True)
class Candidate:
    """A schedule, what made it, and what it takes."""

    method: str  # of METHODS
    what: str
    schedule: Schedule
    seconds: float


def variants(
    method: str, what: str, base: Schedule, judge: Judge, parts: tuple[int, ...] = (1, 2, 4)
) -> Candidate | None:
    """The fastest of a schedule as it is, with everything posted early, and both with messages cut. None: none of them comes to an end."""
    best: Candidate | None = None
    for n in parts:
        cut = schedules.cut_into(base, n) if n > 1 else base
        for label, made in (("", cut), ("posted early", schedules.early(cut))):
            seconds = judge.seconds(made)
            if seconds is not None and (best is None or seconds < best.seconds):
                words = [what, f"messages in {n}" if n > 1 else "", label]
                best = Candidate(method, ", ".join(filter(None, words)), made, seconds)
    return best


def improved(
    start: Candidate,
    judge: Judge,
    seed: int,
    tries: int,
    over: Callable[[], bool] = lambda: False,
    on_better: Callable[[Candidate], None] = lambda candidate: None,
) -> Candidate:
    """The fastest that so many tries lead to; fewer where nothing gets faster, or `over` says that the time is."""
    generator = random.Random(seed)
    best = start
    weights = judge.critical(best.schedule)
    since = 0
    for count in range(tries):
        if over() or since >= PATIENCE:
            break
        if since and since % LOOK_EVERY == 0:
            weights = judge.critical(best.schedule)
        rank = _drawn(weights, len(best.schedule.ranks), generator)
        made = schedules.moved(best.schedule, rank, generator)
        since += 1
        seconds = judge.seconds(made) if made is not None else None
        if made is None or seconds is None or seconds > best.seconds:
            continue
        faster = seconds < best.seconds * (1 - 1e-9)
        what = best.what if best.what.endswith("reordered") else f"{best.what}, reordered"
        best = Candidate(start.method, what if faster else best.what, made, seconds)
        if faster:
            since = 0
            weights = judge.critical(made) if count % 5 == 0 else weights
            on_better(best)
    return best


def _drawn(weights: dict[int, float], ranks: int, generator: random.Random) -> int:
    """A rank, by its weight; one in eight tries any."""
    if not weights or generator.random() < 0.125:
        return int(generator.random() * ranks)
    at = generator.random() * sum(weights.values())
    for rank in sorted(weights):
        at -= weights[rank]
        if at <= 0:
            return rank
    return max(weights)
