"""collscope.points.benchmarks: what OSU's and Intel's collective benchmarks print becomes rows of the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base.errors import UserError
from collscope.points import benchmarks
from collscope.points.benchmarks import Launch
from open_mpi import needs_prover

pytestmark = needs_prover  # the registry says what a collective moves

BCAST = """
# OSU MPI Broadcast Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                       1.23
1024                   10.50
"""
FULL = """# OSU MPI-CUDA Allgather Latency Test v7.3
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations        Validation
4                       2.00              1.00              4.00        1000              Pass
"""
PERCENTILES = """# OSU MPI Broadcast Latency Test v7.5
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations        Validation  P50 Tail Lat(us)  P99 Tail Lat(us)
4                       2.00              0.00              4.00        1000              Pass              1.90              3.90
"""
BARRIER = "# OSU MPI Barrier Latency Test v5.6\n# Avg Latency(us)\n             7.5\n"
IMB = """
#------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.03         0.04         0.03
            8         1000         1.00         3.00         2.00
#-----------------------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000         2.00         6.00         4.00

# Benchmarking Alltoall
# #processes = 4
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
           16         1000         5.00         7.00         6.00

# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
            8         1000         0.50         1.00

# All processes entering MPI_Finalize
"""


def short(text: str, launch: Launch) -> list[tuple[object, ...]]:
    """collective, ranks, bytes, block_bytes, metric, µs."""
    return [
        (r["collective"], r["ranks"], r["bytes"], r["block_bytes"], r["metric"], round(r["median_s"] * 1e6, 6))
        for r in benchmarks.read("out.txt", text, launch)
    ]


def test_osu_sizes_are_vectors_or_blocks() -> None:
    """The root's vector of a broadcast, one rank's block of an allgather, nothing of a barrier."""
    at = Launch(ranks=8, nodes=2)
    assert short(BCAST, at) == [("bcast", 8, 1, 1, "osu_avg", 1.23), ("bcast", 8, 1024, 1024, "osu_avg", 10.5)]
    assert short(FULL, at) == [("allgather", 8, 32, 4, "osu_avg", 2.0)]
    assert short(BARRIER, at) == [("barrier", 8, 0, 0, "osu_avg", 7.5)]
    whole = FULL.replace("Allgather", "Reduce_scatter")
    assert short(whole, at) == [("reduce_scatter", 8, 4, 1, "osu_avg", 2.0)]


def test_imb_prints_its_ranks_itself() -> None:
    """Of several numbers of ranks --ranks chooses one; calls with nothing to move and other benchmarks are left out."""
    four = [("allreduce", 4, 8, 8, "loop", 4.0), ("alltoall", 4, 64, 16, "loop", 6.0)]
    assert short(IMB, Launch()) == [("allreduce", 2, 8, 8, "loop", 2.0), *four]
    assert short(IMB, Launch(ranks=4)) == four


def test_a_row_has_what_the_user_says_of_the_launch() -> None:
    """Nodes, mapping and algorithm; least and largest times where they were printed."""
    row = benchmarks.read("out.txt", FULL, Launch(8, 2, "cyclic", "bruck"))[0]
    assert (row["nodes"], row["mapping"], row["algorithm"], row["source"]) == (2, "cyclic", "allgather/bruck", "real")
    assert (row["min_s"], row["max_s"]) == (pytest.approx(1e-6), pytest.approx(4e-6))
    assert (row["launches"], row["repetitions"]) == (1, 1), "how often it was repeated is not printed"
    assert benchmarks.read("out.txt", BCAST, Launch(8))[0]["algorithm"] == "bcast/builtin"


@pytest.mark.parametrize(
    ("printed", "type_name"),
    [("MPI_CHAR", "byte"), ("MPI_INT", "int"), ("MPI_FLOAT", "float"), ("MPI_DOUBLE", "double"), ("", "long")],
)
def test_the_type_is_that_of_the_datatype_line_or_else_what_the_user_says(printed: str, type_name: str) -> None:
    """OSU before version 7 and IMB print none."""
    text = BCAST.replace("# Datatype: MPI_CHAR.\n", f"# Datatype: {printed}.\n" if printed else "")
    assert {row["type"] for row in benchmarks.read("out.txt", text, Launch(8, type_name="long"))} == {type_name}
    second = text + BCAST.replace("Broadcast", "Reduce").replace("# Datatype: MPI_CHAR.\n", "")
    assert [row["type"] for row in benchmarks.read("out.txt", second, Launch(8))][-1] == "float", "each its own"


def test_a_type_that_the_catalogue_does_not_have_is_refused_with_its_line() -> None:
    with pytest.raises(
        UserError, match=r"out.txt:3: times of MPI_C_BOOL; measure with one of MPI_CHAR, .* or MPI_DOUBLE"
    ):
        benchmarks.read("out.txt", BCAST.replace("MPI_CHAR", "MPI_C_BOOL"), Launch(8))


def test_percentiles_are_passed_over_and_extremes_are_kept() -> None:
    """Columns of osu_bcast -f -z; a least time that is printed as 0 is not known."""
    row = benchmarks.read("out.txt", PERCENTILES, Launch(8))[0]
    assert (row["median_s"], row["min_s"], row["max_s"]) == (pytest.approx(2e-6), None, pytest.approx(4e-6))
    with pytest.raises(UserError, match="own check of the data failed"):
        benchmarks.read("out.txt", PERCENTILES.replace("Pass", "Fail"), Launch(8))


@pytest.mark.parametrize(("text", "line"), [(BCAST.replace("1.23", "0.00"), 5), (IMB.replace("2.00\n#", "0.00\n#"), 9)])
def test_a_time_that_is_printed_as_zero_is_left_out_with_a_remark(
    capsys: pytest.CaptureFixture[str], text: str, line: int
) -> None:
    rows = benchmarks.read("out.txt", text, Launch(None if text.startswith("\n#--") else 8))
    assert all(row["median_s"] > 0 for row in rows) and rows
    assert f"out.txt:{line}: left out: the average is printed as 0 µs" in capsys.readouterr().err


def test_collectives_that_lack_the_algorithm_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its name may say which one it is; where no collective has it, that is an error."""
    both = [row["algorithm"] for row in benchmarks.read("out.txt", IMB, Launch(4, algorithm="linear"))]
    assert both == ["allreduce/linear", "alltoall/linear"] and capsys.readouterr().err == ""
    for key, left_out in (("ring", "alltoall"), ("alltoall/linear", "allreduce")):
        rows = benchmarks.read("out.txt", IMB, Launch(4, algorithm=key))
        assert {row["collective"] for row in rows} == {"allreduce", "alltoall"} - {left_out}
        assert f"left out, as {key} is not one of their algorithms: {left_out}" in capsys.readouterr().err
    with pytest.raises(UserError, match="linaer"):
        benchmarks.read("out.txt", IMB, Launch(4, algorithm="linaer"))


