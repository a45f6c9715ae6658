"""The `test` command: everything that can be checked of the tree."""

from __future__ import annotations

import sys

import click


@click.command("test")
@click.option("--full", is_flag=True, help="Also the tests that take minutes; the 15 slowest are listed.")
def command(full: bool) -> None:
    """Build everything, run every test, check the style."""
    from collscope.base import paths
    from collscope.base.errors import UserError
    from collscope.setup import testing

    if not paths.is_writable(paths.ROOT):
        raise UserError(f"{paths.ROOT} cannot be written to, as tests do; call it in a clone of your own")
    sys.exit(testing.run(full))
