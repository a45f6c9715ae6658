"""Kinds of checks about networks: bytes over links, and leads that are the largest somewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from collscope.analysis.check import MISSING, SAME, AtPlaces, Check, Context, Names, Outcome, Subject, Tolerance
from collscope.analysis.claims import Assertion
from collscope.analysis.times import Place, share_text
from collscope.base.units import rounded_size

LINKS = {
    "network": "between nodes",
    "link": "over links",
    "global": "over global links",
    "busiest": "over the busiest link",
}


class FewerBytes(AtPlaces):
    """Over all sizes together it moves fewer bytes over these links than the other, by at least a share where one is given and by no more
    than another."""

    kind: Literal["fewer_bytes"]
    over: Literal["network", "link", "global", "busiest"] = "global"
    by: Tolerance = 0.0
    most: Tolerance | None = None

    def words(self, context: Context) -> dict[str, object]:
        return {**super().words(context), "links": LINKS[self.over]}

    @property
    def fields(self) -> tuple[str, ...]:
        return (*super().fields, "links")

    def sentence(self) -> str:
        much = " by at least {by}" if self.by else ""
        return (
            "{name} moves fewer bytes {links} than {than}"
            + much
            + (", by at most {most}" if self.most is not None else "")
        )

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        other, column = than.at(place), f"{self.over}_bytes"
        mine = context.times.moved(place, name, column, self.sizes_at(place))
        theirs = context.times.moved(other, than.name, column, self.sizes_at(other))
        if not len(mine) or len(mine) != len(theirs) or not theirs.sum():
            return None, MISSING
        fewer = 1 - float(mine.sum()) / float(theirs.sum())
        by = context.share(self.by)
        holds = fewer > SAME if by == 0 else fewer >= by - SAME
        most = 1.0 if self.most is None else context.share(self.most)
        moved = f"{share_text(abs(fewer), 1)} {'fewer' if fewer >= 0 else 'more'} bytes {LINKS[self.over]}"
        return holds and fewer <= most + SAME, moved


class LeadUpTo(Check):
    """ "Up to so many times as fast": where its lead over the best of the others is largest, of all places and sizes, these take at least
    so many times its time, less a share."""

    kind: Literal["lead_up_to"]
    name: str
    than: Names = Field(min_length=1)
    times: float
    within: Tolerance = 0.0
    says_itself = "{name} is up to {times:g} times as fast as the best of {than}"

    @property
    def fields(self) -> tuple[str, ...]:
        return ("name", "than", "times", "within")

    def assertions(self, context: Context) -> Iterator[Assertion]:
        within = context.share(self.within)
        words = {"name": self.name, "than": ", ".join(self.than), "times": self.times, "within": share_text(within)}
        for collective in self.collective:
            outcome: Outcome = (None, MISSING)
            if found := max(self._leads(context, collective), default=None):
                lead, place, size, other = found
                at = f"{context.times.text(place)}, {rounded_size(size)}"
                outcome = lead >= self.times * (1 - within - SAME), f"at most {lead:.2f} times, over {other}: {at}"
            yield self.assertion(context, f"{collective}: ", words, outcome)

    def _leads(self, context: Context, collective: str) -> Iterator[tuple[float, Place, int, str]]:
        """At each place and size: the time of the best of the others over its own, and which that is."""
        for place in self.places(context, collective):
            mine = context.times.line(place, self.name, self.sizes_at(place))
            lines = {other: context.times.line(place, other, self.sizes_at(place)) for other in self.than}
            for size, time in mine.items():
                others = {name: float(line[size]) for name, line in lines.items() if size in line.index}
                if others and not math.isnan(time):
                    best = min(others, key=lambda name: others[name])
                    yield others[best] / float(time), place, int(size), best
