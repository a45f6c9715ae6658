"""One call of `show` and `explain`: where its ranks sit, and its schedule with times from the model, a simulation or a real run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from collscope.base import console, progress
from collscope.base.errors import UsageError, unknown
from collscope.base.units import counted, format_time, parse_size
from collscope.catalogue import registry
from collscope.commands import requests
from collscope.commands.calls import Call
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.points import arrival, distribution
from collscope.points.plan import Layout, Point, Timing
from collscope.points.sweep import count_of, operator_of
from collscope.schedules import make, one_port, record
from collscope.schedules.trace import Trace
from collscope.sources import measure, proven, simulate
from collscope.sources.outcome import WRONG

SOURCES = ("model", "sim", "real")
MAX_RANKS = 1024


@dataclass(frozen=True)
class OneCall(Call):
    """The call. `sizes` and `source` are texts that are read later; nodes None is as many as the ranks fill, or with no platform a
    network without nodes."""

    algo: str = ""
    ranks: int = 8
    platform: str | None = None
    nodes: int | None = None
    mapping: str = "block"
    source: str = "model"
    repetitions: int | None = None


def read_sources(text: str) -> list[str]:
    """Sources of "model,sim", each once; a UsageError names what there is."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name == "bound":
            raise UsageError(f"--source bound: a bound has no schedule to draw; take {', '.join(SOURCES)}")
        if name not in SOURCES:
            raise unknown("source", name, SOURCES)
    return names


def make_traces(r: OneCall) -> list[Trace]:
    """One for each source, in the order asked for."""
    sources = read_sources(r.source)
    point = make_point(r)
    if "sim" in sources and not r.platform:
        raise UsageError("--source sim: say on which platform, with --on; ./collscope list --platforms names them")
    if "real" in sources:
        requests.check_real(r.platform or find.HERE)
        if not r.platform and sources != ["real"]:
            raise UsageError("--source real beside others: give --on this_machine, so that all are of the same machine")
    layout = make_layout(r, sources)
    made = []
    for source in sources:
        with progress.progress(source, 1) as bar:
            bar.now(0, f"{point.algorithm}, {r.ranks} ranks")
            made.append(_trace_of(source, r, point, layout))
    return made


def _trace_of(source: str, r: OneCall, point: Point, layout: Layout | None) -> Trace:
    if source == "model":
        return record.traces([point], r.ranks, *machine_of(r, layout), limit_s=r.point_timeout)[0]

    from collscope.schedules import observed
    from collscope.schedules.modelled import costs_of
    from collscope.schedules.retimed import retimed

    assert layout is not None
    if source == "sim":
        _, timed = simulate.timed((layout, point))
        found = observed.simulated(layout, timed, r.point_timeout)
    else:
        _, timed = measure.timed((layout, point))
        found = observed.measured(layout, timed, r.point_timeout)
    machine = one_port.with_places(one_port.telephone(r.ranks, 1), found.places)
    recorded = record.traces([point], r.ranks, machine, "")[0]
    cost_s = costs = None
    if layout.platform:
        on, _ = machine_of(r, layout)
        cost_s = record.traces([point], r.ranks, on, "")[0].cost_s  # cost() in the platform's numbers
        costs = costs_of(on) if source == "sim" else None
    where = observed.text(found, source, layout)
    return retimed(replace(recorded, cost_s=cost_s), found, source, where, costs)


def fault(r: OneCall) -> str:
    """Why the proof of the call fails; empty: it does not, or it takes too long, which is noted."""
    layout, point = make_layout(r, read_sources(r.source)) or Layout(None, 1, r.ranks), make_point(r)
    for found in proven.failures([(layout, point)], limit_s=r.point_timeout).values():
        if found.kind == WRONG:
            return found.status
        console.note(f"{point.algorithm} may be wrong: {found.status}")
    return ""


def make_point(r: OneCall) -> Point:
    """The call that is shown; a UsageError where it has no schedule, or has no such root."""
    known = registry.load()
    collective, key = known.resolve(r.algo, r.collective)
    if key.endswith("/builtin"):
        raise UsageError(f"{key} is the MPI library's own and has no schedule to draw; take decision/… of that library")
    if not 1 <= r.ranks <= MAX_RANKS:
        raise UsageError(f"--ranks {r.ranks}: pictures are drawn for 1 to {MAX_RANKS} ranks")
    root = r.root or 0
    if root >= r.ranks:
        raise UsageError(f"--root {root}: there are {r.ranks} ranks, 0 to {r.ranks - 1}")
    requests.check_root(root, [collective])
    if r.sizes is not None:
        count = count_of(collective, parse_size(r.sizes), r.ranks, r.type_name, or_block=False) or 0
    else:
        count = make.default_count(collective, key, r.ranks, known.type_bytes(r.type_name))
    op, skew = operator_of(r.type_name, r.op), arrival.parse(r.skew)
    arrival.check_ranks(skew, r.ranks)
    counts = distribution.parse(r.counts)
    distribution.check_collective(counts, collective)
    distribution.check_ranks(counts, collective, r.ranks)
    timing = Timing(r.repetitions)
    return Point(collective, key, count, r.type_name, op, root, r.in_place, skew=skew, timing=timing, counts=counts)


def make_layout(r: OneCall, sources: Sequence[str]) -> Layout | None:
    """Where the ranks sit; None on the telephone network."""
    if not r.platform and "real" not in sources:
        if r.mapping != "block":
            raise UsageError(f"--mapping {r.mapping}: say on which platform, with --on")
        if r.nodes and r.nodes > r.ranks:
            raise UsageError(f"{r.ranks} ranks cannot occupy {r.nodes} nodes; use --nodes {r.ranks}")
        return None
    on = requests.load_platform(r.platform or find.HERE, sources)
    if on is None:
        if (r.nodes or 1) != 1:
            raise UsageError(f"this_machine has 1 node; --nodes {r.nodes} does not fit")
        return Layout(None, 1, r.ranks)
    return requests.make_layout(on, r.nodes, r.ranks, r.mapping, "real" in sources)


def machine_of(r: OneCall, layout: Layout | None) -> tuple[str, str]:
    """The machine file, and what the times are of."""
    if layout and layout.platform:
        on, nodes = layout.platform, layout.nodes
        return machine_file(on, nodes, r.ranks, r.mapping), f"model of {on.name}, {counted(nodes, 'node')}"
    where = f"{one_port.TELEPHONE}, α = {format_time(one_port.ALPHA_S)}, 1/β = 1 GB/s"
    if r.nodes:
        where += f", within a node {format_time(one_port.NEAR_ALPHA_S)}, 4 GB/s"
    return one_port.telephone(r.ranks, r.nodes), where
