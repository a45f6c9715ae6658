"""collscope.sources.call_table: lists of calls and tables of times are read, with file and line of each mistake."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collscope.sources import call_table
from collscope.sources.call_table import Call, Times, Usual
from open_mpi import needs_prover
from refusals import refusal

pytestmark = needs_prover
ALL = "platform,nodes,mapping,collective,algorithm,processes,bytes,type"
USUAL = Usual("orfeo_epyc", 2, "packed")
METRIC = "osu_avg[barrier=decision/ompi_4_1_acknowledged]"


def written(folder: Path, *lines: str) -> Path:
    path = folder / "mine.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_row_names_its_own_platform_nodes_mapping_and_type(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        ALL,
        "orfeo_thin,1,core,allgather,bucket,6,64,float",
        "orfeo_epyc,2,node,reduce,binomial[s=0],4,64,float",
    )
    one, other = call_table.read(path, Usual("orfeo_epyc"), timed=False)
    assert one == Call("orfeo_thin", 1, "core", 6, "allgather", "allgather/bucket", 64, "float")
    layout, point = one.task(METRIC)
    assert (layout.platform_name, layout.nodes, layout.ranks, layout.mapping) == ("orfeo_thin", 1, 6, "core")
    assert (point.count, point.bytes(6), point.metric) == (16, 6 * 64, METRIC), "64 bytes are a block of an allgather"
    layout, point = other.task(METRIC)
    assert (layout.platform_name, layout.nodes, layout.mapping) == ("orfeo_epyc", 2, "node")
    assert (point.algorithm, point.count, point.bytes(4)) == ("reduce/binomial[s=0]", 16, 64)


def test_columns_that_a_file_lacks_are_as_usual_and_a_number_stands_for_its_twin(tmp_path: Path) -> None:
    path = written(
        tmp_path, "collective,algorithm_id,algorithm_name,processes,bytes", "bcast,6,binomial,8,4", "bcast,99,new,8,4"
    )
    found, unknown = call_table.read(path, USUAL, timed=False)
    assert found == Call("orfeo_epyc", 2, "packed", 8, "bcast", "bcast/binomial[s=0]", 4, "byte")
    assert unknown.fault == refusal(unknown.task, METRIC) == "bcast: Open MPI's algorithm 99 has no twin here"


def test_a_barrier_is_timed_in_a_loop_of_its_own(tmp_path: Path) -> None:
    path = written(tmp_path, "collective,algorithm_id,processes,bytes", "barrier,4,8,", "barrier,0,8,1")
    tasks = [call.task(METRIC)[1] for call in call_table.read(path, USUAL, timed=False)]
    keys = ["barrier/dissemination", "decision/ompi_4_1_acknowledged"]
    assert [(p.algorithm, p.metric, p.count) for p in tasks] == [(key, f"osu_avg[barrier={key}]", 0) for key in keys]
    other = call_table.by(tasks[0], "decision/mpich_4")
    assert other.metric == "osu_avg[barrier=decision/mpich_4]", "another one in a loop of that"
    assert call_table.by(call_table.replace(tasks[0], metric=METRIC), "barrier/tree").metric == METRIC
    assert tasks[0] == Call("orfeo_epyc", 2, "packed", 8, "barrier", keys[0], 0, "byte").task(METRIC)[1]
    assert Call("orfeo_epyc", 2, "packed", 8, "barrier", keys[0], 0, "byte").task("makespan")[1].metric == "makespan"


def test_several_rows_of_a_call_are_runs(tmp_path: Path) -> None:
    rows = [f"bcast,linear,8,4,{time},{runs},{low},{high}" for time, runs, low, high in (
        (1, 2, "", ""), (2, "", "", ""), (4, 1, 3, 5), (0, 9, "", ""), ("", 9, "", ""))]  # fmt: skip
    heading = "collective,algorithm,processes,bytes,latency_us,runs,p05,p95"
    one = call_table.read(written(tmp_path, heading, *rows[2:]), USUAL, timed=True)
    assert next(iter(one.values())).cells()["floor"] == 0.25, "of one row half of what lies between p05 and p95"
    path = written(tmp_path, heading, *rows, "bcast,linear,8,8,,,,")
    times, none = call_table.read(path, USUAL, timed=True).values()
    assert times.seconds == pytest.approx((1e-6, 2e-6, 4e-6)) and (times.runs, times.spread) == (4, 0.25)
    cells = {
        "median_s": 2e-6,
        "q1_s": 1.5e-6,
        "q3_s": 3e-6,
        "min_s": 1e-6,
        "max_s": 4e-6,
        "floor": 0.75,
        "launches": 4,
        "repetitions": 1,
    }
    assert times.cells() == pytest.approx(cells)
    assert none.cells() == {"median_s": None, "launches": 0, "repetitions": 0}, "a call without a time"


def test_calls_that_are_timed_alike_are_one_task() -> None:
    """Eight ranks fill one node: on two nodes they sit as on one."""
    one = Call("orfeo_epyc", 2, "fill", 8, "bcast", "bcast/linear", 4, "byte")
    times = {one: Times((1e-6,), 2), replace(one, nodes=1): Times((3e-6,), 5, 0.5)}
    faults = {replace(one, bytes=size, fault="a reason"): Times() for size in (8, 16)}
    found, reasons = call_table.tasks(times | faults, METRIC)
    assert found == {one.task(METRIC): Times((1e-6, 3e-6), 7, 0.5)} and reasons == {"a reason": 2}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bcast,binomial,8,", "bcst,binomial,8,", 'mine.csv:2: unknown collective "bcst"; did you mean "bcast"'),
        ("binomial", "binomail", 'mine.csv:2: unknown bcast algorithm "binomail"; did you mean "binomial"'),
        ("core", "cores", 'mine.csv:2: unknown mapping "cores"; did you mean "core"'),
        ("orfeo_thin", "orfeo_thn", 'mine.csv:2: unknown platform "orfeo_thn"'),
        (",8,64", ",0,64", 'mine.csv:2: column processes: "0" is not a whole number from 1 up'),
        (",8,64", ",8,1e3", 'mine.csv:2: column bytes: "1e3" is not a whole number from 0 up'),
        (",8,64", ",8", "mine.csv:2: a row needs 8 cells, as the heading has"),
        ("3.5", "fast", 'mine.csv:2: column latency_us: "fast" is not a number'),
        ("latency_us", "latency", 'mine.csv:1: no column latency_us; it needs collective, processes, bytes, latency_us'),
        ("mapping", "node_type", "mine.csv:1: no column mapping; it needs"),
        ("algorithm", "algorithm_name", "mine.csv:1: it needs one of the columns algorithm (a key) and algorithm_id"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = "platform,nodes,mapping,collective,algorithm,processes,bytes,latency_us\norfeo_thin,1,core,bcast,binomial,8,64,3.5\n"
    path = written(tmp_path, text.replace(old, new, 1).rstrip())
    assert message in refusal(call_table.read, path, USUAL, True)


def test_a_list_of_calls_has_no_times_and_a_file_no_other_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "collective,algorithm,processes,bytes,latency_us", "bcast,binomial,8,64,3.5")
    assert "column latency_us: a list of calls to be predicted has no times" in refusal(
        call_table.read, path, USUAL, False
    )
    path = written(tmp_path, "collective,algorithm,processes,bytes,partition", "bcast,binomial,8,64,EPYC")
    message = refusal(call_table.read, path, USUAL, False)
    assert 'mine.csv:1: unknown column "partition"' in message and "there are platform, nodes, mapping" in message
    assert "No such file" in refusal(call_table.read, tmp_path / "other.csv", USUAL, False)
    assert "mine.csv: has no calls" in refusal(call_table.read, written(tmp_path, ALL), USUAL, False)
    path.write_bytes(b"\xff\xfe\x00")
    assert "not a CSV file" in refusal(call_table.read, path, USUAL, False)
