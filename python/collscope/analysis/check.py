"""What a check is: one table [[claim.check]] of a paper's TOML, that makes assertions. The kinds are in place_checks and series_checks.

All times that are compared are geometric means over sizes: those of the check, or the focus of the study. A check is made at every
place that its selectors (nodes, ranks, mapping, platform) leave of the table's layouts, or once along a series of them. Tolerances are
shares of the time: a number, or the name of one of the paper's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, Self

import pandas as pd
from pydantic import AfterValidator, BeforeValidator, Field

from collscope.analysis import winner_table
from collscope.analysis.claims import OPEN, Assertion
from collscope.analysis.times import Place, Times, share_text
from collscope.base.errors import UsageError
from collscope.base.toml_table import Table
from collscope.base.units import parse_sizes, rounded_size
from collscope.catalogue.sizes import vector_of_blocks

MISSING = "not testable in this run: points are missing"
# Ratios nearer than this are equal: two names of one message pattern reach the same time but for the last digits, as 11 µs and 10 µs are
# 10 % apart but for these.
SAME = 1e-9
TOLERANCES = ("by", "within", "most")  # keys of checks whose values are tolerances
SELECTORS = ("nodes", "ranks", "mapping", "platform")


@dataclass(frozen=True)
class Context:
    """What checks are made on."""

    times: Times
    names: tuple[str, ...]  # all that compete where a check names no others; none: all that the table has
    tolerances: Mapping[str, float]
    alternative: str  # what stands for the class that has several: the key's part after the slash, or ""
    winners: winner_table.Rows  # what the source says is best
    tied: float
    unit: tuple[str, int]  # how the source counts sizes: a word and its bytes; ("", 1): B, KiB, …

    def share(self, tolerance: Tolerance) -> float:
        """The number of a tolerance. Raises KeyError for a name that the paper does not define."""
        return self.tolerances[tolerance] if isinstance(tolerance, str) else tolerance

    def size_text(self, size: int) -> str:
        """A size as the paper counts it: 1 048 576 floats; 4 MiB where it has no unit of its own."""
        word, of_bytes = self.unit
        return f"{size // of_bytes:,} {word}".replace(",", "\u202f") if word else rounded_size(size)


def _listed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else (value,)


def _by_alternative(value: object) -> object:
    return value if isinstance(value, dict) else {"other": value}


def _subject(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


def _share(value: str | float) -> str | float:
    if not isinstance(value, str) and value < 0:
        raise ValueError(f"{value:g} is negative: a tolerance is a share of the time, 0 or more")
    return value


def _sizes(value: object) -> tuple[int, ...]:
    try:
        return tuple(parse_sizes(str(value)))
    except UsageError as error:
        raise ValueError(str(error)) from error


Share = Annotated[float, AfterValidator(_share)]
Tolerance = Annotated[str | float, AfterValidator(_share)]  # the name of one of the paper's, or a number
Expected = Literal["yes", "no", "open"]
Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Numbers = Annotated[tuple[int, ...], BeforeValidator(_listed)]
Sizes = Annotated[tuple[int, ...], BeforeValidator(_sizes)]  # bytes, written as "4KiB,1MiB..8MiB"
Outcome = tuple[bool | None, str]  # whether it holds (None: cannot be said), and the numbers that decided


def is_more(ratio: float, by: float = 0.0) -> bool:
    """Whether what is compared is larger: by at least a share where there is one."""
    return ratio > 1 + SAME if by == 0 else ratio >= 1 + by - SAME


def is_within(ratio: float, share: float) -> bool:
    """Whether what is compared is at most so much larger."""
    return ratio <= 1 + share + SAME


class Subject(Table):
    """What is compared with: a name, where need be elsewhere than the first."""

    name: str
    nodes: int | None = None
    ranks: int | None = None
    mapping: str | None = None
    platform: str | None = None

    def at(self, place: Place) -> Place:
        """The place of the first name, or elsewhere as far as said."""
        elsewhere = {k: v for k in SELECTORS if (v := getattr(self, k)) is not None}
        return replace(place, **elsewhere)

    def __str__(self) -> str:
        words = [f"{self.nodes} nodes"] if self.nodes else []
        words += [f"{self.ranks} ranks"] if self.ranks else []
        words += [f"mapping {self.mapping}"] if self.mapping else []
        words += [self.platform] if self.platform else []
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
    platform: Names = ()  # names of machines, of a study that compares several
    among: Names = ()  # what competes where a kind asks for the best; none named: what the paper compares
    sizes: Sizes = ()  # of the whole vector; none named: the focus
    block_sizes: Sizes = ()  # of one rank's block: the vector of a collective that moves blocks grows with the ranks
    expected: Annotated[dict[str, Expected], BeforeValidator(_by_alternative)] = Field(default_factory=dict)
    theory: Annotated[dict[str, str], BeforeValidator(_by_alternative)] = Field(default_factory=dict)
    # Of an ambiguous sentence: the reading that the check belongs to (analysis/claims.py); none: to both.
    reading: Literal["", "strict", "mild"] = ""
    says: str = ""  # the assertion in the paper's words, after the place; "" the kind's own

    says_itself: ClassVar[str] = ""  # the kind's words; {fields} are filled in

    @property
    def fields(self) -> tuple[str, ...]:
        """What `says` may have in braces."""
        return ("name",)

    def sentence(self) -> str:
        """The assertion in the kind's own words."""
        return self.says_itself

    def assertions(self, context: Context) -> Iterator[Assertion]:
        """What the check says of these times, one assertion after the other."""
        raise NotImplementedError

    def places(self, context: Context, collective: str) -> list[Place]:
        """Where the check is made. What it names and the table has not (nodes, ranks, a mapping, a machine) is a place as well, one without
        times: what the check says of it cannot be tested."""
        every = context.times.places(collective)
        selected = {key: values for key in SELECTORS if (values := getattr(self, key))}
        found = [p for p in every if all(getattr(p, key) in values for key, values in selected.items())]
        first = {key: values[0] for key, values in selected.items()}
        like = found[0] if found else replace(Place(collective, "", 0, 0), **first)
        absent = [
            replace(like, **{key: value})
            for key, values in selected.items() for value in values if value not in {getattr(p, key) for p in every}
        ]  # fmt: skip
        return list(dict.fromkeys([*found, *absent])) or [like]

    def named(self) -> set[str]:
        """The mappings that it speaks of."""
        elsewhere = {t.mapping for t in getattr(self, "than", ()) if isinstance(t, Subject) and t.mapping}
        return {*self.mapping, *elsewhere}

    def compared(self) -> list[str]:
        """The names whose times it compares."""
        found: list[str] = []
        for key in ("name", "names", "than"):
            value = getattr(self, key, ())
            found += [str(getattr(v, "name", v)) for v in (value if isinstance(value, tuple) else (value,))]
        return [name for name in found if name]

    def narrowed(self, sizes: Collection[int], ranks: Collection[int]) -> Self:
        """The check at those of its sizes and ranks alone; as it is where it names none of them."""
        named = (("sizes", sizes), ("block_sizes", sizes), ("ranks", ranks))
        fewer = {key: tuple(v for v in getattr(self, key) if v in some) for key, some in named}
        return self.model_copy(update={key: kept for key, kept in fewer.items() if kept})

    def sizes_at(self, place: Place) -> tuple[int, ...] | None:
        """The sizes in bytes that are compared there; None: the focus."""
        blocks = (vector_of_blocks(place.collective, s, place.ranks) for s in self.block_sizes)
        return self.sizes or tuple(blocks) or None

    def means(self, context: Context, place: Place) -> dict[str, float]:
        """The means of all that compete there; empty where one lacks points."""
        names = self.among or context.names or tuple(context.times.names(place))
        means = context.times.means(place, names, self.sizes_at(place))
        return means if len(means) == len(names) else {}

    def assertion(self, context: Context, where: str, words: Mapping[str, object], outcome: Outcome) -> Assertion:
        """The assertion with the expectation and the theory of the alternative; `words` fill the braces of its sentence."""
        holds, evidence = outcome
        other = self.expected.get("other", OPEN)
        return Assertion(
            where + (self.says or self.sentence()).format_map(words),
            None if holds is None else bool(holds),
            evidence,
            self.expected.get(context.alternative, other),
            self.theory.get(context.alternative, self.theory.get("other", "")),
            self.reading,
        )

    def where(self, context: Context, place: Place) -> str:
        """The place as text, with the sizes where the check names some."""
        sizes = self.sizes or self.block_sizes
        text = context.times.text(place)
        if sizes:
            text += f", {rounded_size(sizes[0])}" + (f" to {rounded_size(sizes[-1])}" if len(sizes) > 1 else "")
            blocks = [s for s in self.block_sizes if vector_of_blocks(place.collective, s, place.ranks) != s]
            text += " a rank" if blocks else ""
        return text


