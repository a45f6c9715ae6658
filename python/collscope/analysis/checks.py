"""The kinds of assertions that a claim may be made of, each a table [[claim.check]] of a paper's TOML.

All times that are compared are geometric means over sizes: those of the check, or the focus of the study. A check is made at every
place that its selectors (nodes, ranks, mapping) leave of the table's layouts, or once along a series of them. Tolerances are shares of
the time: a number, or the name of one of the paper's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import BeforeValidator, Field

from collscope.analysis import winner_table
from collscope.analysis.claims import OPEN, Assertion
from collscope.analysis.crossover import crossings
from collscope.analysis.times import Place, Times, longer_text, order_text, series, share_text
from collscope.base.errors import UsageError
from collscope.base.toml_table import Table
from collscope.base.units import parse_sizes, rounded_size

MISSING = "points are missing"
# Ratios nearer than this are equal: two names of one message pattern reach the same time but for the last digits.
SAME = 1e-9
NEARER = 1e-6  # in log time: distances that differ by less are the same distance


@dataclass(frozen=True)
class Context:
    """What checks are made on."""

    times: Times
    names: tuple[str, ...]  # all that compete where a check names no others
    tolerances: Mapping[str, float]
    alternative: str  # what stands for the class that has several: the key's part after the slash, or ""
    winners: winner_table.Rows  # what the source says is best
    tied: float
    unit: tuple[str, int]  # how the source counts sizes: a word and its bytes; ("", 1): B, KiB, …

    def share(self, tolerance: Tolerance) -> float:
        """The number of a tolerance. Raises KeyError for a name that the paper does not define."""
        return self.tolerances[tolerance] if isinstance(tolerance, str) else tolerance

    def size_text(self, size: int) -> str:
        word, of_bytes = self.unit
        return f"{size // of_bytes:,} {word}".replace(",", "\u202f") if word else rounded_size(size)


def _listed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else (value,)


def _by_alternative(value: object) -> object:
    return value if isinstance(value, dict) else {"other": value}


def _subject(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


def _sizes(value: object) -> tuple[int, ...]:
    try:
        return tuple(parse_sizes(str(value)))
    except UsageError as error:
        raise ValueError(str(error)) from error


Tolerance = str | float
Expected = Literal["yes", "no", "open"]
Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Numbers = Annotated[tuple[int, ...], BeforeValidator(_listed)]
Sizes = Annotated[tuple[int, ...], BeforeValidator(_sizes)]  # bytes, written as "4KiB,1MiB..8MiB"
Outcome = tuple[bool | None, str]  # whether it holds (None: cannot be said), and the numbers that decided


class Subject(Table):
    """What is compared with: a name, where need be elsewhere than the first."""

    name: str
    nodes: int | None = None
    ranks: int | None = None
    mapping: str | None = None

    def at(self, place: Place) -> Place:
        elsewhere = {k: v for k in ("nodes", "ranks", "mapping") if (v := getattr(self, k)) is not None}
        return replace(place, **elsewhere)

    def __str__(self) -> str:
        words = [f"{self.nodes} nodes"] if self.nodes else []
        words += [f"{self.ranks} ranks"] if self.ranks else []
        words += [f"mapping {self.mapping}"] if self.mapping else []
        return self.name + (f" on {', '.join(words)}" if words else "")


Than = Annotated[Subject, BeforeValidator(_subject)]
Thans = Annotated[tuple[Than, ...], BeforeValidator(_listed)]


class Check(Table):
    """What all kinds share. `expected` and `theory`: one for all alternatives, or one each by name, and "other" for the rest."""

    kind: str
    collective: Names
    nodes: Numbers = ()  # none named: all of the table
    ranks: Numbers = ()
    mapping: Names = ()
    sizes: Sizes = ()  # of the whole vector; none named: the focus
    block_sizes: Sizes = ()  # of one rank's block: the vector grows with the ranks
    expected: Annotated[dict[str, Expected], BeforeValidator(_by_alternative)] = Field(default_factory=dict)
    theory: Annotated[dict[str, str], BeforeValidator(_by_alternative)] = Field(default_factory=dict)
    says: str = ""  # the assertion in the paper's words, after the place; "" the kind's own

    says_itself: ClassVar[str] = ""  # the kind's words; {fields} are filled in

    def assertions(self, context: Context) -> Iterator[Assertion]:
        raise NotImplementedError

    def places(self, context: Context, collective: str) -> list[Place]:
        """Where the check is made."""
        return [
            p for p in context.times.places(collective)
            if (not self.nodes or p.nodes in self.nodes)
            and (not self.ranks or p.ranks in self.ranks)
            and (not self.mapping or p.mapping in self.mapping)
        ]  # fmt: skip

    def sizes_at(self, place: Place) -> tuple[int, ...] | None:
        return self.sizes or tuple(place.ranks * s for s in self.block_sizes) or None

    def assertion(self, context: Context, where: str, words: Mapping[str, object], outcome: Outcome) -> Assertion:
        holds, seen = outcome
        other = self.expected.get("other", OPEN)
        return Assertion(
            where + (self.says or self.says_itself).format_map(words),
            None if holds is None else bool(holds),
            seen,
            self.expected.get(context.alternative, other),
            self.theory.get(context.alternative, self.theory.get("other", "")),
        )

    def where(self, context: Context, place: Place) -> str:
        sizes = self.sizes or self.block_sizes
        text = context.times.text(place)
        if sizes:
            text += f", {rounded_size(sizes[0])}" + (f" to {rounded_size(sizes[-1])}" if len(sizes) > 1 else "")
            text += " a rank" if self.block_sizes else ""
        return text


class AtPlaces(Check):
    """One assertion for each place, name and what it is compared with."""

    name: Names = ()
    than: Thans = ()

    def assertions(self, context: Context) -> Iterator[Assertion]:
        for collective in self.collective:
            for place in self.places(context, collective):
                for name in self.name or ("",):
                    for than in self.than or (Subject(name=""),):
                        words = {**self.words(context), "name": name, "than": than}
                        outcome = self.outcome(context, place, name, than)
                        yield self.assertion(context, f"{self.where(context, place)}: ", words, outcome)

    def words(self, context: Context) -> dict[str, object]:
        """What the sentence may speak of besides name and than: each tolerance of the check, as text."""
        return {
            k: share_text(context.share(v))
            for k in ("by", "within", "most")
            if (v := getattr(self, k, None)) is not None
        }

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        raise NotImplementedError

    def ratio(self, context: Context, place: Place, name: str, than: Subject) -> float:
        """Time of `than` over the time of `name`; NaN where points are missing."""
        times, sizes = context.times, self.sizes_at(place)
        return times.mean(than.at(place), than.name, sizes) / times.mean(place, name, sizes)

    def means(self, context: Context, place: Place) -> dict[str, float]:
        """The means of all that compete; empty where one lacks points."""
        means = context.times.means(place, context.names, self.sizes_at(place))
        return means if len(means) == len(context.names) else {}


class Fastest(AtPlaces):
    """No other takes less, within a tolerance, so that one message pattern under two names ties."""

    kind: Literal["fastest"]
    within: Tolerance = "best"
    says_itself = "{name} is best"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        means = self.means(context, place)
        if name not in means:
            return None, MISSING
        least = min(mean for other, mean in means.items() if other != name)
        return means[name] <= least * (1 + context.share(self.within)), order_text(means)


class Slowest(AtPlaces):
    """No other takes longer, within a tolerance."""

    kind: Literal["slowest"]
    within: Tolerance = "best"
    says_itself = "{name} is worst"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        means = self.means(context, place)
        if name not in means:
            return None, MISSING
        most = max(mean for other, mean in means.items() if other != name)
        return means[name] >= most * (1 - context.share(self.within)), order_text(means)


class Faster(AtPlaces):
    """The other takes longer, by at least a share where one is given."""

    kind: Literal["faster"]
    by: Tolerance = 0.0
    says_itself = "{name} beats {than}"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        ratio = self.ratio(context, place, name, than)
        if math.isnan(ratio):
            return None, MISSING
        by = context.share(self.by)
        return ratio > 1 + SAME if by == 0 else ratio >= 1 + by, f"{than} takes {longer_text(ratio)}"


class Equal(AtPlaces):
    """Neither takes longer than the other by more than a share."""

    kind: Literal["equal"]
    within: Tolerance
    says_itself = "{name} and {than} within {within}"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        ratio = self.ratio(context, place, name, than)
        if math.isnan(ratio):
            return None, MISSING
        return max(ratio, 1 / ratio) <= 1 + context.share(self.within), f"{than} takes {longer_text(ratio)}"


class NoSlower(AtPlaces):
    """It takes less than the other, or longer by at most a share."""

    kind: Literal["no_slower"]
    within: Tolerance
    says_itself = "{name} matches or beats {than}"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        ratio = 1 / self.ratio(context, place, name, than)
        return (None, MISSING) if math.isnan(ratio) else (
            ratio <= 1 + context.share(self.within), f"takes {longer_text(ratio)}"
        )  # fmt: skip


class Ratio(AtPlaces):
    """It takes `times` the other's time, within a share of that: "52 % better" is 0.48 times."""

    kind: Literal["ratio"]
    times: float
    within: Tolerance
    says_itself = "{name} takes {times:g} times {than}'s time, within {within}"

    def words(self, context: Context) -> dict[str, object]:
        return {**super().words(context), "times": self.times}

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        ratio = 1 / self.ratio(context, place, name, than)
        if math.isnan(ratio):
            return None, MISSING
        return abs(ratio / self.times - 1) <= context.share(self.within), f"takes {ratio:.2f} times"


