"""The command line. Thin: it reads what is wanted, calls the modules that do it, and prints.

Imports that take time are inside the functions that need them, so that every command starts at once.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import click

from collscope import __version__
from collscope.base.errors import UserError, unknown
from collscope.commands import decide, twins

EXAMPLES = """
\b
Examples:
  ./collscope list -c bcast
  ./collscope run --on schooner --nodes 4 --ranks 32 -c allgather -a all --bytes 1KiB..4MiB
  ./collscope prove bcast/mst --ranks 1..64
  ./collscope study run bird_schooner --quick
"""


class Commands(click.Group):
    """A group that knows what a misspelt command was meant to be."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise unknown("command", args[0], self.list_commands(ctx), "./collscope --help lists them")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of this file


@click.group(
    cls=Commands,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="collscope")
def cli() -> None:
    """A laboratory for MPI collective algorithms: simulate them on a model of a cluster, run them on a real one, prove them, and
    put bound, model, simulation and measurement side by side."""


# ---- list -------------------------------------------------------------------------------------------------


@cli.command("list", epilog="\b\nExamples:\n  ./collscope list\n  ./collscope list -c bcast\n  ./collscope list --json")
@click.option(
    "-c", "--collective", metavar="COLLECTIVE", help="Only the algorithms of this collective, with all they say."
)
@click.option("--platforms", is_flag=True, help="List the platforms instead.")
@click.option("--json", "as_json", is_flag=True, help="The whole registry as JSON.")
def list_command(collective: str | None, platforms: bool, as_json: bool) -> None:
    """What there is: algorithms, decisions, platforms."""
    from collscope.commands import listing

    listing.show(collective, platforms, as_json)


# ---- run --------------------------------------------------------------------------------------------------

RUN_EXAMPLES = """
\b
Examples:
  Which broadcast is best for 1 MiB on 4 nodes?
    ./collscope run --on schooner --nodes 4 --ranks 32 -c bcast -a all --bytes 1MiB
  Two radices of one algorithm, against theory and model, drawn:
    ./collscope run --on schooner --nodes 8 --ranks 32 -a "bcast/knomial[k=2],bcast/knomial[k=4]" \\
        --bytes 4..4MiB --source bound,model,sim --plot knomial.svg
  What the library on this machine does, next to the prediction:
    ./collscope run --on this_machine --ranks 2 -c allreduce -a recursive_doubling,builtin \\
        --bytes 1KiB..1MiB --source sim,real --launches 3

\b
Sizes are bytes (4, 512B, 1KiB, 4MiB), lists of them, and ranges that double: 1KiB..4MiB.
Ranks are numbers, lists, and ranges that step by one: 1..64.
"""


@cli.command("run", epilog=RUN_EXAMPLES)
@click.option("--on", "platform", metavar="PLATFORM", required=True, help="Name of a platform, or path of its XML.")
@click.option("--nodes", type=click.IntRange(min=1), default=1, show_default=True, help="Nodes that the ranks use.")
@click.option("--ranks", metavar="P[,P…]", required=True, help="Ranks in all; several numbers give several layouts.")
@click.option(
    "--mapping",
    default="block",
    show_default=True,
    metavar="M",
    help="block (even spread, neighbours share a node), cyclic, or fill (fill node 0 first).",
)
@click.option("-c", "--collective", metavar="COLLECTIVE", help="bcast, reduce, scatter, gather, allgather, …")
@click.option(
    "-a",
    "--algorithms",
    "algorithms",
    metavar="KEY[,KEY…]|all",
    required=True,
    help="Full keys, or with -c the part after the slash; decision/…; builtin (real runs); all.",
)
@click.option("--bytes", "sizes", metavar="SIZES", help="The whole vector of the collective.")
@click.option("--block-bytes", "block_sizes", metavar="SIZES", help="One rank's block instead.")
@click.option("--source", default="sim", show_default=True, metavar="S[,S…]", help="Of bound, model, sim, real.")
@click.option("--metric", default="makespan", show_default=True, metavar="M", help="makespan, osu_avg, root or loop.")
@click.option("--root", type=click.IntRange(min=0), default=0, show_default=True, help="Root rank, where there is one.")
@click.option("--type", "type_name", default="float", show_default=True, metavar="T", help="Type of an element.")
@click.option("--op", default=None, metavar="O", help="Operator of reductions (default: sum).")
@click.option("--in-place", is_flag=True, help="MPI_IN_PLACE: input and output share memory.")
@click.option(
    "--launches", type=click.IntRange(min=1), default=1, show_default=True, help="Whole launches (real runs)."
)
@click.option("--repetitions", type=click.IntRange(min=1), default=None, help="Timed calls a launch (real runs: 10).")
@click.option("--check", is_flag=True, help="Check that every rank ends with the right data.")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Simulations side by side (default: the cores).")
@click.option("--force", is_flag=True, help="Simulate again what is cached.")
@click.option("--csv", "csv_path", metavar="FILE", help="Write the table.")
@click.option("--plot", "plot_path", metavar="FILE", help="Draw it: .svg, .png or .pdf.")
@click.option("--quiet", is_flag=True, help="Print no table.")
def run_command(**options: Any) -> None:
    """Times of algorithms: simulated, measured, modelled, and the bound."""
    from collscope.commands import run as runs

    status = runs.run(runs.Request(**options))
    if status:
        sys.exit(status)


