"""The `doctor` command: what is installed. The launcher starts `setup.doctor` itself where nothing is installed yet."""

from __future__ import annotations

import sys

import click


@click.command("doctor")
def command() -> None:
    """List what is installed, what is missing, and versions."""
    from collscope.setup import doctor

    sys.exit(doctor.main())
