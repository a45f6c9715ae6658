"""Groups of commands: what a misspelt name was meant to be, and commands whose modules are loaded when they are called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from collscope.base.errors import unknown


class Commands(click.Group):
    """A group that knows what a misspelt command was meant to be, and lists its commands in the order in which they came."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """What click does; a UsageError that names the nearest command when there is none of that name."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise unknown("command", args[0], known, "./collscope --help lists them")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in their order."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, which takes single options once; None where there is no such command."""
        return _prepared(super().get_command(ctx, cmd_name), ctx)


def _prepared(command: click.Command | None, ctx: click.Context) -> click.Command | None:
    """The command, which refuses an option given twice where the last would silently win; flags may be repeated. For the shell's Tab
    key it also knows what values there are."""
    if command is not None and ctx.resilient_parsing:
        from collscope.commands import completion

        completion.offer(command)
    if command is None or hasattr(command, "collscope_once"):
        return command
    make_parser = command.make_parser

    def strict(ctx: click.Context) -> Any:
        parser = make_parser(ctx)
        parse_args = parser.parse_args

        def parse(args: list[str]) -> Any:
            parsed = parse_args(args=args)
            found: set[str] = set()
            for param in parsed[2]:
                if not isinstance(param, click.Option) or param.multiple or param.is_flag or param.count:
                    continue
                if param.name in found:
                    raise click.UsageError(f"{param.opts[-1]} is given twice; give it once", ctx)
                found.add(str(param.name))
            return parsed

        parser.parse_args = parse  # type: ignore[method-assign, assignment]
        return parser

    command.make_parser = strict  # type: ignore[method-assign]
    command.collscope_once = True  # type: ignore[attr-defined]
    return command


class Sectioned(click.Command):
    """A command with many options: help lists them under headings. `sections`: heading → names of parameters, in their order; the
    last one also has those that are in none."""

    def __init__(self, *args: Any, sections: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.sections = {heading: names.split() for heading, names in sections.items()}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes a list per section."""
        options = (p for p in self.get_params(ctx) if isinstance(p, click.Option))
        rows = {str(p.name): row for p in options if (row := p.get_help_record(ctx))}
        named = [[rows.pop(name) for name in names] for names in self.sections.values()]
        named[-1] += rows.values()
        for heading, section in zip(self.sections, named, strict=True):
            with formatter.section(heading):
                formatter.write_dl(section)


class LazyCommands(Commands):
    """A group of commands that each stand in a module of their own, as its `command`: name → module. A module is imported when
    its command is called or help lists it, so that every command starts at once."""

    def __init__(self, *args: Any, modules: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in their order; nothing is imported."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, its module imported; None where there is no such command."""
        if cmd_name not in self.modules:
            return None
        command = import_module(self.modules[cmd_name]).command
        assert isinstance(command, click.Command)
        return _prepared(command, ctx)
