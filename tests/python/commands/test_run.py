"""What `run` writes, prints and says of points that fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tiny_platform
from collscope.catalogue.registry import Registry
from collscope.commands import run as runs
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
    failed = "collscope: bcast/linear, 52 bytes, 4 ranks on 1 nodes of tiny: simulation failed: it died\n"
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
