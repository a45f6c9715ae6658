"""Whether a winner hangs on numbers that the machine's file leaves open: its call, and all that compete for it, timed by the model over
draws of these numbers (sources/unknowns)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from pathlib import Path

from collscope.base import cache, depends, leftovers, progress
from collscope.base.files import write_atomically
from collscope.base.progress import Progress, duration
from collscope.base.statistics import quantile
from collscope.base.units import counted
from collscope.catalogue import prover
from collscope.catalogue.prover import Abandoned, Question
from collscope.machines.completion import Unknown
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Layout, Point, describe, plan_text
from collscope.sources import model
from collscope.sources.outcome import OK
from collscope.sources.unknowns import drawn, places, unknowns

DRAWS = 100
MIN_DRAWS = 10  # fewer tell no tenth of them from another
FAR = 4.0  # times the fastest with the middle of each range: what takes longer is not drawn, and wins in none
STEPS = 5e8  # of the model, for all calls of a command; where that is more, …
RUNS = 5  # … as many as to time all calls so often
STEP_S = 6.5e-8  # of a core: 25 to 125 ns where this was measured, for steps from 1e4 to 6e7
BAND = (0.1, 0.9)  # of the winner's times: so much of the draws lies between
TIE = 0.01  # of the fastest time: less tells no two algorithms apart
LOSS = 0.10  # of time, that trusting a winner may cost
RARE = 0.02  # of the draws may cost more without a doubt: the ranges go beyond what any machine has
POINT_S = 60.0  # for an algorithm's time with the middle of each range
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
    """Who wins over the draws. winner: the key that loses least on average; seconds: key → median, the winner first; bands: key → where
    eight of ten of its times lie, of what was drawn; ties: keys that take no longer than it by TIE in half of the draws, itself first;
    wins: draws where nothing is faster by TIE; unknowns: what was drawn; drawn: key → its time in each draw."""

    winner: str
    seconds: Mapping[str, float]
    bands: Mapping[str, tuple[float, float]]
    ties: tuple[str, ...]
    wins: int
    draws: int
    unknowns: tuple[Unknown, ...]
    doubt: Doubt | None
    drawn: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def band_s(self) -> tuple[float, float]:
        """Of the winner."""
        return self.bands[self.winner]

    def hangs_on(self, key: str) -> str:
        """On which number the choice of this key over the others hangs, and what measures it; "": on none."""
        if not self.doubt and key in self.ties:
            return ""
        number = self.doubt.unknown if self.doubt else self.unknowns[0]
        return f"{key} hangs on {number.name}: set {number.keys}, measured with {number.measure}"


@dataclass(frozen=True)
class Unchecked:
    """A winner that may hang on these numbers, and why that was not found out."""

    unknowns: tuple[Unknown, ...]
    reason: str


@dataclass(frozen=True)
class Choice:
    """A call with the algorithms that were timed for it with the file's numbers. `points`: full key → its point; `all_drawn`: also those
    that are FAR."""

    layout: Layout
    points: Mapping[str, Point]
    all_drawn: bool = False


@dataclass(frozen=True)
class _Middle:
    """A call with the middle of each range. seconds, steps: of all its algorithms; alike: of those that are not FAR, the first that has the
    same steps and the same time: it sends the same messages, and is drawn for all of them."""

    seconds: Mapping[str, float]
    steps: Mapping[str, float]
    alike: Mapping[str, str]

    @property
    def drawn(self) -> list[str]:
        return list(dict.fromkeys(self.alike.values()))

    @property
    def steps_drawn(self) -> float:
        """Of each draw."""
        return sum(self.steps[key] for key in self.drawn)


def judged(choices: Sequence[Choice]) -> list[Judged | Unchecked | None]:
    """Each choice over draws of what its machine leaves open; None: nothing is."""
    found = [_unknowns(choice.layout) for choice in choices]
    looks = _middles(choices, found)
    able = {i: look for i, look in enumerate(looks) if isinstance(look, _Middle)}
    least = RUNS * sum(sum(look.steps.values()) for look in able.values())
    draws = dict(zip(able, _affordable([look.steps_drawn for look in able.values()], max(STEPS, least)), strict=True))
    groups: dict[tuple[Layout, int], dict[Point, None]] = {}
    for i, n in draws.items():
        if n:
            points = groups.setdefault((choices[i].layout, n), {})
            points |= dict.fromkeys(_point(choices[i], key) for key in able[i].drawn)
    total = sum(n * len(points) for (_, n), points in groups.items())
    times: dict[tuple[Layout, int], dict[Point, list[float]]] = {}
    with progress.progress("numbers that the file leaves open", total, HINT) as bar:
        for (layout, n), points in groups.items():
            times[layout, n] = _times(layout, _unknowns(layout), n, list(points), bar)
    made: list[Judged | Unchecked | None] = []
    for i, (choice, look, numbers) in enumerate(zip(choices, looks, found, strict=True)):
        if not isinstance(look, _Middle):
            made.append(Unchecked(numbers, look) if look else None)
        elif not draws[i]:
            made.append(Unchecked(numbers, _too_much(look)))
        else:
            known = times[choice.layout, draws[i]]
            seconds = {k: known[point] for k, one in look.alike.items() if (point := _point(choice, one)) in known}
            lost = next((key for key in look.drawn if key not in seconds), "")
            made.append(
                Unchecked(numbers, f"{lost} has no time in some draw")
                if lost
                else _judged(seconds, numbers, look.seconds)
            )
    return made


def _unknowns(layout: Layout) -> tuple[Unknown, ...]:
    return tuple(unknowns(layout.platform, layout.nodes)) if layout.platform else ()


def _point(choice: Choice, key: str) -> Point:
    return model.timed((choice.layout, choice.points[key]))[1]


def _middles(choices: Sequence[Choice], found: Sequence[Sequence[Unknown]]) -> list[_Middle | str]:
    """Each choice with the middle of each range; or why that cannot be, "": nothing is open."""
    on: dict[Layout, Layout] = {}
    for choice, numbers in zip(choices, found, strict=True):
        if numbers and all(unknown.dimensions for unknown in numbers) and choice.layout not in on:
            assert choice.layout.platform
            on[choice.layout] = replace(choice.layout, platform=next(drawn(choice.layout.platform, numbers, 1)))
    tasks = [(on[c.layout], _point(c, key)) for c in choices if c.layout in on for key in c.points]
    outcomes = iter(model.evaluate(tasks, limit_s=POINT_S))
    made: list[_Middle | str] = []
    for choice, numbers in zip(choices, found, strict=True):
        if choice.layout not in on:
            made.append("too many routes" if numbers else "")
            continue
        replies = {key: next(outcomes) for key in choice.points}
        if fault := next((f"{key}: {r['status']}" for key, r in replies.items() if r["kind"] != OK), ""):
            made.append(fault)
            continue
        seconds = {key: r["model_s"] for key, r in replies.items()}
        steps = {key: r["steps"] for key, r in replies.items()}
        near = [key for key, s in seconds.items() if choice.all_drawn or s <= FAR * min(seconds.values())]
        first: dict[tuple[float, float], str] = {}
        alike = {key: first.setdefault((steps[key], seconds[key]), key) for key in near}
        made.append(_Middle(seconds, steps, alike))
    return made


def _affordable(steps: Sequence[float], left: float) -> list[int]:
    """How many draws each call has, by the steps of one: MIN_DRAWS while there is enough, those with the fewest steps first, then even
    shares of what is left; 0 where it was not enough."""
    made = [0] * len(steps)
    ascending = sorted(range(len(steps)), key=steps.__getitem__)
    able = [i for i, all_before in zip(ascending, accumulate(steps[i] for i in ascending), strict=True)
            if MIN_DRAWS * all_before <= left]  # fmt: skip
    left -= MIN_DRAWS * sum(steps[i] for i in able)
    for done, i in enumerate(able):
        more = left / (len(able) - done) / steps[i] if steps[i] else DRAWS
        made[i] = min(DRAWS, MIN_DRAWS + int(more))
        left -= (made[i] - MIN_DRAWS) * steps[i]
    return made


def _too_much(look: _Middle) -> str:
    took = duration(MIN_DRAWS * look.steps_drawn * STEP_S)
    return f"{MIN_DRAWS} draws of {counted(len(look.drawn), 'algorithm')} take a core about {took}"


def _judged(
    seconds: Mapping[str, Sequence[float]], open_numbers: Sequence[Unknown], middle: Mapping[str, float]
) -> Judged:
    """`seconds`: key → its time in each draw; `middle`: of these and of what was not drawn, its time with the middle of each range."""
    best = [min(row) for row in zip(*seconds.values(), strict=True)]
    loss = {key: [s / b - 1 for s, b in zip(row, best, strict=True)] for key, row in seconds.items()}
    losing = {key: [i for i, lost in enumerate(row) if lost > LOSS] for key, row in loss.items()}
    winner = min(loss, key=lambda key: sum(loss[key]))
    ascending = {key: sorted(row) for key, row in seconds.items()}
    medians = {**middle, **{key: quantile(row, 0.5) for key, row in ascending.items()}}
    near = {
        key: sum(s <= (1 + TIE) * w for s, w in zip(row, seconds[winner], strict=True)) for key, row in seconds.items()
    }
    ties = [key for key in sorted(near, key=medians.__getitem__) if key != winner and 2 * near[key] >= len(best)]
    doubt = None
    if len(losing[winner]) > RARE * len(best):
        others = Counter(min(seconds, key=lambda key, i=i: seconds[key][i]) for i in losing[winner])  # type: ignore[misc]
        cause = max(open_numbers, key=lambda unknown: _weight(unknown, loss[winner]))
        doubt = Doubt(cause, others.most_common(1)[0][0], max(loss[winner]), len(losing[winner]))
    return Judged(
        winner,
        dict(sorted(medians.items(), key=lambda item: (item[0] != winner, item[1]))),
        {key: (quantile(row, BAND[0]), quantile(row, BAND[1])) for key, row in ascending.items()},
        (winner, *ties),
        sum(lost <= TIE for lost in loss[winner]),
        len(best),
        tuple(open_numbers),
        doubt,
        seconds,
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
        write_atomically(folder / "others.txt", "".join(f"{path}\n" for path in paths[1:]))
        words: list[str | Path] = ["--model", paths[0]]
        words += ["--others", folder / "others.txt"] if paths[1:] else []
        for name, reply in prover.stream(words, questions, folder, Progress("draw", len(questions))):
            bar(len(machines))
            if not isinstance(reply, Abandoned) and reply["kind"] == OK:
                made[name] = [reply["model_s"], *reply.get("others_s", ())]
    return made
