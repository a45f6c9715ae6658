"""collscope.commands.groups: commands that are loaded when they are called."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import click

from collscope.base import paths
from collscope.commands import cli

SLOW = ("pandas", "matplotlib", "pydantic", "lxml", "rich")

# What each command's module brings with it before anything is asked of it, each in a process that has loaded the groups alone.
PROGRAM = """
import os, sys
from importlib import import_module
from collscope.commands import cli
for module in cli.COMMANDS.values():
    if not os.fork():
        import_module(module)
        print(module, *sys.modules, flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""


def test_every_module_holds_the_command_of_its_name() -> None:
    for name, module in cli.COMMANDS.items():
        command = import_module(module).command
        assert isinstance(command, click.Command)
        assert command.name == name
        assert command.get_short_help_str(200)


def test_a_command_loads_nothing_slow_and_no_other_command() -> None:
    env = {"PYTHONPATH": str(paths.ROOT / "python")}
    text = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True).stdout
    loaded = {module: set(modules) for module, *modules in map(str.split, text.splitlines())}
    assert loaded.keys() == set(cli.COMMANDS.values())
    for module, modules in loaded.items():
        assert not modules & set(SLOW), module
        assert modules & set(cli.COMMANDS.values()) == {module}