class Order(AtPlaces):
    """Of those named each is faster than the next, by at least a share where one is given."""

    kind: Literal["order"]
    names: Names
    by: Tolerance = 0.0
    says_itself = "fastest first: {names}"

    def words(self, context: Context) -> dict[str, object]:
        return {**super().words(context), "names": ", ".join(self.names)}

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        means = context.times.means(place, self.names, self.sizes_at(place))
        if len(means) < len(self.names):
            return None, MISSING
        by = context.share(self.by)
        return all(means[b] > means[a] * (1 + max(by, SAME)) for a, b in pairwise(self.names)), order_text(means)


class FasterAtEverySize(AtPlaces):
    """At each size by itself, not on average."""

    kind: Literal["faster_at_every_size"]
    says_itself = "{name} beats {than} at every size"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        sizes = self.sizes_at(place)
        mine, other = context.times.line(place, name, sizes), context.times.line(than.at(place), than.name, sizes)
        if not len(mine) or len(mine) != len(other):
            return None, MISSING
        return bool((mine < other).all()), f"{than} takes at least {(other / mine).min():.2f}× as long"


class OneFastest(AtPlaces):
    """No crossover: what is best over all sizes is best at each, within a share."""

    kind: Literal["one_fastest"]
    within: Tolerance
    says_itself = "one class is best at all sizes"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        means = self.means(context, place)
        if not means:
            return None, MISSING
        best = min(means, key=lambda n: means[n])
        lines = pd.DataFrame({n: context.times.line(place, n, self.sizes_at(place)) for n in means})
        loss = lines[best] / lines.min(axis=1) - 1
        if loss.max() <= context.share(self.within):
            return True, f"{best}, never more than {100 * loss.max():.2g} % behind"
        worst = loss.idxmax()
        other = lines.loc[worst].idxmin()
        return False, f"{best} over all; {100 * loss.max():.1f} % behind {other} at {context.size_text(int(worst))}"


