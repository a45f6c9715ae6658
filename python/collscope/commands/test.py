"""The `test` command: everything that can be checked of the tree."""

from __future__ import annotations

import sys

import click


@click.command("test")
@click.option("--full", is_flag=True, help="Also the tests that take minutes; the 15 slowest are listed.")
def command(full: bool) -> None:
    """Build everything, run every test, check the style."""
    from collscope.setup import testing

    sys.exit(testing.run(full))
