"""How `run` repeats measured calls: its options, and what is said of times that are not to be trusted."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import click

from collscope.base import console
from collscope.base.errors import UsageError, unknown
from collscope.base.units import SECONDS, counted
from collscope.points.plan import BUFFERS
from collscope.points.table import Row
from collscope.sources.source import Options
from collscope.sources.spread import percent

ORDERS = ("interleaved", "grouped")
MAX_S = 1e6


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
            help="Real runs: interleaved (a call's algorithms in turn) or grouped (one after the other).",
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
            help="Real runs: repeat until the median's 95 % interval is this narrow, 2%.",
        ),
    ):
        command = option(command)
    return command


def read(
    sources: Sequence[str], metric: str, until_ci: str | None, budget: str | None, order: str, buffers: str
) -> dict[str, Any]:
    """Fields of sources.source.Options. UsageError: an option cannot be read, or is for what is not asked for."""
    if order not in ORDERS:
        raise unknown("order", order, ORDERS)
    if buffers not in BUFFERS:
        raise unknown("kind of buffers", buffers, BUFFERS)
    said = {"--until-ci": until_ci is not None, "--order": order != ORDERS[0], "--buffers": buffers != BUFFERS[0]}
    for option in (name for name, given in said.items() if given):
        where, which = {"real"}, "measured"
        if option == "--buffers" and buffers == "fresh":
            where, which = {"real", "sim", "model"}, "measured, simulated and modelled"
        if not where & set(sources):
            kind = f"{option} {buffers}" if option == "--buffers" else option
            known = " or ".join(name for name in ("real", "sim", "model") if name in where)
            raise UsageError(f"{kind} is for {which} times: take {known} among --source, or leave it out")
        if metric == "loop" and option != "--order":
            raise UsageError(f"{option}: a loop is one time of calls in a row; take another --metric")
    if budget is not None and until_ci is None:
        raise UsageError("--budget goes with --until-ci: without it the number of repetitions is set")
    fields: dict[str, Any] = {"interleaved": order == ORDERS[0], "buffers": buffers}
    if until_ci is not None:
        fields["until_ci"] = _part(until_ci)
        fields["budget_s"] = Options().budget_s if budget is None else _seconds(budget)
    return fields


def _part(text: str) -> float:
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*%\s*", text)
    if not found or not 0 < float(found[1]) <= 100:
        raise UsageError(f'--until-ci: cannot read "{text[:40]}"; write a percentage of the median, such as 2%')
    return float(found[1]) / 100


def _seconds(text: str) -> float:
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zµ]+)\s*", text)
    seconds = float(found[1]) * SECONDS.get(found[2], math.nan) if found else math.nan
    if not 0 < seconds <= MAX_S:
        raise UsageError(f'--budget: cannot read "{text[:40]}"; write a time such as 500ms, 5s or 2min')
    return seconds


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
