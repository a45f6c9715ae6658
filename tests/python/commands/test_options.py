"""collscope.commands.cli, collscope.commands.explain: the options of every command as they are typed, and that each has its effect."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator

import click
import pytest

from collscope.commands import cli
from command_line import commands

ALL = list(commands(cli.cli))


def lines() -> Iterator[str]:
    for words, command in ALL:
        for p in command.params:
            is_option = isinstance(p, click.Option)
            names = "/".join([", ".join(p.opts), *p.secondary_opts]) if is_option else f"<{p.name}>"
            limits = p.type._describe_range() if isinstance(p.type, (click.IntRange, click.FloatRange)) else ""
            kind = "" if is_option and p.is_flag else f" {p.metavar or p.type.name}{f' ({limits})' * bool(limits)}"
            default = p.default() if callable(p.default) else p.default
            usual = f" = {default}" if isinstance(default, (str, int, float)) and not isinstance(default, bool) else ""
            shown = " shown" if is_option and p.show_default else ""
            more = shown + " needed" * p.required + " several" * (p.multiple if is_option else p.nargs < 0)
            yield f"{' '.join(words)} {names}{kind}{usual}{more} -> {p.name}"


def test_options_are_the_golden_ones(golden: Callable[[str, str], None]) -> None:
    golden("options", "\n".join(lines()))


@pytest.mark.parametrize(("words", "command"), ALL, ids=[" ".join(words) for words, _ in ALL])
def test_a_command_takes_what_its_options_give(words: tuple[str, ...], command: click.Command) -> None:
    assert command.callback
    taken = inspect.signature(inspect.unwrap(command.callback)).parameters.values()
    named = {p.name for p in taken if p.kind is not inspect.Parameter.VAR_KEYWORD}
    given = {p.name for p in command.params if p.expose_value}
    assert named <= given and (named == given or len(named) < len(taken)), words
