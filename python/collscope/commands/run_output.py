"""What `run` leaves behind: the table in a file, the figure, and the exit status with what broke."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from collscope.base import console
from collscope.base.units import counted
from collscope.commands import origin, requests
from collscope.commands.run_advice import Winner
from collscope.commands.run_table import call_of
from collscope.points import arrival, table, table_files
from collscope.points.plan import Point, Task
from collscope.points.sweep import Sweep
from collscope.points.table import Row
from collscope.sources.outcome import OK
from collscope.sources.rows import failed

if TYPE_CHECKING:
    import pandas as pd

STDOUT = "-"  # of --table: as CSV


def write(rows: Sequence[Row], path: str) -> None:
    """Writes the table as the file's name ends; to STDOUT as CSV."""
    if path == STDOUT:
        sys.stdout.write(table.csv_text(rows))
        return
    table_files.write(rows, path)
    console.note(f"written: {path}")


def absorbs(like: Point) -> bool:
    """Whether the picture is of what algorithms absorb: their delays beside the same calls without skew."""
    return like.metric == "delay" and like.skew != arrival.NONE


def without_skew(tasks: Sequence[Task]) -> list[Task]:
    """The same calls with all ranks arriving together."""
    return [(layout, replace(point, skew=arrival.NONE, metric="makespan")) for layout, point in tasks]


def draw(path: str, rows: Sequence[Row], together: Sequence[Row], sweep: Sweep, winners: Sequence[Winner] = ()) -> None:
    """Draws the rows into a file, whose ending says the format; relative to the times of `together`, without skew, where there are any.
    `winners`: with the bands of draws of what is open. Says how many calls take no time, for which its axes have no place."""
    timeless = sum(row["median_s"] == 0 for row in rows if row["status"] == OK)
    if all(row["median_s"] == 0 for row in rows if row["status"] == OK):
        console.note(f"{path} is not written: no call takes any time")
        return
    import matplotlib as mpl

    mpl.use("Agg")
    from collscope.figures import files
    from collscope.figures.run import run_figure
    from collscope.figures.skew import absorbed, skew_figure

    if together:
        figure = skew_figure(absorbed(table.to_frame(rows), table.to_frame(together)), sweep.like.skew)
    else:
        figure = run_figure(_with_bands(rows, winners), size="block_bytes" if sweep.unit == "block" else "bytes")
    files.save(figure, path, origin.of_rows([*rows, *together]))
    left_out = f"; {counted(timeless, 'time')} of 0 s left out" if timeless else ""
    console.note(f"written: {path}{left_out}")


def _with_bands(rows: Sequence[Row], winners: Sequence[Winner]) -> pd.DataFrame:
    """The table; where times were judged over draws with drawn_low_s and drawn_high_s, between which eight of ten lie."""
    judged = {(w.row["source"], call_of(w.row)): w.judged.bands for w in winners if w.judged}
    frame = table.to_frame(rows)
    if judged:
        bands = [
            judged.get((r["source"], call_of(r)), {}).get(r["chose"] or r["algorithm"], (None, None)) for r in rows
        ]
        frame = frame.assign(drawn_low_s=[low for low, _ in bands], drawn_high_s=[high for _, high in bands])
        frame = frame.astype({"drawn_low_s": float, "drawn_high_s": float})
    return frame


def report_failures(rows: Sequence[Row]) -> int:
    """Exit status; says what broke. Unsupported points do not fail, unless there is nothing else."""
    broken = [
        f"{row['algorithm']}, {row['bytes']} bytes, {counted(row['ranks'], 'rank')} on {counted(row['nodes'], 'node')} of "
        f"{row['platform']}: {row['status']}"
        for row in failed(rows)
    ]
    nothing = bool(rows) and all(row["median_s"] is None for row in rows)
    reasons = [(row["algorithm"], row["status"]) for row in rows] if nothing else []
    return requests.report(broken, "points failed; column status says why", reasons)