# ---- study ------------------------------------------------------------------------------------------------


@cli.group("study", cls=Commands)
def study_group() -> None:
    """What-if studies: whole experiments, with figures, tables and a report."""


@study_group.command("list")
def study_list() -> None:
    """The studies in sim/."""
    from collscope.commands import listing

    listing.show_studies()


@study_group.command("run", epilog="\b\nExample:\n  ./collscope study run bird_schooner --quick")
@click.argument("name")
@click.option("--quick", is_flag=True, help="A small part of the points: a first figure in a minute.")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Simulations side by side (default: the cores).")
@click.option("--force", is_flag=True, help="Simulate again what is cached.")
@click.option(
    "--vary-ranges", is_flag=True, help="Judge the claims again over the ranges of the platform's undocumented numbers."
)
@click.option("--write-reference", is_flag=True, help="Make the results the committed reference.")
def study_run(name: str, quick: bool, jobs: int | None, force: bool, vary_ranges: bool, write_reference: bool) -> None:
    """Run a study and write its results to results/NAME/. An interrupted study goes on where it stopped."""
    from collscope.studies.run import run

    run(name, quick=quick, jobs=jobs, force=force, vary_ranges=vary_ranges, write_reference=write_reference)


# ---- prove ------------------------------------------------------------------------------------------------


@cli.command("prove", epilog="""
\b
Examples:
  ./collscope prove bcast/mst
  ./collscope prove "bcast/knomial[k=4]" --ranks 2,8,100 --bytes 1KiB
  ./collscope prove all --ranks 1..64
  ./collscope prove allgather/bucket --ranks 5 --bytes 100B --json | jq .points[0].schedule
""")  # fmt: skip
@click.argument("algo", metavar="ALGO")
@click.option("--ranks", default="1..64", show_default=True, metavar="P[,P…]", help="Numbers of ranks.")
@click.option("--bytes", "sizes", metavar="SIZES", help="Sizes of the vector (default: counts 0, 1, p, p+1, 1000).")
@click.option("--type", "type_name", default="float", show_default=True, metavar="T", help="Type of an element.")
@click.option("--root", type=click.IntRange(min=0), default=None, help="One root only (default: 0, 1 and p-1).")
@click.option("--json", "as_json", is_flag=True, help="The schedules, every message of them, and the verdicts.")
def prove_command(algo: str, ranks: str, sizes: str | None, type_name: str, root: int | None, as_json: bool) -> None:
    """Prove an algorithm: matching, no deadlock, the right data everywhere, and its cost.

    ALGO is a full key, a collective (all of its algorithms), or all."""
    from collscope.commands import prove

    status = prove.run(algo, ranks, sizes, type_name=type_name, root=root, as_json=as_json)
    if status:
        sys.exit(status)


# ---- show, docs -------------------------------------------------------------------------------------------


@cli.command("show", epilog="""
\b
Examples:
  ./collscope show bcast/binomial --ranks 16
  ./collscope show "bcast/knomial[k=4]" --ranks 16 --kind graph,gantt --out pictures
  ./collscope show allreduce/ring --ranks 32 --on schooner --nodes 4 --bytes 1MiB
  ./collscope show scatter/mst --ranks 8 --kind graph --out scatter.svg --animate
  ./collscope show bcast/binomial --ranks 16 --on schooner --nodes 2 --mapping cyclic --source model,sim --kind gantt
  ./collscope show allreduce/ring --ranks 2 --on this_machine --source real
""")  # fmt: skip
@click.argument("algo", metavar="ALGO")
@click.option("--ranks", type=click.IntRange(min=1), default=8, show_default=True, help="Number of ranks.")
@click.option("--root", type=click.IntRange(min=0), default=0, show_default=True, help="Root rank, where there is one.")
@click.option("--bytes", "sizes", metavar="SIZE", help="Size of the vector (default: blocks of 1 KiB).")
@click.option("--type", "type_name", default="float", show_default=True, metavar="T", help="Type of an element.")
@click.option("--in-place", is_flag=True, help="MPI_IN_PLACE: input and output share memory.")
@click.option("-c", "--collective", metavar="COLLECTIVE", help="For decisions, and for keys without their first part.")
@click.option("--on", "platform", metavar="PLATFORM", help="Name or XML of a platform (default: telephone network).")
@click.option("--source", default="model", show_default=True, metavar="S[,S…]",
    help="Where the times are from: of model, sim, real. Gantt charts of several stand under each other.")  # fmt: skip
