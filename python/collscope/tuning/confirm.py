"""Which calls the model leaves open, in the order in which they decide, and what rules are made from once some of them are measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from collscope.analysis.crossover import SAME
from collscope.tuning.rules import OWN, Call, Rule, chosen
from collscope.tuning.search import Times

BAND = 0.058
"""Of a modelled time, to both sides: 90 % of errors from 1 KiB are smaller on a cluster whose times are known (docs/validation.md)."""
TIE = (1 + BAND) / (1 - BAND) - 1  # times that differ by less have bands that overlap


@dataclass(frozen=True)
class Contest:
    """A call that the model leaves open. `keys`: full keys whose bands overlap with that of the best, one of those that take the same
    time, and the library's own choice; `weight`: how many calls hang on it, by the rule that speaks of it, or of a program's calls how
    many seconds."""

    call: Call
    keys: tuple[str, ...]
    weight: float


@dataclass(frozen=True)
class Measured:
    """Seconds of a call: the median of its repetitions and their quartiles."""

    median_s: float
    q1_s: float
    q3_s: float

    def ties(self, other: Measured) -> bool:
        """Whether it cannot be told from one that is faster: its lower quartile is not above the upper quartile of that."""
        return self.q1_s <= other.q3_s


Found = Mapping[Call, Mapping[str, Measured]]
"""Call → full key → what was measured."""


def seconds_of(times: Times) -> dict[Call, dict[str, float]]:
    """Call → full key → time, the library's own choice among them."""
    made: dict[Call, dict[str, float]] = {call: {key: time_s} for call, (key, time_s) in times.default.items()}
    for collective, ranks, size, name, time_s in times.frame.itertuples(index=False):
        call = (str(collective), int(ranks), int(size))
        made[call].setdefault(name or times.default[call][0], float(time_s))
    return made


def contests(rules: Sequence[Rule], times: Times, doubtful: Iterable[Rule] = ()) -> list[Contest]:
    """The most deciding first. A rule has as many votes as it has sampled calls; its first contest is that in its middle, and its k-th
    one has a k-th of the votes, so that rules are served by turns. Those of rules that hang on open numbers (`doubtful`) come before
    all others. Of a program's calls each has the seconds that it takes as votes."""
    first, seconds = set(doubtful), seconds_of(times)
    sampled = [call for call in times.default if call not in times.held_out]
    made: list[tuple[bool, Contest]] = []
    for rule in rules:
        calls = [call for call in sampled if rule.covers(call)]
        keys = {call: _near(rule, times.default[call][0], seconds[call], rule in first) for call in calls}
        still = [call for call in calls if len(keys[call]) > 1]
        middle = (len(still) - 1) / 2
        order = sorted(range(len(still)), key=lambda i, m=middle: abs(i - m))  # type: ignore[misc]
        for turn, i in enumerate(order, 1):
            call, votes = still[i], len(calls) / turn
            if times.program:
                votes = times.program.calls.get(call, 0.0) * times.default[call][1]
            made.append((rule in first, Contest(call, keys[call], votes)))
    made.sort(key=lambda one: (not one[0], -one[1].weight))
    return [contest for _, contest in made]


def _near(rule: Rule, default: str, seconds: Mapping[str, float], is_doubtful: bool) -> tuple[str, ...]:
    """What competes for a call, the rule's own key first; one key alone: nothing does."""
    own, limit = rule.key or default, (1 + TIE) * min(seconds.values())
    near = [key for key in seconds if seconds[key] <= limit or (is_doubtful and key == own)]
    near.sort(key=lambda key: (key != own, key != default, seconds[key]))
    kept: list[str] = []
    for key in near:
        if not any(_same(seconds[key], seconds[other]) for other in kept):
            kept.append(key)
    alone = len(kept) == 1 and not is_doubtful
    return tuple(kept if alone or any(_same(seconds[default], seconds[k]) for k in kept) else [*kept, default])


