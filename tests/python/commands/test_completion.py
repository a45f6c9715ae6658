"""collscope.commands.completion: what the Tab key offers after the words of a command line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.catalogue.registry import Registry
from collscope.commands.cli import cli

INSTALL = (paths.ROOT / "docs" / "install.md").read_text("utf-8")


def offered(line: str) -> list[str]:
    """The values for the last word of a line."""
    *words, last = line.split(" ")
    return [item.value for item in ShellComplete(cli, {}, "collscope", "X").get_completions(words, last)]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("exp", ["explore", "explain"]),
        ("run --point", ["--point-timeout"]),
        ("run -a bcast/m", ["bcast/mst"]),
        ("show bcast/l", ["bcast/linear"]),
        ("explain bcast/mst bcast/l", ["bcast/linear"]),
        ("prove bcast/linear bc", []),  # one key alone
        ("prove sc", ["scatter/linear", "scatter"]),
        ("run -c bcast -a kno", ["knomial"]),
        ("run -c bcast,scatter -a linear,kno", ["linear,knomial"]),
        ("run -c bcast -a tw", ["twins"]),
        ("run -a tw", []),
        ("run -c nonsense -a l", []),
        ("run -c bcast,allr", ["bcast,allreduce"]),
        ("run --on scho", ["schooner"]),
        ("run --source model,s", ["model,sim"]),
        ("show --source b", []),
        ("run --mapping cy", ["cyclic"]),
        ("run --metric ma", ["makespan"]),
        ("show --kind graph,ga", ["graph,gantt"]),
        ("run --order g", ["grouped"]),
        ("run --buffers c", ["cold"]),
        ("run --launcher sl", ["slurm"]),
        ("validate orfeo", ["orfeo_published"]),
        ("study run bird_s", ["bird_schooner"]),
        ("frobnicate x", []),
    ],
)
def test_names_are_completed(known: Registry, line: str, values: list[str]) -> None:
    assert offered(line) == values


@pytest.mark.parametrize("line", ["run --csv t", "run --on ./m", "run -a linear,./m", "run --schedule x"])
def test_paths_are_completed_by_the_shell(known: Registry, line: str) -> None:
    *words, last = line.split(" ")
    (item,) = ShellComplete(cli, {}, "collscope", "X").get_completions(words, last)
    assert (item.type, item.value) == ("file", last)


def test_nothing_is_offered_where_the_programs_are_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise UserError("no prover")

    monkeypatch.setattr(registry, "load", fail)
    assert offered("show bcast/") == []


BASH = """
set -eu
eval "$(_COLLSCOPE_COMPLETE=bash_source ./collscope)"
complete -p collscope
COMP_WORDS=(./collscope run --on schoo) COMP_CWORD=3
_collscope_completion ./collscope
echo "${COMPREPLY[@]}"
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the command, which cannot import anything heavy."""
    script = tmp_path / "collscope"
    heavy = "','".join(("pandas", "matplotlib", "lxml", "numpy"))
    script.write_text(
        f"#!{sys.executable}\nimport sys\nfor name in ('{heavy}'): sys.modules[name] = None\n"
        "from collscope.commands.cli import main\nmain()\n"
    )
    script.chmod(0o755)
    return tmp_path


def printed(*words: str, at: Path, **variables: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(paths.ROOT / "python"), **variables}
    return subprocess.run(words, cwd=at, env=env, capture_output=True, text=True, check=True).stdout


def test_bash_completes_after_the_line_of_the_page(place: Path) -> None:
    found = printed("bash", "-c", BASH, at=place)
    assert found.splitlines()[-1] == "schooner" and "_collscope_completion collscope" in found
    assert 'eval "$(_COLLSCOPE_COMPLETE=bash_source ./collscope)"' in INSTALL


@pytest.mark.parametrize(
    ("shell", "typed", "answer", "line"),
    [
        ("zsh", ("collscope run --on schoo", "3"), "plain\nschooner\n_\n", 'eval "$(_COLLSCOPE_COMPLETE=zsh_source collscope)"'),
        ("fish", ("collscope run --on", "schoo"), "plain,schooner\n", "_COLLSCOPE_COMPLETE=fish_source collscope | source"),
    ],
)  # fmt: skip
def test_zsh_and_fish_get_their_answers(
    place: Path, shell: str, typed: tuple[str, str], answer: str, line: str
) -> None:
    """What the functions of the page's lines ask for."""
    words = {"COMP_WORDS": typed[0], "COMP_CWORD": typed[1], "_COLLSCOPE_COMPLETE": f"{shell}_complete"}
    assert printed("./collscope", at=place, **words) == answer
    source = printed("./collscope", at=place, _COLLSCOPE_COMPLETE=f"{shell}_source")
    assert f"COMPLETE={shell}_complete" in source
    assert (shell == "fish") == ("string split --max 1" in source), "a list's commas are its own in fish"
    assert line in INSTALL


FISH = """
_COLLSCOPE_COMPLETE=fish_source collscope | source
for line in $argv
    complete -C $line
end
"""
ZSH = """
zmodload zsh/zpty
zpty shell 'TERM=dumb COLUMNS=200 zsh -f -i'
zpty -w shell 'autoload -Uz compinit; compinit -u -D'
zpty -w shell 'eval "$(_COLLSCOPE_COMPLETE=zsh_source collscope)"'
zpty -w shell 'completed() { print -r -- "<$BUFFER>"; zle send-break }; zle -N completed; bindkey "^X" completed'
for line in "$@"; do
  zpty -n -w shell "$line"$'\t\x18'
  zpty -r shell seen '*<collscope *>*'
  print -r -- ${${seen##*<}%%>*}
done
zpty -d shell
"""
TYPED = (
    ("collscope run --on scho", "collscope run --on schooner"),
    ("collscope run -c bcast -a split", "collscope run -c bcast -a split_binary"),
    ("collscope run -c bcast,scatter -a linear,binom", "collscope run -c bcast,scatter -a linear,binomial"),
    ("collscope run --source model,si", "collscope run --source model,sim"),
)
"""Lines, and what Tab makes of them."""


def in_shell(shell: str, script: str, at: Path) -> list[str]:
    """What a shell prints that runs this script with the lines of TYPED; skipped where there is no such shell."""
    if not shutil.which(shell):
        pytest.skip(f"no {shell} on this machine (apt-get install {shell})")
    path = f"{at}{os.pathsep}{os.environ['PATH']}"
    words = [shell, "-f", "-c", script, shell] if shell == "zsh" else [shell, "--no-config", "-c", script]
    return printed(*words, *(line for line, _ in TYPED), at=at, PATH=path, HOME=str(at)).splitlines()


def test_tab_completes_in_zsh(known: Registry, place: Path) -> None:
    assert [line.rstrip() for line in in_shell("zsh", ZSH, place)] == [line for _, line in TYPED]


def test_tab_completes_in_fish(known: Registry, place: Path) -> None:
    assert in_shell("fish", FISH, place) == [line.rpartition(" ")[2] for _, line in TYPED]
