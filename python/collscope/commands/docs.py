"""The `docs` command: the generated pages, and the site."""

from __future__ import annotations

import sys

import click

from collscope.base import folders, paths
from collscope.base.errors import UsageError, UserError


@click.command("docs", short_help="Write the generated pages of docs/, platform files, or the site.")
@click.option("--check", is_flag=True, help="Write nothing; list what is out of date.")
@click.option("--site", metavar="FOLDER", help="Instead, make all pages into one site with search, in FOLDER.")
@click.option("--serve", is_flag=True, help="Instead, make the site and serve it to this machine.")
@click.option("--port", default=8000, show_default=True, help="For --serve; 0: any.")
def command(check: bool, site: str | None, serve: bool, port: int) -> None:
    """Write docs/algorithms.md, docs/pictures/ and the same as HTML (docs/algorithms.html), from the registry and the files' headers;
    docs/machines.md and the platform files in platforms/, from the specifications; docs/commands.md from what --help says.

    --site and --serve make a site of these, of the hand-written pages, the labs and the reports (Sphinx, installed into .venv)."""
    if check and (site or serve):
        raise UsageError("--check writes nothing: leave out --site and --serve")
    if site or serve:
        make_site(site, port if serve else None)
        return
    from collscope.commands import cli
    from collscope.reference import docs

    if not check and not paths.is_writable(paths.ROOT / "docs"):
        raise UserError(
            f"{paths.ROOT / 'docs'} cannot be written to; --check compares, --site FOLDER makes a site elsewhere"
        )
    sys.exit(docs.run(cli.cli, check))


def make_site(out: str | None, port: int | None) -> None:
    """Makes the site in the folder that was named, or in the cache; serves it at the port, where there is one."""
    from collscope.reference import site
    from collscope.setup import machine
    from collscope.setup.steps import SetupError

    folder = paths.cache_dir() / "pages"
    if out:
        folder = folders.own(out, "a site of this command", lambda there: (there / "README.html").exists())
    try:
        machine.ensure_python(paths.ROOT, "site")
    except SetupError as error:
        raise UserError(str(error)) from error
    first = site.build(folder)
    print(f"written: {paths.display(first)}")
    if port is not None:
        site.serve(folder, port)
