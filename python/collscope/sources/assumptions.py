"""Whether a winner hangs on numbers that the machine's file leaves open: its call, and all that compete for it, timed by the model over
draws of these numbers (sources/unknowns)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

from collscope.base import cache, depends, leftovers, progress
from collscope.base.files import write_atomically
from collscope.base.progress import Progress
from collscope.base.statistics import quantile
from collscope.catalogue import prover, registry
from collscope.catalogue.prover import Abandoned, Question
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Layout, Point, describe, plan_text
from collscope.sources import model
from collscope.sources.outcome import OK
from collscope.sources.unknowns import Unknown, drawn, places, unknowns

DRAWS = 100
MIN_DRAWS = 20  # fewer tell no tenth of them from another
MAX_MESSAGES = 4e6  # of all draws of a call, some seconds of a core: larger calls have fewer draws
BAND = (0.1, 0.9)  # of the winner's times: so much of the draws lies between
TIE = 0.01  # of the fastest time: less tells no two algorithms apart
LOSS = 0.10  # of time, that trusting a winner may cost
RARE = 0.02  # of the draws may cost more without a doubt: the ranges go beyond what any machine has
POINT_S = 120.0  # for an algorithm's modelled times in all draws
HINT = "the times are above; Ctrl-C ends the command without this check"


@dataclass(frozen=True)
class Doubt:
    """A winner that hangs on a number: on which most, what it would be replaced by, the largest share of time that trusting it loses, and
    in how many draws it loses more than LOSS."""

    unknown: Unknown
    other: str
    loss: float
    draws: int


@dataclass(frozen=True)
class Judged:
    """Who wins over the draws. winner: the key that loses least on average; seconds: key → median, the winner first; band_s: of the
    winner; ties: keys that take no longer than it by TIE in half of the draws, itself first; wins: draws where nothing is faster by TIE;
    unknowns: what was drawn."""

    winner: str
    seconds: Mapping[str, float]
    band_s: tuple[float, float]
    ties: tuple[str, ...]
    wins: int
    draws: int
    unknowns: tuple[Unknown, ...]
    doubt: Doubt | None


@dataclass(frozen=True)
class Unchecked:
    """A winner that may hang on these numbers: too many messages to draw, or a call that the model does not know."""

    unknowns: tuple[Unknown, ...]


@dataclass(frozen=True)
class Choice:
    """A call with the algorithms that were timed for it with the file's numbers. `points`: full key → its point."""

    layout: Layout
    points: Mapping[str, Point]

    @property
    def draws(self) -> int:
        """How many its messages allow; 0: too few."""
        point, ranks = next(iter(self.points.values())), self.layout.ranks
        about = registry.load().collective(point.collective)
        few = about.has_root or not about.has_data
        peers = 4 if few else ranks if about.name == "alltoall" else ranks / 4  # some of their algorithms are rings
        messages = len(self.points) * ranks * peers
        draws = min(DRAWS, int(MAX_MESSAGES / messages))
        return draws if draws >= MIN_DRAWS else 0


def judged(choices: Sequence[Choice]) -> list[Judged | Unchecked | None]:
    """Each choice over draws of what its machine leaves open; None: nothing is."""
    open_numbers = {
        machine: tuple(unknowns(machine[0], machine[1]))
        for c in choices
        if c.layout.platform and (machine := (c.layout.platform, c.layout.nodes))
    }
    groups: dict[tuple[Layout, int], dict[Point, None]] = {}
    for choice in choices:
        found = open_numbers[choice.layout.platform, choice.layout.nodes] if choice.layout.platform else ()
        if found and all(unknown.dimensions for unknown in found) and choice.draws:
            points = groups.setdefault((choice.layout, choice.draws), {})
            points |= dict.fromkeys(_point(choice, key) for key in choice.points)
    total = sum(draws * len(points) for (_, draws), points in groups.items())
    times: dict[tuple[Layout, int], dict[Point, list[float]]] = {}
    with progress.progress("numbers that the file leaves open", total, HINT) as bar:
        for (layout, draws), points in groups.items():
            assert layout.platform
            found = open_numbers[layout.platform, layout.nodes]
            times[layout, draws] = _times(layout, found, draws, list(points), bar)
    made: list[Judged | Unchecked | None] = []
    for choice in choices:
        at = choice.layout
        found = open_numbers[at.platform, at.nodes] if at.platform else ()
        known = times.get((at, choice.draws), {})
        seconds = {key: known[point] for key in choice.points if (point := _point(choice, key)) in known}
        complete = seconds and len(seconds) == len(choice.points)
        made.append(_judged(seconds, found) if complete else Unchecked(found) if found else None)
    return made


