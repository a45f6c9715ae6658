"""The `run` command: from its options to rows, a printed table or document, a file with the table and a figure."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from collscope.base import console
from collscope.base.errors import UsageError
from collscope.catalogue.keys import split_keys
from collscope.commands import (
    calls,
    requests,
    run_json,
    run_machines,
    run_output,
    run_points,
    run_repetitions,
    run_table,
    run_winners,
    schedule_file,
)
from collscope.commands.groups import Sectioned
from collscope.commands.run_points import Points
from collscope.commands.run_repetitions import Repeated
from collscope.points import table_files
from collscope.points.plan import Task
from collscope.points.sweep import Sweep
from collscope.points.table import Row
from collscope.sources import bounds, cluster, launcher, proven
from collscope.sources.outcome import OK, STOPPED, Outcome
from collscope.sources.rows import SOURCES, named, unless_wrong
from collscope.sources.source import MAX_DRAWS, Options, Source, Stopped


@dataclass(frozen=True, kw_only=True)
class Request(Points, Repeated):
    """The options of the command, as they were typed."""

    source: str = "sim"
    launches: int = 1
    noise: int | None = None
    jobs: int | None = None
    cluster: str | None = None
    launcher: str | None = None
    hosts: str | None = None
    force: bool = False
    csv_path: str | None = None
    plot_path: str | None = None
    quiet: bool = False
    as_json: bool = False

    @property
    def shows(self) -> bool:
        """Whether a table is printed."""
        return not self.quiet and not self.as_json and self.csv_path != run_output.STDOUT

    @property
    def timed_all(self) -> bool:
        """Whether every algorithm is timed."""
        return "all" in split_keys(self.algorithms or "")


def run(request: Request) -> int:
    """Does it; returns the exit status."""
    sources = named(request.source)
    names = [source.name for source in sources]
    check_files(request)
    for option, given, needed in (
        ("--cluster", request.cluster, "sim"),
        ("--launcher", request.launcher, "real"),
        ("--hosts", request.hosts, "real"),
        ("--noise", request.noise, "model"),
    ):
        if given is not None:
            requests.check_source(option, names, needed)
    if request.cluster is not None:
        cluster.parse(request.cluster)
    started = launcher.launcher_of(request.launcher, request.hosts)
    sweep = run_points.make_sweep(request, names, run_repetitions.read(request, names, request.metric), started)
    check_noise(request, sweep)
    tasks = sweep.tasks()
    run_points.announce(request, sweep, tasks)
    if request.shows:
        console.fetch()
    with cluster.opened(request.cluster) as workers:
        options = Options(
            jobs=request.jobs,
            force=request.force,
            launches=request.launches,
            point_timeout_s=request.point_timeout,
            cluster=workers,
            launcher=started,
            interleaved=request.order == run_repetitions.ORDERS[0],
            noise=request.noise or 0,
        )
        faults = proven.failures(tasks, limit_s=request.point_timeout)
        rows = rows_of(request, sources, tasks, options, faults)
        absorbs = request.plot_path is not None and run_output.absorbs(sweep.like)
        together = rows_of(request, sources, run_output.without_skew(tasks), options, {}) if absorbs else []
    if request.csv_path is not None:
        run_output.write(rows, request.csv_path)
    if request.shows:
        if run_machines.are_several(rows):
            run_machines.show(rows)
        if not run_machines.are_several(rows) or len(sources) > 1:
            run_table.show(rows, bounds_for_display(tasks, rows))
        else:
            run_table.reasons(rows)
        run_winners.show(rows, tasks, request.timed_all)
    if request.as_json:
        found = run_winners.judged(rows, tasks)
        run_json.show(rows, bounds_for_display(tasks, rows), found, request.timed_all)
    run_repetitions.note(rows)
    if request.plot_path is not None and any(row["status"] == OK and row["median_s"] for row in rows):
        run_output.draw(request.plot_path, rows, together, sweep)
    return run_output.report_failures(rows)


def rows_of(
    request: Request, sources: Sequence[Source], tasks: Sequence[Task], options: Options, faults: Mapping[Task, Outcome]
) -> list[Row]:
    """The rows of all sources; a task among `faults` has that in place of a time. Where the user ends the work, what is finished is
    printed on the way out."""
    rows: list[Row] = []
    try:
        for source in sources:
            rows += unless_wrong(source, tasks, options, faults)
    except KeyboardInterrupt as stop:
        rows += stop.rows if isinstance(stop, Stopped) else []
        finished = [row for row in rows if row["kind"] != STOPPED]
        if request.shows and finished:
            places = {(row["nodes"], row["ranks"]) for row in finished}
            begun = [task for task in tasks if (task[0].nodes, task[0].ranks) in places]
            run_table.show(finished, bounds_for_display(begun, rows))
            run_table.reasons([row for row in rows if row["kind"] == STOPPED])
            run_output.report_failures(finished)
        if request.as_json:
            found = run_winners.winners(finished)
            run_json.show(rows, bounds_for_display(tasks, rows), found, request.timed_all, finished=False)
        raise
    return rows


def check_files(request: Request) -> None:
    """Finds out before the work that the files asked for can be written, and that one thing at most is printed."""
    if request.as_json and request.csv_path == run_output.STDOUT:
        raise UsageError("--json prints a document; leave out --csv -")
    if request.csv_path is not None and request.csv_path != run_output.STDOUT:
        requests.check_file("--csv", request.csv_path)
        table_files.check("--csv", request.csv_path)
    if request.plot_path is not None:
        requests.check_file("--plot", request.plot_path, requests.FIGURES)


def check_noise(request: Request, sweep: Sweep) -> None:
    """UsageError: a noise is to be drawn, and the platform has none."""
    if request.noise and any(layout.platform is None or not layout.platform.machine.noise for layout in sweep.layouts):
        raise UsageError(
            f"--noise: {request.platform} does not say how much its messages' times vary ([[noise.CLASS]] in its specification); "
            "./collscope calibrate measures it"
        )


def bounds_for_display(tasks: Sequence[Task], rows: Sequence[Row]) -> list[Row]:
    """The bound's rows, to print ratios to; where none was asked for, of the one that holds. None without curves, which bound a time."""
    present = [row for row in rows if row["source"] == "bound"]
    if present or any(layout.platform is None or not layout.platform.machine.curve for layout, _ in tasks):
        return present
    return bounds.rows_of(tasks, (bounds.LOGGP,))


