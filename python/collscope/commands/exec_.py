"""The `exec` command: algorithms of the catalogue in a program that was not built for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from collscope.base.errors import UsageError, UserError
from collscope.commands import requests


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    words: tuple[str, ...] = ()
    choose: str | None = None
    rules: str | None = None
    report: str | None = None
    machine: str | None = None
    ranks: int | None = None
    nodes: int | None = None
    mapping: str = "block"


def report_variable(option: str, path: str) -> dict[str, str]:
    """The variable that names a report. UsageError: it cannot be written, which the program's end would be too late to say."""
    requests.check_file(option, path)
    return {"COLLSCOPE_REPORT": str(Path(path).absolute())}


def run(request: Request) -> int:
    """Runs the program and returns its status."""
    from collscope.commands import preloaded
    from collscope.tuning import rule_file

    variables = preloaded.choices(request.choose)
    if request.rules:
        if not Path(request.rules).is_file():
            raise UserError(f"{request.rules}: not a file; name one with rules (docs/decisions.md)")
        rule_file.check(request.rules)
        variables["COLLSCOPE_RULES"] = str(Path(request.rules).absolute())
    if request.report is not None:
        variables |= report_variable("--report", request.report)
    if request.machine is None:
        if request.ranks or request.nodes:
            raise UsageError(
                "--ranks and --nodes are of a simulation: add --on MACHINE; a launcher has its own behind --"
            )
        return preloaded.run(request.words, variables)
    from collscope.commands import simulated

    if not request.ranks:
        raise UsageError("--on: say how many ranks, with --ranks P")
    return simulated.run(request.words, variables, request.machine, request.ranks, request.nodes, request.mapping)


EPILOG = """
\b
Examples:
  ./collscope exec --choose 'bcast=knomial[k=4],allreduce=ring' -- \\
    mpirun -n 8 ./program
  ./collscope exec --choose bcast=decision/ompi_5_0 --report report.json -- \\
    srun -n 64 ./program
  ./collscope exec --on schooner --ranks 16 --choose bcast=scatter_ring -- \\
    ./program
"""


@click.command("exec", epilog=EPILOG, context_settings={"allow_interspersed_args": False})
@click.option(
    "--choose",
    metavar="LIST",
    help="COLLECTIVE=ALGORITHM, a comma between two; others stay as the MPI library has them.",
)
@click.option(
    "--rules", metavar="FILE", help="Which algorithm serves which sizes, for collectives that --choose leaves out."
)
@click.option("--report", metavar="FILE", help="Write what ran and what was passed on; ./collscope report prints it.")
@click.option(
    "--on", "machine", metavar="MACHINE", help="Simulate the program there (linked with collscope by smpicc)."
)
@click.option("--ranks", type=click.IntRange(1), metavar="P", help="With --on: number of ranks.")
@click.option(
    "--nodes", type=click.IntRange(1), metavar="N", help="With --on: number of nodes (default: those they fill)."
)
@click.option(
    "--mapping", default="block", show_default=True, metavar="MAPPING", help="With --on: how ranks sit on nodes."
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND…")
def command(**options: Any) -> int:
    """Run algorithms of the catalogue in any MPI program.

    The program's collective calls run the chosen algorithms; it is not compiled again. What an algorithm cannot do goes to the MPI library,
    and the report says how often and why (docs/preload.md)."""
    return run(Request(**options))
