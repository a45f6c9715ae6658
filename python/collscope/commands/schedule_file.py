"""A schedule from a file in place of an algorithm: what `prove`, `run` and `show` do with --schedule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from collscope.base import console, documents
from collscope.base.errors import UsageError
from collscope.base.statistics import quantile
from collscope.base.units import counted, format_size, format_time, join_words
from collscope.commands import one_call, prove_table, requests
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Layout
from collscope.schedules import from_file
from collscope.schedules.from_file import ScheduleFile
from collscope.schedules.trace import Trace

OPTION = click.option(
    "--schedule",
    metavar="FILE",
    help="In place of an algorithm: a schedule from a file, which says ranks, size and root itself (docs/schedules.md).",
)
SOURCES = ("model", "sim", "real")
BAND = (0.05, 0.95)  # of the draws of a platform's noise


def check_options(*allowed: str) -> None:
    """UsageError: an option of the command line says what the file says, or is not for a file."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name)) == click.core.ParameterSource.COMMANDLINE
        if given and parameter.name not in ("schedule", *allowed):
            name = parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.human_readable_name
            raise UsageError(f"{name} does not go with --schedule; leave one of them out")


def describe(file: ScheduleFile) -> str:
    """ "ring.schedule: allreduce, 8 ranks, a vector of 4 KiB (allreduce/ring)" """
    if file.goal:
        return f"{file.path.name}: {file.ranks} ranks, {counted(file.goal.messages, 'message')}"
    size = f", a vector of {format_size(file.bytes)}" if file.bytes else ""
    origin = f" ({file.algorithm})" if file.algorithm else ""
    return f"{file.path.name}: {file.collective or 'no collective'}, {file.ranks} ranks{size}{origin}"


# ---- prove -----------------------------------------------------------------------------------------------------


def prove(path: str, as_json: bool) -> int:
    """Proves the file, prints, and returns 1 where it is wrong."""
    check_options("as_json")
    file = from_file.read(path)
    reply = from_file.prove(file, messages=as_json)
    line = {**reply, "algorithm": file.path.name, "vector_bytes": file.bytes}
    if as_json:
        documents.show("prove", {"verdict": reply["verdict"], "points": [line]})
    else:
        console.say(describe(file))
        prove_table.show([line])
    if reply["verdict"] == "proven":
        if reply["one_arrival_order"]:
            console.note(
                f"{file.path}: recv_any takes whatever comes first; this is proven for the order of arrival in the file alone, "
                "so prove the other orders as files of their own"
            )
        return 0
    console.note(f"{file.path}: {reply['failure']}")
    return 1


# ---- run -------------------------------------------------------------------------------------------------------


def run(
    path: str, platform: str, nodes: str | None, mapping: str, source: str, noise: int | None, repetitions: int | None
) -> int:
    """Prints the file's time on a platform; returns 1 where the file is wrong, which is said, and so has no time."""
    check_options("platform", "without", "nodes", "mapping", "source", "noise", "repetitions")
    if source not in SOURCES:
        raise UsageError(f"--source {source}: a schedule from a file is timed by one of {join_words(SOURCES, 'or')}")
    if nodes and not nodes.isdigit():
        raise UsageError(f"--nodes {nodes}: give one number of nodes with --schedule")
    file = from_file.read(path)
    if source != "model":
        requests.check_source("--noise", ["model"] if noise is None else [source], "model")
        return _played(file, platform, int(nodes) if nodes else None, mapping, source, repetitions)
    on = requests.load_platform(platform, ["model"])
    assert on
    if noise and not on.machine.noise:
        raise UsageError(f"--noise: {platform} does not say how much its messages' times vary")
    layout = requests.make_layout(on, int(nodes) if nodes else None, file.ranks, mapping, False)
    reply = from_file.time(file, machine_file(on, layout.nodes, file.ranks, mapping, bool(noise)), noise or 0)
    console.say(describe(file))
    if fault := from_file.fault(file):
        console.note(f"{file.path}: a wrong schedule is not timed; the proof fails: {fault}")
        return 1
    console.say(
        f"model of {on.name}, {counted(layout.nodes, 'node')}, mapping {mapping}: {format_time(reply['model_s'])}"
    )
    if reply.get("noise_s"):
        drawn = sorted(reply["noise_s"])
        low, high = (format_time(quantile(drawn, part)) for part in BAND)
        console.say(f"with noise: {low} to {high} (5 % to 95 % of {counted(len(drawn), 'draw')})")
    if file.goal:
        console.note("GOAL does not say which data move: this is a time, and nothing is proved")
        if file.goal.delayed:
            console.note(
                f"{counted(file.goal.delayed, 'operation')} may be late: a rank of the model does one thing after the other, "
                "so they wait for messages that the file does not make them wait for"
            )
    return 0


def _played(
    file: ScheduleFile, platform: str, nodes: int | None, mapping: str, source: str, repetitions: int | None
) -> int:
    """Plays the file, simulated or on this machine, and says what it took and that the data is right."""
    from collscope.sources import played
    from collscope.sources.outcome import OK, summarise

    if not file.collective or file.goal:
        raise UsageError(f"{file.path}: it does not say which data move, so that it cannot be played; --source model")
    if source == "real":
        requests.check_real(platform)
    on = requests.load_platform(platform, [source])
    layout = (
        requests.make_layout(on, nodes, file.ranks, mapping, source == "real") if on else Layout(None, 1, file.ranks)
    )
    point = file.point()
    sim = source == "sim"
    found = (
        played.simulated(file.path, layout, point) if sim else played.measured(file.path, layout, point, repetitions)
    )
    console.say(describe(file))
    if found.kind != OK:
        console.note(f"{file.path}: {found.status}")
        return 1
    times = summarise([found.reps], "makespan")
    where = (
        f"{'simulation' if source == 'sim' else 'real run'} of {layout.platform_name}, {counted(layout.nodes, 'node')}"
    )
    spread = f" (median of {len(found.reps)}, least {format_time(times['min_s'] or 0)})" if len(found.reps) > 1 else ""
    console.say(f"{where}, mapping {mapping}: {format_time(times['median_s'] or 0)}{spread}")
    console.say(f"data checked on every rank: right ({found.back_end})")
    return 0


# ---- show ------------------------------------------------------------------------------------------------------


def trace(path: str, r: one_call.OneCall) -> tuple[Trace, str]:
    """The schedule with its times, on the platform and in the layout that the call says, and why its proof fails ("": it does not)."""
    check_options("platform", "without", "nodes", "mapping", "kinds", "out", "animate", "no_pictures")
    file = from_file.read(Path(path))
    if file.ranks > one_call.MAX_RANKS:
        raise UsageError(f"{path}: {file.ranks} ranks; pictures are drawn for 1 to {one_call.MAX_RANKS}")
    call = replace(r, ranks=file.ranks)
    layout = one_call.make_layout(call, ["model"])
    return from_file.trace(file, *one_call.machine_of(call, layout)), from_file.fault(file)


def read_options(options: dict[str, Any], argument: str) -> str | None:
    """Takes --schedule out of the options; a UsageError where neither it nor an algorithm is given."""
    path: str | None = options.pop("schedule")
    if path is None and options[argument] is None:
        how = (
            "name some with -a KEY, or all of a collective with -c COLLECTIVE -a all"
            if argument == "algorithms"
            else "name one"
        )
        raise UsageError(f"no algorithm: {how}, or a schedule from a file with --schedule FILE")
    return path
