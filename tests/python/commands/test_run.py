"""What `run` writes, prints and says of points that fail."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import tiny_platform
from collscope.base.errors import UsageError, UserError
from collscope.catalogue.registry import Registry
from collscope.commands import requests, run_note
from collscope.commands import run as runs
from collscope.points.plan import Layout, Point
from collscope.points.table import make_row
from collscope.sources import bounds, model, mpirun, simulate
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
    assert places(ranks="2,5") == [(1, 2), (2, 5)]  # 4 cores a node
    assert places(ranks_per_node="3") == [(1, 3)]
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


class Asked:
    """A source of numbers that notes what it is asked for; each point's time and status are as told."""

    def __init__(self, status: str = "ok", stops: bool = False) -> None:
        self.status, self.stops = status, stops
        self.points: list[tuple[Layout, Point]] = []
        self.options: Options | None = None
        self.cells: dict[str, Any] = {}  # of every row, in place of what is made

    def rows(self, tasks: Any, options: Options, bar: Any) -> list[dict[str, Any]]:
        self.points, self.options = list(tasks), options
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
def asked(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked()
    monkeypatch.setitem(SOURCES, "sim", Source("sim", made.rows))
    return made


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("", Options()),
        ("--jobs 3", Options(jobs=3)),
        ("--force", Options(force=True)),
        ("--launches 4", Options(launches=4)),
        ("--repetitions 7", Options(repetitions=7)),
        ("--point-limit 1.5", Options(point_limit_s=1.5)),
    ],
)
def test_sources_are_told_how(asked: Asked, capsys: pytest.CaptureFixture[str], words: str, options: Options) -> None:
    assert call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4", *words.split())[0] == 0
    assert asked.options == options


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("-a bcast/mst", {}),
        ("-a bcast/mst --root 2", {"root": 2}),
        ("-a allreduce/bucket --root 2", {"algorithm": "allreduce/bucket"}),  # it has none
        ("-a allreduce/bucket --root 9", {"algorithm": "allreduce/bucket"}),
        ("-a bcast/mst --type double", {"type": "double", "count": 1}),
        ("-a bcast/mst --type affine", {"type": "affine", "op": "affine", "count": 1}),
        ("-a bcast/mst --op max", {"op": "max"}),
        ("-a bcast/mst --in-place", {"in_place": True}),
        ("-a bcast/mst --metric loop", {"metric": "loop"}),
        ("-a bcast/mst --check", {"check": True}),
    ],
)
def test_points_are_what_was_asked_for(
    asked: Asked, capsys: pytest.CaptureFixture[str], words: str, changed: dict[str, Any]
) -> None:
    assert call(capsys, *RUN, "--bytes", "8", *words.split())[0] == 0
    name = changed.pop("algorithm", "bcast/mst[dest=first]")
    assert [p for _, p in asked.points] == [Point(name.partition("/")[0], name, **({"count": 2} | changed))]


