"""What the reference says of each decision: where it is from, and its rules as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from collscope.base import paths
from collscope.base.units import counted
from collscope.catalogue import decisions, headers, registry
from collscope.catalogue.keys import stem_of
from collscope.catalogue.registry import Decision
from collscope.reference.entries import anchor_of

MAX_NUMBERS = 8  # of rules that are listed one by one where a decision chooses an algorithm


@dataclass(frozen=True)
class Rule:
    """A rule of a decision table, as text."""

    collective: str
    ranks: str
    sizes: str
    needs: str
    key: str  # what it takes, with parameters; "": nothing
    why: str  # it takes nothing

    @property
    def takes(self) -> str:
        """The key's part after the slash."""
        return self.key.partition("/")[2]

    @cached_property
    def stem(self) -> str:
        """The key without parameters."""
        return stem_of(self.key)

    @cached_property
    def anchor(self) -> str:
        """Of the algorithm that it takes."""
        return anchor_of(self.stem)


@dataclass(frozen=True)
class Table:
    """A decision: where it is from, in the words of its file, and its rules."""

    decision: Decision
    rules: Sequence[Rule]
    same_as: Table | None  # an earlier table has these very rules

    @property
    def anchor(self) -> str:
        """The table's anchor in a page."""
        return self.decision.key.replace("/", "-")

    @property
    def shown(self) -> Table:
        """The table that is printed: this one, or the earlier one that has its rules."""
        return self.same_as or self

    @property
    def path(self) -> str:
        """Of its file, from the root of the repository."""
        return f"algorithms/{self.decision.key}.c"

    @property
    def paragraphs(self) -> list[str]:
        """What follows the key in the opening comment of its file."""
        text = headers.prose(paths.ROOT / self.path).partition(": ")[2]
        return (text[:1].upper() + text[1:]).split("\n\n")

    @property
    def by_collective(self) -> list[tuple[str, list[Rule]]]:
        """(collective, its rules in their order)."""
        return [(c, self.of(c)) for c in self.decision.collectives]

    def of(self, collective: str) -> list[Rule]:
        """The rules of one collective, in their order."""
        return [rule for rule in self.rules if rule.collective == collective]


@dataclass(frozen=True)
class Choice:
    """That a decision chooses an algorithm: by which of its rules for the collective, counted from 1."""

    table: Table
    numbers: Sequence[int]
    rules: int  # that it has for the collective

    @property
    def text(self) -> str:
        """Rules 1, 2 of 8; of many only how many."""
        if len(self.numbers) > MAX_NUMBERS:
            return f"{len(self.numbers)} of {counted(self.rules, 'rule')}"
        return f"{'rule' if len(self.numbers) == 1 else 'rules'} {', '.join(map(str, self.numbers))} of {self.rules}"


def tables() -> list[Table]:
    """All decisions, in the registry's order."""
    rules: dict[str, list[Rule]] = {}
    for line in decisions.rules():
        rules.setdefault(line["decision"], []).append(_rule(line))
    made: list[Table] = []
    for d in registry.load().decisions:
        mine = rules.get(d.full_key(), [])
        made.append(Table(d, mine, next((t for t in made if t.rules == mine), None)))
    return made


def choices(collective: str, stem: str, all_: Sequence[Table]) -> list[Choice]:
    """Which decisions choose an algorithm, whatever its parameters."""
    found = []
    for table in all_:
        rules = table.of(collective)
        numbers = [number for number, rule in enumerate(rules, 1) if rule.stem == stem]
        if numbers:
            found.append(Choice(table, numbers, len(rules)))
    return found


def _rule(line: decisions.Line) -> Rule:
    rule = line["rule"]
    return Rule(
        line["collective"],
        decisions.ranks_text(*rule["ranks"]),
        decisions.sizes_text(rule),
        decisions.needs_text(rule),
        line["key"] or "",
        "" if line["key"] else line["why"],
    )
