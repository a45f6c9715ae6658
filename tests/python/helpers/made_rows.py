"""Rows of a table, from formulas: for figures and for what is computed from any table."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from collscope.points import table
from collscope.points.plan import Layout, Point

SIZES = [4 << k for k in range(0, 20, 4)]
BOUNDS = ("bound/loggp", "bound/telephone")
MANY = [f"bcast/other{k}[s={k}]" for k in range(15)]


def row(**cells: object) -> table.Row:
    base = {"source": "sim", "platform": "ideal", "nodes": 4, "ranks": 16, "mapping": "block", "collective": "bcast",
            "algorithm": "bcast/mst",
            "bytes": 1024, "block_bytes": 1024, "type": "float", "in_place": 0, "root": 0, "metric": "makespan", "launches": 1,
            "repetitions": 1, "status": "ok"}  # fmt: skip
    seconds = cells.pop("seconds", 1e-6)
    return table.make_row(**{**dict.fromkeys(("median_s", "q1_s", "q3_s", "min_s", "max_s"), seconds), **base, **cells})


def row_of(layout: Layout, point: Point, source: str, seconds: float | None, **cells: object) -> table.Row:
    """The row of a task, as a source would answer."""
    found = {"kind": "ok", "repetitions": 3, **layout.cells(), **point.cells(layout.ranks), "source": source}
    return row(**{**found, "seconds": seconds, **cells})


def rows(
    keys: Sequence[str], sources: Iterable[str] = ("sim",), sizes: Sequence[int] = SIZES, **cells: object
) -> list[table.Row]:
    """Every second key crosses the others; those behind the first ten are never near the best. Bounds are below all."""
    made = []
    for k, key in enumerate(keys):
        for n, source in itertools.product(sizes, sources):
            slope = (1 + 0.01 * k) * (1 + n / 4096 if k % 2 else 1.3 + n / 8192) * (1 if k < 10 else 3)
            took = slope * 1e-6 * {"sim": 1, "model": 1, "real": 4}[source]
            spread = {"q1_s": 0.8 * took, "q3_s": 1.3 * took} if source == "real" else {}
            chose = keys[k % 2] if key.startswith("decision/") else ""
            made.append(row(algorithm=key, source=source, bytes=n, seconds=took, chose=chose, **spread, **cells))
    return made


def bounds(sizes: Sequence[int] = SIZES) -> list[table.Row]:
    return [
        row(source="bound", algorithm=kind, bytes=n, seconds=2e-7 * (1 + n / 8192) * (k + 1))
        for k, kind in enumerate(BOUNDS)
        for n in sizes
    ]