class Crossover(AtPlaces):
    """It is faster below a size, the other above it; the one crossing lies between two sizes."""

    kind: Literal["crossover"]
    between: Sizes  # "4KiB,64KiB": the least and the largest size where the crossing may lie
    says_itself = "{name} gives way to {than} between {low} and {high}"

    def words(self, context: Context) -> dict[str, object]:
        return {"low": rounded_size(self.between[0]), "high": rounded_size(self.between[-1])}

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        sizes = self.sizes_at(place)
        mine, other = context.times.line(place, name, sizes), context.times.line(than.at(place), than.name, sizes)
        both = mine.index.intersection(other.index)
        if len(both) < 2:
            return None, MISSING
        ratio = (mine[both] / other[both]).to_numpy()
        found = [size for size, _, _ in crossings([int(b) for b in both], [float(r) for r in ratio])]
        seen = "crosses at " + ", ".join(rounded_size(size) for size in found) if found else "no crossing"
        inside = len(found) == 1 and self.between[0] <= found[0] <= self.between[-1]
        return inside and ratio[0] < 1, seen


class StartUp(AtPlaces):
    """The part of the time that does not grow with the size, from the line through the two smallest sizes, is small."""

    kind: Literal["start_up"]
    most: Tolerance
    says_itself = "start-ups are at most {most} of {name}'s time at the smallest size"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        line = context.times.line(place, name, self.sizes_at(place))
        if len(line) < 2:
            return None, MISSING
        size, time = line.index.to_numpy(float)[:2], line.to_numpy()[:2]
        fixed = (time[0] * size[1] - time[1] * size[0]) / (size[1] - size[0])
        share = max(fixed, 0.0) / time[0]
        seen = f"{share_text(share, 1)} of the time at {rounded_size(int(size[0]))} does not grow with the size"
        return bool(share <= context.share(self.most)), seen


