"""collscope.commands.compare: which rows are held against which, what is left out, and where a report may go."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from collscope.points.table import Row, write_csv
from command_line import call
from made_rows import row
from open_mpi import needs_prover

FACTORS = {"model": 1.5, "sim": 1.2, "real": 1.0}


def rows(sources: Sequence[str]) -> list[Row]:
    """Three algorithms at two sizes; the bound lies above a measured time."""
    bound = [row(source="bound", algorithm="bound/loggp", bytes=n, seconds=1.05e-6) for n in (4, 4096)]
    return bound + [
        row(
            source=source,
            algorithm=f"bcast/{key}" if key != "mst" else "bcast/mst[dest=first]",
            bytes=n,
            seconds=t * FACTORS[source] * 1e-6,
        )
        for source in sources
        for n in (4, 4096)
        for key, t in (("mst", 1.0), ("chain", 2.0), ("linear", 3.0))
    ]


@pytest.fixture(autouse=True)
def tables(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workplace)
    for name, sources in {
        "m": ["model"], "s": ["sim"], "r": ["real"], "ms": ["model", "sim"], "sr": ["sim", "real"], "msr": list(FACTORS),
    }.items():  # fmt: skip
        write_csv(rows(sources), f"{name}.csv")


def error(capsys: pytest.CaptureFixture[str], words: str) -> str:
    """The median error that is printed."""
    status, out, err = call(capsys, "compare", *words.split())
    assert (status, err) == (0, "")
    return next(line.split()[2] for line in out.splitlines() if line.split()[:1] == ["all"])


@pytest.mark.parametrize(
    ("words", "median"),
    [
        ("m.csv r.csv", "50.0%"), ("r.csv m.csv", "33.3%"), ("m.csv m.csv", "0.0%"), ("ms.csv", "25.0%"), ("sr.csv", "20.0%"),
        ("msr.csv", "50.0%"), ("msr.csv --predicted sim", "20.0%"), ("msr.csv --predicted real", "16.7%"),
        ("msr.csv --measured sim", "25.0%"), ("msr.csv m.csv --predicted sim", "20.0%"), ("m.csv msr.csv --measured sim", "25.0%"),
    ],
)  # fmt: skip
def test_sources_are_chosen_by_option_or_by_what_the_tables_have(
    capsys: pytest.CaptureFixture[str], words: str, median: str
) -> None:
    assert error(capsys, words) == median


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("m.csv s.csv r.csv",
             "s.csv: neither osu_bcast, … nor IMB-MPI1 printed this; several files and KEY=FILE are for these"),
        ("none.csv", "none.csv: no such file; give a table that `run --csv FILE` wrote, or KEY=FILE with what osu_bcast, … printed"),
        ("loop.csv", "loop.csv: no such file; give a table that `run --csv FILE` wrote, or KEY=FILE with what osu_bcast, … printed"),
        ("msr.csv r.csv", "msr.csv: times of model, real, sim; choose one with --predicted or --measured SOURCE"),
        ("m.csv r.csv --measured sim", "r.csv: no times of source sim; it has real"),
        ("m.csv", "m.csv has only the source model; give a second table, or run with --source real,model"),
        ("ms.csv --predicted sim --measured sim",
         "ms.csv has only the source sim; give a second table, or run with --source real,model"),
        ("m.csv r.csv --out mine", "--out mine: contains files that are not reports; name an empty or a new folder"),
        ("m.csv r.csv --out r.csv", "--out r.csv: not a folder"),
        ("m.csv r.csv --out loop.csv", "--out loop.csv: not a folder"),
        ("m.csv r.csv --out=", "--out needs the name of a folder"),
    ],
)  # fmt: skip
def test_a_refusal_names_what_is_wrong(capsys: pytest.CaptureFixture[str], words: str, message: str) -> None:
    Path("loop.csv").symlink_to("loop.csv")
    Path("mine").mkdir()
    Path("mine/diary.txt").touch()
    assert call(capsys, "compare", *words.split()) == (2, "", f"collscope: {message}\n")
    assert [path.name for path in Path("mine").iterdir()] == ["diary.txt"]


def test_rows_that_are_left_out_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    measured = rows(["real"])
    for broken, cells in zip(
        measured[2:], ({"median_s": float("inf")}, {"median_s": -1e-6}, {"bytes": -4}), strict=False
    ):
        broken |= cells
    write_csv(measured, "r.csv")
    status, out, err = call(capsys, "compare", "m.csv", "r.csv")
    assert status == 0 and "all       3 " in out
    assert err.splitlines() == [
        "collscope: r.csv: 2 rows of 8 left out: the time is not positive and finite",
        "collscope: r.csv: 1 row of 8 left out: fewer than 0 bytes",
        "collscope: m.csv: 3 rows of source model left out: the other side lacks the call",
    ]
    text = Path("r.csv").read_text().splitlines()
    Path("r.csv").write_text("\n".join([*text[:3], text[3][:40], *text[4:]]))
    status, _, err = call(capsys, "compare", "m.csv", "r.csv")
    assert status == 1 and err.startswith("collscope: r.csv:4: a row of ")


def test_a_report_is_written_into_a_new_folder_and_again_into_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for _ in range(2):
        status, out, _ = call(capsys, "compare", "m.csv", "r.csv", "--out", "new")
        assert status == 0 and out.endswith("\nnew/report.html\n")
    summary = json.loads(Path("new/summary.json").read_text())
    assert (summary["title"], summary["points"], summary["below_bound"]) == (
        "Predicted and measured: m.csv beside r.csv",
        6,
        2,
    )
    call(capsys, "compare", "msr.csv", "--out", "new")
    assert json.loads(Path("new/summary.json").read_text())["title"] == "Predicted and measured: msr.csv"


def printed(times: Sequence[float]) -> str:
    """What osu_bcast printed of two sizes, µs."""
    lines = [f"{size} {time}\n" for size, time in zip((4, 4096), times, strict=True)]
    return "".join(["# OSU MPI Broadcast Latency Test v7.3\n# Size       Avg Latency(us)\n", *lines])


@needs_prover
def test_benchmarks_of_each_algorithm_are_compared_with_the_prediction(capsys: pytest.CaptureFixture[str]) -> None:
    """A file per algorithm that the library was told to take."""
    write_csv([r | {"metric": "osu_avg"} for r in rows(["model"]) if r["source"] == "model"], "osu.csv")
    at = rows(["real"])[-1]
    Path("mst").write_text(printed((1.0, 1.0)))
    Path("linear").write_text(printed((3.0, 0.5)))
    where = f"--ranks {at['ranks']} --nodes {at['nodes']}".split()
    status, out, err = call(capsys, "compare", "osu.csv", "mst[dest=first]=mst", "bcast/linear=linear", *where)
    assert status == 0 and "Winner: predicted in 1 of 2 calls" in out, err
    status, _, err = call(capsys, "compare", "m.csv", "linear=linear", *where)
    assert status == 2 and "m.csv has makespan, linear=linear osu_avg; predict with run --metric osu_avg" in err
    words = ("compare", "osu.csv", "mst[dest=first]=mst", "bcast/linear=linear", *where, "--type", "byte")
    status, _, err = call(capsys, *words)
    assert status == 2 and "osu.csv has the type float, bcast/linear=linear byte; predict with run --type byte" in err


@needs_prover
def test_own_choices_of_a_library_need_the_name_of_a_decision(capsys: pytest.CaptureFixture[str]) -> None:
    """With and without a prediction of such a decision; named so, it is compared."""
    predicted = [r | {"metric": "osu_avg"} for r in rows(["model"]) if r["source"] == "model"]
    chosen = [r | {"algorithm": "decision/mpich_4"} for r in predicted if "linear" in r["algorithm"]]
    write_csv(predicted, "flat.csv")
    write_csv(predicted + chosen, "chosen.csv")
    Path("out").write_text(printed((3.0, 0.5)))
    at = predicted[-1]
    where = f"--ranks {at['ranks']} --nodes {at['nodes']}".split()
    status, _, err = call(capsys, "compare", "flat.csv", "out", *where)
    assert status == 2 and "decision/ompi_4_1=out, with a flat.csv of run -a decision/ompi_4_1" in err
    status, _, err = call(capsys, "compare", "chosen.csv", "out", *where)
    assert status == 2 and err.endswith("say which decision it is: decision/mpich_4=out\n")
    status, out, err = call(capsys, "compare", "chosen.csv", "decision/mpich_4=out", *where)
    assert status == 0 and "all       2 " in out, err


@needs_prover
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("m.csv linear=linear", "linear:3: how many ranks?"),
        ("m.csv lineer=linear --ranks 4", 'did you mean "linear"'),
        ("m.csv linear=r.csv", "linear=r.csv: neither osu_bcast"),
        ("m.csv r.csv s.csv", "r.csv: neither osu_bcast"),
        ("m.csv linear=none --ranks 4", "linear=none: no such file"),
    ],
)
def test_measured_files_that_cannot_be_compared_are_refused(
    capsys: pytest.CaptureFixture[str], words: str, says: str
) -> None:
    Path("linear").write_text(printed((3.0, 0.5)))
    status, out, err = call(capsys, "compare", *words.split())
    assert status and says in err and not out
