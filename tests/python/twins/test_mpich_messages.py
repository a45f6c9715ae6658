"""collscope.twins.mpich_messages: which MPICH is taken, and which of its messages are compared."""

from __future__ import annotations

import pytest

import mpich_twins
from collscope.base.errors import UserError
from collscope.twins import mpich_messages
from collscope.twins.call import Call
from collscope.twins.library import Installed
from collscope.twins.mpich_messages import Mpich, node_of


def test_ranks_are_dealt_out_in_blocks() -> None:
    assert [node_of(rank, 7, 3) for rank in range(7)] == [0, 0, 0, 1, 1, 2, 2]
    assert [node_of(rank, 4, 4) for rank in range(4)] == [0, 1, 2, 3]


def test_another_library_is_not_taken_for_mpich(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = "HYDRA build details:\n    Version:                                 4.3.2\n"
    monkeypatch.setattr(Installed, "call", lambda *_: reply)
    there = Mpich("mpicc", "mpirun")
    assert (there.version, there.series) == ("4.3.2", "4.3")
    monkeypatch.setattr(Installed, "call", lambda *_: "mpirun (Open MPI) 4.1.4\n")
    with pytest.raises(UserError, match="not MPICH's; it says"):
        _ = Mpich("mpicc", "mpirun").version


@pytest.mark.full
@pytest.mark.parametrize("nodes", [4, 3, 2])
def test_messages_between_nodes_show_the_algorithm(nodes: int) -> None:
    """MPICH's own allgather of few bytes on a power of two of ranks: undivided, however many nodes these are on."""
    right, wrong = (Call(f"allgather/{name}", "allgather", 5) for name in ("recursive_doubling", "bucket"))
    found = mpich_messages.compare(mpich_twins.library(), 4, nodes, [right, wrong])
    assert [c.verdict for c in found] == ["same", "different"]


@pytest.mark.full
def test_broadcasts_of_bytes_are_cut_up_alike() -> None:
    calls = [Call("bcast/scatter_ring", "bcast", count, elem=1) for count in (1_000_003, 12_288)]
    assert [c.verdict for c in mpich_messages.compare(mpich_twins.library(), 9, 9, calls)] == ["same", "different"]
