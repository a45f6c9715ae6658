"""collscope.commands.cli, collscope.commands.groups: the help of every command: it fits a terminal, with headings where it is long."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from collscope.commands import cli, run
from terminal import widest

ALL = [[name] for name in cli.COMMANDS] + [["study", "run"], ["study", "list"], ["study"], ["testbed"], []]


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_fits_80_columns(words: list[str]) -> None:
    done = CliRunner().invoke(cli.cli, [*words, "--help"], terminal_width=80)
    assert done.exit_code == 0
    assert "Usage:" in done.output and ("./collscope " in done.output or words[:1] != ["run"])
    assert widest(done.output) <= 80, max(done.output.splitlines(), key=len)
    assert "..." not in re.sub(r"\]\.\.\.|PROGRAM\.\.\.", "", done.output), "the summary of a command is cut"


def test_help_of_many_options_has_headings() -> None:
    """Each option once, under its heading."""
    text = CliRunner().invoke(cli.cli, ["run", "--help"], terminal_width=80).output
    headings = re.findall(r"^(\w.*):$", text, re.MULTILINE)
    assert headings == ["What to call", "Where", "What to time", "Real runs", "Simulations", "Output"]
    assert re.findall(r"^  .*?(--\w[\w-]*) ", text.split("Simulations:")[1].split("Output:")[0], re.MULTILINE) == [
        "--jobs", "--cluster", "--force", "--point-timeout",
    ]  # fmt: skip
    options = [o.opts[-1] for o in run.command.params if isinstance(o, click.Option)]
    assert [
        option for option in options if len(re.findall(rf"^  (?:-.*, )?{option}[ ,]", text, re.MULTILINE)) != 1
    ] == []