def _point(choice: Choice, key: str) -> Point:
    return model.timed((choice.layout, choice.points[key]))[1]


def _judged(seconds: Mapping[str, Sequence[float]], open_numbers: Sequence[Unknown]) -> Judged:
    """`seconds`: key → its time in each draw."""
    best = [min(row) for row in zip(*seconds.values(), strict=True)]
    loss = {key: [s / b - 1 for s, b in zip(row, best, strict=True)] for key, row in seconds.items()}
    losing = {key: [i for i, lost in enumerate(row) if lost > LOSS] for key, row in loss.items()}
    winner = min(loss, key=lambda key: sum(loss[key]))
    medians = {key: quantile(sorted(row), 0.5) for key, row in seconds.items()}
    own = sorted(seconds[winner])
    near = {
        key: sum(s <= (1 + TIE) * w for s, w in zip(row, seconds[winner], strict=True)) for key, row in seconds.items()
    }
    ties = [key for key in sorted(medians, key=medians.__getitem__) if key != winner and 2 * near[key] >= len(best)]
    doubt = None
    if len(losing[winner]) > RARE * len(best):
        others = Counter(min(seconds, key=lambda key, i=i: seconds[key][i]) for i in losing[winner])  # type: ignore[misc]
        cause = max(open_numbers, key=lambda unknown: _weight(unknown, loss[winner]))
        doubt = Doubt(cause, others.most_common(1)[0][0], max(loss[winner]), len(losing[winner]))
    return Judged(
        winner,
        dict(sorted(medians.items(), key=lambda item: (item[0] != winner, item[1]))),
        (quantile(own, BAND[0]), quantile(own, BAND[1])),
        (winner, *ties),
        sum(lost <= TIE for lost in loss[winner]),
        len(best),
        tuple(open_numbers),
        doubt,
    )


def _weight(unknown: Unknown, loss: Sequence[float]) -> float:
    """How much of a loss follows from a number: the largest correlation of its dimensions with the draws' order by loss."""
    n = len(loss)
    order = sorted(range(n), key=lambda i: loss[i])
    rank = {i: k / (n - 1) - 0.5 for k, i in enumerate(order)}
    return max(abs(sum(rank[i] * (places(name, n)[i] - 0.5) for i in range(n))) for name in unknown.dimensions)


def _times(
    layout: Layout, open_numbers: Sequence[Unknown], draws: int, points: Sequence[Point], bar: Progress
) -> dict[Point, list[float]]:
    """Of each point its time in each draw; points without a time in some draw are left out. Cached by content."""
    assert layout.platform
    machines = [
        machine_file(p, layout.nodes, layout.ranks, layout.mapping) for p in drawn(layout.platform, open_numbers, draws)
    ]
    same = ("draws", cache.sources_hash(*depends.MODEL), *machines, f"ranks={layout.ranks}")
    keys = {point: cache.digest(*same, point.identity()) for point in points}
    with cache.Cache() as store:
        known: dict[str, list[float] | None] = store.get_many(keys.values())
        missing = [point for point, key in keys.items() if key not in known]
        bar(draws * (len(points) - len(missing)))
        questions = [
            Question(str(i), p.algorithm, describe((layout, p)), plan_text([(str(i), p)], layout.ranks))
            for i, p in enumerate(missing)
        ]
        by_part: list[dict[str, list[float]]] = []
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            try:
                parts = _parts(machines, len(os.sched_getaffinity(0))) if missing else []
                for found in pool.map(lambda part: _draw(part, questions, bar), parts):
                    by_part.append(found)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        for i, point in enumerate(missing):
            rows = [found.get(str(i)) for found in by_part]
            known[keys[point]] = None if None in rows else [s for row in rows if row for s in row]
            store.put(keys[point], known[keys[point]])
    return {point: times for point, key in keys.items() if (times := known[key])}


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
        write_atomically(folder / "others.txt", "".join(f"{path}\n" for path in paths))
        words = ("--model", paths[0], "--others", folder / "others.txt")
        for name, reply in prover.stream(words, questions, folder, Progress("draw", len(questions)), POINT_S):
            bar(len(machines))
            if not isinstance(reply, Abandoned) and reply["kind"] == OK:
                made[name] = reply["others_s"]
    return made
