"""What `run` is asked for: layouts, keys and sizes as typed, and the sweep over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from collscope.base import console
from collscope.base.errors import UsageError
from collscope.base.units import counted, format_ranks, join_words, parse_ranks, parse_sizes
from collscope.catalogue import metrics, registry
from collscope.catalogue.keys import split_keys, swept
from collscope.commands import requests
from collscope.commands.calls import Call
from collscope.points import arrival, distribution
from collscope.points.plan import Layout, Point, Task, Timing
from collscope.points.sweep import Sweep, have_data, operator_of
from collscope.sources import launcher

MANY = 500  # points that nobody asks for by mistake
SKEWED = ("makespan", "root", "delay")  # metrics of calls that ranks enter late


def timed(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what is timed of each call."""
    for option in (
        click.option(
            "--progress",
            metavar="WHO",
            help="Metrics overlap and nonblocking: calls (the default), thread (takes a core per rank) or offload (the NIC; model only).",
        ),
        click.option(
            "--overlap",
            metavar="METHOD",
            help="Metric overlap: wait (compute, then wait; the default) or poll (compute and ask until it is through).",
        ),
        click.option(
            "--metric",
            default="makespan",
            show_default=True,
            metavar="M",
            help="makespan, osu_avg, root, loop, or delay: after the last arrival; osu_avg[barrier=KEY]: with this barrier "
            "before each call; nonblocking: started and waited for; overlap: the same beside computation.",
        ),
    ):
        command = option(command)
    return command


@dataclass(frozen=True, kw_only=True)
class Points(Call):
    """The options that say what is timed, as they were typed."""

    platform: str
    algorithms: str
    ranks: str | None = None
    nodes: str | None = None
    ranks_per_node: str | None = None
    mapping: str = "block"
    metric: str = "makespan"
    overlap: str | None = None
    progress: str | None = None
    check: bool = False


def make_sweep(
    request: Points,
    sources: Sequence[str],
    timing: Timing = Timing(),  # noqa: B008
    started: launcher.Launcher = launcher.LOCAL,
) -> Sweep:
    """All that is timed. UsageError: an option cannot be read, or cannot be met by these sources."""
    keys = read_algorithms(request.algorithms, request.collective)
    metric = metrics.check(request.metric)
    if request.overlap or request.progress:
        metric = metrics.going_on(metric, request.overlap, request.progress)
    skew = arrival.parse(request.skew)
    if skew != arrival.NONE and metric not in SKEWED:
        raise UsageError(f"--skew goes with --metric {join_words(SKEWED, 'or')}, not with {metric}")
    op = operator_of(request.type_name, request.op)
    root, counts = request.root or 0, read_counts(request, keys)
    requests.check_root(root, list(dict(keys)))
    like = Point("", "", 0, request.type_name, op, root, request.in_place, metric, request.check, skew, timing, counts)
    layouts = read_layouts(request, sources, started)
    unit = "block" if request.block_sizes is not None else "vector"
    return Sweep(keys, read_sizes(request, keys), layouts, unit, like=like)  # type: ignore[arg-type]


def read_counts(request: Call, keys: Sequence[tuple[str, str]]) -> str:
    """The distribution of elements to ranks. UsageError: there is no such, or a collective of these keys has blocks of one length."""
    counts = distribution.parse(request.counts)
    for collective in dict(keys):
        distribution.check_collective(counts, collective)
    return counts


def read_algorithms(text: str, collectives: str | None) -> list[tuple[str, str]]:
    """(collective, full key) of each name, in order, each once; of several collectives a name stands for those that have it."""
    known = registry.load()
    owners = list(dict.fromkeys(split_keys(collectives))) if collectives is not None else []
    for owner in owners:
        known.collective(owner)
    keys: list[tuple[str, str]] = []
    for name in (key for names in split_keys(text) for key in swept(names)):
        if name in ("all", "twins"):
            if not owners:
                raise UsageError(f"-a {name}: name the collective with -c")
            found = [(owner, a.full_key()) for owner in owners for a in known.of(owner) if name == "all" or a.twin]
            if not found:
                raise UsageError(f"-a {name}: there is no such algorithm of {join_words(owners, 'or')} yet")
            keys += found
        else:
            keys += resolve(name, owners)
    return list(dict.fromkeys(keys))


