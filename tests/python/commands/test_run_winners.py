"""Who wins, what libraries lose, and how Open MPI is told."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.base import programs
from collscope.commands import run_winners
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
    assert text.startswith("Open MPI has no mst; of what it has, binomial is fastest (× 1.50): --mca coll_tuned_use")
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
