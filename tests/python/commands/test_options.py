"""collscope.commands.cli, collscope.commands.explain: the options of every command as they are typed, and that each has its effect."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import click
import pytest

from collscope.commands import cli, explain
from command_line import call, commands

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


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("", {}),
        ("--no-crossings", {"crossings": False}),
        ("--plot x.svg", {"plot_path": "x.svg"}),
        ("--source sim", {"source": "sim"}),
        ("--skew linear:1us", {"skew": "linear:1us"}),
        ("--on y", {"platform": "y"}),
        ("--on y --without gap", {"platform": "y[without=gap]"}),
        ("--nodes 2", {"nodes": 2}),
        ("--ranks 3", {"ranks": 3}),
        ("--mapping cyclic", {"mapping": "cyclic"}),
        ("--bytes 4", {"sizes": "4"}),
        ("--root 3", {"root": 3}),
        ("--type double", {"type_name": "double"}),
        ("--in-place", {"in_place": True}),
        ("-c bcast", {"collective": "bcast"}),
        ("--repetitions 5", {"repetitions": 5}),
        ("--point-limit 0.5", {"point_limit": 0.5}),
    ],
)
def test_every_option_of_explain_reaches_its_request(
    words: str, changed: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[explain.Request] = []
    monkeypatch.setattr(explain, "run", asked.append)
    for more in ("--ranks 8", words if "--ranks" in words else f"--ranks 8 {words}"):
        assert call(capsys, "explain", "bcast/mst", *more.split())[0] == 0
    plain, made = ({**vars(r), **r.point} for r in asked)
    assert {name for name in made if name != "point" and made[name] != plain[name]} == set(changed)
    assert {name: made[name] for name in changed} == changed
    for status in (0, 2):
        monkeypatch.setattr(explain, "run", lambda _, status=status: status)
        assert call(capsys, "explain", "bcast/mst")[0] == status
