"""A table beside the committed reference: which rows have the same numbers, digit by digit."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from collscope.catalogue.metrics import TRAFFIC

# What tells a row apart from the others of its table, and what must be the same. How a number was made (back end, hashes) is neither.
NAMES = (
    *("source", "platform", "nodes", "ranks", "mapping", "collective", "algorithm", "bytes"),
    *("type", "op", "in_place", "root", "metric", "buffers", "counts"),
)
COMPARED = ("median_s", "q1_s", "q3_s", "min_s", "max_s", "chose", "status", *TRAFFIC)
SHOWN = 5  # rows that differ


@dataclass(frozen=True)
class Difference:
    """A row whose cells differ: the first column of COMPARED that does, and both its cells."""

    row: str  # which one, for people
    column: str
    reference: str
    fresh: str


@dataclass(frozen=True)
class Agreement:
    """How many rows there are, those of them that the reference has not, and those that differ, in the order of the table."""

    rows: int
    new: int
    different: tuple[Difference, ...]

    def lines(self) -> Iterator[str]:
        """A sentence, and a line for each of the first rows that differ."""
        equal = self.rows - self.new - len(self.different)
        yield f"{equal} of {self.rows} rows equal the reference" + (f"; {self.new} are not in it" if self.new else "")
        for d in self.different[:SHOWN]:
            yield f"{d.row}: {d.column} is {d.fresh or 'empty'}, in the reference {d.reference or 'empty'}"
        if len(self.different) > SHOWN:
            yield f"and {len(self.different) - SHOWN} more rows differ"


def compare(fresh: str, reference: str) -> Agreement:
    """Two tables as CSV (points/table.csv_text): rows are found by NAMES, cells of COMPARED compared as text. Rows that the reference
    alone has do not count: a quick run is a part of the study."""
    known = {_name(row): row for row in _read(reference)}
    rows = new = 0
    different = []
    for row in _read(fresh):
        rows += 1
        kept = known.get(_name(row))
        if kept is None:
            new += 1
            continue
        column = next((c for c in COMPARED if (row.get(c) or "") != (kept.get(c) or "")), None)
        if column:
            different.append(Difference(_words(row), column, kept.get(column) or "", row.get(column) or ""))
    return Agreement(rows, new, tuple(different))


def with_reference(csv_text: str, folder: Path) -> Agreement | None:
    """The table beside table.csv of a folder of results; None where no such file can be read."""
    try:
        return compare(csv_text, (folder / "table.csv").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _read(text: str) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(io.StringIO(text))


def _name(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row.get(c) or "" for c in NAMES)  # a table may be older than the last of them


def _words(row: dict[str, str]) -> str:
    metric = "" if row["metric"] == "makespan" else f", {row['metric']}"
    return f"{row['source']} {row['algorithm']}, {row['nodes']} nodes, {row['ranks']} ranks, {row['bytes']} B{metric}"
