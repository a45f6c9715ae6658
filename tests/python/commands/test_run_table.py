"""The table that `run` prints."""

from __future__ import annotations

from typing import Any

from collscope.base.grid import Grid
from collscope.catalogue.registry import Registry
from collscope.commands import run_table
from collscope.points.table import Row, make_row
from collscope.sources import bounds

BASE: dict[str, Any] = {
    "platform": "tiny", "nodes": 1, "ranks": 2, "mapping": "block", "collective": "bcast", "bytes": 4, "block_bytes": 4,
    "type": "float", "in_place": 0, "root": 0, "metric": "makespan", "status": "ok",
}  # fmt: skip


def row(source: str, algorithm: str, seconds: float, **more: Any) -> Row:
    times = dict.fromkeys(("median_s", "q1_s", "q3_s"), seconds)
    return make_row(**(BASE | times | {"source": source, "algorithm": algorithm} | more))


def column(made: Grid, name: str) -> list[str]:
    place = [column.name for column in made.columns].index(name)
    return [line.cells[place] for line in made.lines]


def test_winners_are_about_the_last_source(known: Registry) -> None:
    times = {("sim", "a"): 1.0, ("sim", "b"): 2.0, ("real", "a"): 3.0, ("real", "b"): 1.5}
    made = run_table.make_table([row(s, f"bcast/{a}", t) for (s, a), t in times.items()], [])
    assert [c.name for c in made.columns] == [
        "bytes", "algorithm", "sim", "real", "quartiles", "× fastest", "real/sim",
    ]  # fmt: skip
    assert column(made, "× fastest") == ["2.00", "1.00"]
    assert [line.style for line in made.lines] == ["", "bold green"]


def test_ratios_are_to_the_bound_that_holds(known: Registry) -> None:
    limits = [row("bound", bounds.TELEPHONE, 4.0), row("bound", bounds.LOGGP, 1.0)]
    made = run_table.make_table([row("sim", "bcast/a", 2.0)], limits)
    assert "telephone" not in [c.name for c in made.columns]  # which nobody asked for
    assert column(made, "bound") == ["1.000 s"]
    assert column(made, "× bound") == ["2.00"]
    made = run_table.make_table([row("sim", "bcast/a", 2.0), *limits], limits)
    assert column(made, "telephone") == ["4.000 s"]
    assert column(made, "× bound") == ["2.00"]


def test_no_bound_holds_of_another_metric(known: Registry) -> None:
    made = run_table.make_table([row("sim", "bcast/a", 0.5, metric="root")], [row("bound", bounds.LOGGP, 1.0)])
    assert not {"bound", "× bound"} & {c.name for c in made.columns}
