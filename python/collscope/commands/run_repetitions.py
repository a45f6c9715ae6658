"""How `run` repeats calls: its options, and what is said of times that are not to be trusted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from collscope.base import console
from collscope.base.errors import UsageError, unknown
from collscope.base.units import counted, parse_time
from collscope.commands import requests
from collscope.points.plan import BUFFERS, Timing
from collscope.points.table import Row
from collscope.sources.spread import percent

ORDERS = ("interleaved", "grouped")
BUDGET_S = 5.0  # that a launch may spend on a point until its interval is narrow


def repeated(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options."""
    for option in (
        click.option(
            "--buffers",
            metavar="B",
            default=BUFFERS[0],
            show_default=True,
            help="warm, fresh (newly mapped pages) or, in real runs, cold (caches emptied before each call).",
        ),
        click.option(
            "--order",
            metavar="O",
            default=ORDERS[0],
            show_default=True,
            help="interleaved (a call's algorithms in turn) or grouped (one after the other).",
        ),
        click.option(
            "--budget",
            metavar="TIME",
            default=None,
            help="With --until-ci: at most this long per point and launch, 500ms or 5s (default: 5s).",
        ),
        click.option(
            "--until-ci",
            "until_ci",
            metavar="PERCENT",
            default=None,
            help="Repeat until the median's 95 % interval is as narrow as this, for example 2%.",
        ),
    ):
        command = option(command)
    return command


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """The options, as they were typed."""

    repetitions: int | None = None
    until_ci: str | None = None
    budget: str | None = None
    order: str = ORDERS[0]
    buffers: str = BUFFERS[0]


def read(request: Repeated, sources: Collection[str], metric: str) -> Timing:
    """How calls are timed. UsageError: an option cannot be read, or is for what is not timed."""
    if request.order not in ORDERS:
        raise unknown("order", request.order, ORDERS)
    if request.buffers not in BUFFERS:
        raise unknown("kind of buffers", request.buffers, BUFFERS)
    given = {
        "--until-ci": request.until_ci is not None,
        "--order": request.order != ORDERS[0],
        f"--buffers {request.buffers}": request.buffers != BUFFERS[0],
    }
    for option in (name for name, there in given.items() if there):
        requests.check_source(option, sources, *(("real", "sim", "model") if option.endswith("fresh") else ("real",)))
        if metric == "loop" and option != "--order":
            name = option.split()[0]
            raise UsageError(f"{name}: --metric loop times one batch of back-to-back calls; choose another metric")
    if request.budget is not None and request.until_ci is None:
        raise UsageError("--budget goes with --until-ci: without it the number of repetitions is fixed")
    timing = Timing(request.repetitions, buffers=request.buffers)
    if request.until_ci is None:
        return timing
    budget_s = BUDGET_S if request.budget is None else parse_time("--budget", request.budget)
    return replace(timing, until_ci=_part(request.until_ci), budget_s=budget_s)


def _part(text: str) -> float:
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*%\s*", text)
    if not found or not 0 < float(found[1]) <= 100:
        raise UsageError(f'--until-ci: cannot read "{text[:40]}"; write a percentage of the median, such as 2%')
    return float(found[1]) / 100


def note(rows: Sequence[Row]) -> None:
    """Says how many measured times are unstable and why, how many had outliers, and which did not start by a window."""
    real = [row for row in rows if row["source"] == "real" and row["median_s"] is not None]
    shaky = [row for row in real if row["unstable"]]
    if shaky:
        words = Counter(reason.partition(":")[0] for row in shaky for reason in row["unstable"].split("; "))
        kinds = ", ".join(f"{word} {n}" for word, n in words.items())
        console.note(
            f"{len(shaky)} of {counted(len(real), 'measured time')} unstable ({kinds}): column unstable says why, "
            "--until-ci 2% repeats for longer"
        )
    outlying = [row for row in real if row["outliers"]]
    if outlying:
        most = max(row["outliers"] for row in outlying)
        console.note(
            f"{counted(len(outlying), 'measured time')} with outliers, up to {percent(most)} of the calls: kept"
        )
    barriers = [row for row in real if "barrier" in row["start"] and row["metric"] in ("makespan", "root")]
    if barriers:
        console.note(
            f"{counted(len(barriers), 'measured time')} began after a barrier: ranks were too late for a common start"
        )
