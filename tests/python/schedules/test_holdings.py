"""collscope.schedules.holdings: what each rank has after a round."""

import numpy as np
import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.points.plan import Point
from collscope.schedules import holdings, one_port, record
from traced import traced

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def test_binomial_broadcast_doubles() -> None:
    t = traced("bcast/binomial", 8)
    held = holdings.after_rounds(t)
    assert held is not None
    assert held.state.shape == (4, 8, 1)
    assert (held.state > 0).sum(axis=(1, 2)).tolist() == [1, 2, 4, 8]
    assert t.exact and t.cost_s == pytest.approx(t.time_s)


def test_ring_allgather_gains_a_block_a_round() -> None:
    held = holdings.after_rounds(traced("allgather/bucket", 6))
    assert held is not None
    assert (held.state > 0).sum(axis=(1, 2)).tolist() == [6 * k for k in range(1, 7)]
    assert held.since()[-1][2].tolist() == [2, 1, 0, 5, 4, 3]
    assert (held.what, held.combines, held.most, held.sets) == ("blocks of the vector", False, 1, (0, 1))


def test_shares_of_a_reduction() -> None:
    held = holdings.after_rounds(traced("allreduce/recursive_doubling", 8))
    assert held is not None
    assert held.combines
    assert np.allclose(held.share.min(axis=(1, 2)), [1 / 8, 1 / 4, 1 / 2, 1])


def test_a_set_of_ranks_has_one_number_whatever_it_was_combined_from() -> None:
    """Of more than 64 ranks, and also where it goes on from the last rank to the first."""
    held = holdings.after_rounds(traced("reduce/double_binary_tree", 72, root=3))
    assert held is not None
    assert len(set(held.sets)) == len(held.sets)


@pytest.mark.full
def test_all_end_with_what_they_should() -> None:
    """Every algorithm, 5 ranks and 4: the last panel is full where the collective says so."""
    full = {"bcast", "allgather", "allreduce", "barrier", "alltoall"}
    found = 0
    for a in registry.load().algorithms:
        for ranks in (4, 5):
            key = a.full_key()
            segment = 64 if any(p.name == "s" for p in a.params) else 0
            count = 0 if a.collective == "barrier" else 4 * ranks * (64 if segment else 1)
            if segment:
                key = a.full_key({p.name: segment for p in a.params if p.name == "s"})
            try:
                t = record.traces([Point(a.collective, key, count)], ranks, one_port.telephone(ranks), "")[0]
            except UserError:
                continue
            held = holdings.after_rounds(t)
            assert held is not None
            found += 1
            if a.collective in full:
                assert (held.share[-1] == 1).all(), a.key
            elif a.collective in ("reduce", "gather"):
                assert (held.share[-1][0] == 1).all(), a.key
    assert found > 50


def test_alltoall_shows_each_rank_what_is_for_itself() -> None:
    held = holdings.after_rounds(traced("alltoall/pairwise", 4))
    assert held is not None
    assert held.state.shape == (4, 4, 4)
    assert (held.state[0] > 0).tolist() == np.eye(4, dtype=bool).tolist()  # its own block
    assert held.block_bytes == (1024,) * 4 and held.what == "blocks from each rank"


def test_a_barrier_shows_who_has_been_heard_from() -> None:
    held = holdings.after_rounds(traced("barrier/dissemination", 5))
    assert held is not None
    assert [int((state > 0).sum()) for state in held.state][:2] == [5, 10]
    assert (held.state[-1] > 0).all()
    assert (held.what, held.block_bytes, held.combines) == ("ranks it has heard from", (0,) * 5, False)
