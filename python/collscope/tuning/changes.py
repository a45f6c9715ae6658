"""What another algorithm would save a program: the time that its profile has, by the share that the model's times say.

The model's absolute times are not used: a measured second holds what the model does not know (other work of the processors, noise). No
algorithm saves the time that ranks wait for late ones: it is taken off before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collscope.catalogue import registry
from collscope.tuning.rules import NOISE, Rule, filled
from collscope.tuning.targets import Target
from collscope.tuning.uses import Use

MIN_SHARE = 0.02  # of the time of its calls, that a change must save
MERGED = 8  # calls as one
MEAN = 1  # place of the mean size among those of a use: first of its class, mean, last


@dataclass(frozen=True)
class Timed:
    """A use with the model's times. own: full key of what it ran, by the report (is_known) or as the library's decision predicts;
    times: (place of the size, full key) → seconds; merged_s: own, on MERGED times the bytes; placed_s: own, with MPI_IN_PLACE where the use
    has none; None: no time."""

    use: Use
    own: Sequence[str]
    is_known: bool
    times: Mapping[tuple[int, str], float]
    merged_s: float | None
    placed_s: float | None

    @property
    def own_s(self) -> float:
        """Of a call of mean size."""
        return self.times[MEAN, self.own[MEAN]]

    @property
    def over_model(self) -> float:
        """How many times as long as the model says a call takes, waiting for late ranks left out."""
        return self.use.working_s / self.use.calls / self.own_s

    def share(self, key: str) -> float:
        """Of the time of a call of mean size, that the key saves."""
        return 1 - self.times[MEAN, key] / self.own_s

    def may_take(self, key: str) -> bool:
        """Whether the key has times, and is at no size of the class slower than what ran."""
        return all(
            (place, key) in self.times and self.times[place, key] <= (1 + NOISE) * self.times[place, own]
            for place, own in enumerate(self.own)
        )


@dataclass(frozen=True)
class Change:
    """An algorithm for the calls of a collective on so many ranks and of one class of sizes; saves_s: of each rank of the job on
    average."""

    collective: str
    ranks: int
    bytes: tuple[int, int]
    key: str
    parts: Sequence[Timed]
    saves_s: float

    @property
    def main(self) -> Timed:
        """The part that saves most."""
        return max(self.parts, key=lambda part: part.use.working_s * part.share(self.key))

    @property
    def seconds(self) -> float:
        """That its calls take now."""
        return sum(part.use.seconds for part in self.parts)


def changes(timed: Sequence[Timed]) -> list[Change]:
    """The best change of each collective, number of ranks and class of sizes, those that save most first."""
    groups: dict[tuple[str, int, tuple[int, int]], list[Timed]] = {}
    for part in timed:
        use = part.use
        assert use.ranks and use.bytes
        groups.setdefault((use.collective, use.ranks, use.bytes), []).append(part)
    made = []
    for (collective, ranks, size), parts in groups.items():
        saves = {
            key: sum(part.use.working_s * part.share(key) for part in parts)
            for key in dict.fromkeys(key for _, key in parts[0].times)
            if all(part.may_take(key) for part in parts)
        }
        key = max(saves, key=saves.__getitem__, default="")
        if key and saves[key] > MIN_SHARE * sum(part.use.working_s for part in parts):
            made.append(Change(collective, ranks, size, key, parts, saves[key]))
    return sorted(made, key=lambda change: -change.saves_s)


def rules_of(made: Sequence[Change], target: Target) -> list[Rule]:
    """The rules that carry changes, neighbouring classes with the same algorithm as one, and, where a target's rules have no upper
    end, its own choice between them."""
    rules: list[Rule] = []
    for c in sorted(made, key=lambda c: (c.collective, c.ranks, c.bytes)):
        whole = c.ranks if target.per_vector and registry.load().collective(c.collective).counts_blocks else 1
        low, high = c.bytes[0] * whole, (c.bytes[1] + 1) * whole - 1
        last = rules[-1] if rules else None
        same = last and (last.collective, last.ranks, last.key) == (c.collective, (c.ranks, c.ranks), c.key)
        if last and same and last.bytes[1] + 1 == low:
            rules[-1] = Rule(c.collective, last.ranks, (last.bytes[0], high), c.key)
        else:
            rules.append(Rule(c.collective, (c.ranks, c.ranks), (low, high), c.key))
    return filled(rules) if target.may_decline else rules
