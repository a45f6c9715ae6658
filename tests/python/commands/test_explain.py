"""collscope.commands.explain: the explain command: what it prints, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tiny_platform
from collscope.base import programs
from collscope.base.errors import UsageError
from collscope.catalogue.registry import Registry
from collscope.commands import explain
from collscope.points.plan import Point
from collscope.schedules import critical_path
from collscope.schedules.critical_path import CriticalPath, Link
from collscope.schedules.explain import Case, Crossing

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
DOUBLING, RING = "allreduce/recursive_doubling", "allreduce/ring"


def request(*algorithms: str, **more: Any) -> explain.Request:
    usual = {"ranks": 8, "platform": "schooner", "nodes": 2, "sizes": "64KiB", "no_crossings": True}
    return explain.Request(algorithms=algorithms, **{**usual, **more})


@needs_prover
def test_two_algorithms_stand_side_by_side(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert explain.run(request(RING, DOUBLING, plot_path=str(tmp_path / "why.svg"))) == 0
    printed = capsys.readouterr().out
    assert "Critical path: allreduce of 64 KiB, 8 ranks on 2 nodes of schooner" in printed
    assert f"{RING} wins" in printed and "waiting for a shared link" in printed
    assert "NIC of node 0, out" in printed
    assert "would have to change" not in printed
    assert "where its critical path is" in (tmp_path / "why.svg").read_text()


US = 1e-6
LINKS = tuple(
    Link("NIC", name, busy * US, wait * US)
    for name, busy, wait in (("one", 8, 2), ("two", 4, 0.1), ("three", 10, 3.04))
)
FAST = CriticalPath("bcast/linear", "", "model", 4, 10 * US, {"latency": 4 * US, "wait": 6 * US}, (), 1, LINKS)
SLOW = CriticalPath("bcast/mst[dest=first]", "", "model", 4, 30 * US, {"latency": 30 * US}, (), 2)
PATHS = """\
Critical path: bcast of 4 KiB, 4 ranks on 2 nodes of tiny

 part                              linear  mst[dest=first]
 ─────────────────────────────────────────────────────────
 latency                    4.000 µs  40%    30.00 µs 100%
 waiting for a shared link  6.000 µs  60%                0

 time                            10.00 µs         30.00 µs

bcast/linear wins: 10 µs; bcast/mst[dest=first] takes 3.00 times as long, 30 µs.
The critical path of bcast/mst[dest=first] differs from that of bcast/linear by latency +26 µs, waiting for a shared link -6 µs.
bcast/linear: 1 message on the path; waiting for a shared link is 60% of the time; one: busy for 80% of it, keeps the path waiting for 2 µs.
bcast/mst[dest=first]: 2 messages on the path; latency is 100% of the time.
Shared links that the critical path waits for

 link   of      busy  path waits
 ───────────────────────────────
 three  linear  100%    3.040 µs
 one    linear   80%    2.000 µs

"""
CROSSINGS = """\
What would have to change for bcast/mst[dest=first] to win

 quantity  it wins at                     × now
 ──────────────────────────────────────────────
 latency   60 ns                         0.0123
 ranks     nowhere from 2 ranks to 1024

"""


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return "".join(f"{line.rstrip()}\n" for line in capsys.readouterr().out.splitlines())


@pytest.fixture
def questions(known: Registry, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the model is asked for, and for which crossings; two paths answer, on a platform that has no file."""
    calls: list[Any] = []

    def modelled(points: Sequence[Point], ranks: int, machine: str, limit_s: float | None) -> list[CriticalPath]:
        calls.append(([(p.algorithm, p.count, p.skew) for p in points], ranks, limit_s))
        return [FAST, SLOW][: len(points)]

    def crossings(case: Case, tell: Callable[[str], None]) -> list[Crossing]:
        tell("the latency")
        calls.append((case.platform, case.nodes, case.ranks, case.size))
        return [Crossing("latency", 60e-9, 0.01234, "60 ns"), Crossing("ranks", None, None, "2 ranks to 1024")]

    monkeypatch.setattr("collscope.commands.requests.load_platform", lambda *_: tiny_platform.tiny())
    monkeypatch.setattr(critical_path, "modelled", modelled)
    monkeypatch.setattr("collscope.schedules.explain.crossings", crossings)
    return calls