def _same(a: float, b: float) -> bool:
    """Whether two modelled times are those of the same messages."""
    return abs(a - b) <= SAME * max(a, b)


def known(key: str, seconds: Mapping[str, float], of: Mapping[str, Measured]) -> Measured | None:
    """What was measured of a key, or of another one that sends the same messages."""
    if key in of or key not in seconds:
        return of.get(key)
    return next((one for name, one in of.items() if name in seconds and _same(seconds[name], seconds[key])), None)


def merged(times: Times, found: Found) -> Times:
    """The times with what was measured. At a measured call what cannot be told from the best takes the time of the best, so that noise
    makes no rules; what was not measured keeps the distance from the best that it has by the model."""
    seconds = seconds_of(times)
    new: dict[Call, dict[str, float]] = {}
    for call, of in found.items():
        best = min(of.values(), key=lambda one: one.median_s)
        scale = best.median_s / min(seconds[call].values())
        new[call] = {}
        for key, modelled_s in seconds[call].items():
            one = known(key, seconds[call], of)
            new[call][key] = (best if one.ties(best) else one).median_s if one else modelled_s * scale
    default = {call: (key, new[call][key] if call in new else time_s) for call, (key, time_s) in times.default.items()}
    time_s = [
        new[call][name or times.default[call][0]] if (call := (collective, ranks, size)) in new else before_s
        for collective, ranks, size, name, before_s in times.frame.itertuples(index=False)
    ]
    return replace(times, frame=times.frame.assign(time_s=time_s), default=default)


@dataclass(frozen=True)
class Worth:
    """What a measured call takes by the library's own choice, by the rule (None: what it takes was not measured), and by the best."""

    call: Call
    default_key: str
    default: Measured
    key: str
    rule: Measured | None
    best_key: str
    best: Measured

    @property
    def loss(self) -> float:
        """Of the rule, against the best; not a number where it was not measured."""
        return self.rule.median_s / self.best.median_s - 1 if self.rule else float("nan")

    @property
    def default_loss(self) -> float:
        """Of the library's own choice, against the best."""
        return self.default.median_s / self.best.median_s - 1

    @property
    def is_slower(self) -> bool:
        """Whether the rule is slower than the library's own choice, by more than repetitions of both scatter."""
        slower = self.rule is not None and self.rule.median_s > self.default.median_s
        return slower and self.rule is not None and not self.rule.ties(self.default)


def worth(rules: Sequence[Rule], times: Times, found: Found) -> list[Worth]:
    """Each measured call, those that lose most against the best first."""
    made, seconds = [], seconds_of(times)
    for call, of in found.items():
        default, rule = times.default[call][0], chosen(rules, call)
        own = known(default, seconds[call], of)
        if rule is None or own is None:
            continue
        key, best = rule.key or default, min(of, key=lambda name, there=of: there[name].median_s)  # type: ignore[misc]
        made.append(Worth(call, default, own, key, known(key, seconds[call], of), best, of[best]))
    return sorted(made, key=lambda w: (w.rule is None, -w.loss if w.rule else 0))


def with_own_choice(times: Times, calls: Iterable[Call]) -> Times:
    """With the library's own choice among what rules can choose, for the collectives and numbers of ranks of these calls. Where it is made
    of other collectives it is not chosen at first, since the library makes it of what their new rules say; its time is that without
    them."""
    groups = {call[:2] for call in calls}
    there = set(
        zip(times.frame["collective"], times.frame["ranks"], times.frame["bytes"], times.frame["name"], strict=True)
    )
    cells = [
        (*call, OWN, time_s)
        for call, (_, time_s) in times.default.items()
        if call[:2] in groups and (*call, OWN) not in there
    ]
    more = pd.DataFrame(cells, columns=times.frame.columns)
    return replace(times, frame=pd.concat([times.frame, more], ignore_index=True)) if cells else times