class AtPlaces(Check):
    """One assertion for each place, name and what it is compared with."""

    name: Names = ()
    than: Thans = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """What an assertion of this kind may vary: names, what they are compared with, and its tolerances."""
        return ("name", "than", *(k for k in TOLERANCES if hasattr(self, k)))

    def assertions(self, context: Context) -> Iterator[Assertion]:
        """One assertion for each collective, place, name and what it is compared with."""
        for collective in self.collective:
            for place in self.places(context, collective):
                for name in self.name or ("",):
                    for than in self.than or (Subject(name=""),):
                        words = {**self.words(context), "name": name, "than": than}
                        outcome = self.outcome(context, place, name, than)
                        yield self.assertion(context, f"{self.where(context, place)}: ", words, outcome)

    def words(self, context: Context) -> dict[str, object]:
        """What the sentence may speak of besides name and than: each tolerance of the check, as text."""
        return {k: share_text(context.share(v)) for k in TOLERANCES if (v := getattr(self, k, None)) is not None}

    def outcome(self, context: Context, place: Place, name: str, than: Subject) -> Outcome:
        """Whether the assertion about these two holds there."""
        raise NotImplementedError

    def line(self, context: Context, place: Place, name: str) -> pd.Series:
        """Seconds by bytes at the sizes of the check; empty where it names some that the table lacks."""
        sizes = self.sizes_at(place)
        line = context.times.line(place, name, sizes)
        return line if sizes is None or len(line) == len(set(sizes)) or not line.index.any() else line.iloc[:0]

    def ratio(self, context: Context, place: Place, name: str, than: Subject) -> float:
        """Time of `than` over the time of `name`; NaN where points are missing."""
        other = than.at(place)
        mean = context.times.mean
        return mean(other, than.name, self.sizes_at(other)) / mean(place, name, self.sizes_at(place))
