"""Machines side by side: the table that `run --on A,B` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from collscope.base import console
from collscope.base.grid import KEY, Column, Grid
from collscope.base.units import counted, format_size, format_time
from collscope.commands.run_table import TIMED
from collscope.points.table import Row

FASTEST = "*"  # behind the time of the fastest algorithm of a machine
GROUP = ("collective", "ranks", "metric", "skew")  # what rows share that stand in one table
SIZE = ("bytes", "block_bytes")


def are_several(rows: Sequence[Row]) -> bool:
    """Whether the rows are of several machines."""
    return len({row["platform"] for row in rows}) > 1


def show(rows: Sequence[Row]) -> None:
    """Prints a table for each collective and number of ranks: a column per machine, a block of lines for each size; of several sources
    those of the last that has times."""
    timed = {row["source"] for row in rows if row["median_s"] is not None}
    lead = next((s for s in reversed(TIMED) if s in timed), "")
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        if row["source"] == lead:
            groups.setdefault(tuple(row[c] for c in GROUP), []).append(row)
    for members in groups.values():
        make_table(members).show()
    if groups:
        console.say(f"{FASTEST} the fastest on that machine")


def make_table(rows: Sequence[Row]) -> Grid:
    """The table of rows of one source, collective and number of ranks."""
    first = rows[0]
    machines = {_machine(row): _heading(row, rows) for row in rows}
    has_blocks = any(row["block_bytes"] != row["bytes"] for row in rows)
    skew = f" · skew {first['skew']}" if first.get("skew") else ""
    columns = [
        Column("bytes", right=True),
        *([Column("block", goes=len(machines), right=True)] if has_blocks else []),
        Column("algorithm", pieces=KEY),
        *(Column(name, goes=max(0, number - 1), right=True) for number, name in enumerate(machines.values())),
    ]
    title = f"{first['collective']} · {counted(first['ranks'], 'rank')} · {first['metric']} by {first['source']}{skew}"
    made = Grid(columns, title)
    sizes: dict[tuple[Any, ...], dict[str, dict[tuple[Any, ...], float | None]]] = {}
    for row in rows:
        of_size = sizes.setdefault(tuple(row[c] for c in SIZE), {})
        of_size.setdefault(row["algorithm"].removeprefix(f"{row['collective']}/"), {})[_machine(row)] = row["median_s"]
    for number, (size, algorithms) in enumerate(sizes.items()):
        best = {m: min((time for t in algorithms.values() if (time := t.get(m))), default=None) for m in machines}
        cells = [format_size(n) for n in size][: 1 + has_blocks]
        for line, (key, times) in enumerate(algorithms.items()):
            head = cells if line == 0 else [""] * len(cells)
            shown = [_cell(times[m], best[m]) if m in times else "" for m in machines]
            made.add(*head, key, *shown, ruled=number > 0 and line == 0)
    return made


def _machine(row: Row) -> tuple[Any, ...]:
    """What a column is of."""
    return (row["platform"], row["nodes"], row["mapping"])


def _heading(row: Row, rows: Sequence[Row]) -> str:
    """The platform, with its nodes and mapping where these differ."""
    words = [str(row["platform"])]
    words += [counted(row["nodes"], "node")] if len({r["nodes"] for r in rows}) > 1 else []
    return ", ".join(words + ([row["mapping"]] if len({r["mapping"] for r in rows}) > 1 else []))


def _cell(time: float | None, best: float | None) -> str:
    if time is None:
        return "— "
    return f"{format_time(time, aligned=True)}{FASTEST if time == best else ' '}"
