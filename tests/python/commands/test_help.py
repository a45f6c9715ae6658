"""collscope.commands.cli, collscope.commands.groups: the help of every command: it fits a terminal, and it is there at once."""

from __future__ import annotations

import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from collscope.commands import cli, run
from terminal import ROOT, widest

ALL = [[name] for name in cli.COMMANDS] + [["study", "run"], ["study", "list"], []]
HEAVY = ("numpy", "pandas", "matplotlib", "pydantic", "lxml", "scipy")


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_fits_80_columns(words: list[str]) -> None:
    done = CliRunner().invoke(cli.cli, [*words, "--help"], terminal_width=80)
    assert done.exit_code == 0
    assert "Usage:" in done.output
    assert widest(done.output) <= 80, max(done.output.splitlines(), key=len)


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


def test_help_imports_nothing_heavy() -> None:
    """Of all commands in one process: each imports what its help needs."""
    program = f"""
import sys
from click.testing import CliRunner
from collscope.commands import cli, run
for words in {ALL!r}:
    CliRunner().invoke(cli.cli, [*words, "--help"])
    print(" ".join(words), [name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"},
    )
    assert [line for line in done.stdout.splitlines() if not line.endswith(" []")] == []
