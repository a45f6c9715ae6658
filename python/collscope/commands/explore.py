"""The `explore` command: a page in which schedules are stepped through, timed and compared, and results are looked at."""

from __future__ import annotations

import click

from collscope.base import folders, paths
from collscope.base.errors import UserError
from collscope.base.units import format_size
from collscope.commands import requests
from collscope.machines import find


@click.command("explore", short_help="Make a page to step through schedules and compare algorithms.")
@click.argument("results", nargs=-1, metavar="[RESULTS]...")
@click.option(
    "--on", "on", metavar="MACHINES", help="Machines of the page, separated by commas.  [default: all in platforms/]"
)
@click.option("--out", metavar="FOLDER", required=True, help="Folder of the page; index.html is the page.")
def command(results: tuple[str, ...], on: str | None, out: str) -> None:
    """Make a page that needs no server and no network: choose a collective, an algorithm and a machine, step through its
    schedule, see when each message is under way and why it takes so long, compare two algorithms, and find the fastest by size.

    RESULTS are folders with a table.csv (of studies and campaigns) or CSV files of `run --csv`, to be looked at in the page;
    without any it holds all tables of results/. The prover runs in the page itself, as WebAssembly: Emscripten is installed
    where it is missing."""
    from collscope.explorer import page, tables
    from collscope.setup import machine
    from collscope.setup.steps import SetupError

    folder = folders.own(out, "a page of this command", lambda path: folders.only(path, *page.FILES))
    chosen = [tables.named(name) for name in results] or tables.committed()
    machines = machines_of(on)
    try:
        machine.ensure_wasm(paths.ROOT)
    except SetupError as error:
        raise UserError(str(error)) from error
    written = page.write(folder, machines, chosen)
    first = sum((folder / name).stat().st_size for name in page.FILES if (folder / name).is_file())
    print(f"written: {paths.display(folder / 'index.html')}")
    print(f"{len(written)} files; the page loads {format_size(first)}, each table when it is chosen")


def machines_of(on: str | None) -> list[str]:
    """The machines that are named; those of platforms/ where none is. UserError: there is no such machine."""
    if on is not None:
        names = requests.platforms(on)
        for name in names:
            find.load(name)
        return names
    return [name for name in find.list_platforms() if name not in ("ideal", find.HERE)]
