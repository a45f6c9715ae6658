"""Kinds of checks over several places: along the nodes or the ranks, or all of a collective together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from collscope.analysis import winner_table
from collscope.analysis.check import (
    MISSING,
    SAME,
    Check,
    Context,
    Names,
    Outcome,
    Tolerance,
    is_within,
)
from collscope.analysis.claims import Assertion
from collscope.analysis.fits import polynomial
from collscope.analysis.times import Place, longer_text, order_text, series, share_text
from collscope.base.units import format_time

NEARER = 1e-6  # in log time: distances that differ by less are the same distance


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

    @property
    def fields(self) -> tuple[str, ...]:
        return ("name", "than", "a", "b", "along")

    def sentence(self) -> str:
        verb = "falls" if self.falls else "grows"
        if self.than:
            verb = "catches up with {than}" if self.falls else "falls further behind {than}"
        return "{name} " + verb + " from {a} to {b} {along}"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        for collective, values in self.runs(context):
            worded = {n: f"{v:.2f}×" if self.than else format_time(v) for n, v in values.items()}
            evidence = ", ".join(f"{n} {self.along} {text}" for n, text in worded.items())
            evidence = f"{self.name} / {self.than}: {evidence}" if self.than else f"{self.name}: {evidence}"
            for a, b in pairwise(values):
                step = values[b] / values[a] if not self.falls else values[a] / values[b]
                holds = None if math.isnan(step) else not is_within(step, context.share(self.by))
                words = {"name": self.name, "than": self.than, "a": a, "b": b, "along": self.along}
                yield self.assertion(context, f"{collective}: ", words, (holds, MISSING if holds is None else evidence))


class LeadAt(AlongSeries):
    """The lead of `than` over `name` at one number of nodes (or ranks) beside that at the others."""

    at: int

    @property
    def fields(self) -> tuple[str, ...]:
        return ("name", "than", "at", "along")

    def leads(self, context: Context) -> Iterator[tuple[str, dict[int, float], bool, str]]:
        """Each series: its collective, the leads, whether all of them are known, and all of them as text."""
        for collective, lead in self.runs(context):
            known = self.at in lead and not any(math.isnan(r) for r in lead.values())
            text = ", ".join(f"{n} {self.along} {longer_text(r)}" for n, r in lead.items())
            yield collective, lead, known, f"{self.name} beside {self.than}: {text}" if known else MISSING

    def words(self) -> dict[str, object]:
        return {"name": self.name, "than": self.than, "at": self.at, "along": self.along}


class LargestAt(LeadAt):
    """There is a lead, and at one number of nodes (or ranks) it is larger than at all others."""

    kind: Literal["largest_at"]
    by: Tolerance = "best"
    says_itself = "the lead of {than} over {name} is largest on {at} {along}"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        by = 1 + context.share(self.by) + SAME
        for collective, lead, known, evidence in self.leads(context):
            holds = (
                known and lead[self.at] > by and all(lead[self.at] > r * by for n, r in lead.items() if n != self.at)
            )
            yield self.assertion(context, f"{collective}: ", self.words(), (holds if known else None, evidence))


class NearerThanAt(LeadAt):
    """At each other number of nodes (or ranks) the two are nearer each other than at one."""

    kind: Literal["nearer_than_at"]
    says_itself = "{name} is closer to {than} than on {at}"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        for collective, lead, known, evidence in self.leads(context):
            for n in lead:
                if n == self.at:
                    continue
                holds = abs(math.log(lead[n])) < abs(math.log(lead[self.at])) - NEARER if known else None
                yield self.assertion(context, f"{collective}, {n} {self.along}: ", self.words(), (holds, evidence))


class Polynomial(Check):
    """A printed polynomial of the ranks, in microseconds: our least-squares fit of the same degree predicts it within a share (median over
    the ranks), and both fit their times about as well (R²)."""

    kind: Literal["polynomial"]
    name: str
    coefficients: list[float] = Field(min_length=2)  # of the powers 0, 1, 2, ...
    r2: float
    within: Tolerance
    r2_within: float

    def assertions(self, context: Context) -> Iterator[Assertion]:
        for collective in self.collective:
            at = self.places(context, collective)
            ranks = np.array([p.ranks for p in at], dtype=float)
            times = np.array([context.times.mean(p, self.name, self.sizes_at(p)) * 1e6 for p in at])
            outcomes: list[Outcome] = [(None, MISSING)] * 2
            if len(set(ranks)) > len(self.coefficients) and not np.isnan(times).any():
                outcomes = self._outcomes(context, ranks, times)
            words = {"name": self.name, "within": share_text(context.share(self.within)), "by": f"{self.r2_within:g}"}
            texts = ("the printed polynomial of {name} within {within} of ours", "R² within {by} of the printed one")
            for text, outcome in zip(texts, outcomes, strict=True):
                worded = self.model_copy(update={"says": text})
                yield worded.assertion(context, f"{collective}: ", words, outcome)

    def _outcomes(self, context: Context, ranks: np.ndarray, times: np.ndarray) -> list[Outcome]:
        ours, r2 = polynomial(ranks, times, len(self.coefficients) - 1)
        printed = np.polynomial.Polynomial(self.coefficients)(ranks)
        off = float(np.median(np.abs(np.polynomial.Polynomial(ours)(ranks) / printed - 1)))
        coefficients = ", ".join(f"{c:.4g}" for c in ours)
        return [
            (
                off <= context.share(self.within),
                f"ours, in µs by powers of p: {coefficients}; {share_text(off)} off in the median",
            ),
            (abs(r2 - self.r2) <= self.r2_within, f"R² {r2:.4f}, printed {self.r2:.4f}"),
        ]


class OneChoice(Check):
    """A decision takes one algorithm at all sizes of the focus."""

    kind: Literal["one_choice"]
    name: str
    says_itself = "{name} takes one algorithm at all sizes"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        for collective in self.collective:
            each = [context.times.chosen(p, self.name) for p in self.places(context, collective)]
            keys = list(dict.fromkeys(pd.concat(each).sort_index(kind="stable")))
            known = all(len(chosen) for chosen in each) and "" not in keys
            outcome = (len(keys) == 1, " → ".join(k.partition("/")[2] for k in keys)) if known else (None, MISSING)
            yield self.assertion(context, f"{collective}: ", {"name": self.name}, outcome)


class NotAlwaysFastest(Check):
    """Somewhere, over all the collectives named, another takes less by more than a tolerance."""

    kind: Literal["not_always_fastest"]
    name: Names
    within: Tolerance = "best"
    says_itself = "{name} is not best everywhere"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        every = [self.means(context, p) for c in self.collective for p in self.places(context, c)]
        for name in self.name:
            whole = [means for means in every if name in means]
            lost = sum(
                1 for means in whole if not is_within(means[name] / min(means.values()), context.share(self.within))
            )
            outcome = (lost > 0 if whole else None, f"beaten in {lost} of {len(whole)} cells" if whole else MISSING)
            yield self.assertion(context, "", {"name": name}, outcome)


class Winners(Check):
    """Over all layouts together, those that share the first place are those of the paper's table of winners."""

    kind: Literal["winners"]
    says_itself = "{winners}"

    def assertions(self, context: Context) -> Iterator[Assertion]:
        for collective in self.collective:
            agreeing = context.winners[collective]
            means = winner_table.overall(context.times, collective, self.among or context.names)
            outcome: Outcome = (None, MISSING)
            if means:
                total = winner_table.cell(collective, None, means, agreeing, context.tied)
                outcome = (total.agrees, f"{total.text}; {order_text(means)}")
            yield self.assertion(context, f"{collective}: ", {"winners": "/".join(agreeing[0])}, outcome)
