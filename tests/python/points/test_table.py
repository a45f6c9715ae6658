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


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="no column source"):
        read_csv(file)
    with pytest.raises(UserError, match="No such file"):
        read_csv(tmp_path / "none.csv")
