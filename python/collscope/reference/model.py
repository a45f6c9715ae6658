"""All that the reference says, whichever page it is printed on: Markdown and HTML are two renderings of this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from collscope.reference.entries import Entry, Group, entries, groups
from collscope.reference.tables import Choice, Table, choices, tables
from collscope.twins import records

Difference = tuple[Entry, str, str, str]
"""(entry, condition, what runs, versions) of calls for which Open MPI, told to take an algorithm, takes another."""


@dataclass(frozen=True)
class Reference:
    """Algorithms by collective, decisions, differences."""

    entries: Sequence[Entry]
    decisions: Sequence[Table]

    @cached_property
    def groups(self) -> list[Group]:
        """The algorithms by collective."""
        return groups(self.entries)

    @property
    def twins(self) -> int:
        """How many algorithms have a twin."""
        return sum(e.algorithm.twin is not None for e in self.entries)

    @property
    def differences(self) -> list[Difference]:
        """Where Open MPI runs something else."""
        return [(e, *row) for e in self.entries for row in records.instead(e.algorithm.key)]

    @cached_property
    def anchors(self) -> dict[str, str]:
        """Key without parameters → anchor, of algorithms and decisions."""
        return {e.algorithm.key: e.anchor for e in self.entries} | {t.decision.key: t.anchor for t in self.decisions}

    def choices(self, e: Entry) -> list[Choice]:
        """Which decisions choose an algorithm."""
        return choices(e.algorithm.collective, e.algorithm.key, self.decisions)


def reference() -> Reference:
    """Of all that the registry has."""
    return Reference(entries(), tables())