@pytest.mark.parametrize(
    "why",
    [
        ' time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over; use "-time X"',
        ' out-of-mem.; needed X=   1.001 GB; use flag "-mem X"',
        ' int-overflow; The production rank*size caused int overflow; use "-data_type double"',
    ],
)
def test_a_size_that_imb_gave_up_is_left_out_with_a_remark(capsys: pytest.CaptureFixture[str], why: str) -> None:
    text = IMB.replace("           16         1000         5.00         7.00         6.00", f"           16{why}")
    assert short(text, Launch(ranks=4)) == [("allreduce", 4, 8, 8, "loop", 4.0)]
    reason = why.split(maxsplit=1)[0].rstrip(".;")
    assert f"out.txt:{text[: text.index(why)].count(chr(10)) + 1}: left out: alltoall was not measured ({reason})" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("text", "launch", "fact"),
    [
        (BCAST, Launch(), "out.txt:5: how many ranks? OSU does not print it; add --ranks P"),
        (BCAST.replace("1.23", "1e10"), Launch(8), "out.txt:5: a call of 1e10 µs; expected at most 1e+09"),
        (BCAST.replace("1.23", "-1.2"), Launch(8), 'out.txt:5: "-1.2" is not a time in µs'),
        (BCAST.replace("1.23", "1.2us"), Launch(8), 'out.txt:5: "1.2us" is not a time in µs'),
        (BCAST.replace("1.23", "1.23 4"), Launch(8), "out.txt:5: 3 columns; expected 2"),
        (BCAST.replace("1024 ", "1 "), Launch(8), "out.txt:6: bcast of 1 bytes stands in line 5 already"),
        (FULL.replace("Pass", "Fail"), Launch(8), "out.txt:3: the benchmark's own check of the data failed"),
        (IMB, Launch(ranks=3), "no time of a collective"),
        ("# OSU MPI Latency Test v7.3\n# Size  Latency (us)\n1 0.5\n", Launch(8), "no time of a collective"),
        ("", Launch(8), "no time of a collective"),
    ],
)
def test_unreadable_lines_are_refused_with_their_number(text: str, launch: Launch, fact: str) -> None:
    with pytest.raises(UserError) as caught:
        benchmarks.read("out.txt", text, launch)
    assert fact in str(caught.value)


def test_a_table_is_not_taken_for_a_benchmark(tmp_path: Path) -> None:
    """Nor is a missing file read."""
    assert (
        benchmarks.is_printed(BCAST) and benchmarks.is_printed(IMB) and not benchmarks.is_printed("source,platform\n")
    )
    with pytest.raises(UserError, match=r"missing.txt: No such file"):
        benchmarks.read_file(str(tmp_path / "missing.txt"), Launch(2))
