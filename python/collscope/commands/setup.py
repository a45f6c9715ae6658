"""The `setup` command: gets the machine ready before it is needed."""

from __future__ import annotations

import click

from collscope.base import paths
from collscope.base.errors import UserError


@click.command(
    "setup", epilog="\b\nExample, where nobody may install SimGrid:\n  ./collscope setup --simgrid-from-source"
)
@click.option("--real", is_flag=True, help="Also the programs for real runs (needs an MPI library).")
@click.option(
    "--simgrid-from-source",
    is_flag=True,
    help="Build SimGrid from source below this tree: no root needed; ten minutes on two cores.",
)
@click.option("--cluster", is_flag=True, help="Also the libraries for --cluster, on each machine that has workers.")
def command(real: bool, simgrid_from_source: bool, cluster: bool) -> None:
    """Prepare the machine: libraries, the prover, the simulation.

    Each command sets up what it needs; this does it in advance, for example on a login node."""
    from collscope.setup import machine, simgrid_source
    from collscope.setup.steps import SetupError

    try:
        if simgrid_from_source:
            simgrid_source.ensure(paths.ROOT)
        machine.ensure(paths.ROOT, ["prove", "smpi", *(["mpi"] if real else [])])
        if cluster:
            machine.ensure_python(paths.ROOT, "cluster")
    except SetupError as error:
        raise UserError(str(error)) from error
    click.echo("ready")
