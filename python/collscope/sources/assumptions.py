"""Whether a winner hangs on numbers that are not known of a machine: its call, and all that compete for it, timed by the model over draws
of these numbers (sources/unknowns)."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from collscope.base import console, progress
from collscope.base.statistics import quantile
from collscope.base.units import counted
from collscope.machines.completion import Unknown
from collscope.points.plan import Layout, Point, Task
from collscope.sources import model, proven
from collscope.sources.draws import band, timed
from collscope.sources.outcome import OK
from collscope.sources.unknowns import drawn, places, unknowns

DRAWS = 100
MIN_DRAWS = 10  # fewer tell no tenth of them from another
FAR = 4.0  # times the fastest with the middle of each range: what takes longer is not drawn, and wins in none
STEPS = 5e8  # of the model, for all calls of a command; where that is more, …
RUNS = 5  # … as many as to time all calls so often
TIE = 0.01  # of the fastest time: less tells no two algorithms apart
LOSS = 0.10  # of time, that trusting a winner may cost
RARE = 0.02  # of the draws may cost more without a doubt: the ranges go beyond what any machine has
POINT_S = 60.0  # for an algorithm's time with the middle of each range, unless the user says so
HINT = "the times are above; Ctrl-C ends the command without this check"
_Name = tuple[int, str]  # of a call: which choice, which key


@dataclass(frozen=True)
class Doubt:
    """A winner that hangs on a number: on which most, what it would be replaced by, the largest share of time that trusting it loses, and
    in how many draws it loses more than LOSS."""

    unknown: Unknown
    other: str
    loss: float
    draws: int


@dataclass(frozen=True)
class Lead:
    """An algorithm beside another. wins: draws in which the other takes longer by TIE; band: how many times as long it takes, in eight of
    ten draws."""

    wins: int
    draws: int
    band: tuple[float, float]

    @property
    def is_sure(self) -> bool:
        """In every draw."""
        return self.wins == self.draws


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

    def lost(self, key: str) -> list[float]:
        """In each draw the share of time that a key takes longer than the fastest."""
        best = map(min, zip(*self.drawn.values(), strict=True))
        return [_ratio(s, b) - 1 for s, b in zip(self.drawn[key], best, strict=True)]

    def wins_of(self, key: str) -> int:
        """The draws where nothing is faster than this key by TIE."""
        return sum(lost <= TIE for lost in self.lost(key))

    def lead(self, key: str, other: str) -> Lead | None:
        """A key beside another; None: one of them was not drawn."""
        if not {key, other} <= self.drawn.keys():
            return None
        ratios = [_ratio(b, a) for a, b in zip(self.drawn[key], self.drawn[other], strict=True)]
        return Lead(sum(ratio > 1 + TIE for ratio in ratios), len(ratios), band(ratios))

    def decisive(self, one: str, other: str) -> Unknown | None:
        """The number on which the order of two keys hangs most; None: in no draw another one is the faster by TIE than in most."""
        lead = [_ratio(a, b) for a, b in zip(self.drawn[one], self.drawn[other], strict=True)]
        if all(s <= 1 + TIE for s in lead) or all(s >= 1 - TIE for s in lead):
            return None
        return max(self.unknowns, key=lambda unknown: _weight(unknown, lead))

    @property
    def band_s(self) -> tuple[float, float]:
        """Of the winner."""
        return self.bands[self.winner]

    def hangs_on(self, key: str) -> str:
        """Why this key is not the one to take: the number on which its order with the winner hangs, and what measures it, or that it takes
        longer whatever they are; "": it may be taken."""
        if not self.doubt and key in self.ties:
            return ""
        number = self.decisive(key, self.winner) if key != self.winner and key in self.drawn else None
        if number is None and self.doubt and key in self.ties:
            number = self.doubt.unknown
        if number is None:
            return f"{key} takes longer than {self.winner}, whatever the numbers are that are not known"
        return f"{key} hangs on {number.name}: set {number.keys}, measured with {number.measure}"


@dataclass(frozen=True)
class Unchecked:
    """A winner that may hang on these numbers, and why that was not found out."""

    unknowns: tuple[Unknown, ...]
    reason: str


@dataclass(frozen=True)
class Choice:
    """A call with the algorithms that were timed for it with the file's numbers. `points`: full key → its point; `all_drawn`: also those
    that are FAR; `kept`: keys that are drawn, FAR or not; `beside`: keys that a winner in doubt is compared with, FAR, or not timed at
    all."""

    layout: Layout
    points: Mapping[str, Point]
    all_drawn: bool = False
    kept: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()


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


def judged(choices: Sequence[Choice], limit_s: float | None = None) -> list[Judged | Unchecked | None]:
    """Each choice over draws of what is not known of its machine; None: nothing is unknown. `limit_s`: for an algorithm's time with the
    middle of each range (POINT_S). What takes long is said before it begins."""
    limit_s = limit_s or POINT_S
    found = [_unknowns(choice.layout) for choice in choices]
    looks = _middles(choices, found, limit_s)
    able = {i: look for i, look in enumerate(looks) if isinstance(look, _Middle)}
    least = RUNS * sum(sum(look.steps.values()) for look in able.values())
    draws = dict(zip(able, _affordable([look.steps_drawn for look in able.values()], max(STEPS, least)), strict=True))
    steps = sum(n * able[i].steps_drawn for i, n in draws.items())
    if any(draws.values()):
        _announce(steps * model.STEP_S / len(os.sched_getaffinity(0)), f"{max(draws.values())} draws of these numbers")
    calls = {
        (i, key): ((choices[i].layout, _point(choices[i], key)), n)
        for i, n in draws.items()
        if n
        for key in able[i].drawn
    }
    times = _over_draws("numbers that the file leaves open", calls)
    made: list[Judged | Unchecked | None] = []
    for i, (look, numbers) in enumerate(zip(looks, found, strict=True)):
        if not isinstance(look, _Middle):
            made.append(Unchecked(numbers, look) if look else None)
        elif not draws[i]:
            made.append(Unchecked(numbers, _too_much(look)))
        elif lost := next((key for key in look.drawn if (i, key) not in times), ""):
            made.append(Unchecked(numbers, f"{lost} has no time in some draw"))
        else:
            made.append(_judged({key: times[i, one] for key, one in look.alike.items()}, numbers, look.seconds))
    return _with_others(choices, made, limit_s)


def _announce(took_s: float, what: str, on: Iterable[Layout] = ()) -> None:
    """Says what comes, where that takes long, or may on so many ranks: the times have been printed by then, and nothing else would be
    seen."""
    if took_s >= progress.PERIOD_S or any(layout.ranks > proven.MAX_RANKS for layout in on):
        about = f", about {progress.duration(took_s)}" if took_s else ""
        console.note(f"how sure the winners are: {what}{about}; {HINT}")


def _over_draws(what: str, calls: Mapping[_Name, tuple[Task, int]]) -> dict[_Name, list[float]]:
    """The time of each call in each of so many draws; of one that has none in some draw nothing."""
    groups: dict[tuple[Layout, int], dict[Point, None]] = {}
    for (layout, point), n in calls.values():
        groups.setdefault((layout, n), {})[point] = None
    times: dict[tuple[Layout, int], dict[Point, list[float]]] = {}
    with progress.progress(what, sum(n * len(points) for (_, n), points in groups.items()), HINT) as bar:
        for (layout, n), points in groups.items():
            times[layout, n] = timed(layout, _unknowns(layout), n, list(points), bar)
    return {name: found for name, ((at, q), n) in calls.items() if (found := times[at, n].get(q))}


def _with_others(
    choices: Sequence[Choice], made: Sequence[Judged | Unchecked | None], limit_s: float
) -> list[Judged | Unchecked | None]:
    """Winners in doubt with the drawn times of what they are to be compared with, while there are STEPS, those with the fewest first."""
    tasks = {
        (i, key): model.timed((choice.layout, _other(choice, key)))
        for i, (choice, found) in enumerate(zip(choices, made, strict=True))
        if isinstance(found, Judged) and found.doubt
        for key in sorted(choice.beside - found.drawn.keys())
    }
    if not tasks:
        return list(made)
    wrong = proven.failures(list(tasks.values()), limit_s=limit_s)
    with progress.progress("defaults of libraries, once", len(tasks), HINT) as bar:
        replies = model.evaluate(list(tasks.values()), progress=bar, limit_s=limit_s)
    draws = {i: found.draws for i, found in enumerate(made) if isinstance(found, Judged)}
    steps = {
        (i, key): draws[i] * reply["steps"]
        for (i, key), reply in zip(tasks, replies, strict=True)
        if reply["kind"] == OK and tasks[i, key] not in wrong
    }
    ascending = sorted(steps, key=lambda one: steps[one])
    all_before = accumulate(steps[one] for one in ascending)
    able = [one for one, needed in zip(ascending, all_before, strict=True) if needed <= STEPS]
    times = _over_draws("defaults of libraries", {(i, key): (tasks[i, key], draws[i]) for i, key in able})
    more: dict[int, dict[str, Sequence[float]]] = {}
    for (i, key), seconds in times.items():
        more.setdefault(i, {})[key] = seconds
    return [
        replace(found, drawn={**found.drawn, **more[i]}) if isinstance(found, Judged) and i in more else found
        for i, found in enumerate(made)
    ]


def _other(choice: Choice, key: str) -> Point:
    """The choice's call by another algorithm."""
    return replace(next(iter(choice.points.values())), algorithm=key)


