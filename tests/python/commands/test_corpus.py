"""Inputs that once gave a traceback, hung or were taken without a word: each gets a short message and a status through the command line.

What the fuzzing of tests/python/fuzz finds is put into tests/python/corpus/, with a name that says what it is.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import paths, programs
from command_line import call

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="needs the prover; ./collscope doctor says more")

CORPUS = Path(__file__).parents[1] / "corpus"
FOUND = sorted(CORPUS.glob("*/*.*"))
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
