"""collscope.commands.run, collscope.commands.run_answer, collscope.commands.run_output: what `run` writes, prints and says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tiny_platform
from collscope.base.errors import UsageError, UserError
from collscope.catalogue import registry
from collscope.catalogue.registry import Registry
from collscope.commands import requests, run_answer, run_output, run_points
from collscope.points.plan import Layout, Point, Task, Timing
from collscope.points.table import Row, make_row
from collscope.sources import bounds, mpirun
from collscope.sources.rows import SOURCES
from collscope.sources.source import Options, Source, Stopped
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
    status, out, err = call(capsys, *RUN, "-a", "bcast/linear", "--bytes", "48,52,56", "--csv", "t.csv")
    assert status == 1 and "it died" not in out, "once is enough"
    failed = "collscope: bcast/linear, 52 bytes, 4 ranks on 1 node of tiny: simulation failed: it died\n"
    assert err == f"collscope: written: t.csv\n{failed}"
    assert len((tiny / "t.csv").read_text().splitlines()) == 4


@pytest.mark.parametrize("source", ["bound", "bound,sim"])
def test_both_bounds_are_printed(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setattr(bounds, "loggp", lambda *_: {"o": 1e-6, "g": 1e-6, "L": 1e-5, "G": 1e-9})
    monkeypatch.setattr(
        run_answer, "bounds_for_display", lambda tasks, rows: [r for r in rows if r["source"] == "bound"]
    )
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
    assert [path.name for path in tiny.iterdir()] == [".cache"], "of its proof"


def test_a_plot_of_blocks_on_several_ranks_is_over_ranks(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-c", "allgather", "-a", "bucket", "--ranks", "2,4", "--block-bytes", "8", "--plot", "t.svg")
    assert call(capsys, "run", "--on", "tiny", *words)[0] == 0
    drawn = (tiny / "t.svg").read_text("utf-8")
    assert "allgather, 8 B per block, 1 node" in drawn and ">ranks</text>" in drawn


def test_nothing_is_drawn_without_a_time(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, *RUN, "-a", "bcast/linear", "--bytes", "52", "--plot", "t.svg")
    assert status == 1 and "it died" in err
    assert not (tiny / "t.svg").exists()


@pytest.mark.parametrize(
    ("options", "places"),
    [
        ({"nodes": "1,2,4", "ranks_per_node": "2"}, [(1, 2), (2, 4), (4, 8)]),
        ({"ranks": "2,5"}, [(1, 2), (2, 5)]),  # 4 cores per node
        ({"ranks_per_node": "3"}, [(1, 3)]),
        ({"nodes": "2", "ranks_per_node": "1,4"}, [(2, 2), (2, 8)]),
        ({"nodes": "1,2", "ranks": "2,4"}, [(1, 2), (1, 4), (2, 2), (2, 4)]),
    ],
)
def test_layouts_are_nodes_times_ranks_per_node(
    tiny: Path, options: dict[str, str], places: list[tuple[int, int]]
) -> None:
    request = run_points.Points(platform="tiny", algorithms="bucket", **options)
    assert [(layout.nodes, layout.ranks) for layout in run_points.read_layouts(request, ["sim"])] == places


def test_ranks_that_a_node_has_no_cores_for_are_not_spread_over_two(tiny: Path) -> None:
    request = run_points.Points(platform="tiny", algorithms="bucket", ranks_per_node="5")
    with pytest.raises(UsageError, match="5 ranks"):
        run_points.read_layouts(request, ["sim"])


def test_a_name_stands_for_every_collective_that_has_it_and_parameters_are_swept(known: Registry) -> None:
    linear = [("bcast", "bcast/linear"), ("scatter", "scatter/linear")]
    assert run_points.read_algorithms("linear", "bcast,scatter") == linear
    swept = [("bcast", "bcast/knomial[k=2,s=0]"), ("bcast", "bcast/knomial[k=4,s=0]")]
    assert run_points.read_algorithms("knomial[k=2|4]", "bcast,allgather") == swept
    with pytest.raises(UsageError, match="lnear"):
        run_points.read_algorithms("lnear", "bcast,scatter")


@pytest.mark.parametrize(("sizes", "many"), [("4..1K", False), ("4..64K", True)])
def test_many_points_are_announced_with_what_made_them(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, sizes: str, many: bool
) -> None:
    monkeypatch.setattr(run_points, "MANY", 72)
    words = ("-a", "bcast/linear,bcast/mst", "--nodes", "1,2", "--ranks", "2..3", "--bytes", sizes, "--csv", "-")
    assert call(capsys, "run", "--on", "tiny", *words)[::2] == (
        0,
        "collscope: 120 points: 4 layouts (--nodes 1,2, --ranks 2..3) × 2 keys (-a bcast/linear,bcast/mst) × "
        "15 sizes (--bytes 4..64K)\n" * many,
    )


def test_blocks_per_node_are_announced_by_their_options(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_points, "MANY", 1)
    words = ("-a", "allgather/bucket", "--ranks-per-node", "2,4", "--block-bytes", "4", "--csv", "-")
    lines = call(capsys, "run", "--on", "tiny", *words)[2]
    assert (
        "2 points: 2 layouts (--ranks-per-node 2,4) × 1 key (-a allgather/bucket) × 1 size (--block-bytes 4)" in lines
    )


class Recorder:
    """A source of numbers that notes its calls; each point's time and status are as the test says."""

    def __init__(self) -> None:
        self.status, self.stops = "ok", False
        self.points: list[Task] = []
        self.options: list[Options] = []
        self.cells: dict[str, Any] = {}  # of every row, in place of what is made

    def rows(self, tasks: Sequence[Task], options: Options) -> list[Row]:
        self.points, self.options = list(tasks), [*self.options, options]
        made = [
            make_row(source="sim", **at.cells(), **point.cells(at.ranks), status=self.status, kind=self.status)
            | {"median_s": 1.0 if self.status == "ok" else None}
            | self.cells
            for at, point in tasks
        ]
        if self.stops:
            made[-1] |= {"kind": "stopped", "status": "stopped by you", "median_s": None}
            raise Stopped(made)
        return made