EXAMPLES = """
\b
Examples:
  Which broadcast is best for 1 MiB on 4 nodes?
  ./collscope run --on schooner --nodes 4 --ranks 32 -c bcast -a all \\
    --bytes 1MiB
  Two radices of one algorithm, against theory and model, drawn:
  ./collscope run --on schooner --nodes 8 --ranks 32 -c bcast \\
    -a "knomial[k=2|4]" --bytes 4..4MiB --source bound,model,sim \\
    --plot knomial.svg
  The library on this machine, beside the prediction:
  ./collscope run --on this_machine --ranks 2 -c allreduce \\
    -a recursive_doubling,builtin --bytes 1KiB..1MiB \\
    --source sim,real --launches 3
  Which radix on how many nodes, for two collectives?
  ./collscope run --on schooner --nodes 2,4,8 --ranks-per-node 16 \\
    -c bcast,reduce -a "binomial,knomial[k=2|4|8]" --bytes 64K \\
    --source model

  Predicted, simulated and published beside each other, with ratios (on that
  machine add real):
  ./collscope run --on orfeo_epyc --nodes 2 --ranks 64 --mapping packed \\
    -c bcast -a chain,binary,ompi_4_1 --type byte --bytes 4,4K,64K \\
    --metric "osu_avg[barrier=decision/ompi_4_1]" \\
    --source model,sim,published
  One call on two machines, side by side:
  ./collscope run --on schooner,orfeo_epyc --ranks 64 -c allreduce -a all \\
    --bytes 8,1MiB --source model

\b
Sizes are bytes (4, 512B, 1KiB, 4MiB), lists of them, and ranges that
double: 1KiB..4MiB.
K, M and G are binary, too: 4K is 4KiB.
Ranks and nodes are numbers, lists, and ranges that step by one: 1..64.
"""


