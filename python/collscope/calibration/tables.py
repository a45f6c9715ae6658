"""Reading point-to-point times that somebody measured: tables (CSV), and what OSU's benchmarks print (osu.py).

A table has a column for the class of link (`class`, or `placement`), one for bytes, one for the time, half a round trip, and may have
percentiles of the pairs behind it. Lines that begin with # are comments. OSU's output is of one class, which stands before the file's
name: network=lat.txt, or network:4=lat.txt where four pairs sent at once.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UsageError, UserError, did_you_mean
from collscope.base.toml_table import read_text
from collscope.calibration import osu
from collscope.calibration.cells import is_number, number_of, size_of

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
    """What the files say: class → times of single messages by ascending size; class → what OSU printed of streams and of several pairs;
    class → where its times are from."""

    times: dict[str, list[Measured]] = field(default_factory=dict)
    streams: dict[str, list[osu.Output]] = field(default_factory=dict)
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
        if equals and (named := re.fullmatch(rf"({CLASS_NAME})(?::([1-9]\d{{0,4}}))?", level)):
            output = osu.read(file, int(named[2] or 0))
            if output.benchmark != "osu_latency":
                found.streams.setdefault(named[1], []).append(output)
                continue
            for size, seconds in output.rows:
                _add(
                    found,
                    named[1],
                    Measured(size, seconds),
                    paths.display(paths.expanded(file)),
                    f"{output.file}, osu_latency",
                )
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
    if lacking := sorted({*found.streams} - {*found.times}):
        file = found.streams[lacking[0]][0].file
        raise UserError(
            f"{file}: class {lacking[0]} has no times of single messages; add --from {lacking[0]}=FILE of osu_latency"
        )
    if not found.times:
        raise UserError(
            f"{', '.join(files)}: no times of single messages, which the curves are made of; add what osu_latency prints"
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
        for column in (c for c in columns if c not in (level, size) and not is_number(row[c])):
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
