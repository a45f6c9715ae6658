"""Published times: what others measured with OSU's benchmarks, re-tabulated in platforms/data (sources/call_table). Nothing is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.catalogue import metrics
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Point, Task
from collscope.points.table import Row, make_row
from collscope.sources import call_table
from collscope.sources.call_table import Call, Times, Usual
from collscope.sources.outcome import OK, UNSUPPORTED
from collscope.sources.source import Options, Source

DATA = paths.ROOT / "platforms" / "data"
METRIC = "osu_avg"
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


def usual(platform: str, kind: str = "byte") -> Usual:
    """What a table of times lacks that is like the published one of a platform; where there is no such one, it must say so itself."""
    known = TABLES.get(platform.partition("[")[0])
    return Usual(platform, known.nodes, known.mapping, kind) if known else Usual(platform, type=kind)


@cache
def _times(platform: str) -> dict[Call, Times]:
    """The published times of a platform, variants aside, by call."""
    return call_table.read(DATA / table_of(platform).file, usual(platform), timed=True)


def tasks(platform: Platform, name: str, metric: str = METRIC) -> list[Task]:
    """Every call that was published of the platform, by ranks. UserError: none was, or one has no twin here."""
    layouts: dict[int, Layout] = {}
    made = []
    for call in sorted(_times(name.partition("[")[0]), key=lambda c: (c.ranks, c.collective, c.algorithm, c.bytes)):
        if call.fault:
            raise UserError(call.fault)
        layout = layouts.setdefault(call.ranks, Layout(platform, call.nodes, call.ranks, call.mapping))
        made.append((layout, Point(call.collective, call.algorithm, call.bytes, type=call.type, metric=metric)))
    return made


def rows(tasks: Sequence[Task], options: Options) -> list[Row]:
    """Rows of source "published", one per task."""
    return [_row(layout, point) for layout, point in tasks]


def _row(layout: Layout, point: Point) -> Row:
    base = layout.platform_name.partition("[")[0]
    found = None
    if base in TABLES and point.root == 0 and metrics.base(point.metric) == METRIC:
        size = point.block_bytes(layout.ranks)
        call = Call(base, layout.nodes, layout.mapping, layout.ranks, point.collective, point.algorithm, size, "byte")
        found = _times(base).get(call)
    return make_row(
        source="published",
        **layout.cells(),
        **{**point.cells(layout.ranks), "metric": metrics.base(point.metric)},
        **(found.cells() if found else {"repetitions": 0}),
        status="ok" if found else NOBODY,
        kind=OK if found else UNSUPPORTED,
        back_end=TABLES[base].about if base in TABLES else "",
    )


SOURCE = Source("published", rows)
