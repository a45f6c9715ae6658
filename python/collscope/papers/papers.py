"""The papers whose claims can be judged: each is a file NAME.toml beside this one.

A paper says what it is called, what it claims and how that is checked, its own table of winners if it has one, and the words that a
report needs and only the paper knows. A study names it: paper = "NAME".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Literal

import pandas as pd
from pydantic import Field

from collscope.analysis.check import TOLERANCES, Context, Share
from collscope.analysis.claims import Claim
from collscope.analysis.fits import FitText
from collscope.analysis.judge import AnyCheck, ClaimText, judge
from collscope.analysis.times import Times
from collscope.analysis.winner_table import Rows, WinnerTable, winner_table
from collscope.base import paths
from collscope.base.errors import unknown
from collscope.base.toml_table import Document, Table, did_you_mean
from collscope.papers.names import FOLDER, names


class Unit(Table):
    """How the paper counts sizes."""

    name: str
    bytes: int = Field(ge=1)


class Winners(Table):
    """The paper's table of the best class of each collective."""

    title: str  # "Table III"
    tied: str  # the tolerance within which names share the first place
    rows: dict[str, list[str]]  # collective → names
    also_agrees: dict[str, list[list[str]]] = Field(default_factory=dict)  # further readings of a row
    note: str = ""  # why

    def agreeing(self) -> Rows:
        """collective → the sets of names that agree with the paper, its own first."""
        return {c: (names, *self.also_agrees.get(c, ())) for c, names in self.rows.items()}


class Task(Table):
    """What the paper left open and a report delivers."""

    id: str
    text: str
    where: str
    delivered: list[Literal["crossovers", "tree", "what_if", "figures", "numbers"]] = Field(
        default_factory=list
    )  # sections
    study: str = ""  # another study of ours that delivers it


class Section(Table):
    """Words for a part of the report."""

    title: str = ""
    text: str = ""


class Paper(Table):
    """A paper's file. `name` is the file's."""

    name: str = ""
    title: str
    source: str
    theory: str  # where the expectations come from
    compares: list[str] = Field(
        default_factory=list
    )  # classes, in the order of labels; none: what the table has at each place
    unit: Unit | None = None
    tolerances: dict[str, Share] = Field(default_factory=dict)  # name → share of the time
    winners: Winners | None = None
    claim: list[ClaimText] = Field(default_factory=list)
    task: list[Task] = Field(default_factory=list)
    fit: list[FitText] = Field(default_factory=list)  # polynomials of the ranks that its report shows
    collective: dict[str, Section] = Field(default_factory=dict)  # collectives outside the comparison of classes
    metric_note: str = ""  # why another metric is shown beside the study's
    bound_note: str = ""  # a clause about the bound

    def context(self, frame: pd.DataFrame, focus: Sequence[int], alternative: str = "") -> Context:
        """What claims are judged on. `frame`: the columns of analysis/times.py, of one alternative alone; `alternative`: its key."""
        return Context(
            Times(frame, focus),
            tuple(self.compares),
            self.tolerances,
            alternative.partition("/")[2],
            self.winners.agreeing() if self.winners else {},
            self.tolerances[self.winners.tied] if self.winners else 0.0,
            (self.unit.name, self.unit.bytes) if self.unit else ("", 1),
        )

    def judge(self, frame: pd.DataFrame, focus: Sequence[int], alternative: str = "") -> list[Claim]:
        """All claims with their verdicts; the arguments of `context`."""
        return judge(self.claim, self.context(frame, focus, alternative))

    def narrowed(self, sizes: Collection[int], ranks: Collection[int]) -> Paper:
        """The paper with its checks at those of their sizes and ranks alone; a check that names none of them is left as it is."""
        claims = [c.model_copy(update={"check": [k.narrowed(sizes, ranks) for k in c.check]}) for c in self.claim]
        return self.model_copy(update={"claim": claims})

    def mappings(self) -> set[str]:
        """Those that claims speak of."""
        return {mapping for claim in self.claim for check in claim.check for mapping in check.named()}

    def winner_table(self, frame: pd.DataFrame, focus: Sequence[int], alternative: str = "") -> WinnerTable:
        """The paper's table of winners from these times; the arguments of `context`. It has no rows where the paper has no table."""
        c = self.context(frame, focus, alternative)
        return winner_table(c.times, c.winners, c.names, c.tied, alternative)


