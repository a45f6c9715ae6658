"""The `synthesise` command: schedules that nobody wrote, searched for one call on one machine, beside the best of the catalogue."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from collscope.base import console, folders, paths
from collscope.base.errors import UsageError
from collscope.base.grid import WORDS, Column, Grid
from collscope.base.units import counted, format_ratio, format_size, format_time, join_words, parse_size, parse_time
from collscope.catalogue import registry
from collscope.commands import calls, requests
from collscope.commands.calls import Call
from collscope.commands.groups import Sectioned
from collscope.points.plan import Layout, Point
from collscope.points.sweep import count_of, operator_of, root_of


@dataclass(frozen=True, kw_only=True)
class Request(Call):
    """The options of the command, as they were typed."""

    platform: str | None = None
    network: str | None = None
    nodes: int | None = None
    ranks: int = 8
    mapping: str = "block"
    chunks: int | None = None
    steps: int | None = None
    rounds: int | None = None
    time_s: float = 60.0
    methods: str = "exact,greedy,reordered"
    tries: int | None = None
    seed: int = 0
    out: str | None = None


def run(r: Request) -> int:
    """Searches, prints, writes; returns the exit status."""
    from collscope.synthesis import demand

    if not r.collective:
        raise UsageError(f"name the collective with -c: {join_words(demand.COLLECTIVES, 'or')}")
    registry.load().collective(r.collective)
    demand.moving(r.collective)
    if (r.platform is None) == (r.network is None):
        raise UsageError("name a machine with --on, or a published network with --network")
    return _on_network(r) if r.network else _on_machine(r)


def _folder(r: Request) -> Any:
    from collscope.synthesis import report

    default = str(paths.ROOT / "results" / "synthesise" / "fresh")
    return folders.own(r.out or default, "schedules of this command", lambda path: folders.only(path, *report.FILES))


# ---- on a machine --------------------------------------------------------------------------------------------


def _on_machine(r: Request) -> int:
    from collscope.synthesis import report, search

    task = search.Task(
        *_call(r),
        time_s=r.time_s,
        methods=_methods(r.methods),
        parts=r.chunks,
        steps=r.steps,
        rounds=r.rounds,
        tries=r.tries or search.Task.tries,
        seed=r.seed,
    )
    folder = _folder(r)
    with _status("synthesising", r.time_s) as say:
        outcome = search.run(task, say)
    _show(task, outcome)
    for text in report.sentences(task, outcome):
        console.say(text)
    for path in report.write(task, outcome, folder):
        console.note(f"written: {paths.display(path)}")
    if outcome.stopped:
        console.complain("stopped; what was found so far is kept")
    return 1 if outcome.stopped else 0


def _call(r: Request) -> tuple[Layout, Point]:
    assert r.platform and r.collective
    platform = requests.load_platform(r.platform, ["model"])
    assert platform
    layout = requests.make_layout(platform, r.nodes, r.ranks, r.mapping, False)
    if (r.sizes is None) == (r.block_sizes is None):
        raise UsageError("give the size of the vector with --bytes, or of one rank's block with --block-bytes")
    unit = "vector" if r.sizes is not None else "block"
    size = parse_size(str(r.sizes or r.block_sizes))
    count = count_of(r.collective, size, r.ranks, r.type_name, unit) or 0  # type: ignore[arg-type]
    root = root_of(r.collective, r.root or 0, r.ranks)
    return layout, Point(r.collective, "synthesised", count, r.type_name, operator_of(r.type_name, r.op), root)


def _methods(text: str) -> tuple[str, ...]:
    from collscope.base.errors import unknown
    from collscope.synthesis import search

    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in search.METHODS:
            raise unknown("method", name, search.METHODS)
    return names


def _show(task: Any, outcome: Any) -> None:
    layout, point = task.layout, task.point
    title = (
        f"{point.collective} of {format_size(point.bytes(layout.ranks), 3)}, {layout.ranks} ranks on "
        f"{counted(layout.nodes, 'node')} of {layout.platform_name}, by the model"
    )
    grid = Grid(
        [
            Column("method"),
            Column("schedule", pieces=WORDS, readable=16),
            Column("time", right=True),
            Column("× catalogue", right=True),
            Column("× α-β bound", right=True, goes=2),
            Column("× LogGP bound", right=True, goes=1),
        ],
        title=title,
    )
    least = outcome.catalogue["median_s"] if outcome.catalogue else None
    rows = [(c.seconds, c.method, c.what) for c in outcome.candidates]
    if least:
        rows.append((least, "catalogue", outcome.catalogue["algorithm"]))
    for seconds, method, what in sorted(rows):
        against = [least, outcome.bound_s, outcome.loggp_s]
        grid.add(
            method, what, format_time(seconds, aligned=True), *(format_ratio(seconds / x) if x else "" for x in against)
        )
    grid.show()


# ---- on a published network ----------------------------------------------------------------------------------


def _on_network(r: Request) -> int:
    from collscope.synthesis import exact, published, report

    known = published.networks()
    if r.network not in known:
        from collscope.base.errors import unknown

        raise unknown("network", str(r.network), known)
    exact.ready()
    folder = _folder(r)
    on = known[str(r.network)]
    walk = published.Walk(str(r.network), on, str(r.collective), root_of(str(r.collective), r.root or 0, on.ranks), r.chunks,
                          r.steps, r.rounds, r.time_s)  # fmt: skip
    with _status("asking the solver", r.time_s) as say:
        found = published.run(walk, say)
    grid = Grid(
        [Column(name, right=True) for name in ("chunks per block", "steps", "rounds", "rounds per chunk")]
        + [Column("solver"), Column("s", right=True), Column("published", pieces=WORDS)],
        title=f"{r.collective} on {on.name}: steps and rounds",
    )
    for line in found.lines:
        answer = "none exists" if line.status == exact.NONE else line.status
        grid.add(str(line.parts), str(line.steps), str(line.rounds), str(line.rounds_per_part), answer,
                 f"{line.seconds:.1f}", line.published)  # fmt: skip
    grid.show()
    for text in found.sentences:
        console.say(text)
    for path in report.write_designs(found.designs, folder):
        console.note(f"written: {paths.display(path)}")
    if found.stopped:
        console.complain("stopped; what was found so far is kept")
    return 1 if found.stopped else 0


# ---- the command ---------------------------------------------------------------------------------------------


@contextmanager
def _status(what: str, time_s: float) -> Iterator[Callable[[str], None]]:
    """Shows how many of the seconds are over, and what the search is at."""
    from collscope.base import progress

    with progress.progress(what, max(1, int(time_s)), "Ctrl-C ends it and keeps what was found") as bar:

        def say(text: str) -> None:
            bar(min(bar.total, int(time.monotonic() - bar.start)) - bar.done)
            bar.now(0, text)

        yield say


def _time(_: click.Context, param: click.Parameter, value: str) -> float:
    return parse_time(param.opts[0], value)


SECTIONS = {
    "What to call": "collective sizes block_sizes root type_name op",
    "Where": "platform without nodes ranks mapping network",
    "How to search": "time_s methods chunks steps rounds tries seed",
    "Output": "out",
}


@click.command("synthesise", short_help="Search schedules that nobody wrote.", cls=Sectioned, sections=SECTIONS, epilog="""
\b
Examples:
  ./collscope synthesise -c allreduce --on ib_multicore --nodes 4 \\
    --ranks 16 --bytes 64KiB --time 60s --out found
  ./collscope prove --schedule found/best.schedule
  ./collscope run --schedule found/best.schedule --on ib_multicore \\
    --source sim
  What exists at all, in so many steps and rounds:
  ./collscope synthesise -c allgather --network dgx1 --time 2min --out walk
