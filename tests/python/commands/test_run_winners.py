"""Who wins, what libraries lose, and how Open MPI is told."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.base.grid import Grid
from collscope.catalogue import decisions
from collscope.catalogue.registry import Registry
from collscope.commands import run_winners
from collscope.commands.run_winners import Winner
from collscope.points.table import Row, make_row
from command_line import call

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def row(algorithm: str, seconds: float | None, **more: Any) -> Row:
    base: dict[str, Any] = {
        "source": "sim", "platform": "x", "nodes": 1, "ranks": 16, "mapping": "block", "collective": "bcast", "bytes": 1024,
        "block_bytes": 1024, "type": "float", "in_place": 0, "root": 0, "metric": "makespan", "status": "ok",
    }  # fmt: skip
    return make_row(**(base | {"algorithm": f"bcast/{algorithm}", "median_s": seconds} | more))


@needs_prover
def test_what_wins_what_libraries_take_and_lose() -> None:
    rows = [row("mst[dest=first]", 1.0), row("linear", 3.0), row("binomial[s=0]", 1.5), row("pipeline[s=65536]", None)]
    (found,) = run_winners.winners(rows)
    assert found.key == "bcast/mst[dest=first]"
    assert list(found.times) == ["bcast/mst[dest=first]", "bcast/binomial[s=0]", "bcast/linear"]
    assert set(found.taken) == {"decision/ompi_4_1", "decision/ompi_5_0", "decision/mpich_4"}
    assert found.loss("bcast/binomial[s=0]") == "1.50"
    assert found.loss("bcast/pipeline[s=65536]") == "not timed"
    assert run_winners.winners(rows[:1]) == []  # no choice, no winner


@needs_prover
def test_a_decision_counts_as_what_it_chose() -> None:
    chosen = row("", 1.0, chose="bcast/binomial[s=0]") | {"algorithm": "decision/ompi_4_1"}
    (found,) = run_winners.winners([row("linear", 3.0), chosen])
    assert found.key == "bcast/binomial[s=0]"


@needs_prover
def test_the_words_for_open_mpi() -> None:
    assert run_winners.mca("bcast/pipeline[s=65536]") == (
        "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_bcast_algorithm 3 "
        "--mca coll_tuned_bcast_algorithm_segmentsize 65536"
    )
    assert run_winners.mca("bcast/mst[dest=first]") == ""
    found = run_winners.winners([row("mst[dest=first]", 1.0), row("linear", 2.0), row("binomial[s=0]", 1.5)])
    text = run_winners.practice(found)
    assert text.startswith(
        "Open MPI has no mst; of those timed that it has, binomial is fastest (× 1.50): --mca coll_tuned_use"
    )
    assert "coll_tuned_bcast_algorithm 6" in text
    (found,) = run_winners.winners([row("mst[dest=first]", 1.0), row("mst[dest=end]", 2.0)])
    assert "nor has" in run_winners.practice([found])


@needs_prover
def test_run_ends_with_the_winners(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-c", "bcast,reduce", "-a", "binomial,knomial[k=2|4],twins", "--bytes", "1K", "--source", "model")
    status, out, _ = call(capsys, "run", "--on", "ideal", "--nodes", "2,4", "--ranks-per-node", "1", *words)
    assert status == 0
    assert out.count("who wins by model") == 4
    assert "knomial[k=2,s=0]" in out
    assert "2 ranks on 2 nodes" in out
    assert "Open MPI 4.1 and 5.0" in out
    assert "--mca coll_tuned_reduce_algorithm" in out


@needs_prover
def test_one_node_is_one_node(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--nodes", "1", "--ranks", "2", "-c", "bcast", "-a", "linear,chain", "--bytes", "4", "--source", "model")
    status, out, _ = call(capsys, "run", "--on", "ideal[cores=2]", *words)
    assert status == 0 and "who wins by model: bcast, 2 ranks on 1 node\n" in out


def test_who_wins_is_asked_of_the_last_source(known: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def answer(collective: str, calls: Any, elem: int, words: Any, names: Any) -> list[dict[str, Any]]:
        asked.append((collective, list(calls), elem, words, names))
        ranks, count = asked[-1][1][0]
        line = {"kind": "ok", "ranks": ranks, "count": count, "decision": "decision/ompi_4_1", "chose": "bcast/c"}
        return [line, {**line, "kind": "no", "decision": "x"}]

    monkeypatch.setattr(decisions, "ask_many", answer)
    rows = [
        row("a", 1.0), row("b", 2.0), row("a", 3.0, source="real"), row("b", 2.0, source="real"), row("c", None, source="real"),
        row("a", 1.0, source="real", bytes=4, block_bytes=4), row("a", 1.0, source="real", bytes=4, block_bytes=4),
    ]  # fmt: skip
    (found,) = run_winners.winners(rows)
    assert (found.key, dict(found.times)) == ("bcast/b", {"bcast/b": 2.0, "bcast/a": 3.0})
    assert list(found.times) == ["bcast/b", "bcast/a"] and found.loss("bcast/a") == "1.50"
    assert asked == [
        ("bcast", [(16, 256)], 4, ["root=0", "commutes=1", "in_place=0"], ["decision/ompi_4_1"]),
    ]
    assert found.taken == {"decision/ompi_4_1": "bcast/c"}
    more = {"op": "affine", "root": 3, "in_place": 1, "type": "double"}
    run_winners.winners([row("a", 1.0, **more), row("b", 1.0, **more)])
    assert asked[-1] == ("bcast", [(16, 128)], 8, ["root=3", "commutes=0", "in_place=1"], ["decision/ompi_4_1"])
    assert (
        run_winners.winners([row("scatter/a", 1.0, collective="scatter"), row("b", 2.0, collective="scatter")])[0].taken
        == {}
    )
    assert len(asked) == 2, "no library has a table for it"

    def fail(*_: Any) -> None:
        raise UserError("no prover")

    monkeypatch.setattr(decisions, "ask_many", fail)
    assert run_winners.winners(rows)[0].taken == {}


def test_the_table_of_winners(
    known: Registry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Grid] = []
    monkeypatch.setattr(Grid, "show", lambda self: shown.append(self))
    monkeypatch.setattr(run_winners, "mca", lambda key: "--mca x" if key == "bcast/b" else "")
    three, taken = {"bcast/a": 1.0, "bcast/b": 1.5, "bcast/c": 3.0}, {"decision/ompi_4_1": "bcast/c"}
    taken |= {"decision/ompi_5_0": "bcast/c", "decision/mpich_4": "bcast/x"}
    one, two = row("a", 1.0, nodes=2), row("b", 1.0, bytes=4096, nodes=2)
    run_winners._show_table([Winner(one, three, taken), Winner(two, {"bcast/b": 1.0, "bcast/a": 2.0}, {})])
    (table,) = shown
    assert table.title == "who wins by sim: bcast, 16 ranks on 2 nodes"
    assert [(*line.cells, line.style, line.ruled) for line in table.lines] == [
        ("1 KiB", "fastest", "a", "1.00", "bold green", False),
        ("", "next", "b", "1.50", "", False),
        ("", "Open MPI 4.1 and 5.0", "c", "3.00", "", False),
        ("", "MPICH 4", "x", "not timed", "", False),
        ("4 KiB", "fastest", "b", "1.00", "bold green", True),
        ("", "next", "a", "2.00", "", False),
    ]
    run_winners._show_table([Winner(row("a", 1.0, bytes=0), three, {})])
    assert [c.name for c in shown[1].columns] == ["who", "takes", "× fastest"]


def test_the_words_for_a_run_of_sizes(
    known: Registry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_winners, "mca", lambda key: "--mca x" if key == "bcast/b" else "")
    times = {"bcast/a": 1.0, "bcast/c": 1.2, "bcast/b": 1.5}
    wins = [Winner(row("a", 1.0, bytes=n), times, {}) for n in (1, 2, 4)]
    wins += [Winner(row("b", 1.0, bytes=8), {"bcast/b": 1.0}, {}), Winner(row("a", 1.0, bytes=0), {"bcast/a": 1.0}, {})]
    run_winners._show_practice(wins)
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "1 B … 4 B: Open MPI has no a; of those timed that it has, b is fastest (× 1.50): --mca x",
        "8 B: --mca x",
        "Open MPI has no a, nor has any other algorithm that was timed a twin there",
    ]
    assert said.err == ("collscope: these MCA settings apply to every message size\n")
    run_winners._show_practice(wins[-1:])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("taken", "says"),
    [
        ([("b", "b"), ("b", "b")], "Open MPI 4.1 and 5.0 take it anyway; to force it: --mca x"),
        ([("b", "c"), ("b", "b")], "Open MPI 4.1 takes it anyway; to force it: --mca x"),
        ([("b", "c"), ("c", "b")], "--mca x"),
    ],
)
def test_what_a_library_takes_anyway(
    known: Registry, monkeypatch: pytest.MonkeyPatch, taken: list[tuple[str, str]], says: str
) -> None:
    monkeypatch.setattr(run_winners, "mca", lambda key: "--mca x" if key == "bcast/b" else "")
    names = run_winners.OPEN_MPI
    by_size = [dict(zip(names, (f"bcast/{key}" for key in keys), strict=True)) for keys in taken]
    wins = [Winner(row("b", 1.0, bytes=8 * (n + 1)), {"bcast/b": 1.0}, of) for n, of in enumerate(by_size)]
    assert run_winners.practice(wins) == says


@pytest.mark.parametrize(
    ("taken", "says"),
    [
        (("c", "x"), "; what Open MPI 5.0 takes unasked was not timed (-a all does)"),
        (("x", "x"), "; what Open MPI 4.1 and 5.0 take unasked was not timed (-a all does)"),
        (("c", "b"), ""),
    ],
)
def test_what_a_library_takes_may_be_better_than_what_was_timed(
    known: Registry, monkeypatch: pytest.MonkeyPatch, taken: tuple[str, str], says: str
) -> None:
    monkeypatch.setattr(run_winners, "mca", lambda key: "--mca x" if key == "bcast/b" else "")
    of = dict(zip(run_winners.OPEN_MPI, (f"bcast/{key}" for key in taken), strict=True))
    winner = Winner(row("a", 1.0), {"bcast/a": 1.0, "bcast/c": 1.2, "bcast/b": 1.5}, of)
    text = "Open MPI has no a; of those timed that it has, b is fastest (× 1.50): --mca x"
    assert run_winners.practice([winner]) == text + says
