"""The `run` command: from its options to rows, a printed table or document, a file with the table and a figure."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import click

from collscope.base import console
from collscope.base.errors import UsageError
from collscope.catalogue.keys import split_keys
from collscope.commands import (
    calls,
    requests,
    run_answer,
    run_output,
    run_points,
    run_repetitions,
    schedule_file,
)
from collscope.commands.groups import Sectioned
from collscope.commands.run_points import Points
from collscope.commands.run_repetitions import Repeated
from collscope.points import table_files
from collscope.sources import cluster, launcher, proven
from collscope.sources.outcome import OK
from collscope.sources.rows import SOURCES, named
from collscope.sources.source import MAX_DRAWS, Options


@dataclass(frozen=True, kw_only=True)
class Request(Points, Repeated):
    """The options of the command, as they were typed."""

    source: str = "sim"
    launches: int = 1
    noise: int | None = None
    traffic: bool = False
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
        ("--traffic", request.traffic or None, "model"),
    ):
        if given is not None:
            requests.check_source(option, names, needed)
    if request.cluster is not None:
        cluster.parse(request.cluster)
    started = launcher.launcher_of(request.launcher, request.hosts)
    sweep = run_points.make_sweep(request, names, run_repetitions.read(request, names, request.metric), started)
    run_points.check_noise(sweep, request.platform, request.noise)
    tasks = sweep.tasks()
    run_points.announce(request, sweep, tasks)
    printed = run_answer.Answer(request.shows, request.as_json, "all" in split_keys(request.algorithms or ""))
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
            traffic=request.traffic,
        )
        faults = proven.failures(tasks, limit_s=request.point_timeout)
        rows = printed.rows_of(sources, tasks, options, faults)
        absorbs = request.plot_path is not None and run_output.absorbs(sweep.like)
        together = printed.rows_of(sources, run_output.without_skew(tasks), options, {}) if absorbs else []
    if request.csv_path is not None:
        run_output.write(rows, request.csv_path)
    winners = printed.whole(rows, tasks, sources, request.plot_path is not None, request.point_timeout)
    run_repetitions.note(rows)
    if request.plot_path is not None and any(row["status"] == OK for row in rows):
        run_output.draw(request.plot_path, rows, together, sweep, winners)
    return run_output.report_failures(rows)


def check_files(request: Request) -> None:
    """Finds out before the work that the files asked for can be written, and that one thing at most is printed."""
    if request.as_json and request.csv_path == run_output.STDOUT:
        raise UsageError("--json prints a document; leave out --csv -")
    if request.csv_path is not None and request.csv_path != run_output.STDOUT:
        requests.check_file("--csv", request.csv_path)
        table_files.check("--csv", request.csv_path)
    if request.plot_path is not None:
        requests.check_file("--plot", request.plot_path, requests.FIGURES)


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
    "What to call": "collective algorithms schedule sizes block_sizes type_name op root in_place counts skew",
    "Where": "platform without nodes ranks ranks_per_node mapping",
    "What to time": "source metric overlap progress noise traffic check",
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
    help="Full keys, or with -c the part after the slash; knomial[k=2|4] is two; decision/…, decision/file:PATH; builtin "
    "(real runs); all; twins: those that Open MPI has, too.",
)
@schedule_file.OPTION
@calls.options(
    "sizes", "block_sizes",
    sizes={"metavar": "SIZES", "help": "Size of the whole vector."},
    block_sizes={"metavar": "SIZES", "help": "Size of one rank's block, instead of --bytes."},
)  # fmt: skip
@click.option("--source", default="sim", show_default=True, metavar="S[,S…]", help=f"Of {', '.join(SOURCES)}.")
@run_points.timed
@calls.options("skew", "root", "type_name", "op", "in_place", "counts")
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
@click.option("--traffic", is_flag=True, help="Model: count the bytes between nodes and over links (docs/metrics.md).")
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
        given = {name: options[name] for name in ("nodes", "mapping", "source", "noise", "repetitions")}
        sys.exit(schedule_file.run(path, on, **given))
    with console.quiet(options["quiet"]):
        sys.exit(run(Request(platform=on, collective=",".join(collective) if collective else None, **options)))
