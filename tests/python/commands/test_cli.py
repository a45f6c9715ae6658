"""What the command line says to requests that cannot be met: message, exit status, and nothing left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tiny_platform
from collscope.base.errors import UserError
from collscope.catalogue.registry import Registry
from collscope.commands import cli
from collscope.commands import run as runs
from collscope.commands import run_table as compare
from collscope.machines import find
from collscope.machines.platform import Platform
from collscope.points.plan import Layout, Point
from collscope.points.table import make_row
from collscope.sources import bounds, model, simulate


@pytest.fixture
def tiny(known: Registry, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A platform called tiny, and simulations that answer with the size in microseconds."""

    def load(name: str) -> Platform:
        if name != "tiny":
            raise UserError(f'unknown platform "{name}"')
        return tiny_platform.tiny()

    def run_tasks(tasks: list[tuple[Layout, Point]], **_: Any) -> list[dict[str, Any]]:
        rows = []
        for layout, point in tasks:
            time = point.bytes(layout.ranks) * (1e-6 if "linear" in point.algorithm else 2e-6)
            times = dict.fromkeys(("median_s", "q1_s", "q3_s", "min_s", "max_s"), time)
            kind, status = ("died", "simulation failed: it died") if point.count == 13 else ("ok", "ok")
            about = {**layout.cells(), **point.cells(layout.ranks), **times}
            rows.append(make_row(source="sim", **about, status=status, kind=kind))
        return rows

    monkeypatch.setattr(find, "load", load)
    monkeypatch.setattr(simulate, "run_tasks", run_tasks)
    monkeypatch.setattr(runs, "bounds_for_display", lambda tasks, rows: [])
    monkeypatch.chdir(workplace)
    return workplace


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = 0
    try:
        cli.main(list(words))
    except SystemExit as error:
        status = int(error.code or 0)
    said = capsys.readouterr()
    return status, said.out, said.err


RUN = ("run", "--on", "tiny", "--ranks", "4")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("rnu",), 'unknown command "rnu"; did you mean "run"'),
        (("run", "--ranks", "4", "-a", "bcast/mst", "--bytes", "4"), "--on"),
        ((*RUN, "-a", "bcast/mts", "--bytes", "4"), 'did you mean "bcast/mst"'),
        ((*RUN, "-c", "bcats", "-a", "mst", "--bytes", "4"), 'did you mean "bcast"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4KB"), "write 4KiB"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "5"), "nearest: 4 B or 8 B"),
        ((*RUN, "-c", "bcast", "-a", "mst"), "say which sizes"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--block-bytes", "4"), "not both"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--source", "sim,reel"), 'did you mean "real"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--source", "real"), "use --on this_machine"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--metric", "makspan"), 'did you mean "makespan"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--type", "flaot"), 'did you mean "float"'),
        ((*RUN, "-c", "allreduce", "-a", "bucket", "--bytes", "4", "--op", "sun"), 'did you mean "sum"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--root", "4"), "the root is 0 … 3"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--mapping", "blok"), 'did you mean "block"'),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--nodes", "9"), "tiny has 4 nodes"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--plot", "x.gif"), ".svg, .png, .pdf"),
        ((*RUN, "-c", "bcast", "-a", "mst", "--bytes", "4", "--csv", "/etc/passwd/x.csv"), "cannot be written"),
        (("run", "--on", "tiny", "--ranks", "5", "-a", "bcast/mst", "--bytes", "4"), "5 ranks do not fit on 1"),
        (("run", "--on", "tiny", "--ranks", "x", "-a", "bcast/mst", "--bytes", "4"), "cannot read the ranks"),
        ((*RUN, "-a", "all", "--bytes", "4"), "with -c"),
        (("list", "-c", "gahter"), 'did you mean "gather"'),
        (("prove", "bcast/mts"), 'did you mean "bcast/mst"'),
        (("prove", "bcast/builtin"), "not proved"),
        ((*RUN, "-a", "bcast/mst", "--bytes", "999999999999GiB"), "too large"),
        ((*RUN, "-a", "allgather/bucket", "--block-bytes", "4..2048TiB"), "too large"),
        (("run", "--no-such-option"), "No such option"),
    ],
)
def test_usage_errors(tiny: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str) -> None:
    status, out, err = call(capsys, *words)
    assert status == 2
    assert says in err
    assert err.startswith("collscope: ")
    assert out == ""
    assert not list(tiny.iterdir())