@cache
def load(name: str) -> Paper:
    """The paper of that name. Raises a UsageError for an unknown one, and for mistakes in the file."""
    if name not in names():
        raise unknown("paper", name, names())
    path = FOLDER / f"{name}.toml"
    return parse(path.read_text(encoding="utf-8"), path)


def parse(text: str, path: Path) -> Paper:
    """A paper from its text; `path` names it and stands in complaints. UsageError: FILE:LINE: KEY: what is wrong."""
    document = Document(text, paths.display(path))
    paper = document.read(Paper).model_copy(update={"name": path.stem})
    if paper.winners:
        _known(document, paper.winners.tied, paper.tolerances, "winners", "tied")
        for collective, rows in paper.winners.agreeing().items():
            _compared(document, paper, [name for row in rows for name in row], "winners", "rows", collective)
    ids: set[str] = set()
    for at, claim in enumerate(paper.claim):
        if claim.id in ids:
            raise document.fail(f'"{claim.id}" stands twice', "claim", at, "id")
        ids.add(claim.id)
        for name in _fields(document, claim.tolerance, "claim", at, "tolerance"):
            _known(document, name, paper.tolerances, "claim", at, "tolerance")
        for k, check in enumerate(claim.check):
            _check(document, paper, check, "claim", at, "check", k)
    return paper


def _check(document: Document, paper: Paper, check: AnyCheck, *where: str | int) -> None:
    """Raises a UsageError where the check uses a name that the paper does not define."""
    for key in TOLERANCES:
        if isinstance(tolerance := getattr(check, key, None), str):
            _known(document, tolerance, paper.tolerances, *where, key)
    for name in _fields(document, check.says, *where, "says", formats=("times",)):
        if name not in check.fields:
            raise document.fail(f'"{name}" is none of {", ".join(check.fields)}', *where, "says")
    rows = paper.winners.rows if paper.winners else {}
    if check.kind == "winners" and (lacking := [c for c in check.collective if c not in rows]):
        raise document.fail(
            f'"{lacking[0]}" is none of [winners.rows]{did_you_mean(lacking[0], rows)}', *where, "collective"
        )
    if all(c in rows for c in check.collective):
        _compared(document, paper, check.among, *where, "among")
        _compared(document, paper, check.compared(), *where, "name")


def _compared(document: Document, paper: Paper, names: Iterable[str], *where: str | int) -> None:
    """Raises a UsageError for a name that is none of those that the paper compares."""
    for name in names if paper.compares else ():
        if name not in paper.compares:
            raise document.fail(f'"{name}" is none of compares{did_you_mean(name, paper.compares)}', *where)


def _fields(document: Document, text: str, *where: str | int, formats: Collection[str] = ()) -> list[str]:
    """The names in braces; those of `formats` are numbers and may have a format. A UsageError says why the braces cannot be filled in."""
    found = []
    try:
        for _, name, form, conversion in Formatter().parse(text):
            if name is None:
                continue
            found.append(name)
            if form and name in formats:
                format(1.0, form)
            elif form or conversion:
                raise ValueError(f"{{{name}}} takes no format")
    except ValueError as error:
        raise document.fail(f"{error}; a brace that is meant as it is stands twice: {{{{", *where) from error
    return found


def _known(document: Document, tolerance: str, known: Mapping[str, float], *where: str | int) -> None:
    if tolerance not in known:
        raise document.fail(f'"{tolerance}" is none of [tolerances]{did_you_mean(tolerance, known)}', *where)