class AlongSeries(Check):
    """Assertions about how the ratio of two names changes along the nodes or the ranks. `name` over `than`; without `than`, its time."""

    name: str
    than: str = ""
    along: Literal["nodes", "ranks"] = "nodes"

    def values(self, context: Context, run: Sequence[Place]) -> dict[int, float]:
        """Number of nodes (or ranks) → the ratio, or seconds."""
        times = context.times
        out = {}
        for place in run:
            below = times.mean(place, self.than, self.sizes_at(place)) if self.than else 1.0
            out[int(getattr(place, self.along))] = times.mean(place, self.name, self.sizes_at(place)) / below
        return out

    def run_text(self, run: Sequence[Place]) -> str:
        return run[0].collective

    def runs(self, context: Context) -> Iterator[tuple[str, dict[int, float]]]:
        """Each series of the selected places: what it is, and its values."""
        for collective in self.collective:
            for run in series(self.places(context, collective), self.along):
                yield collective, self.values(context, run)


class Grows(AlongSeries):
    """From each number of nodes (or ranks) to the next the ratio grows, or falls, by more than a share."""

    kind: Literal["grows"]
    falls: bool = False
    by: Tolerance = 0.0
    says_itself = "{name} falls further behind {than} from {a} to {b} {along}"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        for collective, values in self.runs(context):
            unit = "×" if self.than else " s"
            seen = ", ".join(f"{n} {self.along} {v:.2f}{unit}" for n, v in values.items())
            seen = f"{self.name} / {self.than}: {seen}" if self.than else f"{self.name}: {seen}"
            for a, b in pairwise(values):
                step = values[b] / values[a] if not self.falls else values[a] / values[b]
                holds = None if math.isnan(step) else step > 1 + context.share(self.by)
                words = {"name": self.name, "than": self.than, "a": a, "b": b, "along": self.along}
                yield self.assertion(context, f"{collective}: ", words, (holds, seen))


