"""The `compare` command: which rows are held against which, and what a report is of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from collscope.campaigns import report
from collscope.commands import compare
from collscope.points.table import make_row, write_csv
from command_line import call


def rows(source: str, algorithm: str = "bcast/linear") -> dict[str, Any]:
    base = {
        "platform": "tiny",
        "nodes": 2,
        "ranks": 4,
        "mapping": "block",
        "collective": "bcast",
        "bytes": 4,
        "block_bytes": 4,
    }
    base |= {
        "type": "float",
        "in_place": 0,
        "root": 0,
        "metric": "makespan",
        "status": "ok",
        "median_s": 1.0,
        "q1_s": 1.0,
    }
    return make_row(**base | {"q3_s": 1.0, "source": source, "algorithm": algorithm})


@pytest.fixture
def shown(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The pairs of sources that were compared; tables of one source, of two and of three."""
    monkeypatch.chdir(workplace)
    made: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "collscope.analysis.prediction.joined", lambda one, two: (one.source.iloc[0], two.source.iloc[0])
    )
    monkeypatch.setattr(compare, "show", made.append)
    for name, sources in {
        "m": ("model",),
        "s": ("sim",),
        "r": ("real",),
        "ms": ("model", "sim"),
        "sr": ("sim", "real"),
        "msr": ("model", "sim", "real"),
    }.items():
        write_csv([rows("bound", "bound/loggp"), *map(rows, sources)], f"{name}.csv")
    return made


@pytest.mark.parametrize(
    ("words", "pair"),
    [
        ("m.csv r.csv", ("model", "real")),
        ("r.csv m.csv", ("real", "model")),
        ("m.csv m.csv", ("model", "model")),
        ("ms.csv", ("model", "sim")),
        ("sr.csv", ("sim", "real")),
        ("msr.csv", ("model", "real")),
        ("msr.csv --predicted sim", ("sim", "real")),
        ("msr.csv --predicted real", ("real", "sim")),
        ("msr.csv --measured sim", ("model", "sim")),
        ("msr.csv m.csv --predicted sim", ("sim", "model")),
        ("m.csv msr.csv --measured sim", ("model", "sim")),
    ],
)
def test_which_source_is_held_against_which(
    shown: list[Any], capsys: pytest.CaptureFixture[str], words: str, pair: tuple[str, str]
) -> None:
    assert call(capsys, "compare", *words.split()) == (0, "", "")
    assert shown == [pair]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("m.csv s.csv r.csv", "compare takes one table, or two: PREDICTED.csv MEASURED.csv"),
        ("none.csv", "none.csv: there is no such file; give a table that `run --csv FILE` wrote"),
        ("msr.csv r.csv", "msr.csv: has times of model, real, sim; choose with --predicted or --measured SOURCE"),
        ("m.csv r.csv --measured sim", "r.csv: has no times of source sim; it has real"),
        ("m.csv", "m.csv has only the source model; give a second table, or run with --source real,model"),
        ("ms.csv --predicted sim --measured sim",
         "ms.csv has only the source sim; give a second table, or run with --source real,model"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared(shown: list[Any], capsys: pytest.CaptureFixture[str], words: str, says: str) -> None:
    assert call(capsys, "compare", *words.split()) == (2, "", f"collscope: {says}\n")


@pytest.mark.parametrize(("words", "title"), [("m.csv r.csv", "m.csv beside r.csv"), ("msr.csv", "msr.csv")])
def test_a_report_is_written_and_told(
    shown: list[Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str, title: str
) -> None:
    written: list[Any] = []
    monkeypatch.setattr(report, "write", lambda made, folder: written.append((made, folder)))
    assert call(capsys, "compare", *words.split(), "--out", "new") == (0, "new/report.html\n", "")
    ((made, folder),) = written
    assert (made.title, made.both, folder) == (f"Predicted and measured: {title}", ("model", "real"), Path("new"))
    assert list(made.predicted.source) == ["model"] and list(made.bounds.algorithm) == ["bound/loggp"]
    write_csv([rows("model")], "m.csv")
    if "m.csv" in words.split():
        call(capsys, "compare", *words.split(), "--out", "new")
        assert written[1][0].bounds is None
