"""collscope.commands.cli: what the command line says to requests that cannot be met: message, exit status, and nothing left behind."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import click
import pytest

from collscope import __version__
from collscope.base import commit
from collscope.catalogue.registry import Registry
from collscope.commands import cli
from collscope.setup.steps import SetupError
from collscope.sources import mpirun, smpirun
from collscope.studies.request import Request
from command_line import RUN, call, commands


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("rnu",), 'unknown command "rnu"; did you mean "run"'),
        (("run", "--ranks", "4", "-a", "bcast/mst", "--bytes", "4"), "--on"),
        ((*RUN, "-a", "bcast/mts", "--bytes", "4"), 'did you mean "bcast/mst"'),
        ((*RUN, "-c", "bcats", "-a", "mst", "--bytes", "4"), 'did you mean "bcast"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4KB"), "write 4KiB"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "5"), "nearest: 4 B or 8 B"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--source", "sim,reel"), 'did you mean "real"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--source", "real"), "use --on this_machine"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--metric", "makspan"), 'did you mean "makespan"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--type", "flaot"), 'did you mean "float"'),
        ((*RUN, "-c", "allreduce", "-a", "bucket", "--bytes", "4", "--op", "sun"), 'did you mean "sum"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--mapping", "blok"), 'did you mean "block"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--nodes", "9"), "tiny has 4 nodes"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--csv", "/etc/passwd/x.csv"), "cannot be written"),
        (
            ("run", "--on", "tiny", "--nodes", "1", "--ranks", "5", "-a", "bcast/mst", "--bytes", "4"),
            "5 ranks do not fit on 1",
        ),
        (("run", "--on", "tiny", "--ranks", "x", "-a", "bcast/mst", "--bytes", "4"), "cannot read the ranks"),
        (("prove", "bcast/mts"), 'did you mean "bcast/mst"'),
        ((*RUN, "-a", "bcast/mst", "--bytes", "999999999999GiB"), "too large"),
        ((*RUN, "-a", "allgather/bucket", "--block-bytes", "4..2048TiB"), "too large"),
        ((*RUN, "-a", "allgather/bucket", "--block-bytes", "1024TiB"), "the largest vector is 1024 TiB"),
        ((*RUN, "-a", "bcast/mst", "--bytes", "2EiB"), "the unit is none of"),
        ((*RUN, "-a", "bcast/knomial[k=2,k=4]", "--bytes", "4"), "k is given twice"),
        (("run", "--no-such-option"), "No such option"),
        ((*RUN, "--on", "other", "-a", "bcast/mst", "--bytes", "4"), "--on is given twice"),
        ((*RUN, "-a", "bcast/mst", "-a", "bcast/linear", "--bytes", "4"), "--algorithms is given twice"),
        (("show", "bcast/mst", "--ranks", "4", "--ranks", "8"), "--ranks is given twice"),
        (("show", "bcast"), "bcast is a collective; say which of its algorithms: bcast/"),
        (("list", "-c", "foo"), "allreduce"),
        ((*RUN, "-a", "bcast/knomial[k=²]", "--bytes", "4"), "k=²: k is a number from"),
        ((*RUN, "-a", "bcast/knomial[k=--5]", "--bytes", "4"), "k=--5: k is a number from"),
        ((*RUN, "-a", f"bcast/knomial[k={'9' * 5000}]", "--bytes", "4"), "k is a number from"),
        ((*RUN, "-a", "bcast/mst", "--bytes", "9" * 5000), "too long"),
        (("prove", "bcast/mst", "--ranks", "9" * 5000), "cannot read the ranks"),
        (("prove", "bcast/mst", "--ranks", "1..99999999"), "too many"),
    ],
)
def test_usage_errors(tiny: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str) -> None:
    status, out, err = call(capsys, *words)
    assert status == 2
    assert says in err
    assert err.startswith("collscope: ")
    assert out == ""
    assert not list(tiny.iterdir())


def test_a_platform_that_does_not_load_is_a_failure(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "run", "--on", "big", "--ranks", "4", "-a", "bcast/mst", "--bytes", "4")
    assert (status, err) == (1, 'collscope: unknown platform "big"\n')


def test_the_version_names_what_numbers_depend_on(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "--version")
    assert (status, err) == (0, "")
    first, *rest = out.splitlines()
    assert first.startswith(f"collscope {__version__}")
    assert f", commit {commit.describe()}" in first or not commit.describe()
    python = rest[-1]
    assert python.startswith(f"Python {platform.python_version()}: click ")
    assert f"numpy {metadata.version('numpy')}" in python


def test_the_version_without_simulator_and_mpi(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    smpirun.version.cache_clear()
    mpirun.library.cache_clear()
    status, out, _ = call(capsys, "--version")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == ["collscope", "Python"]


SLOW = ("pandas", "matplotlib", "pydantic", "lxml", "jinja2", "numpy", "scipy")

# Calls the command line with each line of words, and says after which of them something slow was there.
WATCHED = """
import sys, contextlib, io
from collscope.commands import cli
for line in sys.stdin.read().splitlines():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        cli.main(line.split())
    for name in [n for n in sys.argv[1:] if n in sys.modules]:
        print(f"{line}: {name}")
        del sys.modules[name]
