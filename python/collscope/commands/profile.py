"""The `profile` command: which collective calls a program makes."""

from __future__ import annotations

from dataclasses import dataclass

import click


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    words: tuple[str, ...] = ()
    out: str = "profile.json"


def run(request: Request) -> int:
    """Runs the program, prints its profile, and returns its status."""
    from collscope.commands import exec_, preloaded, report

    variables = exec_.report_variable("--out", request.out) | {"COLLSCOPE_PROFILE": "1"}
    status = preloaded.run(request.words, variables)
    if status == 0:
        report.run(report.Request(request.out))
    return status


@click.command(
    "profile",
    short_help="Record which collective calls a program makes.",
    context_settings={"allow_interspersed_args": False},
)
@click.option("--out", metavar="FILE", default="profile.json", show_default=True, help="Where the profile is written.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND…")
def command(words: tuple[str, ...], out: str) -> int:
    """Record which collective calls a program makes, and how long it is inside them.

    One line per collective, kind of communicator and class of sizes: calls, bytes, time, and how far apart the ranks arrive, from samples
    (docs/preload.md)."""
    return run(Request(words, out))