def resolve(name: str, owners: Sequence[str]) -> list[tuple[str, str]]:
    """(collective, full key) of a name in each of the collectives that have it; the reason of the first where none has."""
    found: list[tuple[str, str]] = []
    refused: list[UsageError] = []
    choices: Sequence[str | None] = owners or [None]
    for owner in choices:
        try:
            found.append(registry.load().resolve(name, owner))
        except UsageError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return found


def read_layouts(request: Points, sources: Sequence[str], started: launcher.Launcher = launcher.LOCAL) -> list[Layout]:
    """A layout for each platform and number of nodes and ranks; on a machine that nobody has described, those have no platform."""
    places = read_places(request)
    real = "real" in sources
    layouts: list[Layout] = []
    for name in requests.platforms(request.platform):
        platform = requests.load_platform(name, sources)
        if real:
            requests.check_real(name, started)
        if platform is None:
            if any(n not in (None, 1) for n, _ in places):
                raise UsageError(f"this_machine has 1 node; --nodes {request.nodes} does not fit")
            layouts += [Layout(None, 1, p) for _, p in places]
        else:
            layouts += [requests.make_layout(platform, n, p, request.mapping, real) for n, p in places]
    crowded = [at.ranks for at in layouts if real and started.share_cores(at.ranks, at.nodes)]
    if crowded:
        console.note(
            f"{format_ranks(crowded)} ranks: more ranks than cores (oversubscribed), so times are not meaningful"
        )
    return layouts


def read_places(request: Points) -> list[tuple[int | None, int]]:
    """Nodes and ranks of each layout: every number of nodes with every number of ranks, in all or on each node. None: as many nodes
    as the ranks fill."""
    nodes: Sequence[int | None] = [None] if request.nodes is None else parse_ranks(request.nodes, "nodes")
    if (request.ranks is None) == (request.ranks_per_node is None):
        raise UsageError("give the number of ranks: --ranks in all, or --ranks-per-node")
    if request.ranks is not None:
        return [(n, p) for n in nodes for p in parse_ranks(request.ranks)]
    return [(n or 1, (n or 1) * k) for n in nodes for k in parse_ranks(str(request.ranks_per_node), "ranks per node")]


def read_sizes(request: Points, keys: Sequence[tuple[str, str]]) -> list[int]:
    """Bytes, of the vector or of a block; [0] where no collective has data."""
    if request.sizes is not None and request.block_sizes is not None:
        raise UsageError("give --bytes or --block-bytes, not both")
    if not have_data(keys):
        return [0]
    text = request.sizes if request.block_sizes is None else request.block_sizes
    if text is None:
        raise UsageError("give the sizes: --bytes 1KiB..4MiB, or --block-bytes for the size of one block")
    return parse_sizes(text)


def announce(request: Points, sweep: Sweep, tasks: Sequence[Task]) -> None:
    """Says on standard error how many points there are where they are many, and what they are made of, each with its option."""
    if len(tasks) <= MANY:
        return
    ranks = f"--ranks {request.ranks}" if request.ranks else f"--ranks-per-node {request.ranks_per_node}"
    where = f"--nodes {request.nodes}, {ranks}" if request.nodes else ranks
    size = f"--block-bytes {request.block_sizes}" if sweep.unit == "block" else f"--bytes {request.sizes}"
    made = [
        f"{counted(len(sweep.layouts), 'layout')} ({where})",
        f"{counted(len(sweep.keys), 'key')} (-a {request.algorithms})",
        f"{counted(len(sweep.sizes), 'size')} ({size})",
    ]
    console.note(f"{len(tasks):,} points: {' × '.join(made)}")


def check_noise(sweep: Sweep, platform: str, noise: int | None) -> None:
    """UsageError: a noise is to be drawn, and the platform has none."""
    if noise and any(layout.platform is None or not layout.platform.machine.noise for layout in sweep.layouts):
        raise UsageError(
            f"--noise: {platform} does not say how much its messages' times vary ([[noise.CLASS]] in its specification); "
            "./collscope calibrate measures it"
        )
