"""Kinds of checks that compare names where they stand, at each place by itself."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal

import pandas as pd

from collscope.analysis.check import (
    MISSING,
    SAME,
    AtPlaces,
    Context,
    Names,
    Outcome,
    Sizes,
    Subject,
    Tolerance,
    is_more,
    is_within,
)
from collscope.analysis.crossover import crossings
from collscope.analysis.times import Place, longer_text, order_text, share_text
from collscope.base.units import rounded_size


class Extreme(AtPlaces):
    """No other takes less (longer), within a tolerance, so that one message pattern under two names ties."""

    kind: Literal["fastest", "slowest"]
    within: Tolerance = "best"
    says_itself = "{name} is {extreme}"

    def words(self, context: Context) -> dict[str, object]:
        return {**super().words(context), "extreme": "best" if self.kind == "fastest" else "worst"}

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        means = self.means(context, place)
        if name not in means:
            return None, MISSING
        others = [mean for other, mean in means.items() if other != name]
        if not others:
            return None, f"{MISSING}: nothing else competes there"
        within = context.share(self.within)
        if self.kind == "fastest":
            return means[name] <= min(others) * (1 + within) * (1 + SAME), order_text(means)
        return means[name] >= max(others) * (1 - within) * (1 - SAME), order_text(means)


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
        return is_more(ratio, by), f"{than} takes {longer_text(ratio)}"


class Equal(AtPlaces):
    """Neither takes longer than the other by more than a share."""

    kind: Literal["equal"]
    within: Tolerance
    says_itself = "{name} and {than} within {within}"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        ratio = self.ratio(context, place, name, than)
        if math.isnan(ratio):
            return None, MISSING
        return is_within(max(ratio, 1 / ratio), context.share(self.within)), f"{than} takes {longer_text(ratio)}"


class NoSlower(AtPlaces):
    """It takes less than the other, or longer by at most a share."""

    kind: Literal["no_slower"]
    within: Tolerance
    says_itself = "{name} matches or beats {than}"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        ratio = 1 / self.ratio(context, place, name, than)
        return (None, MISSING) if math.isnan(ratio) else (
            is_within(ratio, context.share(self.within)), f"{name} takes {longer_text(ratio)}"
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
        holds = abs(ratio / self.times - 1) <= context.share(self.within) + SAME
        return holds, f"{name} takes {ratio:.2f} times the time of {than}"


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
        return all(is_more(means[b] / means[a], by) for a, b in pairwise(self.names)), order_text(means)


class FasterAtEverySize(AtPlaces):
    """At each size by itself, not on average."""

    kind: Literal["faster_at_every_size"]
    says_itself = "{name} beats {than} at every size"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        mine, other = self.line(context, place, name), self.line(context, than.at(place), than.name)
        # Blocks of one size make larger vectors on more ranks.
        alike = bool(self.block_sizes) or mine.index.equals(other.index)
        if not len(mine) or len(mine) != len(other) or not alike:
            return None, MISSING
        least = float((other.to_numpy() / mine.to_numpy()).min())
        return is_more(least), f"{than} takes at least {least:.2f}× as long"


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
        if loss.max() <= context.share(self.within) + SAME:
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
        mine, other = self.line(context, place, name), self.line(context, than.at(place), than.name)
        both = mine.index.intersection(other.index)
        if len(both) < 2:
            return None, MISSING
        ratio = (mine[both] / other[both]).to_numpy()
        found = [size for size, _, _ in crossings([int(b) for b in both], [float(r) for r in ratio])]
        of = " of the vector" if self.block_sizes else ""
        evidence = f"crosses at {', '.join(rounded_size(size) for size in found)}{of}" if found else "no crossing"
        inside = len(found) == 1 and self.between[0] <= found[0] <= self.between[-1]
        return inside and ratio[0] < 1, evidence


class LeadShrinks(AtPlaces):
    """The other takes fewer times as long as it at the sizes than at those of `before`."""

    kind: Literal["lead_shrinks"]
    before: Sizes  # of a rank's block where block_sizes are given, else of the whole vector
    says_itself = "{name}'s lead over {than} is smaller than at {before}"

    def words(self, context: Context) -> dict[str, object]:
        return {**super().words(context), "before": rounded_size(self.before[0])}

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        earlier = self.model_copy(update={"block_sizes" if self.block_sizes else "sizes": self.before})
        was, now = earlier.ratio(context, place, name, than), self.ratio(context, place, name, than)
        if math.isnan(was) or math.isnan(now):
            return None, MISSING
        return now < was * (1 - SAME), f"{than} takes {was:.2f} times as long there, {now:.2f} here"


class StartUp(AtPlaces):
    """The part of the time that does not grow with the size, from the line through the two smallest sizes, is small."""

    kind: Literal["start_up"]
    most: Tolerance
    says_itself = "start-ups are at most {most} of {name}'s time at the smallest size"

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        line = self.line(context, place, name)
        if len(line) < 2:
            return None, MISSING
        size, time = line.index.to_numpy(float), line.to_numpy()
        fixed = (time[0] * size[1] - time[1] * size[0]) / (size[1] - size[0])
        share = max(fixed, 0.0) / time[0]
        evidence = f"{share_text(share, 1)} of the time at {rounded_size(int(size[0]))} does not grow with the size"
        return bool(share <= context.share(self.most) + SAME), evidence
