"""The one tidy table: a row a point, whatever its source. Rows are plain dicts with the keys of COLUMNS.

Times are in seconds, sizes in bytes; cells without a value are empty. What each column means: docs/metrics.md.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collscope.base.errors import UserError
from collscope.base.files import write_atomically

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "source",
    "platform",
    "nodes",
    "ranks",
    "mapping",
    "collective",
    "algorithm",
    "bytes",
    "block_bytes",
    "type",
    "op",
    "in_place",
    "root",
    "metric",
    "launches",
    "repetitions",
    "median_s",
    "q1_s",
    "q3_s",
    "min_s",
    "max_s",
    "chose",
    "status",
    "back_end",
    "sources_hash",
    "platform_hash",
    "kind",
    "ci_low_s",
    "ci_high_s",
    "outliers",
    "unstable",
    "start",
    "buffers",
    "skew",
)
LATER = COLUMNS[
    -7:
]  # of measurements only, and of calls that ranks enter late; a table that was written before they were has none
TEXT = frozenset(COLUMNS) & {
    *("source", "platform", "mapping", "collective", "algorithm", "type", "op", "metric", "chose", "status"),
    *("back_end", "sources_hash", "platform_hash", "kind", "unstable", "start", "buffers", "skew"),
}
TIMES = ("median_s", "q1_s", "q3_s", "min_s", "max_s", "ci_low_s", "ci_high_s")
REALS = (*TIMES, "outliers")
INTEGERS = tuple(c for c in COLUMNS if c not in TEXT and c not in REALS)

Row = dict[str, Any]


def make_row(**cells: Any) -> Row:
    """A row with every column; unknown names are a mistake of the caller."""
    strange = set(cells) - set(COLUMNS)
    if strange:
        raise KeyError(f"no such column: {', '.join(sorted(strange))}")
    return {c: cells.get(c, "" if c in TEXT else None) for c in COLUMNS}


def to_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a DataFrame: texts, whole numbers (0 where empty), times and other reals (NaN where there is none)."""
    import pandas as pd

    frame = pd.DataFrame(list(rows), columns=list(COLUMNS))
    for name in INTEGERS:
        frame[name] = frame[name].fillna(0).astype("int64")
    for name in REALS:
        frame[name] = frame[name].astype("float64")
    for name in TEXT:
        frame[name] = frame[name].fillna("").astype(str)
    return frame


def to_rows(frame: pd.DataFrame) -> list[Row]:
    """A frame's rows; what is not there is None, not NaN."""
    import math

    return [
        {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in record.items()}
        for record in frame.to_dict("records")
    ]


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """CSV. Floats are written with the digits that read back to the same number, so tables can be compared exactly."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(row.get(c)) for c in COLUMNS])
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return repr(float(value)) if isinstance(value, float) else str(value)


def write_csv(rows: pd.DataFrame | Iterable[Mapping[str, Any]], path: str | Path) -> None:
    """Writes the table; the file appears whole or not at all."""
    write_atomically(path, csv_text(to_rows(rows) if hasattr(rows, "to_dict") else rows))


def read_csv(path: str | Path) -> pd.DataFrame:
    """A table as write_csv wrote it, now or before measurements had columns of their own."""
    import pandas as pd

    try:
        # As texts first: Python's float() gives the very number that was written.
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: not a table of collscope: {error}") from error
    missing = [c for c in COLUMNS if c not in frame.columns and c not in LATER]
    if missing:
        raise UserError(f"{path}: not a table of collscope: no column {', '.join(missing)}")
    empty = [""] * len(frame)
    cells: dict[str, list[Any]] = {name: list(frame[name]) if name in frame else empty for name in COLUMNS}
    try:
        for name in REALS:
            cells[name] = [float(text) if text else None for text in cells[name]]
        for name in INTEGERS:
            cells[name] = [int(text) if text else None for text in cells[name]]
    except ValueError as error:
        raise UserError(f"{path}: column {name}: {error}") from error
    return to_frame(
        dict(zip(COLUMNS, row, strict=True)) for row in zip(*(cells[name] for name in COLUMNS), strict=True)
    )
