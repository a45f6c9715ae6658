"""collscope.commands.cli, tests/python/corpus: inputs that once gave a traceback, hung or were accepted.

Each gets a short message and a status through the command line.
What the fuzzing of tests/python/fuzz finds is put into tests/python/corpus/, with a name that says what it is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from collscope.base import console, paths, programs
from command_line import call
from made_platforms import SMALL

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs the prover; ./collscope doctor says more")

CORPUS = Path(__file__).parents[1] / "corpus"
FOUND = sorted(CORPUS.glob("*/*.*"))
SIX = """title = "Broadcast on two nodes"
setting = { platform = "PLATFORM", nodes = [2], ranks = [8] }
sizes = { bytes = "4KiB,64KiB" }
[[collective]]
name = "bcast"
algorithms = ["bcast/mst", "bcast/chain"]
"""
RUN = ("--nodes", "2", "--ranks", "4", "-a", "bcast/mst", "--bytes", "4", "--source", "bound")


def words_for(path: Path) -> tuple[str, ...]:
    """The command that reads a file of the corpus."""
    return ("study", "run", str(path)) if path.parent.name == "study" else ("run", "--on", str(path), *RUN)


def check_refused(status: int, out: str, err: str) -> None:
    """One message of few lines, and a status that says so."""
    assert status in (1, 2), err
    assert out == ""
    assert err.startswith("collscope: ")
    assert err.count("\n") <= 6
    assert max(map(len, err.splitlines())) < 500
    assert "Traceback" not in err


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_found_inputs_are_refused(
    path: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "RESULTS", workplace / "results")
    check_refused(*call(capsys, *words_for(path)))


def test_names_of_files_that_are_no_utf8(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    for name in ("\udcff.toml", "\udcff.xml"):
        for content in (None, b"x"):
            if content:
                Path(name).write_bytes(content)
            check_refused(*call(capsys, "run", "--on", name, *RUN))
    check_refused(*call(capsys, "study", "run", "\udcff.toml"))


@pytest.mark.parametrize("name", ["ideal[alpha=nan]", "ideal[beta=inf]", "ideal[alpha=1e999]", "ideal[cores=1e300]"])
def test_numbers_of_ideal_that_are_none(workplace: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    check_refused(*call(capsys, "run", "--on", name, *RUN))


@pytest.mark.parametrize(
    "name",
    ["small.toml[", "small.toml[nodes=8", "small.toml[nodes=8]x", "small.toml[nodes=8,nodes=9]", "schooner[nodes=8,nodes=9]",
     "\x1b[2J", "x" * 5000, "x" * 5000 + ".toml"],
)  # fmt: skip
def test_names_of_platforms_that_are_none(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(workplace)
    Path("small.toml").write_text(SMALL, encoding="utf-8")
    check_refused(*call(capsys, "run", "--on", name, *RUN))


def test_a_pipe_is_not_waited_for(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    for name in ("pipe.toml", "pipe.xml"):
        os.mkfifo(name)
        check_refused(*call(capsys, "run", "--on", name, *RUN))
    check_refused(*call(capsys, "study", "run", "pipe.toml"))


@pytest.mark.parametrize(
    "words",
    [("--op", ""), ("--csv", ""), ("--plot", ""), ("--point-timeout", "nan"), ("--point-timeout", "inf"),
     ("--csv", "x.svg", "--plot", "x.svg")],
    ids=" ".join,
)  # fmt: skip
def test_values_of_options_that_are_none(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(workplace)
    check_refused(*call(capsys, "run", "--on", "schooner", *RUN, *words))
    assert not list(workplace.glob("x.*"))


@pytest.mark.parametrize("columns", ["wide", "0", "-5", "²", "9" * 30])
def test_any_columns_of_the_environment(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    made = (console.out, console.err)  # by a test before this one, with other columns
    for one in made:
        one.cache_clear()
    status, out, err = call(capsys, "run", "--on", "schooner", *RUN)
    for one in made:
        one.cache_clear()
    assert (status, err) == (0, "") and "telephone" in out


def test_a_studys_platform_is_refused_with_the_studys_file(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    for platform, message in (("nosuch", "unknown platform"), ("ideal", "8 ranks do not fit")):
        Path("six.toml").write_text(SIX.replace("PLATFORM", platform), encoding="utf-8")
        status, out, err = call(capsys, "study", "run", "six.toml", "--out", "o")
        check_refused(status, out, err)
        assert err.startswith("collscope: six.toml: setting: ") and message in err


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_failure(closed: str) -> None:
    words = f"{sys.executable} -m collscope run --on schooner {' '.join(RUN)} {closed}"
    env = {**os.environ, "PYTHONPATH": str(paths.ROOT / "python")}
    made = subprocess.run(["bash", "-c", words], capture_output=True, text=True, env=env, check=False)
    assert (made.returncode, made.stderr) == (0, "")
