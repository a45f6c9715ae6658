"""The table that `run` prints."""

from __future__ import annotations

from typing import Any

from collscope.catalogue.registry import Registry
from collscope.commands import run_table
from collscope.points.table import make_row


def test_winners_are_about_the_last_source(known: Registry) -> None:
    base: dict[str, Any] = {
        "platform": "tiny", "nodes": 1, "ranks": 2, "mapping": "block", "collective": "bcast", "bytes": 4, "block_bytes": 4,
        "type": "float", "in_place": 0, "root": 0, "metric": "makespan", "status": "ok",
    }  # fmt: skip
    times = {("sim", "a"): 1.0, ("sim", "b"): 2.0, ("real", "a"): 3.0, ("real", "b"): 1.5}
    rows = [
        make_row(**base, source=s, algorithm=f"bcast/{a}", median_s=t, q1_s=t, q3_s=t) for (s, a), t in times.items()
    ]
    made = run_table.make_table(rows, [])
    heads = [str(column.header) for column in made.columns]
    assert heads == ["bytes", "algorithm", "sim", "real", "quartiles", "× fastest", "real/sim"]
    assert [str(c) for c in made.columns[heads.index("× fastest")]._cells] == ["2.00", "1.00"]
    assert [row.style for row in made.rows] == [None, "bold green"]