def test_a_platform_that_does_not_load_is_a_failure(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "run", "--on", "big", "--ranks", "4", "-a", "bcast/mst", "--bytes", "4")
    assert (status, err) == (1, 'collscope: unknown platform "big"\n')


def test_run_writes_a_table(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-a", "linear,mst,knomial[k=8,s=64KiB]", "--bytes", "4..16", "--csv", "t.csv")
    status, out, err = call(capsys, "run", "--on", "tiny", "--ranks", "2,4", "-c", "bcast", *words)
    assert (status, err) == (0, "")
    lines = (tiny / "t.csv").read_text().splitlines()
    assert len(lines) == 1 + 2 * 3 * 3
    assert lines[0].startswith("source,platform,nodes,ranks,mapping,collective,algorithm,bytes,block_bytes,type,op,")
    assert '"bcast/knomial[k=8,s=65536]",4,4,float,,0,0,makespan' in lines[3]
    assert "bcast · tiny · 2 ranks on 1 node · makespan" in out
    assert "knomial[k=8,s=65536]" in out
    assert "2.00" in out  # twice the fastest


def test_a_failed_point_is_named(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, *RUN, "-a", "bcast/linear", "--bytes", "48,52,56", "--csv", "t.csv")
    assert status == 1
    assert err == "collscope: bcast/linear, 52 bytes, 4 ranks on 1 nodes of tiny: simulation failed: it died\n"
    assert len((tiny / "t.csv").read_text().splitlines()) == 4


def test_stopping_leaves_nothing(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "run_tasks", stop)
    status, _, err = call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4", "--csv", "t.csv")
    assert status == 1
    assert "stopped" in err
    assert not (tiny / "t.csv").exists()


def test_list_prints_what_there_is(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "list")
    assert status == 0
    assert "bcast/knomial[k=4,s=0]" in out
    assert "decision/ompi_4_1" in out
    status, out, _ = call(capsys, "list", "--json")
    assert status == 0
    assert out.startswith('{"algorithms": [')
    status, out, _ = call(capsys, "list", "-c", "bcast")
    assert "[dest=first]  first | end  about dest" in out


@pytest.mark.parametrize("words", [("--help",), ("run", "--help"), ("study", "run", "--help"), ("prove", "-h")])
def test_help_has_examples(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    status, out, _ = call(capsys, *words)
    assert status == 0
    assert "./collscope " in out


def test_block_bytes_and_bytes(tiny: Path, known: Registry) -> None:
    request = runs.Request(platform="tiny", ranks="4", algorithms="bucket", collective="allgather", block_sizes="1KiB")
    layouts = [Layout(tiny_platform.tiny(), 1, 4)]
    ((_, point),) = runs.make_tasks(request, layouts, [("allgather", "allgather/bucket")])
    assert (point.count, point.block_bytes(4), point.bytes(4)) == (256, 1024, 4096)


def test_winners_are_about_the_last_source(known: Registry) -> None:
    base: dict[str, Any] = {
        "platform": "tiny", "nodes": 1, "ranks": 2, "mapping": "block", "collective": "bcast", "bytes": 4, "block_bytes": 4,
        "type": "float", "in_place": 0, "root": 0, "metric": "makespan", "status": "ok",
    }  # fmt: skip
    times = {("sim", "a"): 1.0, ("sim", "b"): 2.0, ("real", "a"): 3.0, ("real", "b"): 1.5}
    rows = [
        make_row(**base, source=s, algorithm=f"bcast/{a}", median_s=t, q1_s=t, q3_s=t) for (s, a), t in times.items()
    ]
    made = compare.make_table(rows, [])
    heads = [str(column.header) for column in made.columns]
    assert heads == ["bytes", "algorithm", "sim", "real", "quartiles", "× fastest", "real/sim"]
    assert [str(c) for c in made.columns[heads.index("× fastest")]._cells] == ["2.00", "1.00"]
    assert [row.style for row in made.rows] == [None, "bold green"]


@pytest.mark.parametrize("metric", ["makespan", "root", "osu_avg", "loop"])
def test_the_model_is_asked_for_the_same_metric(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, metric: str
) -> None:
    def run_tasks(tasks: list[tuple[Layout, Point]], **_: Any) -> list[dict[str, Any]]:
        asked.extend(point.metric for _, point in tasks)
        return [make_row(source="model", **at.cells(), **point.cells(at.ranks), status="ok") for at, point in tasks]

    asked: list[str] = []
    monkeypatch.setattr(model, "run_tasks", run_tasks)
    call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4,8", "--source", "model", "--metric", metric)
    assert asked == [metric] * 2


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("schooner[nic=1]", 'no parameter "nic"'),
        ("schooner[nic_bytes_per_s=-1]", "0 or more"),
        ("schooner[nic_bytes_per_s=fast]", "must be a number"),
        ("schooner[nodes=nan]", "1 or more"),
        ("schooner[nodes=inf]", "1 or more"),
        ("nothere.xml", "no such file"),
        ("nothere", "unknown platform"),
    ],
)
def test_what_was_typed_of_a_platform(
    known: Registry, workplace: Path, capsys: pytest.CaptureFixture[str], name: str, says: str
) -> None:
    status, out, err = call(capsys, "run", "--on", name, "--ranks", "4", "-a", "bcast/mst", "--bytes", "4")
    assert (status, out) == (2, "")
    assert says in err


