"""collscope.reference.commands: the page of all commands; and the command line knows what the pages tell a reader to type."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from collscope.base import paths
from collscope.commands import cli
from collscope.reference import commands

PAGES = [paths.ROOT / "README.md", paths.ROOT / "CONTRIBUTING.md", *sorted((paths.ROOT / "docs").glob("*.md")),
         *sorted((paths.ROOT / "labs").glob("*/handout.md"))]  # fmt: skip
PLACEHOLDER = re.compile(r"[…|]|\.\.\.|\bNAME\b|\bFOLDER\b|\bMACHINE\b")


def typed(page: Path) -> list[str]:
    """The calls of collscope in its blocks of a console, without comments."""
    blocks = re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in re.sub(r"\\\n\s*", "", block).splitlines()]
    calls = [line.removeprefix("$ ").partition("  #")[0].strip() for line in lines if line.startswith("$ ./collscope ")]
    return [call for call in calls if not PLACEHOLDER.search(call)]


def accept(words: list[str]) -> None:
    """Parses a command line as the program does, without running anything."""
    group: click.Command = cli.cli
    context = click.Context(group, info_name="collscope")
    while isinstance(group, click.Group):
        name, group, words = group.resolve_command(context, words)
        assert group is not None, name
        words = words[: words.index("--")] if "--" in words and not isinstance(group, click.Group) else words
        context = click.Context(group, info_name=name, parent=context, **group.context_settings)
    parser = group.make_parser(context)
    parser.parse_args(args=list(words))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(paths.ROOT)))
def test_the_command_line_knows_every_command_and_option_of_the_page(page: Path) -> None:
    for call in typed(page):
        accept(shlex.split(re.split(r"\s[|>&]+\s", call)[0])[1:])


def test_an_option_that_does_not_exist_is_found() -> None:
    with pytest.raises(click.UsageError):
        accept(["run", "--no-such-option", "3"])


def test_the_page_has_a_section_for_each_command_and_its_parts() -> None:
    text = commands.markdown(cli.cli)
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [h for h in headings if " " not in h] == list(cli.COMMANDS)
    assert {"study run", "lab grade"} <= set(headings)


def test_a_page_that_is_missing_is_stale(tmp_path: Path) -> None:
    assert commands.stale(tmp_path, cli.cli) == ["docs/commands.md: not what the commands say"]
    commands.write(tmp_path, cli.cli)
    assert commands.stale(tmp_path, cli.cli) == []
