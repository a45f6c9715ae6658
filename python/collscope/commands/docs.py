"""The `docs` command: the generated pages."""

from __future__ import annotations

import sys

import click


@click.command("docs", short_help="Write the generated pages of docs/, and platform files.")
@click.option("--check", is_flag=True, help="Write nothing; list what is out of date.")
def command(check: bool) -> None:
    """Write docs/algorithms.md, docs/pictures/ and the same as HTML (docs/algorithms.html), from the registry and the files' headers;
    docs/machines.md and the platform files in platforms/, from the specifications."""
    from collscope.reference import docs

    sys.exit(docs.run(check))
