"""The `run` command: from what the user asked for to rows, a printed table, a CSV file and a figure."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from collscope.base import console, progress
from collscope.base.errors import UsageError, unknown
from collscope.base.units import counted, format_ranks, join_words, parse_ranks, parse_sizes
from collscope.catalogue import metrics, registry
from collscope.catalogue.keys import split_keys, swept
from collscope.catalogue.sizes import count_of_block_bytes, count_of_bytes
from collscope.commands import origin, requests, run_note, run_repetitions, run_table, run_winners, schedule_file
from collscope.points import arrival, table
from collscope.points.plan import Layout, Point, Task
from collscope.points.table import Row
from collscope.sources import bounds, cluster, launcher
from collscope.sources.outcome import OK, STOPPED
from collscope.sources.rows import SOURCES, failed, named
from collscope.sources.source import MAX_DRAWS, Options, Source, Stopped

STDOUT = "-"  # of --csv


@dataclass(frozen=True)
class Request:
    """The options of the command, as they were typed."""

    platform: str
    ranks: str | None
    algorithms: str
    nodes: str | None = None
    ranks_per_node: str | None = None
    mapping: str = "block"
    collective: str | None = None
    sizes: str | None = None
    block_sizes: str | None = None
    source: str = "sim"
    metric: str = "makespan"
    skew: str = arrival.NONE
    root: int = 0
    type_name: str = "float"
    op: str | None = None
    in_place: bool = False
    launches: int = 1
    repetitions: int | None = None
    until_ci: str | None = None
    budget: str | None = None
    order: str = "interleaved"
    buffers: str = "warm"
    noise: int = 0
    point_limit: float | None = None
    check: bool = False
    jobs: int | None = None
    cluster: str | None = None
    launcher: str | None = None
    hosts: str | None = None
    force: bool = False
    csv_path: str | None = None
    plot_path: str | None = None
    quiet: bool = False


def run(request: Request) -> int:
    """Does it; returns the exit status."""
    sources = named(request.source)
    check_outputs(request)
    if request.cluster is not None:
        cluster.parse(request.cluster)
        if "sim" not in {source.name for source in sources}:
            raise UsageError("--cluster is for simulations: take sim among --source, or leave it out")
    started = read_launcher(request, [source.name for source in sources])
    repeating = run_repetitions.read(
        [source.name for source in sources],
        request.metric,
        request.until_ci,
        request.budget,
        request.order,
        request.buffers,
    )
    keys = read_algorithms(request.algorithms, request.collective)
    layouts = read_layouts(request, [source.name for source in sources], started)
    check_noise(request, [source.name for source in sources], layouts)
    tasks = make_tasks(request, layouts, keys)
    run_note.announce(tasks, [source.name for source in sources], request.jobs, factors(request, layouts, keys, tasks))
    if shows(request):
        console.fetch()
    with cluster.opened(request.cluster) as workers:
        options = Options(
            request.jobs,
            request.force,
            request.launches,
            request.repetitions,
            request.point_limit,
            workers,
            started,
            **repeating,
            noise=request.noise,
        )
        rows = rows_of(request, sources, tasks, options)
        together = rows_of(request, sources, without_skew(tasks), options) if shows_skew(request) else []
    show = shows(request)
    if request.csv_path == STDOUT:
        sys.stdout.write(table.csv_text(rows))
    elif request.csv_path:
        table.write_csv(rows, request.csv_path)
        console.note(f"written: {request.csv_path}")
    if show:
        run_table.show(rows, bounds_for_display(tasks, rows))
        run_winners.show(rows)
    run_repetitions.note(rows)
    if request.plot_path and any(row["status"] == OK and row["median_s"] for row in rows):
        if together:
            return draw_skew(rows, together, tasks[0][1].skew, request.plot_path) or report_failures(rows)
        draw(rows, request.plot_path, "block_bytes" if request.block_sizes else "bytes")
    return report_failures(rows)


def shows(request: Request) -> bool:
    """Whether a table is printed."""
    return not request.quiet and request.csv_path != STDOUT


def rows_of(request: Request, sources: Sequence[Source], tasks: Sequence[Task], options: Options) -> list[Row]:
    """The rows of all sources. Where the user ends the work, what is finished is printed on the way out."""
    rows: list[Row] = []
    try:
        for source in sources:
            rows += source.rows(tasks, options, progress.progress)
    except KeyboardInterrupt as stop:
        rows += stop.rows if isinstance(stop, Stopped) else []
        finished = [row for row in rows if row["kind"] != STOPPED]
        if shows(request) and finished:
            places = {(row["nodes"], row["ranks"]) for row in finished}
            begun = [task for task in tasks if (task[0].nodes, task[0].ranks) in places]
            run_table.show(finished, bounds_for_display(begun, rows))
            run_table.reasons([row for row in rows if row["kind"] == STOPPED])
        raise
    return rows


# ---- reading the request ----------------------------------------------------------------------------------


def check_outputs(request: Request) -> None:
    """Finds out before the work that the files asked for can be written."""
    if request.csv_path is not None and request.csv_path != STDOUT:
        requests.check_file("--csv", request.csv_path)
    if request.plot_path is not None:
        requests.check_file("--plot", request.plot_path, requests.FIGURES)
        if request.csv_path == request.plot_path:
            raise UsageError(f"--csv and --plot are both {request.plot_path}; name two files")


def read_algorithms(text: str, collectives: str | None) -> list[tuple[str, str]]:
    """(collective, full key) of each name, in order, each once; of several collectives a name stands for those that have it."""
    known = registry.load()
    owners = list(dict.fromkeys(split_keys(collectives))) if collectives else []
    for owner in owners:
        known.collective(owner)
    keys: list[tuple[str, str]] = []
    for name in (key for names in split_keys(text) for key in swept(names)):
        if name in ("all", "twins"):
            if not owners:
                raise UsageError(f"-a {name}: say of which collective, with -c")
            found = [(owner, a.full_key()) for owner in owners for a in known.of(owner) if name == "all" or a.twin]
            if not found:
                raise UsageError(f"-a {name}: there is no such algorithm of {join_words(owners, 'or')} yet")
            keys += found
        else:
            keys += resolve(name, owners)
    return list(dict.fromkeys(keys))


def resolve(name: str, owners: Sequence[str]) -> list[tuple[str, str]]:
    """(collective, full key) of a name in each of the collectives that have it; the reason of the first where none has."""
    known = registry.load()
    found: list[tuple[str, str]] = []
    refused: list[UsageError] = []
    choices: Sequence[str | None] = owners or [None]
    for owner in choices:
        try:
            found.append(known.resolve(name, owner))
        except UsageError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return found


def read_launcher(request: Request, sources: Sequence[str]) -> launcher.Launcher:
    """How real ranks are started. UsageError: it is said and nothing is measured."""
    if (request.launcher or request.hosts) and "real" not in sources:
        option = "--launcher" if request.launcher else "--hosts"
        raise UsageError(f"{option} is for measured times: take real among --source, or leave it out")
    return launcher.launcher_of(request.launcher, request.hosts)


def read_layouts(request: Request, sources: Sequence[str], started: launcher.Launcher = launcher.LOCAL) -> list[Layout]:
    """A layout for each number of nodes and ranks; on a machine that nobody has described, those have no platform."""
    places = read_places(request)
    real = "real" in sources
    platform = requests.load_platform(request.platform, sources)
    if real:
        requests.check_real(request.platform, started)
    if platform is None:
        if any(n not in (None, 1) for n, _ in places):
            raise UsageError(f"this_machine has 1 node; --nodes {request.nodes} does not fit")
        layouts = [Layout(None, 1, p) for _, p in places]
    else:
        layouts = [requests.make_layout(platform, n, p, request.mapping, real) for n, p in places]
    crowded = [at.ranks for at in layouts if real and started.share_cores(at.ranks, at.nodes)]
    if crowded:
        console.note(f"{format_ranks(crowded)} ranks have fewer cores and take turns on them: such times tell little")
    return layouts


def check_noise(request: Request, sources: Sequence[str], layouts: Sequence[Layout]) -> None:
    """UsageError: a noise is to be drawn and nothing is modelled, or nothing is known of it."""
    if not request.noise:
        return
    if "model" not in sources:
        raise UsageError("--noise is for modelled times: take model among --source, or leave it out")
    if any(layout.platform is None or not layout.platform.machine.noise for layout in layouts):
        raise UsageError(
            f"--noise: {request.platform} does not say how much its messages' times vary ([[noise.CLASS]] in its specification); "
            "./collscope calibrate measures it"
        )


def read_places(request: Request) -> list[tuple[int | None, int]]:
    """Nodes and ranks of each layout: every number of nodes with every number of ranks, in all or on each node. None: as many nodes
    as the ranks fill."""
    nodes: Sequence[int | None] = parse_ranks(request.nodes, "nodes") if request.nodes else [None]
    if (request.ranks is None) == (request.ranks_per_node is None):
        raise UsageError("say how many ranks: --ranks in all, or --ranks-per-node")
    if request.ranks is not None:
        return [(n, p) for n in nodes for p in parse_ranks(request.ranks)]
    return [(n or 1, (n or 1) * k) for n in nodes for k in parse_ranks(str(request.ranks_per_node), "ranks of a node")]


def factors(
    request: Request, layouts: Sequence[Layout], keys: Sequence[tuple[str, str]], tasks: Sequence[Task]
) -> list[str]:
    """What the number of points is made of, each with its option."""
    ranks = f"--ranks {request.ranks}" if request.ranks else f"--ranks-per-node {request.ranks_per_node}"
    where = f"--nodes {request.nodes}, {ranks}" if request.nodes else ranks
    sizes = len(
        {point.bytes(layout.ranks) if request.sizes else point.block_bytes(layout.ranks) for layout, point in tasks}
    )
    size = f"--bytes {request.sizes}" if request.sizes else f"--block-bytes {request.block_sizes}"
    return [
        f"{len(layouts):,} layouts ({where})",
        f"{len(keys)} keys (-a {request.algorithms})",
        f"{sizes} sizes ({size})",
    ]


def make_tasks(request: Request, layouts: Sequence[Layout], keys: Sequence[tuple[str, str]]) -> list[Task]:
    """Every point of the request: by layout, then size, then key (collective, full key). A UsageError names the option that
    cannot be met."""
    known = registry.load()
    op = ("affine" if request.type_name == "affine" else "sum") if request.op is None else request.op
    if op not in known.operators:
        raise unknown("operator", op, known.operators)
    request = replace(request, metric=metrics.check(request.metric))
    if arrival.parse(request.skew) != arrival.NONE and request.metric not in ("makespan", "root", "delay"):
        raise UsageError(f"--skew goes with --metric makespan, root or delay, not with {request.metric}")
    sizes = read_sizes(request, keys)
    made = (
        (layout, make_point(request, layout, collective, key, size, op))
        for layout in layouts
        for size in sizes
        for collective, key in keys
    )
    return list(dict.fromkeys(made))  # what has no data is one point for all sizes


def read_sizes(request: Request, keys: Sequence[tuple[str, str]]) -> list[int]:
    """Bytes, of the vector or of a block; [0] where no collective has data."""
    if request.sizes and request.block_sizes:
        raise UsageError("give --bytes or --block-bytes, not both")
    text = request.block_sizes or request.sizes
    if not any(registry.load().collective(collective).has_data for collective, _ in keys):
        return [0]
    if not text:
        raise UsageError("say which sizes: --bytes 1KiB..4MiB, or --block-bytes for the size of one block")
    return parse_sizes(text)


def make_point(request: Request, layout: Layout, collective: str, key: str, size: int, op: str) -> Point:
    """The point of one layout, key and size."""
    known = registry.load()
    rooted = known.collective(collective).has_root
    if rooted and request.root >= layout.ranks:
        raise UsageError(f"--root {request.root}: with {layout.ranks} ranks the root is 0 … {layout.ranks - 1}")
    count_of = count_of_block_bytes if request.block_sizes else count_of_bytes
    return Point(
        collective=collective,
        algorithm=key,
        count=count_of(collective, size, layout.ranks, known.type_bytes(request.type_name)),
        type=request.type_name,
        op=op,
        root=request.root if rooted else 0,
        in_place=request.in_place,
        metric=request.metric,
        skew=arrival.parse(request.skew),
        check=request.check,
    )


# ---- rows -------------------------------------------------------------------------------------------------


def bounds_for_display(tasks: Sequence[Task], rows: Sequence[Row]) -> list[Row]:
    """The bound's rows, to print ratios to; where none was asked for, of the one that holds."""
    present = [row for row in rows if row["source"] == "bound"]
    if present or any(layout.platform is None for layout, _ in tasks):
        return present
    return bounds.rows_of(tasks, (bounds.LOGGP,))


