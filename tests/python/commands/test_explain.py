"""The explain command: what it prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UsageError
from collscope.commands import explain

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
DOUBLING, RING = "allreduce/recursive_doubling", "allreduce/ring"


def request(*algorithms: str, **more: object) -> explain.Request:
    point = {"ranks": 32, "platform": "schooner", "nodes": 2, "sizes": "1MiB"}
    outer = {k: more.pop(k) for k in ("source", "plot_path", "crossings") if k in more}
    return explain.Request(algorithms=algorithms, point={**point, **more}, **{"crossings": False, **outer})  # type: ignore[arg-type]


@needs_prover
def test_two_algorithms_stand_side_by_side(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert explain.run(request(RING, DOUBLING, plot_path=str(tmp_path / "why.svg"))) == 0
    said = capsys.readouterr().out
    assert "Critical path: allreduce of 1 MiB, 32 ranks on 2 nodes of schooner" in said
    assert f"{RING} wins" in said and "waiting for a shared link" in said
    assert "NIC of node 0, out" in said
    assert "would have to change" not in said
    assert "where its critical path is" in (tmp_path / "why.svg").read_text()


@needs_prover
def test_crossings_name_the_loser(capsys: pytest.CaptureFixture[str]) -> None:
    made = request("bcast/mst", "bcast/linear", platform="ideal", nodes=4, ranks=4, sizes="4KiB", crossings=True)
    assert explain.run(made) == 0
    said = capsys.readouterr().out
    assert "What would have to change for bcast/linear to win" in said
    assert "it does not win from" in said


@needs_prover
def test_one_algorithm_is_explained_alone_on_the_telephone_network_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain.run(request("gather/linear", platform=None, nodes=None, ranks=9, sizes=None, crossings=True)) == 0
    said = capsys.readouterr().out
    assert "gather/linear: 8 messages on the path" in said and "port of rank 0, in" in said
    assert "wins" not in said and "would have to change" not in said


@pytest.mark.parametrize(
    ("algorithms", "more", "words"),
    [
        ((RING, DOUBLING, "allreduce/linear"), {}, "one algorithm, or two"),
        ((RING, "bcast/mst"), {}, "are of two collectives"),
        ((RING,), {"source": "bound"}, "--source bound: choose one of model, sim, real"),
        ((RING,), {"plot_path": "why.gif"}, "must end in"),
        ((RING,), {"ranks": 5000}, "1 to 1024"),
    ],
)
def test_what_makes_no_sense_is_refused(algorithms: tuple[str, ...], more: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        explain.run(request(*algorithms, **more))
