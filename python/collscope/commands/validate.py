"""The `validate` command: a campaign, from prediction and measurement to the report of how far they are apart."""

from __future__ import annotations

import click

from collscope.base import paths

EXAMPLES = """
\b
Examples:
  ./collscope validate                     list the campaigns
  ./collscope validate orfeo_published     predicted beside published times
  ./collscope validate testbed --quick
"""


@click.command("validate", short_help="Predict, measure and compare a whole campaign.", epilog=EXAMPLES)
@click.argument("campaign", required=False)
@click.option("--quick", is_flag=True, help="Only a few of the calls.")
@click.option("--recalibrate", is_flag=True, help="Calibrate and measure again, in place of what is kept.")
@click.option("--remeasure", is_flag=True, help="Measure again, with the numbers that were calibrated before.")
@click.option("--out", metavar="DIR", help="Write the report there (default: results/validation/CAMPAIGN).")
def command(campaign: str | None, quick: bool, recalibrate: bool, remeasure: bool, out: str | None) -> None:
    """Predict, measure and compare a whole campaign (validate/campaigns), and report the errors.

    An interrupted campaign continues where it stopped.
    """
    from collscope.campaigns import campaign as campaigns
    from collscope.campaigns import report, run

    if campaign is None:
        for name in campaigns.names():
            click.echo(f"{name:<20}  {campaigns.load(name).file.title}")
        return
    folder = run.run(campaign, quick=quick, out=out, recalibrate=recalibrate, remeasure=remeasure)
    for name, value in report.headline(folder):
        click.echo(f"{name:<16}  {value}")
    click.echo(paths.display(folder / "report.html"))