SECTIONS = {
    "What to call": "collective algorithms schedule sizes block_sizes type_name op root in_place skew",
    "Where": "platform without nodes ranks ranks_per_node mapping",
    "What to time": "source metric noise check",
    "Real runs": "launches repetitions until_ci budget buffers order launcher hosts",
    "Simulations": "jobs cluster force point_timeout",
    "Output": "csv_path plot_path as_json quiet",
}


@click.command(
    "run",
    short_help="Compare times: bound, model, simulation, measurement.",
    cls=Sectioned,
    sections=SECTIONS,
    epilog=EXAMPLES,
)
@calls.options(
    "platform", "without", "nodes", "ranks",
    platform={"required": True, "metavar": "PLATFORM[,…]",
        "help": "Platform: a name, or a file (.toml, or SimGrid's .xml); several stand side by side."},
    nodes={"type": str, "metavar": "N[,N…]"},
    ranks={"type": str, "default": None, "show_default": False, "metavar": "P[,P…]",
        "help": "Ranks in total; several numbers give several layouts."},
)  # fmt: skip
@click.option("--ranks-per-node", metavar="K[,K…]", help="Ranks on each node, instead of --ranks.")
@calls.options(
    "mapping", "collective",
    collective={"metavar": "C[,C…]", "multiple": True, "help": "bcast, reduce, scatter, gather, allgather, …; may be repeated."},
)  # fmt: skip
@click.option(
    "-a",
    "--algorithms",
    metavar="KEY[,KEY…]|all|twins",
    help="Full keys, or with -c the part after the slash; knomial[k=2|4] is two; decision/…; builtin (real runs); all; "
    "twins: those that Open MPI has, too.",
)
@schedule_file.OPTION
@calls.options(
    "sizes", "block_sizes",
    sizes={"metavar": "SIZES", "help": "Size of the whole vector."},
    block_sizes={"metavar": "SIZES", "help": "Size of one rank's block, instead of --bytes."},
)  # fmt: skip
@click.option("--source", default="sim", show_default=True, metavar="S[,S…]", help=f"Of {', '.join(SOURCES)}.")
@click.option(
    "--metric",
    default="makespan",
    show_default=True,
    metavar="M",
    help="makespan, osu_avg, root, loop, or delay: after the last arrival; osu_avg[barrier=KEY]: with this barrier before each call.",
)
@calls.options("skew", "root", "type_name", "op", "in_place")
@click.option(
    "--launches",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Launches of the program.",
)
@calls.options("repetitions", repetitions={"help": "Timed calls per launch (default: 10)."})
@run_repetitions.repeated
@click.option(
    "--noise",
    type=click.IntRange(1, MAX_DRAWS),
    metavar="N",
    help="Model: draw the platform's noise N times and print the 5 % and 95 % quantiles.",
)
@calls.options("point_timeout")
@click.option("--check", is_flag=True, help="Check that every rank ends with the right data.")
@requests.JOBS
@requests.CLUSTER
@requests.launched
@requests.FORCE
@click.option(
    "--csv",
    "--table",
    "csv_path",
    metavar="FILE",
    help="Write the table: .csv, .parquet or .json; - is standard output, as CSV.",
)
@click.option("--plot", "plot_path", metavar="FILE", help="Write a figure: .svg, .png or .pdf.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the answer as JSON: rows, winners with doubts and settings, refusals (docs/json.md).",
)
@click.option("--quiet", is_flag=True, help="Print errors only: no table, remarks or progress.")
def command(without: str | None, collective: tuple[str, ...], platform: str, **options: Any) -> None:
    """Compare times of algorithms: bound, model, simulation, measurement."""
    on = str(requests.switched(platform, without))
    if path := schedule_file.read_options(options, "algorithms"):
        given = {name: options[name] for name in ("nodes", "mapping", "source", "noise")}
        sys.exit(schedule_file.run(path, on, **given))
    with console.quiet(options["quiet"]):
        sys.exit(run(Request(platform=on, collective=",".join(collective) if collective else None, **options)))
