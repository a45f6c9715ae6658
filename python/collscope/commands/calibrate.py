"""The `calibrate` command: a model of this machine from its messages."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("calibrate")
@click.option(
    "--out", metavar="FILE", help="Write the specification there (default: platforms/this_machine/spec.toml)."
)
def command(out: str | None) -> None:
    """Measure this machine's messages, and write its specification from them."""
    from collscope.base import paths
    from collscope.base.errors import UsageError
    from collscope.calibration import calibrate

    if out and not out.endswith(".toml"):
        raise UsageError(f"--out {out}: a specification's name ends in .toml")
    made = calibrate.calibrate(target=Path(out) if out else None)
    for line in calibrate.describe(made):
        click.echo(line)
    click.echo(f"written: {paths.display(made.path)}; simulate it with --on {out or 'this_machine'}")
