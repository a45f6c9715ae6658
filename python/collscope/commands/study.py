"""The `study` commands: what studies there are, and running one."""

from __future__ import annotations

from typing import Any

import click

from collscope.commands import requests
from collscope.commands.groups import Commands


@click.group("study", cls=Commands)
def command() -> None:
    """What-if studies: whole experiments, with figures, tables and a report."""


@command.command("list")
def list_studies() -> None:
    """The studies in sim/."""
    from collscope.studies import reader

    studies = reader.list_studies()
    width = max((len(name) for name, _ in studies), default=0)
    for name, summary in studies:
        click.echo(f"{name:<{width}}  {summary}")


@command.command("run", epilog="\b\nExample:\n  ./collscope study run bird_schooner --quick")
@click.argument("name")
@click.option("--quick", is_flag=True, help="A small part of the points: a first figure in a minute.")
@requests.JOBS
@requests.FORCE
@click.option(
    "--vary-ranges", is_flag=True, help="Judge the claims again over the ranges of the platform's undocumented numbers."
)
@click.option("--write-reference", is_flag=True, help="Make the results the committed reference.")
@click.option("--out", metavar="DIR", help="Where the results go (default: results/NAME/fresh/).")
def run_study(name: str, **options: Any) -> None:
    """Run a study and write its results to results/NAME/. An interrupted study goes on where it stopped."""
    from collscope.studies.run import run

    run(name, **options)
