"""collscope.points.table_files: a table is written as its file's name ends, and read back as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import document_keys
from collscope.base.errors import UsageError, UserError
from collscope.points import table, table_files
from collscope.setup import machine
from collscope.setup.steps import SetupError
from made_rows import row
from refusals import refusal

ROWS = [
    row(source="model", algorithm="bcast/linear", bytes=4, seconds=1.1e-6),
    row(source="bound", algorithm="bound/loggp", bytes=4, seconds=0.3e-6) | {"q1_s": None, "times_s": "1e-06 2e-06"},
]


@pytest.mark.parametrize("ending", [".csv", ".json", ".parquet", ".JSON"])
def test_every_format_gives_the_same_table_back(tmp_path: Path, ending: str) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    name = str(tmp_path / f"table{ending}")
    table_files.check("--csv", name)
    table_files.write(ROWS, name)
    assert table.csv_text(table.to_rows(table_files.read(name))) == table.csv_text(ROWS)


def test_parquet_has_types_and_nulls(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table_files.write(ROWS, str(tmp_path / "t.parquet"))
    made = parquet.read_table(tmp_path / "t.parquet")
    types = {name: str(made.schema.field(name).type) for name in ("source", "bytes", "median_s")}
    assert types == {"source": "string", "bytes": "int64", "median_s": "double"}
    assert made["q1_s"].to_pylist()[1] is None and made.schema.metadata[b"schema"] == b"collscope/table"


def test_json_has_null_where_a_cell_is_empty(tmp_path: Path) -> None:
    table_files.write([ROWS[0] | {"median_s": float("nan")}], str(tmp_path / "t.json"))
    cells = document_keys.check((tmp_path / "t.json").read_text(), "table")["rows"][0]
    assert (cells["bytes"], cells["median_s"], cells["chose"]) == (4, None, None)


def test_json_from_before_measurements_had_columns_of_their_own_is_read(tmp_path: Path) -> None:
    cells = [{c: v for c, v in row.items() if c not in table.LATER} for row in table_files.named_cells(ROWS)]
    (tmp_path / "t.json").write_text(json.dumps({"rows": cells}))
    assert table.csv_text(table.to_rows(table_files.read(str(tmp_path / "t.json")))) == table.csv_text(ROWS)


@pytest.mark.parametrize("name", ["t.xls", "t", "t.csv.gz", "t.schedule"])
def test_another_ending_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(UsageError, match=f"--csv {name}: a table's name must end in .csv, .parquet or .json"):
        table_files.check("--csv", name)


def test_a_pipe_takes_csv(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    table_files.check("--csv", str(tmp_path / "pipe"))


def test_without_pyarrow_the_message_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any work; where it can be installed, it is."""

    def fail(*_: Any) -> None:
        raise SetupError("no network")

    monkeypatch.setattr(table_files.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(machine, "ensure_python", fail)
    text = refusal(table_files.check, "--csv", str(tmp_path / "t.parquet"))
    assert "Parquet needs Python's library pyarrow, and it cannot be installed: no network" in text and ".json" in text


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("{", "not JSON"),
        ("[]", 'no list of "rows"'),
        ('{"rows": [1]}', "row 1: not an object"),
        ('{"rows": [{}]}', "row 1 has no column source"),
        ('"bytes": "4"', "row 1: column bytes: 4 is not a whole number"),
        ('"bytes": true', "row 1: column bytes: True is not a whole number"),
        ('"bytes": 1e3', "row 1: column bytes: 1000.0 is not a whole number"),
        (f'"bytes": {10**30}', "is not a whole number"),
        (f'"median_s": {10**400}', "is not a number"),
        ('"source": 4', "row 1: column source: 4 is not a text"),
    ],
)
def test_other_documents_are_refused_with_row_and_column(tmp_path: Path, text: str, fact: str) -> None:
    name = tmp_path / "t.json"
    table_files.write(ROWS[:1], str(name))
    if text.startswith('"'):
        whole = json.loads(name.read_text())
        whole["rows"][0] |= json.loads(f"{{{text}}}")
        text = json.dumps(whole)
    name.write_text(text)
    assert fact in refusal(table_files.read, str(name))


def test_a_broken_parquet_file_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 not really PAR1")
    with pytest.raises(UserError, match="not a table in Parquet"):
        table_files.read(str(tmp_path / "t.parquet"))
