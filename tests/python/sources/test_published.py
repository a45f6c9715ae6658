"""collscope.sources.published: which of our keys they are of, and the row that each gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.points.plan import Layout, Point
from collscope.points.table import make_row
from collscope.sources import call_table, published
from collscope.sources.source import Options
from open_mpi import needs_prover
from tiny_platform import tiny

HEAD = "collective,algorithm_id,algorithm_name,processes,bytes,latency_us,runs\n"
LINES = "bcast,1,linear,8,4,3.5,7\nbcast,0,default,2,16,2,1\nbcast,0,default,2,4,1,1\nbarrier,4,x,2,4,9,1\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of published times, of a platform that is named tiny."""
    table = published.Table("mine.csv", 2, "packed", "a page")
    monkeypatch.setattr(published, "DATA", tmp_path)
    monkeypatch.setattr(published, "TABLES", {"tiny": table, "other": table})
    published._times.cache_clear()
    (tmp_path / "mine.csv").write_text(HEAD + LINES)
    return tmp_path / "mine.csv"


@needs_prover
@pytest.mark.parametrize(
    ("collective", "number", "key"),
    [
        ("bcast", "0", "decision/ompi_4_1"),
        ("bcast", "1", "bcast/linear"),
        ("bcast", "3", "bcast/pipeline[s=0]"),  # cut in segments where nothing is message; forced alone it is not
        ("bcast", "7", "bcast/knomial[k=4,s=0]"),
        ("reduce", "3", "reduce/pipeline[s=0]"),
        ("gather", "3", "gather/linear_sync[first=0]"),
        ("barrier", "3", "barrier/recursive_doubling_acknowledged"),
        ("barrier", "0", "decision/ompi_4_1_acknowledged"),
        ("barrier", "6", "barrier/tree"),
    ],
)
def test_a_number_of_open_mpi_stands_for_its_twin(collective: str, number: str, key: str) -> None:
    assert call_table.key_of(collective, number) == key


@needs_prover
def test_a_number_without_a_twin() -> None:
    with pytest.raises(UserError, match="^bcast: Open MPI's algorithm 99 has no twin here$"):
        call_table.key_of("bcast", "99")


@needs_prover
def test_calls_come_by_ranks_collective_key_and_size(here: Path) -> None:
    found = published.tasks(tiny(), "tiny[x=1]", "osu_avg[barrier=barrier/tree]")
    assert {(at.nodes, at.mapping) for at, _ in found} == {(2, "packed")}
    assert {(p.type, p.metric) for _, p in found} == {("byte", "osu_avg[barrier=barrier/tree]")}
    key = call_table.key_of("barrier", "4")
    assert [(at.ranks, p.algorithm, p.count) for at, p in found] == [
        (2, key, 0), (2, "decision/ompi_4_1", 4), (2, "decision/ompi_4_1", 16), (8, "bcast/linear", 4),
    ]  # fmt: skip
    assert published.tasks(tiny(), "tiny")[0][1].metric == "osu_avg"


@needs_prover
def test_a_row_has_every_cell(here: Path) -> None:
    layout, point = (
        Layout(tiny(), 2, 8, "packed"),
        Point("bcast", "bcast/linear", 4, type="byte", metric="osu_avg[barrier=barrier/tree]"),
    )
    cells = {
        "source": "published", "platform": "tiny", "nodes": 2, "ranks": 8, "mapping": "packed", "collective": "bcast",
        "algorithm": "bcast/linear", "bytes": 4, "block_bytes": 4, "type": "byte", "op": "", "in_place": 0, "root": 0,
        "metric": "osu_avg", "back_end": "a page",
    }  # fmt: skip
    (row,) = published.rows([(layout, point)], Options())
    assert row == make_row(**cells, launches=7, repetitions=1, median_s=pytest.approx(3.5e-6), status="ok", kind="ok")
    nobody = {"status": "nobody has published a time of this call", "kind": "unsupported", "repetitions": 0}
    for at, other in (
        (replace(layout, nodes=1), point), (replace(layout, mapping="block"), point), (replace(layout, ranks=4), point),
        (layout, replace(point, root=1)), (layout, replace(point, count=5)), (layout, replace(point, metric="makespan")),
    ):  # fmt: skip
        (row,) = published.rows([(at, other)], Options())
        assert {name: row[name] for name in nobody} == nobody and row["median_s"] is None and row["launches"] is None
    (row,) = published.rows([(replace(layout, platform=replace(tiny(), name="elsewhere")), point)], Options())
    assert (row["kind"], row["back_end"]) == ("unsupported", "")


@needs_prover
def test_a_platform_of_which_nothing_was_published(here: Path) -> None:
    message = "^of elsewhere no times of collectives were published here; there are some of tiny, other$"
    with pytest.raises(UserError, match=message):
        published.table_of("elsewhere")
    here.write_text(HEAD.replace("bytes,", "").replace("runs", "times") + LINES)
    with pytest.raises(UserError) as error:
        published.tasks(tiny(), "tiny")
    needs = "collective, processes, bytes, latency_us, algorithm or algorithm_id"
    assert str(error.value) == f"{here}:1: no column bytes; it needs {needs}"
