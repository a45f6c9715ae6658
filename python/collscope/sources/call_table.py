"""Lists of calls and tables of their times: CSV files, a row per call and run, in the form of platforms/data/orfeo_collectives.csv.

platforms/data/README.md says what each column is. A row names an algorithm by our key, or by Open MPI's number of it: its twin among our
keys stands for that, and decision/ompi_4_1 for the library's own choice (0).
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UserError, unknown
from collscope.base.statistics import quantile
from collscope.catalogue import metrics, registry
from collscope.machines import find, placement
from collscope.points import benchmarks, plan, sweep
from collscope.points.plan import Point, Task

CALL = (
    "platform",
    "nodes",
    "mapping",
    "collective",
    "algorithm",
    "algorithm_id",
    "algorithm_name",
    "processes",
    "bytes",
    "type",
)
TIMES = ("latency_us", "min_us", "max_us", "runs", "p05", "p95")
DEFAULT = "decision/ompi_4_1"
# Barriers as the ranks of a loop feel them, with what Open MPI acknowledges.
OF_LOOPS = {
    DEFAULT: "decision/ompi_4_1_acknowledged",
    "barrier/recursive_doubling": "barrier/recursive_doubling_acknowledged",
}
SEGMENTS = ("s", "first")  # parameters: a forced algorithm of Open MPI's cuts no segments unless it is told to


@dataclass(frozen=True)
class Call:
    """What a row names. `bytes` as OSU's benchmarks print them: a rank's block where the collective moves blocks, else the vector."""

    platform: str
    nodes: int
    mapping: str
    ranks: int
    collective: str
    algorithm: str  # full key; "" where there is no such one here, for the reason in `fault`
    bytes: int
    type: str
    fault: str = ""

    def task(self, metric: str) -> Task:
        """The call as it is timed with this metric. UserError: it cannot be made."""
        if self.fault:
            raise UserError(self.fault)
        layout = plan.check_layout(find.load(self.platform), self.nodes, self.ranks, self.mapping)
        vector = benchmarks.vector_bytes(self.collective, self.bytes, self.ranks)
        count = sweep.count_of(self.collective, vector, self.ranks, self.type)
        assert count is not None
        own_loop = self.collective == "barrier" and metrics.has_barrier(metric)  # as osu_barrier does
        metric = metrics.with_barrier(self.algorithm) if own_loop else metric
        return layout, Point(self.collective, self.algorithm, count, type=self.type, metric=metric)


@dataclass(frozen=True)
class Times:
    """What the rows of one call say: seconds, a value for each row, how many runs are behind them, and half of (p95 - p05) / time."""

    seconds: tuple[float, ...] = ()
    runs: int = 0
    spread: float | None = None

    def cells(self) -> dict[str, float | int | None]:
        """The columns of a table that they fill: of several rows quartiles, too, and how far they differ."""
        if not self.seconds:
            return {"median_s": None, "launches": 0, "repetitions": 0}
        found = sorted(self.seconds)
        median, low, high = (quantile(found, part) for part in (0.5, 0.25, 0.75))
        cells: dict[str, float | int | None] = {"median_s": median, "launches": self.runs, "repetitions": 1}
        if len(found) > 1:
            floor = (found[-1] - found[0]) / 2 / median
            return cells | {"q1_s": low, "q3_s": high, "min_s": found[0], "max_s": found[-1], "floor": floor}
        return cells if self.spread is None else cells | {"floor": self.spread}


@dataclass(frozen=True)
class Usual:
    """What stands for a column that the file lacks; None: it must be there. Nodes and mapping are those of this platform: a file that names
    platforms itself has both."""

    platform: str
    nodes: int | None = None
    mapping: str | None = None
    type: str = "byte"


def tasks(calls: Mapping[Call, Times], metric: str) -> tuple[dict[Task, Times], Counter[str]]:
    """The calls as they are timed with this metric, rows that name the same one together; how many cannot be made, by reason."""
    found: dict[Task, Times] = {}
    reasons: Counter[str] = Counter()
    for call, times in calls.items():
        try:
            task = call.task(metric)
        except UserError as error:
            reasons[str(error)] += 1
            continue
        before = found.get(task, Times())
        spread = times.spread if before.spread is None else before.spread
        found[task] = Times(before.seconds + times.seconds, before.runs + times.runs, spread)
    return found, reasons


def by(point: Point, key: str) -> Point:
    """The call by another algorithm; a barrier that is timed in a loop of its own in one of that."""
    own_loop = point.collective == "barrier" and point.metric == metrics.with_barrier(point.algorithm)
    return replace(point, algorithm=key, metric=metrics.with_barrier(key) if own_loop else point.metric)


def key_of(collective: str, number: str) -> str:
    """Our key for Open MPI's algorithm of that number, 0: its own choice. UserError: it has no twin here."""
    known = registry.load()
    key = DEFAULT if number == "0" else ""
    for algorithm in known.of(collective):
        if algorithm.twin and (algorithm.twin["library"], str(algorithm.twin["number"])) == ("Open MPI", number):
            key = algorithm.full_key({p.name: 0 for p in algorithm.params if p.name in SEGMENTS})
    if not key:
        raise UserError(f"{collective}: Open MPI's algorithm {number} has no twin here")
    return OF_LOOPS.get(key, key) if collective == "barrier" else key


