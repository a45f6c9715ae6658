"""collscope.points.table: the columns of the table, and reading it back."""

import math
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collscope.base.errors import UserError
from collscope.points import table
from collscope.points.table import make_row, read_csv, to_frame, write_csv


def row(time: float | None, status: str = "ok") -> table.Row:
    return make_row(
        source="sim", platform="tiny", nodes=1, ranks=2, mapping="block", collective="bcast",
        algorithm="bcast/knomial[k=4,s=0]", bytes=4, block_bytes=4, type="float", in_place=0, root=0, metric="makespan",
        launches=1, repetitions=1, median_s=time, q1_s=time, q3_s=time, min_s=time, max_s=time, status=status,
    )  # fmt: skip


def test_columns_of_the_contract_come_first() -> None:
    promised = (
        "source, platform, nodes, ranks, mapping, collective, algorithm, bytes, block_bytes, type, op, in_place, root, "
        "metric, launches, repetitions, median_s, q1_s, q3_s, min_s, max_s, chose, status"
    )
    assert table.COLUMNS[:23] == tuple(promised.split(", "))


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_times_come_back_to_the_last_digit(time: float) -> None:
    text = table.csv_text([row(time)])
    assert float(text.splitlines()[1].rpartition('"')[2].split(",")[10]) == time


def test_tables_come_back(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "t.csv"
    write_csv([row(1.25e-6), row(None, "needs an even number of ranks, say 4")], file)
    frame = read_csv(file)
    assert list(frame.columns) == list(table.COLUMNS)
    assert frame.median_s[0] == 1.25e-6
    assert math.isnan(frame.median_s[1])
    assert frame.op[0] == ""
    assert frame.status[1] == "needs an even number of ranks, say 4"
    again = tmp_path / "again.csv"
    write_csv(frame, again)
    assert again.read_bytes() == file.read_bytes()


def test_extra_columns_stand_in_tables_that_have_them(tmp_path: Path) -> None:
    """A table without them is as it always was; of one with them, rows that have none come back without."""
    banded = row(1.0) | {"counts": "linear", "noise_low_s": 0.9, "noise_median_s": 1.1, "noise_high_s": 1.3}
    measured = row(2.0) | {"times_s": "2 1.5 3", "floor": 0.25}
    beside = row(3.0) | {"pure_s": 2.0, "work_s": 2.0, "overlap": 0.5, "available": 0.75}
    beside |= {"drawn_low_s": 2.5, "drawn_high_s": 3.5}
    beside |= dict.fromkeys(table.TRAFFIC, 96)
    file = tmp_path / "t.csv"
    write_csv([banded, measured, beside], file)
    frame = read_csv(file)
    assert list(frame.columns) == [*table.COLUMNS, *table.EXTRA]
    first, second, third = table.to_rows(frame)
    assert (first["noise_high_s"], first["times_s"]) == (1.3, "")
    assert (second["noise_low_s"], second["times_s"], second["floor"]) == (None, "2 1.5 3", 0.25)
    assert (third["overlap"], first["overlap"]) == (0.5, None)
    write_csv([row(3.0)], file)
    assert list(read_csv(file).columns) == list(table.COLUMNS)


def test_strange_columns_are_refused() -> None:
    with pytest.raises(KeyError):
        make_row(colour="red")
    assert to_frame([]).empty


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "t.csv"
    file.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UserError, match="disk is full"):
        write_csv([row(1.0)], file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="no column source"):
        read_csv(file)
    with pytest.raises(UserError, match="No such file"):
        read_csv(tmp_path / "none.csv")


def test_empty_cells_and_kinds_of_columns(tmp_path: Path) -> None:
    """Texts are empty, numbers None in a row; in a frame whole numbers are 0 and times NaN."""
    empty = make_row()
    assert {c for c, v in empty.items() if v is None} == {*table.INTEGERS, *table.REALS} - {*table.EXTRA}
    assert {c for c, v in empty.items() if v == ""} == table.TEXT - {*table.EXTRA}
    assert (
        *("nodes", "ranks", "bytes", "block_bytes", "in_place", "root", "launches", "repetitions"),
        *table.TRAFFIC,
    ) == table.INTEGERS
    assert table.COLUMNS[23:27] == ("back_end", "sources_hash", "platform_hash", "kind")
    assert (
        table.COLUMNS[27:]
        == ("ci_low_s", "ci_high_s", "outliers", "unstable", "start", "buffers", "skew")
        == table.LATER
    )
    frame = to_frame([empty, row(2.5)])
    assert {c for c in table.COLUMNS if frame[c].dtype == "int64"} == set(table.INTEGERS) - {*table.EXTRA}
    assert {c for c in table.COLUMNS if frame[c].dtype == "float64"} == set(table.REALS) - {*table.EXTRA}
    assert [frame[c][0] for c in ("nodes", "bytes", "platform")] == [0, 0, ""]
    assert math.isnan(frame.median_s[0])
    back = table.to_rows(frame)
    assert [back[0][c] for c in ("median_s", "max_s", "nodes", "status")] == [None, None, 0, ""]
    assert back[1]["median_s"] == 2.5
    assert table.csv_text([make_row(nodes=1, in_place=True, min_s=0.1, status="a,b")]).splitlines()[1] == (
        ',,1,,,,,,,,,1,,,,,,,,0.1,,,"a,b",,,,,,,,,,,'
    )
    file = tmp_path / "t.csv"
    for column, text in (("nodes", "one"), ("max_s", "long")):
        write_csv([{**row(1.0), column: text}], file)
        with pytest.raises(UserError, match=rf"column {column}: .*{text}"):
            read_csv(file)
    full = {c: f"a {c}" for c in table.TEXT} | {c: i for i, c in enumerate((*table.INTEGERS, *table.REALS))}
    write_csv([make_row(**full)], file)
    assert table.to_rows(read_csv(file)) == [full]


def test_a_table_from_before_measurements_had_columns_of_their_own_is_read(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    write_csv([row(2.5)], file)
    file.write_text("".join(line.rsplit(",", len(table.LATER))[0] + "\n" for line in file.read_text().splitlines()))
    frame = read_csv(file)
    assert list(frame.columns) == list(table.COLUMNS) and frame.median_s[0] == 2.5
    assert math.isnan(frame.outliers[0]) and math.isnan(frame.ci_low_s[0]) and frame.unstable[0] == ""


def test_measurements_alone_have_the_last_columns() -> None:
    text = table.csv_text([row(1.0)]).splitlines()[1]
    assert text.endswith("," * len(table.LATER))