"""


def test_no_command_loads_what_it_does_not_use() -> None:
    """Each takes a second to load, of commands that answer in less."""
    lines = ["--help", "--version", *(f"{name} --help" for name in cli.COMMANDS), "study run --help"]
    lines += ["list", "list -c bcast", "list --platforms --json", "prove bcast/mst --ranks 4"]
    lines += ["decide -c bcast --ranks 4 --bytes 4", "show bcast/mst --ranks 4 --no-pictures"]
    words = [sys.executable, "-c", WATCHED, *SLOW]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, input="\n".join(lines), capture_output=True, text=True, env=env, check=True)
    assert done.stdout == ""
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("schooner[nic=1]", 'no parameter "nic"'),
        ("schooner[nic_bytes_per_s=-1]", "0 or more"),
        ("schooner[nic_bytes_per_s=fast]", "must be a number"),
        ("schooner[nodes=nan]", "1 or more"),
        ("schooner[nodes=inf]", "1 or more"),
        ("nothere.xml", "no such file"),
        ("nothere", "unknown platform"),
    ],
)
def test_a_platform_that_cannot_be_read_is_refused(
    known: Registry, workplace: Path, capsys: pytest.CaptureFixture[str], name: str, says: str
) -> None:
    status, out, err = call(capsys, "run", "--on", name, "--ranks", "4", "-a", "bcast/mst", "--bytes", "4")
    assert (status, out) == (2, "")
    assert says in err


def test_alone_it_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ((), ("study",)):
        status, out, err = call(capsys, *words)
        assert (status, out) == (2, "")
        assert err.startswith("Usage: collscope")
        assert "run" in err


SINGLE = [
    (words, option.opts[-1])
    for words, command in commands(cli.cli)
    for option in command.params
    if isinstance(option, click.Option) and not (option.multiple or option.is_flag)
]


@pytest.mark.parametrize(("words", "option"), SINGLE, ids=lambda v: v if isinstance(v, str) else " ".join(v))
def test_a_single_option_is_not_taken_twice(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], option: str
) -> None:
    status, _, err = call(capsys, *words, option, "1", option, "2")
    assert status == 2
    assert f"{option} is given twice" in err


NEEDED = {
    "run": "--on x -a all",
    "show": "bcast/mst",
    "prove": "bcast/mst",
    "decide": "-c bcast --ranks 4",
    "explain": "bcast/mst",
}


@pytest.mark.parametrize("name", NEEDED)
def test_a_request_has_the_defaults_of_the_options(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the command line makes without options is what Request makes by itself: no default is said twice differently."""
    module, requests = import_module(cli.COMMANDS[name]), list[Any]()
    monkeypatch.setattr(module, "run", requests.append)
    assert call(capsys, name, *NEEDED[name].split()) == (0, "", "")
    (request,) = requests
    needed = {"run": ("platform", "algorithms"), "decide": ("collective", "ranks"), "explain": ("algorithms",)}
    assert request == type(request)(**{field: getattr(request, field) for field in needed.get(name, ("algo",))})


def test_a_figure_is_drawn_alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = list[Any]()
    monkeypatch.setattr("collscope.studies.one_figure.run", lambda *a: drawn.append(a) or [Path("a.svg")])
    words = ("study", "run", "x", "--figure", "5.1")
    assert call(capsys, *words, "--quick", "--point-timeout", "2.5s") == (0, "a.svg\n", "")
    assert drawn == [("x", "5.1", Request(quick=True, point_timeout=2.5))]
    for option in ("--vary-ranges", "--write-reference"):
        assert call(capsys, *words, option)[0] == 2
    assert len(drawn) == 1


def test_studies_are_listed_in_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collscope.studies.reader.list_studies", lambda: [("a", "one"), ("long", "two")])
    assert call(capsys, "study", "list") == (0, "a     one\nlong  two\n", "")


@pytest.mark.parametrize(
    ("words", "function", "arguments", "status"),
    [
        (["test"], "setup.testing.run", (False,), 0),
        (["test", "--full"], "setup.testing.run", (True,), 1),
        (["doctor"], "setup.doctor.main", (), 1),
        (["docs"], "reference.docs.run", (cli.cli, False), 0),
        (["docs", "--check"], "reference.docs.run", (cli.cli, True), 1),
    ],
)
def test_flags_reach_the_work_and_its_status_is_the_commands(
    words: list[str], function: str, arguments: tuple[object, ...], status: int,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    called: list[object] = []
    monkeypatch.setattr(f"collscope.{function}", lambda *a: called.append(a) or status)
    assert call(capsys, *words)[0] == status
    assert called == [arguments]


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        ("", [["prove", "smpi"]]),
        ("--real", [["prove", "smpi", "mpi"]]),
        ("--simgrid-from-source", ["simgrid", ["prove", "smpi"]]),
        ("--cluster", [["prove", "smpi"], "cluster"]),
    ],
)
def test_setup_prepares_what_its_options_name(
    words: str, steps: list[object], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[object] = []
    monkeypatch.setattr("collscope.setup.simgrid_source.ensure", lambda _: done.append("simgrid"))
    monkeypatch.setattr("collscope.setup.machine.ensure", lambda _, presets: done.append(presets))
    monkeypatch.setattr("collscope.setup.machine.ensure_python", lambda _, libraries: done.append(libraries))
    assert call(capsys, "setup", *words.split()) == (0, "ready\n", "") and done == steps


def test_a_setup_that_fails_says_why(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise SetupError("missing: a compiler")

    monkeypatch.setattr("collscope.setup.machine.ensure", fail)
    assert call(capsys, "setup") == (1, "", "collscope: missing: a compiler\n")
