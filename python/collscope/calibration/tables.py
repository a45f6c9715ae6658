"""Reading point-to-point times that somebody measured: tables (CSV), and what OSU's osu_latency and osu_bw print.

A table has a column for the class of link (`class`, or `placement`), one for bytes, one for the time, half a round trip, and may have
percentiles of the pairs behind it. Lines that begin with # are comments. OSU's output is of one class, which stands before the file's
name: network=lat.txt.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UsageError, UserError, did_you_mean
from collscope.base.number import MAX_BYTES
from collscope.base.toml_table import read_text

CLASS = ("class", "placement")
BYTES = ("bytes", "size", "size_bytes")
TIMES = {"latency_us": 1e-6, "half_round_trip_us": 1e-6, "latency_s": 1.0, "half_round_trip_s": 1.0}
LOW, HIGH, COUNT = ("p05", "low"), ("p95", "high"), ("pairs", "samples", "runs")
PLACEMENTS = {
    "same_ccx": "cache",
    "same_cache": "cache",
    "same_ccd_diff_ccx": "ccd",
    "same_numa_diff_ccd": "numa",
    "same_numa": "numa",
    "same_socket_diff_numa": "socket",
    "same_socket": "socket",
    "diff_socket": "node",
    "diff_node": "network",
}
"""Words for where two ranks sit, as published tables have them → the class of a link."""

CLASS_NAME = r"[a-z][a-z0-9_]*"
MEGABYTE = 1e6  # OSU's
MAX_S = 1e3
FEWEST = 3  # sizes of a class: fewer say nothing of a slope


@dataclass(frozen=True)
class Measured:
    """A time, half a round trip: of so many bytes, with percentiles over `samples` pairs or repetitions where they are known."""

    bytes: int
    seconds: float
    low: float | None = None
    high: float | None = None
    samples: int = 0


@dataclass
class Measurements:
    """What the files say: class → times by ascending size; class → the highest rate of a stream, in bytes per second; where from."""

    times: dict[str, list[Measured]] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)


def read(
    files: Sequence[str], where: Mapping[str, str] | None = None, classes: Mapping[str, str] | None = None
) -> Measurements:
    """All files together. `files`: FILE.csv, or CLASS=FILE for OSU's output; `where`: column → value of the rows to take; `classes`:
    word in the table → class, besides PLACEMENTS. UserError: FILE:LINE: what is wrong and what to do."""
    found = Measurements()
    words: set[str] = set()  # for classes, in tables
    tables = 0
    for name in files:
        level, equals, file = name.partition("=")
        if equals and re.fullmatch(CLASS_NAME, level):
            _add_osu(found, level, file)
        else:
            words |= _add_table(found, name, where or {}, {**PLACEMENTS, **(classes or {})})
            tables += 1
    if not tables and (option := "--where" if where else "--class" if classes else ""):
        raise UsageError(f"{option} is for tables; OSU's output has one class, which stands before the file's name")
    if unused := [word for word in classes or {} if word not in words]:
        guess = did_you_mean(unused[0], words) or f"; the words are {', '.join(sorted(words))[:200]}"
        raise UsageError(f'--class {unused[0]}={(classes or {})[unused[0]]}: no row has the class "{unused[0]}"{guess}')
    for level, times in found.times.items():
        times.sort(key=lambda m: m.bytes)
        if len(times) < FEWEST:
            raise UserError(
                f"{found.sources[level]}: class {level} has {len(times)} sizes above 0 bytes; measure at least {FEWEST}, from "
                "one byte to a few MiB"
            )
    if not found.times:
        raise UserError(
            f"{', '.join(files)}: no times of messages; osu_bw alone gives no curve, add what osu_latency prints"
        )
    return found


def _text(name: str) -> tuple[str, str]:
    path = paths.expanded(name)
    shown = paths.display(path)
    return read_text(path, shown), shown


def _add(found: Measurements, level: str, one: Measured, where: str, source: str, hint: str = "") -> None:
    if one.bytes == 0:
        return  # an empty message takes a path of its own in some libraries
    times = found.times.setdefault(level, [])
    if any(m.bytes == one.bytes for m in times):
        raise UserError(f"{where}: class {level} has {one.bytes} bytes twice{hint or '; keep one of them'}")
    times.append(one)
    found.sources.setdefault(level, source)


# ---- tables -----------------------------------------------------------------------------------------------


def _add_table(found: Measurements, name: str, where: Mapping[str, str], classes: Mapping[str, str]) -> set[str]:
    """Adds the rows of a table; returns its words for classes."""
    text, shown = _text(name)
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    if not lines:
        raise UserError(f"{shown}:1: is empty; a table begins with the names of its columns")
    number, head = lines[0]
    columns = [c.strip() for c in next(csv.reader([head]))]
    if len(columns) < 2 and re.match(r"\s*\d", head):
        raise UsageError(f"{shown}: looks like OSU's output; name its class of link: --from network={name}")
    level, size = _column(columns, CLASS, shown, number), _column(columns, BYTES, shown, number)
    time = _column(columns, tuple(TIMES), shown, number)
    low, high, count = (_given(columns, names) for names in (LOW, HIGH, COUNT))
    for column in where:
        if column not in columns:
            raise UsageError(
                f"--where {column}={where[column]}: {shown} has no such column{did_you_mean(column, columns)}"
            )
    taken: dict[str, set[str]] = {}
    words: set[str] = set()
    for number, line in lines[1:]:
        cells = next(csv.reader([line]))
        if len(cells) != len(columns):
            raise UserError(
                f"{shown}:{number}: {len(cells)} values for {len(columns)} columns; complete the line or remove it"
            )
        row = dict(zip(columns, (c.strip() for c in cells), strict=True))
        if any(row[column] != value for column, value in where.items()):
            continue
        words.add(row[level])
        for column in (c for c in columns if c not in (level, size) and not _is_number(row[c])):
            taken.setdefault(column, set()).add(row[column])
        at = f"{shown}:{number}"
        word = row[level]
        name_of_class = classes.get(word, word)
        if not re.fullmatch(CLASS_NAME, name_of_class):
            raise UserError(f'{at}: {level}: "{word}" is not a class; name it with --class {word or "WORD"}=network')
        scale = TIMES[time]
        one = Measured(
            size_of(row[size], at, size),
            number_of(row[time], at, time) * scale,
            number_of(row[low], at, low) * scale if low and row[low] else None,
            number_of(row[high], at, high) * scale if high and row[high] else None,
            size_of(row[count], at, count) if count and row[count] else 0,
        )
        several = "; ".join(f"--where {c}={sorted(v)[0]}" for c, v in taken.items() if len(v) > 1)
        chosen = "".join(f", {value}" for value in where.values())
        _add(
            found, name_of_class, one, at, f"{Path(name).name}{chosen}, {word}", several and f"; choose with {several}"
        )
    if not words:
        chosen = " and ".join(f"{c} = {v}" for c, v in where.items())
        raise UserError(f"{shown}: no row{f' with {chosen}' if chosen else ''}")
    return words


def _column(columns: Sequence[str], names: Sequence[str], shown: str, line: int) -> str:
    if (found := _given(columns, names)) is None:
        guess = next((g for c in columns if (g := did_you_mean(c, names))), "")
        raise UserError(
            f"{shown}:{line}: no column {' or '.join(names)}; the columns are {', '.join(columns)[:200]}{guess}"
        )
    return found


def _given(columns: Sequence[str], names: Sequence[str]) -> str | None:
    return next((n for n in names if n in columns), None)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def size_of(text: str, where: str, what: str) -> int:
    """A whole number of a table. UserError: `where` (FILE:LINE) and `what` it should have been."""
    if not re.fullmatch(r"\d{1,16}", text) or int(text) > MAX_BYTES:
        raise UserError(f'{where}: {what}: "{text[:40]}" is not a whole number up to {MAX_BYTES}')
    return int(text)


def number_of(text: str, where: str, what: str) -> float:
    """A time of a table, in its own unit. UserError as size_of."""
    value = float(text) if _is_number(text) else math.nan
    if not 0 < value < MAX_S * 1e6:
        raise UserError(f'{where}: {what}: "{text[:40]}" is not a time above 0; correct the line or remove it')
    return value


# ---- OSU's output ---------------------------------------------------------------------------------------


def _add_osu(found: Measurements, level: str, name: str) -> None:
    text, shown = _text(name)
    unit = 0.0
    for number, line in enumerate(text.splitlines(), 1):
        at, cells = f"{shown}:{number}", line.split()
        if line.startswith("#"):
            unit = _unit(line, at) or unit
        elif cells and not cells[0].isdigit():  # a launcher's words are passed over
            if unit and (len(cells) == 2 or _is_number(cells[0])):
                raise UserError(
                    f'{at}: "{" ".join(cells)[:40]}" is not a size and a value; correct the line or remove it'
                )
        elif cells:
            if len(cells) < 2:
                raise UserError(f"{at}: a size without a value; the file seems to be cut off")
            if not unit:
                raise UserError(f"{at}: numbers before a heading with (us) or (MB/s): is it what osu_latency printed?")
            size, value = size_of(cells[0], at, "size"), number_of(cells[1], at, "value")
            if unit == MEGABYTE:
                found.rates[level] = max(found.rates.get(level, 0.0), value * unit)
            else:
                _add(found, level, Measured(size, value * unit), at, f"{Path(name).name}, osu_latency")
    if not unit:
        raise UserError(f"{shown}:1: no heading with Latency (us) or Bandwidth (MB/s): is it what osu_latency printed?")


def _unit(heading: str, at: str) -> float:
    """What a line of a heading says of the values' unit; 0: nothing."""
    words = heading.strip("# \n")
    if "Bi-Directional" in words or "Multi" in words:
        raise UserError(f"{at}: {words}: several streams at once; take osu_latency and osu_bw")
    if re.search(r"\((ms|s|ns|GB/s|MiB/s)\)", words):
        raise UserError(f"{at}: {heading.strip()}: only Latency (us) and Bandwidth (MB/s) are understood")
    return 1e-6 if "(us)" in words else MEGABYTE if "(MB/s)" in words else 0.0
