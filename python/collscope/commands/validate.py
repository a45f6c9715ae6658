"""The `validate` command: a campaign, from prediction and measurement to the report of how far they are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from collscope.base import console, paths
from collscope.base.errors import UsageError
from collscope.base.grid import Column, Grid

EXAMPLES = """
\b
Examples:
  ./collscope validate                     list the campaigns
  ./collscope validate orfeo_published     predicted beside published times
  ./collscope validate testbed --quick
  ./collscope validate orfeo_published --predict --calls calls.csv --out DIR
  ./collscope validate orfeo_published --judge times.csv --out DIR
"""


@click.command("validate", short_help="Predict, measure and compare a whole campaign.", epilog=EXAMPLES)
@click.argument("campaign", required=False)
@click.option("--quick", is_flag=True, help="Only a few of the calls.")
@click.option("--recalibrate", is_flag=True, help="Calibrate and measure again, in place of what is kept.")
@click.option("--remeasure", is_flag=True, help="Measure again, with the numbers that were calibrated before.")
@click.option("--predict", is_flag=True, help="Only predict: write and seal the predictions, print their SHA-256.")
@click.option("--calls", metavar="LIST", help="With --predict: the calls of a CSV file, in place of the campaign's.")
@click.option("--judge", metavar="TABLE", help="Compare a CSV file of times with the sealed predictions.")
@click.option("--sha256", metavar="HEX", help="With --judge: refuse predictions for which another one was printed.")
@click.option("--out", metavar="DIR", help="Write the report there (default: results/validation/CAMPAIGN).")
def command(
    campaign: str | None,
    quick: bool,
    recalibrate: bool,
    remeasure: bool,
    predict: bool,
    calls: str | None,
    judge: str | None,
    sha256: str | None,
    out: str | None,
) -> None:
    """Predict, measure and compare a whole campaign (validate/campaigns), and report the errors.

    An interrupted campaign continues where it stopped. With --predict, and later --judge, it is blind: predictions are sealed before
    anybody shows a time (docs/validation.md).
    """
    from collscope.campaigns import blind, report, run
    from collscope.campaigns import campaign as campaigns

    _check(
        campaign,
        {"--quick": quick, "--recalibrate": recalibrate, "--remeasure": remeasure},
        {"--predict": predict, "--judge": judge},
    )
    for option, given, other, there in (
        ("--calls", calls, "--predict", predict),
        ("--sha256", sha256, "--judge", judge),
    ):
        if given and not there:
            raise UsageError(f"{option} goes with {other}")

    if campaign is None:
        for name in campaigns.names():
            click.echo(f"{name:<20}  {campaigns.load(name).file.title}")
        return
    if predict:
        folder, seal = blind.predict(campaign, calls, out)
        click.echo(f"{paths.display(folder / blind.SEAL)}\nSHA-256  {seal}")
        return
    if judge:
        folder, left = blind.judge(campaign, judge, out, sha256)
        _groups(report.groups(folder))
        for line in left:
            console.note(line)
    else:
        folder = run.run(campaign, quick=quick, out=out, recalibrate=recalibrate, remeasure=remeasure)
    for name, value in report.headline(folder):
        click.echo(f"{name:<16}  {value}")
    click.echo(paths.display(folder / "report.html"))


def _check(campaign: str | None, whole: Mapping[str, bool], blind: Mapping[str, object]) -> None:
    """UsageError: options that do not go together."""
    chosen = [option for option, given in blind.items() if given]
    if len(chosen) > 1:
        raise UsageError("--predict and --judge are two commands: predict first, judge when the times are there")
    if chosen and campaign is None:
        raise UsageError(f"{chosen[0]} needs a campaign; ./collscope validate lists them")
    if chosen and (others := [option for option, given in whole.items() if given]):
        raise UsageError(f"{others[0]} does not go with {chosen[0]}; leave it out")


def _groups(groups: Sequence[Mapping[str, Any]]) -> None:
    """Prints errors, winners and regret of each collective, platform, number of nodes and mapping."""
    names = (
        "collective",
        "platform",
        "nodes",
        "mapping",
        "calls",
        "median",
        "p90",
        "bias",
        "choices",
        "≤ 5 % lost",
        "regret",
        *(["band"] if any(row["inside"] is not None for row in groups) else []),
    )
    grid = Grid(
        [Column(name, int(name == "bias"), right=i in (2, *range(4, len(names)))) for i, name in enumerate(names)]
    )
    for row in groups:
        won = ("right", "regret") if row["choices"] else ()
        grid.add(
            *(str(row[name]) for name in (*names[:4], "points")),
            *(f"{row[name]:.1%}" for name in ("median", "p90")),
            f"{row['bias']:+.1%}",
            str(row["choices"]),
            *(f"{row[name]:.1%}" for name in won),
            *[""] * (2 - len(won)),
            *([f"{row['inside']:.0%}" if row["inside"] is not None else ""] if len(names) > 11 else []),
        )
    grid.show()