@click.option("--repetitions", type=click.IntRange(min=1), default=None, help="Timed calls of a real run (10).")
@click.option("--nodes", type=click.IntRange(min=1), default=None, help="Nodes that the ranks sit on.")
@click.option("--mapping", default="block", show_default=True, metavar="M", help="With --on: block, cyclic or fill.")
@click.option(
    "--kind", "kinds", default="all", show_default=True, metavar="K[,K…]", help="graph, gantt, table, matrix."
)
@click.option("--out", metavar="DIR|FILE", help="Where pictures go (default: results/show/fresh/).")
@click.option("--animate", is_flag=True, help="Also messages on their way: an animated GIF, and an SVG.")
@click.option("--no-pictures", is_flag=True, help="The page in the terminal only.")
def show_command(**options: Any) -> None:
    """One algorithm on one page, and drawn: who sends to whom, when, what lies where, how much."""
    from collscope.commands import show

    sys.exit(show.run(show.Request(**options)))


@cli.command("docs")
@click.option("--check", is_flag=True, help="Write nothing; say what is out of date.")
def docs_command(check: bool) -> None:
    """Write docs/algorithms.md, docs/algorithms.html and docs/pictures/ anew, from the registry and the files' headers."""
    from collscope.reference import docs

    sys.exit(docs.run(check))


cli.add_command(decide.command)
cli.add_command(twins.command)


# ---- calibrate, test, doctor ------------------------------------------------------------------------------


@cli.command("calibrate")
def calibrate_command() -> None:
    """Measure this machine's messages, and write platforms/this_machine/ from them."""
    from collscope.base import paths
    from collscope.calibration import calibrate

    path = calibrate.calibrate()
    click.echo(f"written: {paths.display(path)}; simulate it with --on this_machine")


@cli.command("test")
@click.option("--full", is_flag=True, help="Also what takes minutes.")
def test_command(full: bool) -> None:
    """Build everything, run every test, check the style."""
    from collscope.setup import testing

    sys.exit(testing.run(full))


@cli.command("doctor")
def doctor_command() -> None:
    """What is installed, what is missing, which versions."""
    from collscope.setup import doctor

    sys.exit(doctor.main())


# ---- errors -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _signals_stop() -> Iterator[None]:
    """Makes the wish to end (kill, a batch system, a terminal that is closed) the same way out as Ctrl-C: children run in
    sessions of their own and would outlive us."""

    here = os.getpid()

    def stop(*_: object) -> None:
        if os.getpid() != here:
            os._exit(1)  # a forked worker, whose pool ends it so
        for number in found:
            signal.signal(number, signal.SIG_IGN)  # once is enough: the way out is not to be interrupted
        raise KeyboardInterrupt

    found = {}
    if threading.current_thread() is threading.main_thread():
        # What is ignored stays so: nohup.
        found = {n: h for n in (signal.SIGTERM, signal.SIGHUP) if (h := signal.getsignal(n)) != signal.SIG_IGN}
    for number in found:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in found.items():
            signal.signal(number, handler)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line; every error becomes one clear message and an exit status."""
    try:
        with _signals_stop():
            status = cli.main(args=arguments, prog_name="collscope", standalone_mode=False)
        sys.stdout.flush()
        if isinstance(status, int) and status:
            sys.exit(status)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.UsageError as error:
        where = error.ctx.command_path.replace("collscope", "./collscope", 1) if error.ctx else "./collscope"
        _complain(f"{error.format_message()}\n  {where} --help says more")
        sys.exit(2)
    except click.ClickException as error:
        _complain(error.format_message())
        sys.exit(1)
    except UserError as error:
        _complain(str(error))
        sys.exit(error.exit_status)
    except (KeyboardInterrupt, click.Abort):
        _complain("stopped; finished points are kept, the same command goes on from there")
        sys.exit(1)
    except BrokenPipeError:
        # The reader of our output has left: not our failure, and nothing more to say to it.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        from collscope.base.errors import disk_error

        _complain(str(disk_error(error, error.filename or "writing")))
        sys.exit(1)
    except MemoryError:
        _complain("out of memory; use fewer --jobs, or smaller sizes")
        sys.exit(1)


def _complain(text: str) -> None:
    print(f"collscope: {text}", file=sys.stderr)
