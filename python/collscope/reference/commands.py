"""docs/commands.md: what each command's --help says. The command line hands its group in: this room knows no command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from collscope.base.files import says, write_atomically

NAME = "commands.md"
WIDTH = 100  # columns of a help text
_HEAD = "# Commands\n\nWhat `--help` says of each.\n"


def markdown(group: click.Group) -> str:
    """The page."""
    context = click.Context(group, info_name="./collscope", terminal_width=WIDTH, max_content_width=WIDTH)
    return _HEAD + "".join(_sections(group, context))


def _sections(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        own = click.Context(
            command,
            info_name=name,
            parent=context,
            terminal_width=WIDTH,
            max_content_width=WIDTH,
            **command.context_settings,
        )
        words = own.command_path.removeprefix("./collscope ")
        yield f"\n## {words}\n\n```text\n{command.get_help(own).rstrip()}\n```\n"
        if isinstance(command, click.Group):
            yield from _sections(command, own)


def stale(folder: Path, group: click.Group) -> list[str]:
    """What is out of date, in words."""
    path = folder / NAME
    return [] if says(path, markdown(group)) else [f"docs/{NAME}: not what the commands say"]


def write(folder: Path, group: click.Group) -> Path:
    """Writes the page."""
    write_atomically(folder / NAME, markdown(group))
    return folder / NAME