def test_nothing_supported_is_said_on_standard_error(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_tasks(tasks: list[tuple[Layout, Point]], **_: Any) -> list[dict[str, Any]]:
        none = {"source": "sim", "status": "needs an odd number"}
        return [make_row(**none, **at.cells(), **point.cells(at.ranks)) for at, point in tasks]

    monkeypatch.setattr(simulate, "run_tasks", run_tasks)
    status, _, err = call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4,8")
    assert (status, err) == (2, "collscope: bcast/mst[dest=first]: needs an odd number\n")


@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_a_proof_of_nothing_says_why(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, extra: tuple[str, ...]
) -> None:
    def answers(arguments: list[Any]) -> list[dict[str, Any]]:
        plan = Path(arguments[-1]).read_text().splitlines()
        points = [dict(word.split("=", 1) for word in line.split()) for line in plan]
        numbers = ("ranks", "count", "root", "in_place")
        return [p | {k: int(p[k]) for k in numbers} | {"status": "needs 2 ranks", "verdict": None} for p in points]

    monkeypatch.setattr(model, "call", answers)
    status, _, err = call(capsys, "prove", "bcast/mst", "--ranks", "4", *extra)
    assert (status, err) == (2, "collscope: bcast/mst[dest=first]: needs 2 ranks\n")


@pytest.mark.parametrize("source", ["bound", "bound,sim"])
def test_both_bounds_are_printed(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setattr(bounds, "loggp", lambda *_: {"o": 1e-6, "g": 1e-6, "L": 1e-5, "G": 1e-9})
    monkeypatch.setattr(runs, "bounds_for_display", lambda tasks, rows: [r for r in rows if r["source"] == "bound"])
    status, out, _ = call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4", "--source", source, "--csv", "t.csv")
    assert status == 0
    assert "bound/loggp" in out
    assert ("bound/telephone" in out) == (source == "bound")  # beside times it is a column
    text = (tiny / "t.csv").read_text()
    assert "bound/loggp" in text
    assert "bound/telephone" in text
