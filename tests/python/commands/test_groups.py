"""collscope.commands.groups: commands that are loaded when they are called."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import click
import pytest

from collscope.base import paths
from collscope.commands import cli

SLOW = ("pandas", "matplotlib", "pydantic", "lxml", "rich")

# What a command's module brings with it before anything is asked of it.
PROGRAM = """
import sys
from collscope.commands import cli
import collscope.commands.{module}
print(*sys.modules)
"""


def test_every_module_holds_the_command_of_its_name() -> None:
    for name, module in cli.COMMANDS.items():
        command = import_module(module).command
        assert isinstance(command, click.Command)
        assert command.name == name
        assert command.get_short_help_str(200)


@pytest.mark.parametrize("module", sorted(module.rpartition(".")[2] for module in cli.COMMANDS.values()))
def test_a_command_loads_nothing_slow_and_no_other_command(module: str) -> None:
    env = {"PYTHONPATH": str(paths.ROOT / "python")}
    program = PROGRAM.format(module=module)
    text = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True).stdout
    loaded = set(text.split())
    assert not loaded & set(SLOW)
    assert loaded & set(cli.COMMANDS.values()) == {f"collscope.commands.{module}"}