def _unknowns(layout: Layout) -> tuple[Unknown, ...]:
    return tuple(unknowns(layout.platform, layout.nodes)) if layout.platform else ()


def _point(choice: Choice, key: str) -> Point:
    return model.timed((choice.layout, choice.points[key]))[1]


def _middles(choices: Sequence[Choice], found: Sequence[Sequence[Unknown]], limit_s: float) -> list[_Middle | str]:
    """Each choice with the middle of each range; or why that cannot be, "": nothing is open."""
    on: dict[Layout, Layout] = {}
    for choice, numbers in zip(choices, found, strict=True):
        if numbers and all(unknown.dimensions for unknown in numbers) and choice.layout not in on:
            assert choice.layout.platform
            on[choice.layout] = replace(choice.layout, platform=next(drawn(choice.layout.platform, numbers, 1)))
    tasks = [(on[c.layout], _point(c, key)) for c in choices if c.layout in on for key in c.points]
    middle = f"{counted(len(tasks), 'call')} with the middle of each number that is not known ({limit_s:g} s at most for one)"
    _announce(
        model.seconds([(c.layout, _point(c, key)) for c in choices if c.layout in on for key in c.points]), middle, on
    )
    with progress.progress("the middle of what is not known", len(tasks), HINT) as bar:
        outcomes = iter(model.evaluate(tasks, progress=bar, limit_s=limit_s))
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
        far = FAR * min(seconds.values())
        near = [key for key, s in seconds.items() if choice.all_drawn or s <= far or key in choice.kept]
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


def _ratio(seconds: float, other: float) -> float:
    """How many times as long; 1 where both take no time, as on one rank."""
    return 1.0 if seconds == other else seconds / other if other else math.inf


def _too_much(look: _Middle) -> str:
    took = progress.duration(MIN_DRAWS * look.steps_drawn * model.STEP_S)
    return f"{MIN_DRAWS} draws of {counted(len(look.drawn), 'algorithm')} take a core about {took}"


def _judged(
    seconds: Mapping[str, Sequence[float]], open_numbers: Sequence[Unknown], middle: Mapping[str, float]
) -> Judged:
    """`seconds`: key → its time in each draw; `middle`: of these and of what was not drawn, its time with the middle of each range."""
    best = [min(row) for row in zip(*seconds.values(), strict=True)]
    loss = {key: [_ratio(s, b) - 1 for s, b in zip(row, best, strict=True)] for key, row in seconds.items()}
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
        {key: band(row) for key, row in ascending.items()},
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
