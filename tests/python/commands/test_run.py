"""What `run` writes, prints and says of points that fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tiny_platform
from collscope.base.errors import UsageError
from collscope.catalogue.registry import Registry
from collscope.commands import run as runs
from collscope.commands import run_note
from collscope.points.plan import Layout, Point
from collscope.points.table import make_row
from collscope.sources import bounds, model, simulate
from command_line import RUN, call


def test_run_writes_a_table(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-a", "linear,mst,knomial[k=8,s=64KiB]", "--bytes", "4..16", "--csv", "t.csv")
    status, out, err = call(capsys, "run", "--on", "tiny", "--ranks", "2,4", "-c", "bcast", *words)
    assert (status, err) == (0, "collscope: written: t.csv\n")
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
    failed = "collscope: bcast/linear, 52 bytes, 4 ranks on 1 node of tiny: simulation failed: it died\n"
    assert err == f"collscope: written: t.csv\n{failed}"
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


def test_block_bytes_and_bytes(tiny: Path, known: Registry) -> None:
    request = runs.Request(platform="tiny", ranks="4", algorithms="bucket", collective="allgather", block_sizes="1KiB")
    layouts = [Layout(tiny_platform.tiny(), 1, 4)]
    ((_, point),) = runs.make_tasks(request, layouts, [("allgather", "allgather/bucket")])
    assert (point.count, point.block_bytes(4), point.bytes(4)) == (256, 1024, 4096)


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


def test_nothing_supported_is_said_on_standard_error(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_tasks(tasks: list[tuple[Layout, Point]], **_: Any) -> list[dict[str, Any]]:
        none = {"source": "sim", "status": "needs an odd number"}
        return [make_row(**none, **at.cells(), **point.cells(at.ranks)) for at, point in tasks]

    monkeypatch.setattr(simulate, "run_tasks", run_tasks)
    status, _, err = call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4,8")
    assert (status, err) == (2, "collscope: bcast/mst[dest=first]: needs an odd number\n")


@pytest.mark.parametrize("source", ["bound", "bound,sim"])
def test_both_bounds_are_printed(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setattr(bounds, "loggp", lambda *_: {"o": 1e-6, "g": 1e-6, "L": 1e-5, "G": 1e-9})
    monkeypatch.setattr(runs, "bounds_for_display", lambda tasks, rows: [r for r in rows if r["source"] == "bound"])
    status, out, _ = call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4", "--source", source, "--csv", "t.csv")
    assert status == 0
    heads = next(line for line in out.splitlines() if "telephone" in line).split()
    assert (
        heads[:2] == ["bytes", "bound"]
        if source == "bound"
        else heads[:4] == ["bytes", "algorithm", "bound", "telephone"]
    )
    text = (tiny / "t.csv").read_text()
    assert "bound/loggp" in text
    assert "bound/telephone" in text


def test_a_table_on_standard_output_stands_alone(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, *RUN, "-a", "bcast/linear", "--bytes", "4,8", "--csv", "-")
    assert (status, err) == (0, "")
    assert [line.partition(",")[0] for line in out.splitlines()] == ["source", "sim", "sim"]
    assert not list(tiny.iterdir())


def test_files_in_new_folders_are_told(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-a", "bcast/linear", "--bytes", "4", "--csv", "new/t.csv", "--plot", "more/t.svg")
    status, _, err = call(capsys, *RUN, *words)
    assert (status, err) == (0, "collscope: written: new/t.csv\ncollscope: written: more/t.svg\n")
    assert (tiny / "more" / "t.svg").exists()


def test_a_plot_of_blocks_on_several_ranks_is_over_ranks(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-c", "allgather", "-a", "bucket", "--ranks", "2,4", "--block-bytes", "8", "--plot", "t.svg")
    assert call(capsys, "run", "--on", "tiny", *words)[0] == 0
    drawn = (tiny / "t.svg").read_text("utf-8")
    assert "allgather, 8 B a block, 1 node" in drawn and ">ranks</text>" in drawn


def test_where_nothing_has_a_time_nothing_is_drawn_and_the_reasons_are_said(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = call(capsys, *RUN, "-a", "bcast/linear", "--bytes", "52", "--plot", "t.svg")
    assert status == 1 and "it died" in err
    assert not (tiny / "t.svg").exists()


def test_layouts_are_nodes_times_ranks_of_a_node(tiny: Path, known: Registry) -> None:
    def places(**options: Any) -> list[tuple[int, int]]:
        request = runs.Request(platform="tiny", algorithms="bucket", **{"ranks": None, **options})
        return [(layout.nodes, layout.ranks) for layout in runs.read_layouts(request, ["sim"])]

    assert places(nodes="1,2,4", ranks_per_node="2") == [(1, 2), (2, 4), (4, 8)]
    assert places(nodes="2", ranks_per_node="1,4") == [(2, 2), (2, 8)]
    assert places(nodes="1,2", ranks="2,4") == [(1, 2), (1, 4), (2, 2), (2, 4)]
    with pytest.raises(UsageError, match="--ranks-per-node"):
        places(ranks="2", ranks_per_node="2")


def test_several_collectives_and_swept_parameters(known: Registry) -> None:
    assert runs.read_algorithms("linear,knomial[k=2|4]", "bcast,scatter") == [
        ("bcast", "bcast/linear"),
        ("scatter", "scatter/linear"),
        ("bcast", "bcast/knomial[k=2,s=0]"),
        ("bcast", "bcast/knomial[k=4,s=0]"),
    ]
    with pytest.raises(UsageError, match="lnear"):
        runs.read_algorithms("lnear", "bcast,scatter")
    with pytest.raises(UsageError, match="-a twins"):
        runs.read_algorithms("twins", "bcast")  # the small registry has none


def test_many_points_are_announced_with_what_made_them(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-a", "bcast/linear,bcast/mst", "--bytes", "4..64K", "--source", "model")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "run_tasks", lambda tasks, **_: [])
        patch.setattr(run_note, "MANY", 50)
        status, _, err = call(capsys, "run", "--on", "tiny", "--nodes", "1,2", "--ranks", "2..3", *words)
    assert status == 0
    assert err == (
        "collscope: 120 points: 4 layouts (--nodes 1,2, --ranks 2..3) × 2 keys (-a bcast/linear,bcast/mst) × "
        "15 sizes (--bytes 4..64K)\n"
    )


def test_long_simulations_are_announced_with_an_estimate(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_note, "MESSAGE_S", 10.0)
    monkeypatch.setattr(simulate, "left", lambda tasks: list(tasks))
    _, _, err = call(capsys, *RUN, "-a", "bcast/linear", "--bytes", "4,8", "--jobs", "1")
    assert "simulating 2 points: " in err
    assert "by a rough estimate; --source model answers in seconds" in err
