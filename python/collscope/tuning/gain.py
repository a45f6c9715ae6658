"""What rules gain and lose, call by call: against the library's own choice and against the best of what it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isnan
from typing import NamedTuple

from collscope.tuning import mpich_rules
from collscope.tuning.confirm import Found
from collscope.tuning.demand import Demand, Load
from collscope.tuning.origin import Origin
from collscope.tuning.rules import NOISE, OWN, Call, Rule, chosen, fitted, of_program
from collscope.tuning.search import Times
from collscope.tuning.targets import Target


@dataclass(frozen=True)
class Gain:
    """One call. `key`: what its rule takes, and `time_s` its time (None: it has none there); `is_sound`: it has one, and is not slower
    than the library's own choice; `held_out`: no rule was made from the call; `at_least`: default_s is less than it takes."""

    call: Call
    held_out: bool
    default: str
    default_s: float
    key: str
    time_s: float | None
    best: str
    best_s: float
    is_sound: bool
    at_least: bool = False

    @property
    def loss(self) -> float:
        """Of the rule, against the best."""
        return (self.time_s or float("inf")) / self.best_s - 1

    @property
    def default_loss(self) -> float:
        """Of the library's own choice, against the best."""
        return self.default_s / self.best_s - 1


def gains(rules: Sequence[Rule], times: Times, joined: frozenset[Call] = frozenset()) -> list[Gain]:
    """Each call that a rule speaks of, in their order; `joined`: held-out calls that rules were made from, too."""
    by_call: dict[Call, dict[str, float]] = {}
    for collective, ranks, size, name, time_s in times.frame.itertuples(index=False):
        if not isnan(time_s):
            by_call.setdefault((collective, int(ranks), int(size)), {})[name] = time_s
    made = []
    for call, (default, default_s) in times.default.items():
        rule, there = chosen(rules, call), by_call.get(call, {})
        if rule is None or not there:
            continue
        time_s = default_s if rule.key == OWN else there.get(rule.key)
        best = min(there, key=there.__getitem__)
        best, best_s = (default, default_s) if default_s <= there[best] else (best, there[best])
        is_sound = rule.key in there and time_s is not None and time_s <= (1 + NOISE) * default_s
        held_out = call in times.held_out and call not in joined
        key, at_least = rule.key or default, call in times.at_least
        made.append(Gain(call, held_out, default, default_s, key, time_s, best, best_s, is_sound, at_least))
    return made


class Settled(NamedTuple):
    """Rules, and the held-out calls that they were made from, too: those where rules made without them have no time, or are slower than
    the library's own choice. `undecided`: calls and names whose times decide between rules, and are not known: then these are not the
    rules."""

    rules: list[Rule]
    joined: frozenset[Call]
    undecided: frozenset[tuple[Call, str]] = frozenset()


def settled(times: Times, loss: float) -> Settled:
    """The rules that lose at most `loss`, at every call or, of a program's calls, in all."""
    joined: frozenset[Call] = frozenset()
    default_s = {call: seconds for call, (_, seconds) in times.default.items()}
    made: dict[str, list[Rule]] = {call[0]: [] for call in times.default}
    pending = set(made)
    while pending:
        sampled = [call for call in times.default if call not in times.held_out or call in joined]
        if times.program is None:
            rules = fitted(times.of(call for call in sampled if call[0] in pending), default_s, loss)
        else:  # what is lost is bounded over all collectives
            pending = set(made)
            rules = of_program(times.of(sampled), default_s, loss, times.program.calls, times.program.bounds)
        if undecided := _undecided(rules, times, sampled):
            return Settled(rules, joined, undecided)
        made |= {name: [rule for rule in rules if rule.collective == name] for name in pending}
        bad = {g.call for g in gains(rules, times, joined) if g.held_out and not g.is_sound}
        joined |= bad
        pending = {call[0] for call in bad}
    return Settled([rule for rules in made.values() for rule in rules], joined)


