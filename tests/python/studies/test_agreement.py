"""collscope.studies.agreement: what a study says at its end of the committed reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from collscope.points import table
from collscope.studies.agreement import NAMES, compare, with_reference

TIMES = ("median_s", "q1_s", "q3_s", "min_s", "max_s")


def row(size: int = 8, **changed: Any) -> table.Row:
    cells: dict[str, Any] = {
        "source": "sim", "platform": "tiny", "nodes": 2, "ranks": 4, "mapping": "block", "collective": "bcast",
        "algorithm": "bcast/linear", "bytes": size, "type": "float", "root": 0, "metric": "makespan", "status": "ok",
        **dict.fromkeys(TIMES, 0.1 + 0.2), "sources_hash": "a",
    }  # fmt: skip
    return table.make_row(**{**cells, **changed})


def printed(fresh: list[table.Row], reference: list[table.Row]) -> list[str]:
    return list(compare(table.csv_text(fresh), table.csv_text(reference)).lines())


def test_equal_rows_are_counted() -> None:
    assert printed([row(8), row(16)], [row(16), row(8)]) == ["2 of 2 rows equal the reference"]


def test_the_hashes_of_a_row_do_not_count_as_a_difference() -> None:
    assert printed([row(sources_hash="b", back_end="SimGrid 9")], [row()]) == ["1 of 1 rows equal the reference"]


def test_a_part_of_the_study_is_compared_with_its_own_rows() -> None:
    assert printed([row(16)], [row(8), row(16), row(32)]) == ["1 of 1 rows equal the reference"]


@pytest.mark.parametrize("column", [*TIMES, "chose", "status"])
def test_the_last_digit_counts_in_every_column(column: str) -> None:
    other = 0.3 if column in TIMES else "other"
    first, second = printed([row(8), row(16, **{column: other})], [row(8), row(16)])
    assert first == "1 of 2 rows equal the reference"
    kept = {"chose": "empty", "status": "ok"}.get(column, "0.30000000000000004")
    assert second == f"sim bcast/linear, 2 nodes, 4 ranks, 16 B: {column} is {other}, in the reference {kept}"


def test_a_row_is_identified_by_its_point_and_layout() -> None:
    words = "source platform nodes ranks mapping collective algorithm bytes type op in_place root metric buffers counts"
    assert " ".join(NAMES) == words


@pytest.mark.parametrize("column", NAMES)
def test_a_row_that_the_reference_has_not_is_new(column: str) -> None:
    other = row(**{column: "x" if column in table.TEXT else 99})
    assert printed([other], [row()]) == ["0 of 1 rows equal the reference; 1 are not in it"]


def test_the_first_differences_are_shown_and_the_others_counted() -> None:
    sizes = range(8, 16)
    lines = printed([row(s, median_s=1.0) for s in sizes], [row(s) for s in sizes])
    assert lines[0] == "0 of 8 rows equal the reference"
    assert len(lines) == 7
    assert lines[1].startswith("sim bcast/linear, 2 nodes, 4 ranks, 8 B: median_s is 1.0")
    assert lines[-1] == "and 3 more rows differ"


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_without_a_reference_nothing_is_compared(content: bytes | None, tmp_path: Path) -> None:
    if content:
        (tmp_path / "table.csv").write_bytes(content)
    assert with_reference(table.csv_text([row()]), tmp_path) is None


def test_another_metric_is_named_and_five_are_shown_without_a_rest() -> None:
    lines = printed([row(median_s=1.0, metric="root")], [row(metric="root")])
    assert lines[1].startswith("sim bcast/linear, 2 nodes, 4 ranks, 8 B, root: median_s is 1.0")
    assert len(printed([row(s, median_s=1.0) for s in range(5)], [row(s) for s in range(5)])) == 6
    lines = printed([row(8, median_s=1.0), row(16), row(32)], [row(8), row(16)])
    assert lines[0] == "1 of 3 rows equal the reference; 1 are not in it"
