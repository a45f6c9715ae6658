"""The `report` command: prints what libcollscope.so wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from collscope.base import console
from collscope.base.errors import UserError
from collscope.base.grid import KEY, WORDS, Column, Grid
from collscope.base.units import counted, format_size, format_time
from collscope.tuning import preload_report
from collscope.tuning.uses import share_text


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    file: str


def read(path: str) -> dict[str, Any]:
    """The report in a file. UserError: it cannot be read, or it is something else."""
    return preload_report.report(path, preload_report.text_of(path))


def communicator(of: dict[str, Any]) -> str:
    """How a row's communicators are named: MPI's name, or how many of which size."""
    nodes = f" on {counted(of['nodes'], 'node')}" if of["nodes"] > 1 else ""
    if of["name"]:
        return f"{of['name']} ({counted(of['size'], 'rank')}{nodes})"
    return f"{of['communicators']} of {counted(of['size'], 'rank')}{nodes}"


def sizes(row: dict[str, Any]) -> str:
    """The class of sizes of a row."""
    first, last = row["bytes_from"], row["bytes_to"]
    end = last + 1 if last & (last + 1) == 0 else last  # of a class, or what a rank had at most
    return format_size(first) if first == last else f"{format_size(first)}..{format_size(end)}"


def table(data: dict[str, Any]) -> Grid:
    """A line per row, the longest time first. Without choices all calls went to MPI's own functions, which needs no column."""
    skew, chosen = any(row["skew"] for row in data["rows"]), bool(data["choices"])
    grid = Grid(
        (
            Column("collective"),
            Column("communicator", goes=2, pieces=WORDS),
            Column("bytes", right=True),
            *((Column("algorithm, or why MPI's own", pieces=KEY),) if chosen else ()),
            Column("calls", right=True),
            Column("time per rank", right=True),
            Column("longest", goes=3, right=True),
            *((Column("arrival skew", goes=1, right=True),) if skew else ()),
        ),
        title=f"{data['library'].partition(',')[0]}, {counted(data['ranks'], 'rank')}",
    )
    for row in sorted(data["rows"], key=lambda r: -r["max_s"]):
        times = [format_time(row[name], aligned=True) for name in ("mean_s", "max_s")]
        apart = [format_time(row["skew"]["mean_s"]) if row["skew"] else ""] if skew else []
        name = [row["algorithm"] or row["passed_on"]] if chosen else []
        grid.add(
            row["collective"], communicator(row["communicator"]), sizes(row), *name, str(row["calls"]), *times, *apart,
            style="" if row["algorithm"] else "dim",
        )  # fmt: skip
    return grid


def run(request: Request) -> int:
    """Prints the table, and what belongs to it."""
    data = read(request.file)
    if not data["rows"]:
        console.say("no collective call was made")
        return 0
    try:
        inside = sum(row["mean_s"] * row["ranks"] for row in data["rows"]) / data["ranks"]
        table(data).show()
    except (KeyError, TypeError) as error:
        raise UserError(f"{request.file}: a row without {error}; write the report again") from error
    console.say(share_text(inside, data.get("run_s")))
    spent = sum(row["skew"]["spent_s"] for row in data["rows"] if row["skew"]) / data["ranks"]
    if spent:
        console.say(f"sampling arrivals took {format_time(spent)} per rank")
    if not data["complete"]:
        console.say("the program ended by MPI_Abort: these are the calls of the rank that called it")
    return 0


@click.command("report")
@click.argument("file", metavar="FILE")
def command(file: str) -> int:
    """Print a report of ./collscope exec or profile."""
    return run(Request(file))
