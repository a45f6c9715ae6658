"""The `tune` command: its options."""

from __future__ import annotations

import sys

import click

from collscope.commands.requests import launched

COLLECTIVES = "bcast,reduce,allreduce,allgather,alltoall,reduce_scatter"


@click.command(
    "tune",
    short_help="Write rules that make a library take the fastest algorithms.",
    epilog="""
\b
Examples:
  ./collscope tune --on schooner --for openmpi --ranks 2..8 --out rules
  ./collscope tune --on schooner --for openmpi --verify --out rules
  ./collscope tune --on mine.toml --for openmpi --profile p.json --out rules
  ./collscope tune --on schooner --check rules/openmpi.conf
  ./collscope tune --on bed --for openmpi --confirm --budget 5min \\
    --launcher testbed --ranks-per-node 1 --out rules
  ./collscope tune --on schooner --for collscope -c bcast --ranks 2..64 \\
    --bytes 4..4MiB --loss 5% --out rules
""",
)
@click.option("--on", "platform", required=True, metavar="PLATFORM", help="The machine: a name, or a file.")
@click.option(
    "--for",
    "library",
    metavar="LIBRARY",
    help="openmpi or mpich (which is installed), openmpi-4.1, openmpi-5.0, mpich-4.3; collscope: the preload library, with all "
    "algorithms.",
)
@click.option(
    "-c", "--collective", "collectives", default=COLLECTIVES, show_default=True, metavar="C[,C…]", help="Collectives."
)
@click.option("--ranks", default="2..8", show_default=True, metavar="P[,P…]", help="Numbers of ranks.")
@click.option(
    "--ranks-per-node",
    metavar="N[,N…]",
    help="Ranks on a node (default: as many as it has cores); of several the rules differ by it, where the file can say so.",
)
@click.option(
    "--bytes", "sizes", default="4..1MiB", show_default=True, metavar="SIZES", help="Bytes of the whole vector."
)
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    metavar="FILE",
    help="Tune what a program calls, each call by the time that it takes: its profile, of ./collscope profile, mpiP or TAU; several "
    "times for several programs.",
)
@click.option(
    "--assume-world",
    is_flag=True,
    help="With --profile of mpiP or TAU, which lack the sizes of communicators: all are MPI_COMM_WORLD.",
)
@click.option(
    "--loss",
    default="2%",
    show_default=True,
    metavar="SHARE",
    help="What a rule may lose against the best; with --profile all rules together, of the program's time.",
)
@click.option("--verify", is_flag=True, help="Run the library with the rules, and see from its messages what it takes.")
@click.option(
    "--mpi", metavar="DIR", help="With --verify: installation folder of the library, instead of the one in PATH."
)
@click.option(
    "--confirm",
    is_flag=False,
    flag_value="real",
    metavar="[real|sim]",
    help="Measure the calls that the model leaves open on the machine (real, the default), or simulate them.",
)
@click.option("--budget", metavar="TIME", help="With --confirm: how long that may take (default: 10min).")
@launched
@click.option("--remeasure", is_flag=True, help="With --confirm: measure again what is kept in the folder.")
@click.option(
    "--check",
    "file",
    metavar="FILE",
    help="Write nothing: look whether the rules of a file are still right, on the ranks and sizes that it says it was made for; with "
    "--confirm also measured (default budget: 3min).",
)
@click.option("--out", metavar="DIR", help="Write rules, the lines that activate them, table and report there.")
def command(file: str | None, **options: object) -> None:
    """Write rules for a library: which algorithm for which ranks and sizes, as few lines as the loss allows.

    Every algorithm that the library has is timed by the model; with --confirm, calls where several are as good as the best are measured,
    the most deciding first. With --profile the calls are those that a program makes, and the report says what the rules save it. What is
    timed is kept, so that an interrupted command continues where it stopped."""
    ctx = click.get_current_context()
    typed = {name for name in options if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE}
    if file is not None:
        from collscope.commands import tune_check

        if not tune_check.run(tune_check.request(file, options, typed)):
            sys.exit(1)
        return
    from collscope.commands import tune_rules

    if options["library"] is None or options["out"] is None:
        raise click.UsageError("--for LIBRARY and --out DIR are needed, or --check FILE")
    if options["profiles"]:
        for name, option in (("ranks", "--ranks"), ("ranks_per_node", "--ranks-per-node"), ("sizes", "--bytes")):
            if name in typed:
                raise click.UsageError(f"--profile says which ranks and sizes are tuned: drop {option}")
        options["collectives"] = options["collectives"] if "collectives" in typed else None
    if not tune_rules.run(tune_rules.Request(**options)):  # type: ignore[arg-type]
        sys.exit(1)