class LargestAt(AlongSeries):
    """The lead of `than` over `name` is there, and at one number of nodes (or ranks) larger than at all others."""

    kind: Literal["largest_at"]
    at: int
    by: Tolerance = "best"
    says_itself = "the lead of {than} over {name} is largest on {at} {along}"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        by = 1 + context.share(self.by)
        for collective, lead in self.runs(context):
            known = self.at in lead and not any(math.isnan(r) for r in lead.values())
            holds = None
            if known:
                holds = lead[self.at] > by and all(lead[self.at] > r * by for n, r in lead.items() if n != self.at)
            words = {"name": self.name, "than": self.than, "at": self.at, "along": self.along}
            yield self.assertion(context, f"{collective}: ", words, (holds, _leads(self, lead)))


class NearerThanAt(AlongSeries):
    """At other numbers of nodes (or ranks) the two are nearer each other than at one."""

    kind: Literal["nearer_than_at"]
    at: int
    says_itself = "{name} is closer to {than} than on {at}"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        for collective, lead in self.runs(context):
            known = self.at in lead and not any(math.isnan(r) for r in lead.values())
            for n in lead:
                if n == self.at:
                    continue
                holds = abs(math.log(lead[n])) < abs(math.log(lead[self.at])) - NEARER if known else None
                words = {"name": self.name, "than": self.than, "at": self.at}
                yield self.assertion(context, f"{collective}, {n} {self.along}: ", words, (holds, _leads(self, lead)))


def _leads(check: AlongSeries, lead: Mapping[int, float]) -> str:
    return f"{check.name} takes " + ", ".join(f"{n} {check.along} {longer_text(r)}" for n, r in lead.items())


class OneChoice(Check):
    """A decision takes one algorithm at all sizes of the focus."""

    kind: Literal["one_choice"]
    name: str
    says_itself = "{name} takes one algorithm at all sizes"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        for collective in self.collective:
            chosen = pd.concat([context.times.chosen(p, self.name) for p in self.places(context, collective)])
            keys = list(dict.fromkeys(chosen.sort_index(kind="stable")))
            known = bool(keys) and "" not in keys
            outcome = (len(keys) == 1, " → ".join(k.partition("/")[2] for k in keys)) if known else (None, MISSING)
            yield self.assertion(context, f"{collective}: ", {"name": self.name}, outcome)


class NotAlwaysFastest(Check):
    """Somewhere, over all the collectives named, another takes less by more than a tolerance."""

    kind: Literal["not_always_fastest"]
    name: Names
    within: Tolerance = "best"
    says_itself = "{name} is not best everywhere"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        every = [context.times.means(p, context.names) for c in self.collective for p in self.places(context, c)]
        whole = [means for means in every if len(means) == len(context.names)]
        for name in self.name:
            lost = sum(1 for means in whole if means[name] > min(means.values()) * (1 + context.share(self.within)))
            outcome = (lost > 0 if whole else None, f"beaten in {lost} of {len(whole)} cells")
            yield self.assertion(context, "", {"name": name}, outcome)


class Winners(Check):
    """Over all layouts together, those that share the first place are those of the paper's table of winners."""

    kind: Literal["winners"]
    says_itself = "{winners}"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        for collective in self.collective:
            agreeing = context.winners[collective]
            means = winner_table.overall(context.times, collective, context.names)
            outcome: Outcome = (None, MISSING)
            if means:
                total = winner_table.cell(collective, None, means, agreeing, context.tied)
                outcome = (total.agrees, f"{total.text}; {order_text(means)}")
            yield self.assertion(context, f"{collective}: ", {"winners": "/".join(agreeing[0])}, outcome)


AnyCheck = Annotated[
    Fastest | Slowest | Faster | Equal | NoSlower | Ratio | Order | FasterAtEverySize | OneFastest | Crossover | StartUp | Grows
    | LargestAt | NearerThanAt | OneChoice | NotAlwaysFastest | Winners,
    Field(discriminator="kind"),
]  # fmt: skip