def draw(rows: Sequence[Row], path: str, size: str) -> None:
    """Draws the rows into a file, whose ending says the format; `size`: the column of the sizes that were asked for."""
    import matplotlib as mpl

    mpl.use("Agg")
    from collscope.figures import files
    from collscope.figures.run import run_figure

    files.save(run_figure(table.to_frame(rows), size=size), path, origin.of_rows(rows))
    console.note(f"written: {path}")


def shows_skew(request: Request) -> bool:
    """Whether the picture is of what algorithms absorb: their delays beside the same calls without skew."""
    return bool(request.plot_path) and request.metric == "delay" and arrival.parse(request.skew) != arrival.NONE


def without_skew(tasks: Sequence[Task]) -> list[Task]:
    """The same calls with all ranks arriving together."""
    return [(layout, replace(point, skew=arrival.NONE, metric="makespan")) for layout, point in tasks]


def draw_skew(rows: Sequence[Row], together: Sequence[Row], skew: str, path: str) -> int:
    """Draws delays relative to the times without skew into a file; 0."""
    import matplotlib as mpl

    mpl.use("Agg")
    from collscope.figures import files
    from collscope.figures.skew import absorbed, skew_figure

    found = absorbed(table.to_frame(rows), table.to_frame(together))
    files.save(skew_figure(found, skew), path, origin.of_rows([*rows, *together]))
    console.note(f"written: {path}")
    return 0