def _undecided(rules: Sequence[Rule], times: Times, sampled: Sequence[Call]) -> frozenset[tuple[Call, str]]:
    """What has no time since it is slower than the best, though these rules depend on it: of each rule at the calls that it speaks of, and
    of neighbours on both sides of the size where one follows the other. What is slower than the library's own choice is decided."""
    if not times.slower:
        return frozenset()
    needed = {(call, rule.key) for call in times.default if (rule := chosen(rules, call))}
    for a, b in pairwise(rules):
        if (a.collective, a.ranks, a.bytes[1] + 1) != (b.collective, b.ranks, b.bytes[0]):
            continue
        for p in {call[1] for call in sampled if a.covers(call)}:
            below = [call for call in sampled if call[1] == p and a.covers(call)]
            above = [call for call in sampled if call[1] == p and b.covers(call)]
            needed |= {(max(below), b.key)} | ({(min(above), a.key)} if above else set())
    limits = {call: (1 + NOISE) * times.default[call][1] for call, _ in needed}
    own = {(call, name) for call in times.at_least for name in (OWN, times.default[call][0])}
    return frozenset(one for one in needed - own if times.slower.get(one, inf) < limits[one[0]])


@dataclass(frozen=True)
class Confirmed:
    """What was measured, or simulated, of the calls that the model leaves open: `source`, real or sim; `found`, the times; `contests`, how
    many calls were open; `spent_s`; `gone`: rules of the model that were slower than the library's own choice there, in words;
    `left`: those that still are."""

    source: str
    found: Found
    contests: int
    spent_s: float
    gone: Sequence[str] = ()
    left: Sequence[str] = ()


@dataclass(frozen=True)
class Part:
    """What came out for so many ranks on a node (None: as many as it has cores): the rules, the modelled times that they were made from,
    those left to the library since they were in doubt, with the reason, and the held-out calls that became samples."""

    per_node: int | None
    rules: Sequence[Rule]
    times: Times
    doubtful: Sequence[tuple[Rule, str]]
    joined: frozenset[Call]
    confirmed: Confirmed | None = None

    @property
    def joined_calls(self) -> int:
        """How many held-out calls became samples."""
        return len(self.joined)

    @property
    def gains(self) -> list[Gain]:
        """Each call, by the model."""
        return gains(self.rules, self.times, self.joined)


@dataclass(frozen=True)
class Tuned:
    """What came out, a part for each number of ranks per node. `nodes`: by number of ranks, on how many nodes they are; `origin`: what the
    files say of how they were made; `demands`: the programs whose calls are tuned, where profiles name them."""

    target: Target
    platform: str
    parts: Sequence[Part]
    loss: float
    nodes: Mapping[int, int]
    origin: Origin
    demands: Sequence[Demand] = ()

    @property
    def rules(self) -> list[Rule]:
        """Of all parts, in their order."""
        return [rule for part in self.parts for rule in part.rules]

    def rules_for(self, load: Load) -> Sequence[Rule]:
        """Those that speak of calls of a program."""
        each = load.use.per_node or 1
        held = [part for part in self.parts if part.per_node == each] if len(self.parts) > 1 else self.parts
        return held[0].rules

    @property
    def doubtful(self) -> list[tuple[Rule, str]]:
        """Of all parts."""
        return [doubt for part in self.parts for doubt in part.doubtful]

    @property
    def shares_nodes(self) -> bool:
        """Whether some node has several ranks."""
        return any(on < ranks for ranks, on in self.nodes.items())

    @property
    def several_per_node(self) -> bool:
        """Whether several nodes are used, and some has several ranks."""
        return any(1 < on < ranks for ranks, on in self.nodes.items())

    @property
    def remark(self) -> str:
        """What the times of the library's own choice leave out; "" where that is nothing."""
        split = self.target.family == "mpich" and any(rule.collective in mpich_rules.FLAT for rule in self.rules)
        return mpich_rules.UNTIMED if self.shares_nodes and split else ""