@pytest.fixture
def recorder(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    made = Recorder()
    for name in ("sim", "model"):
        monkeypatch.setitem(SOURCES, name, Source(name, made.rows))
    return made


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("", Options()),
        ("--jobs 3", Options(jobs=3)),
        ("--force", Options(force=True)),
        ("--launches 4", Options(launches=4)),
        ("--point-timeout 1.5s", Options(point_timeout_s=1.5)),
        ("--source sim,model", Options()),
    ],
)
def test_sources_get_the_options(
    recorder: Recorder, capsys: pytest.CaptureFixture[str], words: str, options: Options
) -> None:
    assert call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4", *words.split())[0] == 0
    assert recorder.options == [options] * (2 if "model" in words else 1)


def test_reasons_go_to_standard_error_where_nothing_is_supported(
    recorder: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder.status = "needs an odd number"
    status, out, err = call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4,8")
    assert (status, err) == (2, "collscope: bcast/mst[dest=first]: needs an odd number\n")
    assert "odd" not in out, "once is enough"


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("-a bcast/mst", {}),
        ("-a bcast/mst --root 2", {"root": 2}),
        ("-a bcast/mst --type double", {"type": "double", "count": 1}),
        ("-a bcast/mst --type affine", {"type": "affine", "op": "affine", "count": 1}),
        ("-a bcast/mst --op max", {"op": "max"}),
        ("-a bcast/mst --in-place", {"in_place": True}),
        ("-a bcast/mst --metric loop", {"metric": "loop"}),
        ("-a bcast/mst --check", {"check": True}),
        ("-a bcast/mst --repetitions 7", {"timing": Timing(7)}),
        ("-a bcast/mst --buffers fresh", {"timing": Timing(buffers="fresh")}),
        ("-a bcast/mst --skew linear:1us", {"skew": "linear:1e-06"}),
        ("-a barrier/builtin", {"algorithm": "barrier/builtin", "count": 0}),
    ],
)
def test_options_become_points(
    recorder: Recorder, capsys: pytest.CaptureFixture[str], words: str, changed: dict[str, Any]
) -> None:
    assert call(capsys, *RUN, "--bytes", "8", *words.split())[0] == 0
    name = changed.pop("algorithm", "bcast/mst[dest=first]")
    assert [p for _, p in recorder.points] == [Point(name.partition("/")[0], name, **({"count": 2} | changed))]


def test_a_block_is_a_part_of_the_vector(recorder: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, *RUN, "-a", "allgather/bucket", "--block-bytes", "1KiB")[0] == 0
    ((_, point),) = recorder.points
    assert (point.count, point.block_bytes(4), point.bytes(4)) == (256, 1024, 4096)


