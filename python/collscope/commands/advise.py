"""The `advise` command: what a program's profile says of its collectives, and what would take less time."""

from __future__ import annotations

import click

from collscope.commands.groups import Sectioned


@click.command(
    "advise",
    cls=Sectioned,
    sections={
        "The program and its machine": "platform library assume_world",
        "What comes out": "out as_json",
    },
    short_help="Say what other algorithms would save a program, from its profile.",
    epilog="""
\b
Examples:
  ./collscope profile --out profile.json -- mpirun -n 8 ./program
  ./collscope advise profile.json --on mine.toml
  ./collscope advise profile.json --on mine.toml --for collscope --out rules
  ./collscope advise program.8.1.mpiP --on mine.toml --for openmpi \\
    --assume-world
""",
)
@click.argument("files", metavar="PROFILE…", nargs=-1, required=True)
@click.option("--on", "platform", required=True, metavar="MACHINE", help="Where the program ran: a name, or a file.")
@click.option(
    "--for",
    "library",
    metavar="LIBRARY",
    help="What is to choose: openmpi, openmpi-4.1, openmpi-5.0; mpich, mpich-4.3; collscope, the preload library "
    "(default: the profile's library).",
)
@click.option(
    "--assume-world",
    is_flag=True,
    help="Of mpiP and TAU, which lack the sizes of communicators: all are MPI_COMM_WORLD.",
)
@click.option(
    "--out", metavar="DIR", help="Write rules that carry the changes, and the lines that activate them, there."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(**options: object) -> None:
    """Say what takes time in a program's collectives, and what would save some of it.

    Times are the profile's; what another algorithm saves is the share that the model says, over draws of what the machine's file leaves
    open. Time that ranks wait for late ones is said apart: no algorithm saves it. Profiles: of ./collscope profile, mpiP's verbose
    reports, and TAU's profile.0.0.0 with the others beside it (docs/tuning.md)."""
    from collscope.commands import advise_run

    advise_run.run(advise_run.Request(**options))  # type: ignore[arg-type]
