"""Traces, what lies where, and the pictures made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from collscope.base import programs
from collscope.base.errors import UsageError, UserError
from collscope.catalogue import registry
from collscope.commands import show
from collscope.points.plan import Point
from collscope.schedules import trace
from traced import traced

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def test_binomial_broadcast_doubles() -> None:
    t = traced("bcast/binomial", 8)
    held = trace.holdings(t)
    assert held is not None
    assert held.state.shape == (4, 8, 1)
    assert (held.state > 0).sum(axis=(1, 2)).tolist() == [1, 2, 4, 8]
    assert t.exact and t.cost_s == pytest.approx(t.time_s)


def test_ring_allgather_gains_a_block_a_round() -> None:
    held = trace.holdings(traced("allgather/bucket", 6))
    assert held is not None
    assert (held.state > 0).sum(axis=(1, 2)).tolist() == [6 * k for k in range(1, 7)]
    assert held.since()[-1][2].tolist() == [2, 1, 0, 5, 4, 3]


def test_shares_of_a_reduction() -> None:
    held = trace.holdings(traced("allreduce/recursive_doubling", 8))
    assert held is not None
    assert held.combines
    assert np.allclose(held.share.min(axis=(1, 2)), [1 / 8, 1 / 4, 1 / 2, 1])


def test_all_end_with_what_they_should() -> None:
    """Every algorithm, 5 ranks and 4: the last panel is full where the collective says so."""
    full = {"bcast", "allgather", "allreduce", "barrier", "alltoall"}
    seen = 0
    for a in registry.load().algorithms:
        for ranks in (4, 5):
            key = a.full_key()
            segment = 64 if any(p.name == "s" for p in a.params) else 0
            count = 0 if a.collective == "barrier" else 4 * ranks * (64 if segment else 1)
            if segment:
                key = a.full_key({p.name: segment for p in a.params if p.name == "s"})
            try:
                t = trace.ask([Point(a.collective, key, count)], ranks, trace.telephone(ranks), "")[0]
            except UserError:
                continue
            held = trace.holdings(t)
            assert held is not None
            seen += 1
            if a.collective in full:
                assert (held.share[-1] == 1).all(), a.key
            elif a.collective in ("reduce", "gather"):
                assert (held.share[-1][0] == 1).all(), a.key
    assert seen > 50


def test_writes_files(tmp_path: Path) -> None:
    t = traced("scatter/mst", 8)
    written = show.draw([t], ["graph"], str(tmp_path / "x.svg"))
    assert written == [tmp_path / "x.svg"]
    assert written[0].read_text().startswith("<?xml")
    names = {p.name for p in show.draw([t], ["graph", "matrix"], str(tmp_path))}
    assert "scatter-mst-p8-graph.png" in names and "scatter-mst-p8-matrix.svg" in names
    with pytest.raises(UsageError, match="--kind"):
        show.check_out(str(tmp_path / "x.svg"), ["graph", "matrix"])
    with pytest.raises(UsageError, match=r"x\.jpg: pictures are \.svg"):
        show.check_out(str(tmp_path / "x.jpg"), ["graph"])
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written to"):
        show.check_out(str(tmp_path / "file" / "folder"), ["graph"])


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"ranks": 4, "root": 4}, "there are 4 ranks"),
        ({"ranks": 2, "nodes": 3}, "cannot occupy"),
        ({"ranks": 5000}, "1 to 1024"),
    ],
)
def test_refuses(more: dict[str, int], words: str) -> None:
    with pytest.raises(UserError, match=words):
        show.make_traces(show.Request("bcast/mst", **more))  # type: ignore[arg-type]


def test_unknown_kind() -> None:
    with pytest.raises(UsageError, match="gantt"):
        show.read_kinds("gant")
