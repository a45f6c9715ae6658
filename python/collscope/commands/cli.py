"""The command line: the group of all commands. Each stands in a module of its own, with its options and its request."""

from __future__ import annotations

import os
import sys

import click

from collscope.base import characters
from collscope.commands import errors, own_files
from collscope.commands.groups import LazyCommands

EXAMPLES = """
\b
Examples:
  ./collscope list -c bcast
  ./collscope run --on schooner --nodes 4 --ranks 32 -c allgather -a all \\
    --bytes 1KiB..4MiB
  ./collscope prove bcast/mst --ranks 1..64
  ./collscope study run bird_schooner --quick
"""


COMMANDS = {  # in the order in which help lists them
    "list": "collscope.commands.list_",
    "run": "collscope.commands.run",
    "study": "collscope.commands.study",
    "claims": "collscope.commands.claims",
    "prove": "collscope.commands.prove",
    "show": "collscope.commands.show",
    "explore": "collscope.commands.explore",
    "docs": "collscope.commands.docs",
    "decide": "collscope.commands.decide",
    "twins": "collscope.commands.twins",
    "tune": "collscope.commands.tune",
    "advise": "collscope.commands.advise",
    "calibrate": "collscope.commands.calibrate",
    "explain": "collscope.commands.explain",
    "synthesise": "collscope.commands.synthesise",
    "exec": "collscope.commands.exec_",
    "profile": "collscope.commands.profile",
    "report": "collscope.commands.report",
    "compare": "collscope.commands.compare",
    "validate": "collscope.commands.validate",
    "testbed": "collscope.commands.testbed",
    "lab": "collscope.commands.lab",
    "test": "collscope.commands.test",
    "setup": "collscope.commands.setup",
    "doctor": "collscope.commands.doctor",
}


def _version(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given and not ctx.resilient_parsing:
        from collscope.commands import version

        click.echo(version.text())
        ctx.exit()


@click.group(
    cls=LazyCommands,
    modules=COMMANDS,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Print versions and commit, and exit.",
)
def cli() -> None:
    """A laboratory for MPI collective algorithms: simulate them on a model of a cluster, run them on a real one, prove them, and
    put bound, model, simulation and measurement side by side."""


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line; every error becomes one clear message and an exit status."""
    characters.make_streams_print_all()
    if "_COLLSCOPE_COMPLETE" in os.environ:
        from collscope.commands import completion

        completion.register()
    with errors.reported():
        words = own_files.replaced(sys.argv[1:] if arguments is None else arguments)
        status = cli.main(args=words, prog_name="collscope", standalone_mode=False)
        sys.stdout.flush()
    if isinstance(status, int) and status:
        sys.exit(status)
