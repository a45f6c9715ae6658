"""The one tidy table: one row per point, whatever its source. Rows are plain dicts with the keys of COLUMNS.

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
from collscope.catalogue.metrics import TRAFFIC

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
# Of what was asked for besides: a table has those of them that one of its rows has.
OVERLAPS = ("pure_s", "work_s", "overlap", "available")
DRAWN = ("drawn_low_s", "drawn_high_s")  # the band over draws of what is not known of the machine
EXTRA = ("counts", "noise_low_s", "noise_median_s", "noise_high_s", "times_s", "floor", *OVERLAPS, *DRAWN, *TRAFFIC)
LATER = COLUMNS[
    -7:
]  # of measurements only, and of calls that ranks enter late; a table that was written before they were has none
TEXT = frozenset(COLUMNS) & {
    *("source", "platform", "mapping", "collective", "algorithm", "type", "op", "metric", "chose", "status"),
    *("back_end", "sources_hash", "platform_hash", "kind", "unstable", "start", "buffers", "skew"),
} | {"times_s", "counts"}
TIMES = ("median_s", "q1_s", "q3_s", "min_s", "max_s", "ci_low_s", "ci_high_s", *EXTRA[1:4], *OVERLAPS[:2], *DRAWN)
REALS = (*TIMES, "outliers", "floor", *OVERLAPS[2:])
INTEGERS = (*(c for c in COLUMNS if c not in TEXT and c not in REALS), *TRAFFIC)

Row = dict[str, Any]

_EMPTY = {c: "" if c in TEXT else None for c in COLUMNS}


def make_row(**cells: Any) -> Row:
    """A row with every column, and those of EXTRA that it is given; unknown names are a mistake of the caller."""
    strange = set(cells) - {*COLUMNS, *EXTRA}
    if strange:
        raise KeyError(f"no such column: {', '.join(sorted(strange))}")
    return _EMPTY | cells


def columns_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """COLUMNS, and those of EXTRA in which a row has something."""
    there = {c for row in rows for c in EXTRA if not is_empty(row.get(c))}
    return [*COLUMNS, *(c for c in EXTRA if c in there)]


def is_empty(value: Any) -> bool:
    """Whether a cell has no value."""
    return value is None or value != value or value == ""


def to_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a DataFrame: texts, whole numbers (0 where empty), times and other reals (NaN where empty)."""
    import pandas as pd

    made = list(rows)
    return _typed(pd.DataFrame(made, columns=columns_of(made)))


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    for name in frame.columns:
        if name in TEXT:
            frame[name] = frame[name].fillna("").astype(str)
        elif name in REALS:
            frame[name] = frame[name].astype("float64")
        else:
            frame[name] = frame[name].fillna(0).astype("int64")
    return frame


def to_rows(frame: pd.DataFrame) -> list[Row]:
    """A frame's rows; None where a cell is empty, never NaN."""
    import math

    return [
        {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in record.items()}
        for record in frame.to_dict("records")
    ]


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """CSV. Floats are written with the digits that read back to the same number, so tables can be compared exactly."""
    out, made = io.StringIO(), list(rows)
    writer = csv.writer(out, lineterminator="\n")
    columns = columns_of(made)
    writer.writerow(columns)
    for row in made:
        writer.writerow([_cell(row.get(c)) for c in columns])
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
        text = Path(path).read_text(encoding="utf-8")
        # As texts first: Python's float() gives the very number that was written.
        frame = pd.read_csv(io.StringIO(text), dtype=object, keep_default_na=False)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path}: not a table of collscope: {error}") from error
    lines = csv.reader(io.StringIO(text))
    if short := next(((lines.line_num, len(row)) for row in lines if 0 < len(row) < len(frame.columns)), None):
        raise UserError(f"{path}:{short[0]}: a row of {short[1]} cells in a table of {len(frame.columns)} columns")
    missing = [c for c in COLUMNS if c not in frame.columns and c not in LATER]
    if missing:
        raise UserError(f"{path}: not a table of collscope: no column {', '.join(missing)}")
    empty = [""] * len(frame)
    columns = [*COLUMNS, *(c for c in EXTRA if c in frame)]
    cells: dict[str, list[Any]] = {name: list(frame[name]) if name in frame else empty for name in columns}
    try:
        for name in columns:
            if name in REALS:
                cells[name] = [float(text) if text else None for text in cells[name]]
            elif name in INTEGERS:
                cells[name] = [int(text) if text else None for text in cells[name]]
    except ValueError as error:
        raise UserError(f"{path}: column {name}: {error}") from error
    there = [c for c in columns if c not in EXTRA or not all(map(is_empty, cells[c]))]
    return _typed(pd.DataFrame({name: cells[name] for name in there}))
