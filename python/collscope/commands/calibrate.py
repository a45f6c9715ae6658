"""The `calibrate` command: a model of this machine from its messages."""

from __future__ import annotations

import click


@click.command("calibrate")
def command() -> None:
    """Measure this machine's messages, and write platforms/this_machine/ from them."""
    from collscope.base import paths
    from collscope.calibration import calibrate

    path = calibrate.calibrate()
    click.echo(f"written: {paths.display(path)}; simulate it with --on this_machine")
