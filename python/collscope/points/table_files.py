"""The table in files: CSV, Parquet or JSON, as the file's name ends.

CSV is for people and spreadsheets; Parquet has types and is read by pandas, R, DuckDB, …; JSON is the document "table" of docs/json.md.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collscope.base import documents, paths
from collscope.base.errors import UsageError, UserError
from collscope.base.files import write_atomically
from collscope.base.units import join_words
from collscope.points import table
from collscope.points.table import Row
from collscope.setup import machine
from collscope.setup.steps import SetupError

if TYPE_CHECKING:
    import pandas as pd

EXTRA = "parquet"  # of pyproject.toml: the library
SCHEMA = "table"
MAX_NUMBER = 2**63  # of a whole number in a cell


def check(option: str, name: str) -> None:
    """Finds out before the work that a table can be written under this name. UsageError: no such format; UserError: its library is
    missing and cannot be installed."""
    if _ending(name) not in WRITERS:
        raise UsageError(f"{option} {name}: a table's name must end in {join_words(list(WRITERS), 'or')}")
    if _ending(name) == ".parquet":
        _library(f"{option} {name}")


def write(rows: Sequence[Row], name: str) -> None:
    """Writes the table; the file appears whole or not at all."""
    write_atomically(name, WRITERS[_ending(name)](rows))


def read(name: str) -> pd.DataFrame:
    """The table of a file. UserError: it is not a table, with the line or column that is wrong."""
    if _ending(name) == ".parquet":
        return table.to_frame(_checked(name, _parquet_rows(name)))
    if _ending(name) == ".json":
        return table.to_frame(_checked(name, _json_rows(name)))
    return table.read_csv(name)


def _ending(name: str) -> str:
    """What the name ends in; a pipe or a device takes CSV."""
    path = Path(name)
    is_stream = path.exists() and not path.is_file() and not path.is_dir()
    return ".csv" if is_stream else path.suffix.lower()


def _json(rows: Sequence[Row]) -> str:
    return documents.text(SCHEMA, {"rows": named_cells(rows)})


def named_cells(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows with the columns of the table, None in cells without a value."""
    columns = table.columns_of(rows)
    return [{c: None if table.is_empty(row.get(c)) else row[c] for c in columns} for row in rows]


def _json_rows(name: str) -> Sequence[Any]:
    try:
        found = json.loads(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{name}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name}: not JSON: {error}") from error
    rows = found.get("rows") if isinstance(found, dict) else None
    if not isinstance(rows, list):
        raise UserError(f'{name}: not a table of collscope: no list of "rows"')
    return rows


def _library(what: str) -> Any:
    """pyarrow. UserError: it is missing and cannot be installed."""
    if importlib.util.find_spec("pyarrow") is None:
        try:
            machine.ensure_python(paths.ROOT, EXTRA)
        except SetupError as error:
            raise UserError(
                f"{what}: Parquet needs Python's library pyarrow, and it cannot be installed: {error}; "
                "a name that ends in .csv or .json needs none"
            ) from error
        importlib.invalidate_caches()
    return importlib.import_module("pyarrow")


def _parquet(rows: Sequence[Row]) -> bytes:
    arrow = _library("a table")
    parquet = importlib.import_module("pyarrow.parquet")
    cells = named_cells(rows)
    types = {c: _type(arrow, c) for c in table.columns_of(rows)}
    about = {"schema": f"collscope/{SCHEMA}", "version": str(documents.VERSION)}
    made = arrow.Table.from_pylist(cells, schema=arrow.schema(types.items(), metadata=about))
    out = io.BytesIO()
    parquet.write_table(made, out)
    return out.getvalue()


def _type(arrow: Any, column: str) -> Any:
    if column in table.TEXT:
        return arrow.string()
    return arrow.float64() if column in table.REALS else arrow.int64()


def _parquet_rows(name: str) -> Sequence[Any]:
    arrow = _library(name)
    parquet = importlib.import_module("pyarrow.parquet")
    try:
        found: list[Any] = parquet.read_table(name).to_pylist()
    except (OSError, ValueError, arrow.ArrowException) as error:
        raise UserError(f"{name}: not a table in Parquet: {str(error).splitlines()[0]}") from error
    return found


def _checked(name: str, rows: Sequence[Any]) -> list[Row]:
    """The rows, each with every column. UserError: a column is missing, or a cell is of another type."""
    made = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise UserError(f"{name}: row {number}: not an object with the columns of a table")
        if missing := [c for c in table.COLUMNS if c not in row and c not in table.LATER]:
            raise UserError(f"{name}: not a table of collscope: row {number} has no column {', '.join(missing)}")
        for column in (*table.COLUMNS, *table.EXTRA):
            value = row.get(column)
            kinds = str if column in table.TEXT else float | int if column in table.REALS else int
            wrong = not isinstance(value, kinds) or isinstance(value, bool)
            if value is not None and (wrong or (isinstance(value, int) and abs(value) >= MAX_NUMBER)):
                raise UserError(f"{name}: row {number}: column {column}: {str(value)[:40]} is not {_kind(column)}")
        cells = {c: row.get(c) for c in (*table.COLUMNS, *table.EXTRA)}
        made.append({c: "" if value is None and c in table.TEXT else value for c, value in cells.items()})
    return made


def _kind(column: str) -> str:
    return "a text" if column in table.TEXT else "a number" if column in table.REALS else "a whole number"


WRITERS: Mapping[str, Callable[[Sequence[Row]], str | bytes]] = {
    ".csv": table.csv_text,
    ".parquet": _parquet,
    ".json": _json,
}
