"""The `study` commands: what studies there are, and running one."""

from __future__ import annotations

from typing import Any

import click

from collscope.base import paths
from collscope.base.errors import UsageError
from collscope.commands import calls, requests
from collscope.commands.groups import Commands


@click.group("study", short_help="Run what-if studies: whole experiments with a report.", cls=Commands)
def command() -> None:
    """Run what-if studies: whole experiments, with figures, tables and a report."""


@command.command("list")
def list_studies() -> None:
    """List the studies in sim/."""
    from collscope.studies import reader

    studies = reader.list_studies()
    width = max((len(name) for name, _ in studies), default=0)
    for name, summary in studies:
        click.echo(f"{name:<{width}}  {summary}")


@command.command("run", epilog="\b\nExample:\n  ./collscope study run bird_schooner --quick")
@click.argument("study", metavar="NAME")
@click.option("--quick", is_flag=True, help="Only a few of the points: first figures in a minute.")
@requests.JOBS
@requests.FORCE
@calls.options("point_timeout")
@requests.CLUSTER
@click.option(
    "--vary-ranges", is_flag=True, help="Judge the claims again over the ranges of the platform's undocumented numbers."
)
@click.option("--write-reference", is_flag=True, help="Make the results the committed reference.")
@click.option("--figure", metavar="F", help="Draw only this figure: its number (5.1.1) or file name.")
@click.option("--out", metavar="DIR", help="Write the results there (default: results/NAME/fresh/).")
def run_study(study: str, figure: str | None, **options: Any) -> None:
    """Run a study and write its results to results/NAME/. An interrupted study continues where it stopped."""
    from collscope.studies import one_figure
    from collscope.studies.request import Request
    from collscope.studies.run import run

    request = Request(**options)
    if figure is None:
        run(study, request)
        return
    if request.write_reference or request.vary_ranges:
        raise UsageError("--figure draws one figure alone: leave --write-reference and --vary-ranges out")
    for path in one_figure.run(study, figure, request):
        click.echo(paths.display(path))