def read(path: str | Path, usual: Usual, timed: bool) -> dict[Call, Times]:
    """The calls of a file in their order, each with its times; `timed` false: a list of calls, which must have none. UserError, UsageError:
    FILE:LINE: what is wrong, and what to do."""
    shown = paths.display(Path(path))
    found: dict[Call, Times] = {}
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            given = _columns(shown, reader.fieldnames or (), usual, timed)
            for row in reader:
                try:
                    if None in row or None in row.values():
                        raise UserError(f"a row needs {len(given)} cells, as the heading has")
                    call = _call({name: cell.strip() for name, cell in row.items()}, usual)
                    found[call] = _with(found.get(call, Times()), row)
                except UserError as error:
                    raise type(error)(f"{shown}:{reader.line_num}: {error}") from None
    except OSError as error:
        raise UserError(f"{shown}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{shown}: not a CSV file: {error}") from error
    if not found:
        raise UserError(f"{shown}: has no calls; write a row for each below the heading {','.join(given)}")
    return found


def _columns(shown: str, given: Sequence[str], usual: Usual, timed: bool) -> Sequence[str]:
    """The columns of a file. UserError: one is missing, or not known."""
    needed = ["collective", "processes", "bytes", *(["latency_us"] if timed else [])]
    needed += [name for name in ("nodes", "mapping") if getattr(usual, name) is None or "platform" in given]
    if missing := [name for name in needed if name not in given]:
        raise UserError(
            f"{shown}:1: no column {missing[0]}; it needs {', '.join([*needed, 'algorithm or algorithm_id'])}"
        )
    if ("algorithm" in given) == ("algorithm_id" in given):
        raise UserError(
            f"{shown}:1: it needs one of the columns algorithm (a key) and algorithm_id (Open MPI's number)"
        )
    for name in given:
        if not timed and name in TIMES:
            raise UserError(
                f"{shown}:1: column {name}: a list of calls to be predicted has no times; leave the column out"
            )
        if name not in (*CALL, *TIMES):
            known = f"there are {', '.join((*CALL, *TIMES))}; take it out or rename it"
            raise UserError(f"{shown}:1: {unknown('column', name, (*CALL, *TIMES), known)}")
    return given


def _call(row: Mapping[str, str], usual: Usual) -> Call:
    known = registry.load()
    collective, kind = row["collective"], row.get("type", usual.type)
    has_data = known.collective(collective).has_data
    known.type_bytes(kind)
    mapping, platform = row.get("mapping", usual.mapping or ""), row.get("platform", usual.platform)
    placement.file_of(mapping)
    if "platform" in row:
        find.load(platform)
    key = fault = ""
    if "algorithm" in row:
        _, key = known.resolve(row["algorithm"], collective)
    else:
        try:
            key = key_of(collective, str(_whole(row, "algorithm_id", 0)))
        except UserError as error:
            if not row["algorithm_id"].isdigit():
                raise
            fault = str(error)
    nodes = _whole(row, "nodes", 1) if "nodes" in row else usual.nodes or 1
    size = _whole(row, "bytes", 0) if has_data else 0
    return Call(platform, nodes, mapping, _whole(row, "processes", 1), collective, key, size, kind, fault)


def _whole(row: Mapping[str, str], column: str, least: int) -> int:
    text = row[column]
    if not (text.isascii() and text.isdigit() and len(text) < 16) or int(text) < least:
        raise UserError(f'column {column}: "{text}" is not a whole number from {least} up')
    return int(text)


def _real(row: Mapping[str, str], column: str) -> float | None:
    """The number of a cell, None: it is empty or not there."""
    if not (text := (row.get(column) or "").strip()):
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UserError(f'column {column}: "{text}" is not a number; leave the cell empty where nothing is known')
    return value


def _with(times: Times, row: Mapping[str, str]) -> Times:
    """With another row of the call; a time that is not above 0 does not count."""
    time, low, high, runs = (_real(row, column) for column in ("latency_us", "p05", "p95", "runs"))
    if time is None or time <= 0:
        return times
    spread = times.spread if low is None or high is None else (high - low) / 2 / time
    return Times((*times.seconds, time * 1e-6), times.runs + int(runs or 1), spread)
