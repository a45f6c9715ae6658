"""Calls timed by the model over draws of what is not known of a machine (sources/unknowns), and the band of such times."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from collscope.base import cache, leftovers
from collscope.base.files import write_atomically
from collscope.base.progress import Progress
from collscope.base.statistics import quantile
from collscope.catalogue import prover
from collscope.catalogue.prover import Abandoned, Question
from collscope.machines.completion import Unknown
from collscope.machines.machine_file import machine_file
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Point, Task, describe, plan_text
from collscope.sources import model
from collscope.sources.outcome import OK
from collscope.sources.unknowns import drawn, unknowns

BAND = (0.1, 0.9)  # so much of the draws lies between


def band(seconds: Sequence[float]) -> tuple[float, float]:
    """Where eight of ten of the times of a call lie."""
    ascending = sorted(seconds)
    return quantile(ascending, BAND[0]), quantile(ascending, BAND[1])


def bands(tasks: Sequence[Task], draws: int, bar: Progress) -> list[tuple[float, float] | None]:
    """The band of each task over so many draws; None: nothing of its machine is unknown, or it has no time."""
    groups: dict[Layout, dict[Point, None]] = {}
    calls = [model.timed(task) for task in tasks]
    for layout, point in calls:
        groups.setdefault(layout, {})[point] = None
    found: dict[Task, tuple[float, float]] = {}
    for layout, points in groups.items():
        numbers = unknowns(layout.platform, layout.nodes) if layout.platform else []
        if not numbers or not all(unknown.dimensions for unknown in numbers):
            bar(len(points))
            continue
        times = timed(layout, numbers, draws, list(points), Progress("draws", draws * len(points)))
        found |= {(layout, point): band(seconds) for point, seconds in times.items()}
        bar(len(points))
    return [found.get(task) for task in calls]


def timed(
    layout: Layout, open_numbers: Sequence[Unknown], draws: int, points: Sequence[Point], bar: Progress
) -> dict[Point, list[float]]:
    """Of each point its time in each draw; points without a time in some draw are left out. Cached by content."""
    assert layout.platform
    machines = [
        machine_file(p, layout.nodes, layout.ranks, layout.mapping)
        for p in _platforms(layout.platform, tuple(open_numbers), draws)
    ]
    same = ("draws", *prover.made_by(), *machines, f"ranks={layout.ranks}")
    keys = {point: cache.digest(*same, point.identity()) for point in points}
    with cache.Cache() as store:
        known: dict[str, list[float] | None] = store.get_many(keys.values())
        missing = [point for point, key in keys.items() if key not in known]
        bar(draws * (len(points) - len(missing)))
        questions = [
            Question(str(i), p.algorithm, describe((layout, p)), plan_text([(str(i), p)], layout.ranks))
            for i, p in enumerate(missing)
        ]
        parts = _parts(machines, len(os.sched_getaffinity(0))) if missing else []
        by_part = prover.side_by_side(lambda part: _draw(part, questions, bar), parts)
        for i, point in enumerate(missing):
            rows = [found.get(str(i)) for found in by_part]
            known[keys[point]] = None if None in rows else [s for row in rows if row for s in row]
            store.put(keys[point], known[keys[point]])
    return {point: times for point, key in keys.items() if (times := known[key])}


@lru_cache(maxsize=4)
def _platforms(platform: Platform, open_numbers: tuple[Unknown, ...], draws: int) -> tuple[Platform, ...]:
    return tuple(drawn(platform, open_numbers, draws))


def _parts(machines: Sequence[str], count: int) -> list[Sequence[str]]:
    """The machines in so many parts of about one length, in their order."""
    edges = [len(machines) * i // count for i in range(count + 1)]
    return [machines[low:high] for low, high in pairwise(edges) if low < high]


def _draw(machines: Sequence[str], questions: Sequence[Question], bar: Progress) -> dict[str, list[float]]:
    """Question → seconds on each of these machines, where it has times. Its schedule is recorded once."""
    made: dict[str, list[float]] = {}
    with leftovers.scratch() as folder:
        paths = [folder / f"machine{i}.txt" for i in range(len(machines))]
        for path, text in zip(paths, machines, strict=True):
            write_atomically(path, text)
        write_atomically(folder / "others.txt", "".join(f"{path}\n" for path in paths[1:]))
        words: list[str | Path] = ["--model", paths[0]]
        words += ["--others", folder / "others.txt"] if paths[1:] else []
        for name, reply in prover.stream(words, questions, folder, Progress("draw", len(questions))):
            bar(len(machines))
            if not isinstance(reply, Abandoned) and reply["kind"] == OK:
                made[name] = [reply["model_s"], *reply.get("others_s", ())]
    return made