BOTH = ("bcast/linear", "bcast/mst")
WHERE = {"platform": "tiny", "nodes": 2, "ranks": 4, "sizes": "4KiB"}
CALLS = (
    [("bcast/linear", 1024, "none"), ("bcast/mst[dest=first]", 1024, "none")],
    4,
    None,
)


def of_both(**more: Any) -> explain.Request:
    return explain.Request(**{"algorithms": BOTH, **WHERE, **more})


def test_two_paths_are_printed_with_their_crossings(questions: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert explain.run(of_both()) == 0
    assert printed(capsys) == PATHS + CROSSINGS
    assert questions == [CALLS, ("tiny", 2, 4, 4096)]
    for more in ({"no_crossings": True}, {"source": "sim"}):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(explain.critical_path, "observed", lambda path: path)
            patch.setattr(explain.one_call, "make_traces", lambda call: [FAST if call.algo == BOTH[0] else SLOW])
            explain.run(of_both(**more))
        assert printed(capsys) == PATHS
    assert len(questions) == 3, "the model is not asked of a simulation"
    explain.run(of_both(platform=None))
    assert printed(capsys) == PATHS.replace("2 nodes of tiny", "the telephone network"), "no quantity could be changed"


def test_one_alone_arriving_late_in_a_run(questions: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    explain.run(of_both(algorithms=BOTH[1:], sizes="0", nodes=1, point_timeout=2.5, skew="linear:1us"))
    assert questions == [([("bcast/mst[dest=first]", 0, "linear:1e-06")], 4, 2.5)]
    assert printed(capsys).startswith("Critical path: bcast, 4 ranks on 1 node of tiny, skew linear:1e-06\n")
    explain._show([replace(FAST, source="real")], Point("bcast", "bcast/linear", 1), None)
    assert printed(capsys).endswith(f"{explain.CANNOT}\n")


def test_a_picture_says_what_of_and_where_it_lies(
    questions: list[Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr("collscope.figures.explain.explain_figure", lambda paths, title: (len(paths), title))
    monkeypatch.setattr("collscope.figures.files.save", lambda *words: drawn.append(words))
    monkeypatch.setattr("collscope.commands.origin.of_sources", lambda names, on: (names, on.name))
    path = str(tmp_path / "why.svg")
    explain.run(of_both(plot_path=path))
    assert drawn == [((2, "bcast of 4 KiB, 4 ranks on 2 nodes of tiny (model)"), path, (["model"], "tiny"))]
    assert capsys.readouterr().err == f"collscope: written: {path}\n"


@needs_prover
def test_one_algorithm_is_explained_alone_on_the_telephone_network_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        explain.run(request("gather/linear", platform=None, nodes=None, ranks=9, sizes=None, no_crossings=False)) == 0
    )
    printed = capsys.readouterr().out
    assert "gather/linear: 8 messages on the path" in printed and "port of rank 0, in" in printed
    assert "wins" not in printed and "would have to change" not in printed


@pytest.mark.parametrize(
    ("algorithms", "more", "words"),
    [
        ((RING, DOUBLING, "allreduce/linear"), {}, "one algorithm, or two"),
        ((RING, "bcast/mst"), {}, "are of two collectives"),
        ((RING,), {"source": "bound"}, "--source bound: choose one of model, sim, real"),
        ((RING,), {"plot_path": "why.gif"}, "must end in"),
        ((RING,), {"ranks": 5000}, "1 to 1024"),
        ((RING,), {"source": "sim", "skew": "linear:1us"}, "--skew with --source sim: explain knows it in the model"),
    ],
)
def test_a_call_that_cannot_be_explained_is_refused(
    algorithms: tuple[str, ...], more: dict[str, object], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        explain.run(request(*algorithms, **more))
