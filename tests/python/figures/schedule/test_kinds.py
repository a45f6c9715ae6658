"""Pictures of schedules: that they are made. How they look is looked at, not tested."""

from __future__ import annotations

import pytest

from collscope.base import programs
from collscope.figures import files
from collscope.figures.schedule import kinds
from collscope.figures.schedule.graph import graph
from traced import traced

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


@pytest.mark.parametrize(
    "key", ["bcast/knomial", "allreduce/rabenseifner", "alltoall/pairwise", "barrier/dissemination"]
)
@pytest.mark.parametrize("kind", kinds.KINDS)
def test_every_kind_draws(key: str, kind: str) -> None:
    fig = kinds.draw([traced(key, 7, nodes=2)], kind)
    assert fig is not None
    assert fig.get_size_inches().max() < 25


def test_one_rank_and_nothing_to_send() -> None:
    for kind in kinds.KINDS:
        assert kinds.draw([traced("bcast/binomial", 1)], kind) is not None


def test_same_drawing_same_bytes() -> None:
    t = traced("bcast/mst", 8)
    assert files.render(graph(t), "svg") == files.render(graph(t), "svg")
