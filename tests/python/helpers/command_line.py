"""Calls of the command line within the process of a test."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from collscope.commands import cli

RUN = ("run", "--on", "tiny", "--ranks", "4")


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = 0
    try:
        cli.main(list(words))
    except SystemExit as error:
        status = int(error.code or 0)
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command
