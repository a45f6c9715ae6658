"""Published times: what others measured with OSU's benchmarks, re-tabulated in platforms/data. Nothing is run.

A row of such a table is a call of Open MPI's with one of its algorithms forced; its twin among our keys stands for it. Where the library
chose itself (algorithm 0), that is what decision/ompi_4_1 stands for.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.catalogue import metrics, registry
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Point, Task
from collscope.points.table import Row, make_row
from collscope.sources.outcome import OK, UNSUPPORTED
from collscope.sources.source import Options, Source

DATA = paths.ROOT / "platforms" / "data"
COLUMNS = ("collective", "algorithm_id", "algorithm_name", "processes", "bytes", "latency_us", "runs")
METRIC = "osu_avg"
DEFAULT = "decision/ompi_4_1"
PARAMETERS = {"bcast": "s=0"}  # of a forced algorithm Open MPI cuts no segments unless it is told to
NOBODY = "nobody has published a time of this call"


@dataclass(frozen=True)
class Table:
    """A file of published times: on so many nodes of a platform, ranks placed by a mapping, elements of one byte."""

    file: str
    nodes: int
    mapping: str
    about: str


TABLES = {
    "orfeo_epyc": Table(
        "orfeo_collectives.csv",
        2,
        "packed",
        "github.com/marcotallone/hpc-exam (MIT): OSU Micro-Benchmarks 7.x, Open MPI 4.1.5 over UCX",
    )
}


def table_of(platform: str) -> Table:
    """The published times of a platform, variants aside. UserError: no table holds them."""
    if found := TABLES.get(platform.partition("[")[0]):
        return found
    raise UserError(f"of {platform} no times of collectives were published here; there are some of {', '.join(TABLES)}")


def key_of(collective: str, number: str) -> str:
    """Our key for Open MPI's algorithm of that number, 0: its own choice. UserError: it has no twin here."""
    if number == "0":
        return DEFAULT
    known = registry.load()
    for algorithm in known.of(collective):
        if algorithm.twin and (algorithm.twin["library"], str(algorithm.twin["number"])) == ("Open MPI", number):
            takes = {p.name for p in algorithm.params}
            needed = PARAMETERS.get(collective, "")
            name = algorithm.key + (f"[{needed}]" if needed.partition("=")[0] in takes else "")
            return known.resolve(name, collective)[1]
    raise UserError(f"{collective}: Open MPI's algorithm {number} has no twin here")


@cache
def _times(file: str) -> dict[tuple[str, str, int, int], tuple[float, int]]:
    """(collective, key, ranks, bytes of a block) → seconds and runs behind them."""
    path = DATA / file
    with open(path, encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        if missing := [c for c in COLUMNS if c not in (reader.fieldnames or ())]:
            raise UserError(f"{paths.display(path)}:1: no column {missing[0]}; it has {', '.join(COLUMNS)}")
        return {
            (row["collective"], key_of(row["collective"], row["algorithm_id"]), int(row["processes"]), int(row["bytes"])): (
                float(row["latency_us"]) * 1e-6,
                int(row["runs"]),
            )
            for row in reader
        }  # fmt: skip


def tasks(platform: Platform, name: str, metric: str = METRIC) -> list[Task]:
    """Every call that was published of the platform, by ranks. UserError: none was."""
    table = table_of(name)
    layouts: dict[int, Layout] = {}
    made = []
    for collective, key, ranks, size in sorted(_times(table.file), key=lambda k: (k[2], k[0], k[1], k[3])):
        layout = layouts.setdefault(ranks, Layout(platform, table.nodes, ranks, table.mapping))
        made.append((layout, Point(collective, key, size, type="byte", metric=metric)))
    return made


def rows(tasks: Sequence[Task], options: Options) -> list[Row]:
    """Rows of source "published", one per task."""
    return [_row(layout, point) for layout, point in tasks]


def _row(layout: Layout, point: Point) -> Row:
    table = TABLES.get(layout.platform_name.partition("[")[0])
    fits = table and (layout.nodes, layout.mapping) == (table.nodes, table.mapping) and point.root == 0
    found = None
    if table and fits and metrics.base(point.metric) == METRIC:
        size = point.block_bytes(layout.ranks)
        found = _times(table.file).get((point.collective, point.algorithm, layout.ranks, size))
    time, runs = found or (None, None)
    return make_row(
        source="published",
        **layout.cells(),
        **{**point.cells(layout.ranks), "metric": metrics.base(point.metric)},
        launches=runs,
        repetitions=1 if found else 0,
        median_s=time,
        status="ok" if found else NOBODY,
        kind=OK if found else UNSUPPORTED,
        back_end=table.about if table else "",
    )


SOURCE = Source("published", rows)
