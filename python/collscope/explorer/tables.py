"""Tables of studies and campaigns in short, for the explorer's page: texts that repeat are written once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collscope.base import paths
from collscope.base.errors import UserError

TEXTS = ("source", "platform", "layout", "collective", "algorithm")
NUMBERS = ("bytes", "median_s", "q1_s", "q3_s")
NEEDED = ("source", "platform", "nodes", "ranks", "mapping", "collective", "algorithm", "bytes", "median_s")


@dataclass(frozen=True)
class Table:
    """A table of results: the name in the page, and where it lies."""

    name: str
    path: Path


def committed() -> list[Table]:
    """The tables of all studies and campaigns in results/."""
    found = [*sorted(paths.RESULTS.glob("*/table.csv")), *sorted(paths.RESULTS.glob("validation/*/table.csv"))]
    return [Table(path.parent.name, path) for path in found if set(NEEDED) <= set(_columns(path))]


def named(name: str) -> Table:
    """The table of a folder, or a file. UserError: it does not exist, or is not a table of times."""
    path = paths.expanded(name)
    if path.is_dir():
        path /= "table.csv"
    if not path.is_file():
        raise UserError(
            f"{paths.display(path)}: there is no such table; name a folder of results or a CSV file of run --csv"
        )
    if lacking := [column for column in NEEDED if column not in _columns(path)]:
        raise UserError(f"{paths.display(path)}: is not a table of times; it lacks the columns {', '.join(lacking)}")
    return Table(path.parent.name if path.name == "table.csv" else path.stem, path)


def _columns(path: Path) -> list[str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.readline().rstrip("\n").split(",")


def content(table: Table) -> dict[str, Any]:
    """`columns`, `rows`, and of each column with texts the texts (`shared`) that its numbers stand for. Rows without a time are left
    out."""
    import pandas as pd

    read = pd.read_csv(table.path, low_memory=False)
    read = read[read["median_s"].notna()]
    read = read.assign(layout=[_layout(row) for row in read.to_dict("records")])
    for column in ("q1_s", "q3_s"):
        if column not in read:
            read[column] = None
    shared = {column: list(dict.fromkeys(map(str, read[column]))) for column in TEXTS}
    numbers = {column: {text: i for i, text in enumerate(texts)} for column, texts in shared.items()}
    rows = [
        [*(numbers[column][str(row[column])] for column in TEXTS), *(_number(row[column]) for column in NUMBERS)]
        for row in read.to_dict("records")
    ]
    return {
        "title": table.name,
        "sources": shared["source"],
        "columns": [*TEXTS, *NUMBERS],
        "shared": shared,
        "rows": rows,
    }


def _number(value: Any) -> float | int | None:
    if value is None or value != value:
        return None
    return int(value) if float(value).is_integer() else float(f"{value:.4g}")


def _layout(row: dict[str, Any]) -> str:
    """Ranks, nodes, mapping, and what is unusual about the call."""
    text = f"{row['ranks']} ranks on {row['nodes']} nodes, {row['mapping']}"
    if row.get("root"):
        text += f", root {row['root']:.0f}"
    if row.get("in_place") == 1:
        text += ", in place"
    return text + (f", {row['metric']}" if row.get("metric", "makespan") != "makespan" else "")