""")  # fmt: skip
@calls.options(
    "collective", "sizes", "block_sizes", "root", "type_name", "op", "platform", "without", "nodes", "ranks", "mapping",
    collective={"help": "Collective that moves or combines data: allgather, allreduce, bcast, reduce_scatter, …"},
    sizes={"help": "Size of the vector."},
    platform={"help": "Machine: a name, or a specification (.toml)."},
)  # fmt: skip
@click.option(
    "--network", metavar="NAME", help="In place of a machine: links of a published network (dgx1), without times."
)
@click.option(
    "--time", "time_s", default="60s", show_default=True, callback=_time, metavar="TIME", help="How long to search."
)
@click.option(
    "--methods",
    default="exact,greedy,reordered",
    show_default=True,
    metavar="M[,M…]",
    help="exact: the solver, over steps, rounds and chunks; greedy: links over time; reordered: the catalogue's fastest in another order.",
)
@click.option("--chunks", type=click.IntRange(1, 64), metavar="C", help="Just so many chunks per block.")
@click.option("--steps", type=click.IntRange(min=1), metavar="S", help="Solver: just so many steps.")
@click.option("--rounds", type=click.IntRange(min=1), metavar="R", help="Solver: just so many rounds.")
@click.option(
    "--tries",
    type=click.IntRange(min=1),
    metavar="N",
    help="Schedules of the local search (default: until the time is over).",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Of the draws.")
@click.option("--out", metavar="DIR", help="Write what is found there (default: results/synthesise/fresh/).")
def command(without: str | None, platform: str | None, **options: Any) -> None:
    """Search schedules that nobody wrote: by a solver, greedily over the machine's links, and by another order of the catalogue's
    fastest; the model's engine is the judge. What is found is proven, compared with the best of the catalogue and with the
    bounds, and written as schedule files, which prove, show and run take."""
    sys.exit(run(Request(platform=requests.switched(platform, without), **options)))
