"""collscope.commands.cli: the help of every command: it fits a terminal, and it is there at once."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from collscope.commands import cli
from terminal import ROOT, widest

ALL = [[name] for name in cli.COMMANDS] + [["study", "run"], ["study", "list"], []]
HEAVY = ("numpy", "pandas", "matplotlib", "pydantic", "lxml", "scipy")


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_fits_80_columns(words: list[str]) -> None:
    done = CliRunner().invoke(cli.cli, [*words, "--help"], terminal_width=80)
    assert done.exit_code == 0
    assert "Usage:" in done.output
    assert widest(done.output) <= 80, max(done.output.splitlines(), key=len)


def test_help_imports_nothing_heavy() -> None:
    """Of all commands in one process: each imports what its help needs."""
    program = f"""
import sys
from click.testing import CliRunner
from collscope.commands import cli
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
