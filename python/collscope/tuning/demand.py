"""What programs demand of rules: the collective calls of their profiles, each with the time that it takes, and what rules save of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from collscope.tuning.rules import OWN, Call, Rule, chosen
from collscope.tuning.search import Program, Times
from collscope.tuning.uses import Profile, Use


@dataclass(frozen=True)
class Load:
    """Calls of a program. `call`: that of their mean size, whose vector has `vector_bytes`; `bounds`: their sizes, as rules compare
    them; `now`: the full key of what ran, which takes
    `now_s` there by the model; `times`: of the first, the mean and the last size of their class."""

    use: Use
    call: Call
    bounds: tuple[int, int]
    vector_bytes: int
    now: str
    now_s: float
    times: Times

    @property
    def weight(self) -> float:
        """How many calls by the model its time amounts to; no algorithm saves what ranks wait for late ones."""
        return self.use.working_s / self.now_s

    @cached_property
    def seconds(self) -> dict[Call, dict[str, float]]:
        """Call → name → seconds of a call."""
        made: dict[Call, dict[str, float]] = {}
        for collective, ranks, size, name, time_s in self.times.frame.itertuples(index=False):
            made.setdefault((str(collective), int(ranks), int(size)), {})[str(name)] = float(time_s)
        return made

    def saved_s(self, rules: Sequence[Rule]) -> float:
        """Of each rank of the job on average, by the share that the model says; below 0: lost."""
        return self.use.working_s * (1 - self.taken_s(rules) / self.now_s)

    def taken_s(self, rules: Sequence[Rule]) -> float:
        """A call of mean size with the rules, by the model. Where they have nothing for it, what ran runs on."""
        rule = chosen(rules, self.call)
        if rule is None:
            return self.now_s
        return self.times.default[self.call][1] if rule.key == OWN else self.seconds[self.call][rule.key]

    def key(self, rules: Sequence[Rule]) -> str:
        """What is taken at the mean size."""
        rule = chosen(rules, self.call)
        return self.now if rule is None else rule.key or self.times.default[self.call][0]


@dataclass(frozen=True)
class Demand:
    """A program: its profile, the calls that rules are made for, and the others, with the reason."""

    profile: Profile
    loads: Sequence[Load]
    left_out: Sequence[tuple[Use, str]]

    @property
    def seconds(self) -> float:
        """Of each rank in the calls that rules are made for."""
        return sum(load.use.seconds for load in self.loads)

    @property
    def waiting_s(self) -> float:
        """Of these, for late ranks."""
        return self.seconds - sum(load.use.working_s for load in self.loads)


def mixed(loads: Sequence[Load], between: Times) -> Times:
    """The times of the calls of all loads; of a call that several make (on other nodes, with another root) the mean, by how often each
    makes it. `between`: held-out calls between them, of which those that are not calls of the program are kept."""
    makers: dict[Call, list[Load]] = {}
    for load in loads:
        for call in load.times.default:
            makers.setdefault(call, []).append(load)
    cells: list[tuple[str, int, int, str, float]] = []
    default: dict[Call, tuple[str, float]] = {}
    for call, of in makers.items():
        shares = _shares([load.weight for load in of])
        for name in of[0].seconds.get(call, {}):
            if all(name in load.seconds.get(call, {}) for load in of):
                mean_s = sum(share * load.seconds[call][name] for share, load in zip(shares, of, strict=True))
                cells.append((*call, name, mean_s))
        own_s = sum(share * load.times.default[call][1] for share, load in zip(shares, of, strict=True))
        default[call] = (max(of, key=lambda load: load.weight).times.default[call][0], own_s)
    others = {call: own for call, own in between.default.items() if call not in default}
    frame = pd.DataFrame(cells, columns=["collective", "ranks", "bytes", "name", "time_s"])
    calls: dict[Call, float] = {}
    bounds: dict[tuple[str, int], tuple[int, int]] = {}
    for load in loads:
        calls[load.call] = calls.get(load.call, 0.0) + load.weight
        low, high = bounds.get(load.call[:2], load.bounds)
        bounds[load.call[:2]] = (min(low, load.bounds[0]), max(high, load.bounds[1]))
    rest = between.of(others)
    return Times(
        pd.concat([frame, rest], ignore_index=True) if len(rest) else frame,
        default | others, frozenset(others), Program(calls, bounds),
    )  # fmt: skip


def _shares(weights: Sequence[float]) -> list[float]:
    total = sum(weights)
    return [w / total if total else 1 / len(weights) for w in weights]