def test_the_root_is_a_rank(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4", "--root", "3")[0] == 0
    assert call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4", "--root", "4")[0] == 2


def test_points_are_by_layout_then_size_then_key(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, "run", "--on", "tiny", "--ranks", "2,4", "-a", "bcast/linear,bcast/mst", "--bytes", "8,4")
    made = [(at.ranks, point.count, point.algorithm[6:9]) for at, point in asked.points]
    assert made == [(p, n, a) for p in (2, 4) for n in (2, 1) for a in ("lin", "mst")]
    words = "--on tiny --nodes 2 --ranks 4 --mapping cyclic -a bcast/mst --bytes 4"
    call(capsys, "run", *words.split())
    assert [(at.nodes, at.mapping) for at, _ in asked.points] == [(2, "cyclic")]


def test_quiet_prints_no_table(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    words = (*RUN, "-a", "bcast/mst", "--bytes", "4")
    assert call(capsys, *words, "--quiet") == (0, "", "")
    assert "bcast · tiny" in call(capsys, *words)[1]


def test_a_run_says_who_wins_what_is_shaky_and_what_was_written(
    asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    asked.cells = {"source": "real", "unstable": "few: 2 repetitions", "metric": "makespan", "repetitions": 2}
    words = ["-a", "bcast/mst,bcast/linear", "--bytes", "4,8", "--csv", "new/t.csv", "--plot", "new/t.svg"]
    status, out, err = call(capsys, *RUN, *words)
    assert status == 0
    assert out.index("bcast · tiny") < out.index("who wins by real: bcast")  # the table, then who wins
    assert "4 of 4 measured times unstable (few 4)" in err
    assert "written: new/t.csv" in err and "written: new/t.svg" in err
    assert len(Path("new/t.csv").read_text().splitlines()) == 5 and Path("new/t.svg").read_text().startswith("<?xml")
    shown, said = (re.sub(r"\s+", " ", text) for text in call(capsys, *RUN, *words, "--quiet")[1:])
    assert shown == "" and "4 of 4 measured times unstable" in said


@pytest.mark.parametrize("quiet", [False, True])
def test_what_is_finished_is_printed_when_it_is_stopped(
    asked: Asked, capsys: pytest.CaptureFixture[str], quiet: bool
) -> None:
    asked.stops = True
    words = ["-a", "bcast/mst,bcast/linear", "--bytes", "4", "--csv", "t.csv", *["--quiet"] * quiet]
    status, out, err = call(capsys, *RUN, *words)
    assert status == 1 and "stopped; finished points are kept" in err
    assert ("mst" in out, "linear: stopped by you" in out, "\nbcast" in out) == ((not quiet,) * 2 + (False,))
    assert not Path("t.csv").exists()


def test_sizes_that_were_not_reached_have_their_bounds(
    asked: Asked, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked.stops = True
    monkeypatch.setattr(bounds, "loggp", lambda *_: {"o": 1e-6, "g": 1e-6, "L": 1e-5, "G": 1e-9})
    monkeypatch.setattr(runs, "bounds_for_display", lambda tasks, rows: [r for r in rows if r["source"] == "bound"])
    status, out, err = call(capsys, *RUN, "-a", "bcast/mst", "--bytes", "4,8", "--source", "bound,sim")
    assert status == 1 and err.endswith(
        "collscope: stopped; finished points are kept, the same command goes on from there\n"
    )
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
        assert runs.report_failures(rows) == status
        assert capsys.readouterr().err.count("\n") == says


@pytest.mark.parametrize("count", [5, 6, 8])
def test_five_failures_are_named_and_the_rest_counted(capsys: pytest.CaptureFixture[str], count: int) -> None:
    assert requests.report([f"f{i}" for i in range(count)], "points fail", [("k", "r")]) == 1
    said = [f"collscope: f{i}" for i in range(5)]
    said += [f"collscope: and {count - 5} more points fail"] * (count > 5)
    assert capsys.readouterr().err.splitlines() == said


def test_reasons_are_said_once_and_are_a_request_that_cannot_be_met(capsys: pytest.CaptureFixture[str]) -> None:
    assert requests.report([], "points", [("a", "r"), ("b", "r"), ("a", "r")]) == 2
    assert capsys.readouterr().err == "collscope: a: r\ncollscope: b: r\n"
    assert requests.report([], "points") == 0


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf", ".PDF"])
def test_pictures_have_three_formats(tmp_path: Path, ending: str) -> None:
    requests.check_file("--plot", str(tmp_path / "new" / f"x{ending}"), requests.FIGURES)
    with pytest.raises(UsageError, match=r"--plot .*/x.txt: the name must end in .svg, .png, .pdf"):
        requests.check_file("--plot", str(tmp_path / "x.txt"), requests.FIGURES)
    requests.check_file("--csv", str(tmp_path / "x.txt"))
    with pytest.raises(UsageError, match="is a folder"):
        requests.check_file("--csv", str(tmp_path))


@pytest.mark.parametrize("job", [None, *requests.ALLOCATIONS])
def test_another_machine_is_measured_inside_a_batch_job_alone(monkeypatch: pytest.MonkeyPatch, job: str | None) -> None:
    for name in requests.ALLOCATIONS:
        monkeypatch.delenv(name, raising=False)
    requests.check_real("this_machine")
    if job:
        monkeypatch.setenv(job, "7")
        requests.check_real("schooner")
    else:
        with pytest.raises(UsageError, match="use --on this_machine instead of schooner"):
            requests.check_real("schooner")


def test_a_machine_that_nobody_described_can_be_measured(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert requests.load_platform("this_machine", ["real"]) is None
    for name, sources in (("this_machine", ["sim"]), ("this_machine", ["sim", "real"]), ("other", ["real"])):
        with pytest.raises(UserError, match=f'unknown platform "{name}"'):
            requests.load_platform(name, sources)
    monkeypatch.setattr(mpirun, "share_cores", lambda p, nodes: p > 4)
    request = runs.Request("this_machine", "2,8,9", "mst")
    assert [(at.platform, at.nodes, at.ranks) for at in runs.read_layouts(request, ["real"])] == [
        (None, 1, p) for p in (2, 8, 9)
    ]
    assert "8,9 ranks have fewer cores" in capsys.readouterr().err
    with pytest.raises(UsageError, match="this_machine has 1 node; --nodes 2 does not fit"):
        runs.read_layouts(runs.Request("this_machine", "2", "mst", nodes="2"), ["real"])


@pytest.mark.parametrize(
    ("points", "seconds", "sources", "says"),
    [
        (500, 0.0, ["model"], []),
        (501, 0.0, ["model"], ["501 points: a × b"]),
        (501, 0.0, ["model", "sim"], ["501 points: a × b"]),
        (1, 60.0, ["sim"], []),
        (1, 200.0, ["sim"], ["simulating 1 points: 3 min by a rough estimate; --source model answers in seconds"]),
        (1, 200.0, ["model"], []),
        (502, 200.0, ["sim"], ["502 points: a × b", "simulating 502 points: 13.9 h by a rough estimate"]),
    ],
)
def test_what_is_said_before_long_work(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    points: int,
    seconds: float,
    sources: list[str],
    says: list[str],
) -> None:
    monkeypatch.setattr(run_note, "estimate", lambda point, ranks: seconds / run_note.MESSAGE_S)
    monkeypatch.setattr(simulate, "left", lambda tasks: list(tasks))
    tasks = [(Layout(tiny_platform.tiny(), 1, 2), Point("bcast", "bcast/mst", 1))] * points
    run_note.announce(tasks, sources, 2 if points == 502 else 1, ["a", "b"])
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(says)
    for line, words in zip(said, says, strict=True):
        assert line.startswith(f"collscope: {words}")


def test_layouts_keys_and_sizes_are_counted(tiny: Path, known: Registry) -> None:
    at = [Layout(tiny_platform.tiny(), 1, p) for p in (2, 4)]
    for options, layouts, sizes in (
        ({"ranks": "2,4", "sizes": "16,32"}, "--ranks 2,4", "2 sizes (--bytes 16,32)"),
        ({"ranks_per_node": "2,4", "block_sizes": "4"}, "--ranks-per-node 2,4", "1 sizes (--block-bytes 4)"),
    ):
        says = [f"2 layouts ({layouts})", "1 keys (-a bucket)", sizes]
        request = runs.Request(**{"platform": "tiny", "algorithms": "bucket", "ranks": None} | options)
        keys = [("allgather", "allgather/bucket")]
        assert runs.factors(request, at, keys, runs.make_tasks(request, at, keys)) == says


def test_the_bound_that_holds_is_shown_where_none_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "rows_of", lambda tasks, kinds: [("made", kinds)])
    point = Point("bcast", "bcast/mst", 1)
    known, nobody = Layout(tiny_platform.tiny(), 1, 2), Layout(None, 1, 2)
    asked, other = {"source": "bound"}, {"source": "sim"}
    assert runs.bounds_for_display([(known, point)], [other, asked]) == [asked]
    assert runs.bounds_for_display([(known, point)], [other]) == [("made", (bounds.LOGGP,))]
    assert runs.bounds_for_display([(known, point), (nobody, point)], [other]) == []


def test_no_sizes_where_nothing_moves_data(asked: Asked, capsys: pytest.CaptureFixture[str], known: Registry) -> None:
    barrier, bcast = ("barrier", "barrier/tree"), ("bcast", "bcast/mst")
    request = runs.Request("tiny", "2", "x")
    assert runs.read_sizes(request, [barrier]) == [0]
    with pytest.raises(UsageError, match="say which sizes"):
        runs.read_sizes(request, [barrier, bcast])
    assert (
        len(runs.make_tasks(runs.Request("tiny", "2", "x", sizes="4,8"), [Layout(None, 1, 2)], [barrier, bcast])) == 3
    )