def test_the_root_is_a_rank(recorder: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4", "--root", "3")[0] == 0
    assert call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4", "--root", "4")[0] == 2


def test_points_are_by_layout_then_size_then_key(recorder: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, "run", "--on", "tiny", "--ranks", "2,4", "-a", "bcast/linear,bcast/mst", "--bytes", "8,4")
    made = [(at.ranks, point.count, point.algorithm[6:9]) for at, point in recorder.points]
    assert made == [(p, n, a) for p in (2, 4) for n in (2, 1) for a in ("lin", "mst")]
    words = "--on tiny --nodes 2 --ranks 4 --mapping cyclic -a bcast/mst --bytes 4"
    call(capsys, "run", *words.split())
    assert [(at.nodes, at.mapping) for at, _ in recorder.points] == [(2, "cyclic")]


def test_quiet_prints_errors_alone(
    recorder: Recorder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_points, "MANY", 1)
    recorder.cells = {"source": "real", "unstable": "few: 2 repetitions", "metric": "makespan", "repetitions": 2}
    words = (*RUN, "-a", "bcast/mst,bcast/linear", "--bytes", "4", "--csv", "t.csv", "--plot", "t.svg")
    assert call(capsys, *words, "--quiet") == (0, "", "") and Path("t.csv").exists() and Path("t.svg").exists()
    _, out, err = call(capsys, *words)
    assert "bcast · tiny" in out and err.count("collscope: ") == 5, (
        "points, written twice, unstable times, unstable winner"
    )
    recorder.status, recorder.cells = "needs an odd number", {}
    assert call(capsys, *words, "--quiet")[2].startswith("collscope: bcast/mst[dest=first]: needs an odd number\n")


def test_a_run_says_who_wins_what_is_shaky_and_what_was_written(
    recorder: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder.cells = {"source": "real", "unstable": "few: 2 repetitions", "metric": "makespan", "repetitions": 2}
    words = ["-a", "bcast/mst,bcast/linear", "--bytes", "4,8", "--csv", "t.csv", "--plot", "t.svg"]
    status, out, err = call(capsys, *RUN, *words)
    assert status == 0
    assert out.index("bcast · tiny") < out.index("who wins by real: bcast")  # the table, then who wins
    assert "4 of 4 measured times unstable (few 4)" in err
    assert "written: t.csv" in err and "written: t.svg" in err
    assert len(Path("t.csv").read_text().splitlines()) == 5 and Path("t.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("quiet", [False, True])
def test_finished_points_are_printed_when_it_is_stopped(
    recorder: Recorder, capsys: pytest.CaptureFixture[str], quiet: bool
) -> None:
    recorder.stops = True
    words = ["-a", "bcast/mst,bcast/linear", "--bytes", "4", "--csv", "t.csv", *["--quiet"] * quiet]
    status, out, err = call(capsys, *RUN, *words)
    assert status == 1 and err.endswith("collscope: stopped\n"), "the source kept nothing"
    assert ("mst" in out, "linear: stopped by you" in out, "\nbcast" in out) == ((not quiet,) * 2 + (False,))
    assert not Path("t.csv").exists()


def test_sizes_that_were_not_reached_have_their_bounds(
    recorder: Recorder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder.stops = True
    monkeypatch.setattr(bounds, "loggp", lambda *_: {"o": 1e-6, "g": 1e-6, "L": 1e-5, "G": 1e-9})
    monkeypatch.setattr(
        run_answer, "bounds_for_display", lambda tasks, rows: [r for r in rows if r["source"] == "bound"]
    )
    status, out, err = call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4,8", "--source", "bound,sim")
    assert status == 1 and err.endswith("collscope: stopped\n")
    reached, other = (line.split() for line in out.splitlines() if line.split()[1:2] == ["B"])
    assert reached[:3] == ["4", "B", "mst[dest=first]"] and len(reached) == len(other) + 5, "algorithm, time and ratios"
    assert other[:2] == ["8", "B"] and other[3] == other[5] == "µs"


def test_one_failed_point_fails_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"bytes": 4, "ranks": 4, "nodes": 1, "platform": "tiny", "algorithm": "bcast/x"}
    good = {**row, "status": "ok", "kind": "ok", "median_s": 1.0}
    bad = {**row, "status": "it died", "kind": "died", "median_s": None}
    no = {**row, "status": "needs 2", "kind": "unsupported", "median_s": None}
    for rows, status, says in (
        ([good, good], 0, 0),
        ([good, no], 0, 0),
        ([], 0, 0),
        ([no, no], 2, 1),
        ([good, bad, good], 1, 1),
        ([no, bad], 1, 1),
        ([bad] * 6 + [good], 1, 6),
    ):
        assert run_output.report_failures(rows) == status
        assert capsys.readouterr().err.count("\n") == says


@pytest.mark.parametrize("count", [5, 6, 8])
def test_five_failures_are_named_and_the_rest_counted(capsys: pytest.CaptureFixture[str], count: int) -> None:
    assert requests.report([f"f{i}" for i in range(count)], "points fail", [("k", "r")]) == 1
    lines = [f"collscope: f{i}" for i in range(5)]
    lines += [f"collscope: and {count - 5} more points fail"] * (count > 5)
    assert capsys.readouterr().err.splitlines() == lines


def test_each_reason_is_printed_once_and_the_status_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert requests.report([], "points", [("a", "r"), ("b", "r"), ("a", "r")]) == 2
    assert capsys.readouterr().err == "collscope: a: r\ncollscope: b: r\n"
    assert requests.report([], "points") == 0


def test_a_machine_that_nobody_described_can_be_measured(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert requests.load_platform("this_machine", ["real"]) is None
    for name, sources in (("this_machine", ["sim"]), ("this_machine", ["sim", "real"]), ("other", ["real"])):
        with pytest.raises(UserError, match=f'unknown platform "{name}"'):
            requests.load_platform(name, sources)
    monkeypatch.setattr(mpirun, "share_cores", lambda p, nodes: p > 4)
    request = run_points.Points(platform="this_machine", ranks="2,8,9", algorithms="mst")
    layouts = run_points.read_layouts(request, ["real"])
    assert [(at.platform, at.nodes, at.ranks) for at in layouts] == [(None, 1, p) for p in (2, 8, 9)]
    assert "8,9 ranks: more ranks than cores" in capsys.readouterr().err
    with pytest.raises(UsageError, match="this_machine has 1 node; --nodes 2 does not fit"):
        run_points.read_layouts(replace(request, nodes="2"), ["real"])


def test_the_bound_that_holds_is_shown_where_none_was_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "rows_of", lambda tasks, kinds: [("made", kinds)])
    point = Point("bcast", "bcast/mst", 1)
    known, nobody = Layout(tiny_platform.tiny(), 1, 2), Layout(None, 1, 2)
    requested, other = {"source": "bound"}, {"source": "sim"}
    assert run_answer.bounds_for_display([(known, point)], [other, requested]) == [requested]
    assert run_answer.bounds_for_display([(known, point)], [other]) == [("made", (bounds.LOGGP,))]
    assert run_answer.bounds_for_display([(known, point), (nobody, point)], [other]) == []


def test_calls_without_data_are_made_once_and_need_no_sizes(
    recorder: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, *RUN, "-a", "barrier/builtin")[0] == 0
    assert call(capsys, *RUN, "-a", "barrier/builtin,bcast/mst", "--bytes", "4,8")[0] == 0
    assert [(point.collective, point.count) for _, point in recorder.points] == [
        ("barrier", 0),
        ("bcast", 1),
        ("bcast", 2),
    ]
    assert call(capsys, *RUN, "-a", "barrier/builtin,bcast/mst")[0] == 2


@pytest.mark.parametrize("metric", ["delay", "makespan"])
def test_a_picture_of_delays_is_drawn_beside_the_same_calls_without_skew(
    recorder: Recorder,
    known: Registry,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    metric: str,
) -> None:
    monkeypatch.setattr(registry, "load", lambda: replace(known, metrics=(*known.metrics, "delay")))
    words = ("-a", "bcast/mst,bcast/linear", "--bytes", "4,8", "--skew", "linear:1us", "--metric", metric)
    status, _, err = call(capsys, *RUN, *words, "--plot", "d.svg", "--csv", "-")
    assert (status, err) == (0, "collscope: written: d.svg\n")
    point = recorder.points[0][1]
    if metric == "delay":
        assert len(recorder.options) == 2 and (point.metric, point.skew) == ("makespan", "none")
    else:
        assert len(recorder.options) == 1 and (point.metric, point.skew) == ("makespan", "linear:1e-06")
    assert ("without skew" in Path("d.svg").read_text()) == (metric == "delay")