def report_failures(rows: Sequence[Row]) -> int:
    """Exit status; says what broke. Unsupported points are no failure, unless there is nothing else."""
    broken = [
        f"{row['algorithm']}, {row['bytes']} bytes, {counted(row['ranks'], 'rank')} on {counted(row['nodes'], 'node')} of "
        f"{row['platform']}: {row['status']}"
        for row in failed(rows)
    ]
    nothing = bool(rows) and all(row["median_s"] is None for row in rows)
    reasons = [(row["algorithm"], row["status"]) for row in rows] if nothing else []
    return requests.report(broken, "points failed; column status says why", reasons)


# ---- the command ------------------------------------------------------------------------------------------

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

\b
Sizes are bytes (4, 512B, 1KiB, 4MiB), lists of them, and ranges that
double: 1KiB..4MiB.
K, M and G are binary, too: 4K is 4KiB.
Ranks and nodes are numbers, lists, and ranges that step by one: 1..64.
"""


@click.command("run", epilog=EXAMPLES)
@click.option(
    "--on",
    "platform",
    metavar="PLATFORM",
    required=True,
    help="Platform: a name, or a file (.toml, or SimGrid's .xml).",
)
@requests.WITHOUT
@click.option("--nodes", metavar="N[,N…]", help="Number of nodes (default: as many as the ranks fill).")
@click.option("--ranks", metavar="P[,P…]", help="Ranks in total; several numbers give several layouts.")
@click.option("--ranks-per-node", metavar="K[,K…]", help="Ranks on each node, instead of --ranks.")
@requests.MAPPING
@click.option(
    "-c",
    "--collective",
    metavar="C[,C…]",
    multiple=True,
    help="bcast, reduce, scatter, gather, allgather, …; may be repeated.",
)
@click.option(
    "-a",
    "--algorithms",
    "algorithms",
    metavar="KEY[,KEY…]|all|twins",
    help="Full keys, or with -c the part after the slash; knomial[k=2|4] is two; decision/…; builtin (real runs); all; "
    "twins: those that Open MPI has, too.",
)
@schedule_file.OPTION
@click.option("--bytes", "sizes", metavar="SIZES", help="Size of the whole vector.")
@click.option("--block-bytes", "block_sizes", metavar="SIZES", help="Size of one rank's block, instead of --bytes.")
@click.option("--source", default="sim", show_default=True, metavar="S[,S…]", help=f"Of {', '.join(SOURCES)}.")
@click.option(
    "--metric",
    default="makespan",
    show_default=True,
    metavar="M",
    help="makespan, osu_avg, root, loop, or delay: after the last arrival; osu_avg[barrier=KEY]: with this barrier before each call.",
)
@requests.SKEW
@requests.ROOT
@requests.TYPE
@click.option("--op", default=None, metavar="O", help="Operator of reductions (default: sum).")
@requests.IN_PLACE
@click.option(
    "--launches",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Real runs: launches of the program.",
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    metavar="N",
    default=None,
    help="Timed calls per launch (default in real runs: 10).",
)
@run_repetitions.repeated
@click.option(
    "--noise",
    type=click.IntRange(1, MAX_DRAWS),
    default=None,
    metavar="N",
    help="Model: draw the platform's noise N times and print the 5 % and 95 % quantiles.",
)
@requests.POINT_LIMIT
@click.option("--check", is_flag=True, help="Check that every rank ends with the right data.")
@requests.JOBS
@requests.CLUSTER
@requests.launched
@requests.FORCE
@click.option("--csv", "csv_path", metavar="FILE", help="Write the table as CSV; - is standard output.")
@click.option("--plot", "plot_path", metavar="FILE", help="Write a figure: .svg, .png or .pdf.")
@click.option("--quiet", is_flag=True, help="Print no table.")
def command(**options: Any) -> None:
    """Compare times of algorithms: bound, model, simulation, measurement."""
    options["collective"] = ",".join(options["collective"]) or None
    options["noise"] = options["noise"] or 0
    options["platform"] = requests.switched(options["platform"], options.pop("without"))
    path = schedule_file.read_options(options, "algorithms")
    if path:
        given = {name: options[name] for name in ("platform", "nodes", "mapping", "source", "noise")}
        sys.exit(schedule_file.run(path, **given))
    status = run(Request(**options))
    if status:
        sys.exit(status)
