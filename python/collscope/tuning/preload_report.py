"""Reports and profiles of the preload library (preload/report.h)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collscope.base.errors import UserError, disk_error
from collscope.base.units import counted
from collscope.tuning.uses import Arrival, Profile, Use

if TYPE_CHECKING:
    from collscope.tuning.report_model import Row

FORMAT = "collscope_report"
VERSION = 1
PROFILE = "write one with ./collscope profile -- mpirun …"
REPORT = "write one with ./collscope exec --report FILE"


def text_of(path: str) -> str:
    """What is in a file. UserError: it cannot be read."""
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise disk_error(error, path) from error
    except ValueError as error:
        raise UserError(f"{path}: not a text; {PROFILE}") from error


def report(path: str, text: str, how: str = REPORT) -> dict[str, Any]:
    """What libcollscope.so wrote. UserError: it is something else."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise UserError(f"{path}: not a report: {error}; {how}") from error
    if not isinstance(data, dict) or data.get(FORMAT) != VERSION or not isinstance(data.get("rows"), list):
        raise UserError(f"{path}: not a report of version {VERSION}; {how}")
    return data


def of_report(path: str, text: str) -> Profile:
    """A profile of the preload library. UserError: a row lacks something, or the job ended early."""
    from pydantic import ValidationError

    from collscope.tuning.report_model import Report

    data = report(path, text, PROFILE)
    try:
        made = Report.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(f"{path}: {where}: {first['msg']}; {PROFILE}") from error
    if not made.complete:
        raise UserError(
            f"{path}: the program ended by MPI_Abort, and the profile is of one rank; profile a run that ends well"
        )
    lacks = [] if made.profile else [f"when ranks arrive: it is of exec, not of profile; {PROFILE}"]
    uses = [_use(row, made.ranks) for row in made.rows if row.communicator.size > 1]
    return Profile(path, "libcollscope.so", made.library.partition(",")[0], made.ranks, made.run_s, uses, lacks)


def _use(row: Row, world: int) -> Use:
    on = row.communicator
    nodes = f" on {counted(on.nodes, 'node')}" if on.nodes > 1 else ""
    where = f"{on.name} ({on.size})" if on.name else f"{on.communicators} of {counted(on.size, 'rank')}"
    arrival = Arrival(row.skew.mean_s, row.skew.wait_s, row.skew.samples) if row.skew else None
    return Use(
        collective=row.collective,
        where=where + nodes,
        ranks=on.size,
        nodes=on.nodes,
        per_node=on.ranks_per_node,
        communicators=on.communicators,
        bytes=(row.bytes_from, row.bytes_to),
        mean_bytes=row.bytes / row.calls,
        calls=row.calls * on.size / world,
        call_count=row.calls,
        in_place=2 * row.in_place > row.calls,
        root=row.root or 0,
        type=row.type,
        algorithm=row.algorithm,
        passed_on=row.passed_on or "",
        seconds=row.mean_s * row.ranks / world,
        arrival=arrival,
    )
