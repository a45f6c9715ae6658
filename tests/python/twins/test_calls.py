"""collscope.twins.calls: which calls are compared."""

from __future__ import annotations

from collscope.twins import calls
from open_mpi import needs_open_mpi, needs_prover, some


@needs_prover
@needs_open_mpi
def test_calls_go_over_thresholds() -> None:
    """Segments, ranks, operators, in place: all of them, and whatever parameters the decisions pass."""
    key = "bcast/binomial[s=1024]"
    requests = [c for c in calls.forced_calls(5, calls.twins(some().library.numbers)) if c.key == key]
    assert {255, 256, 257, 511, 512, 513, 1283, 0, 1, 4, 5, 6} <= {c.count for c in requests}
    assert {c.root for c in requests} == set(range(5))
    everything = calls.forced_calls(8, calls.twins(some().library.numbers))
    keys = {c.key for c in everything}
    assert {"reduce/chain[chains=1,s=0]", "gather/linear_sync[first=32768]", "bcast/knomial[k=4,s=0]"} <= keys
    assert {c.collective for c in everything if c.in_place} == set(calls.IN_PLACE)
    assert {c.collective for c in everything if not c.commutes} == {
        *("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
    }
    assert dict(calls.forced("allreduce/nonoverlapping[reduce=binary,reduce_s=8,bcast=linear,bcast_s=0]")) == {
        **{"allreduce_algorithm": 2, "reduce_algorithm": 4, "reduce_algorithm_segmentsize": 8},
        **{"bcast_algorithm": 1, "bcast_algorithm_segmentsize": 0},
    }


@needs_prover
@needs_open_mpi
def test_every_twin_has_a_number_that_open_mpi_lists() -> None:
    """And no two algorithms are the same twin; all that the library lists have one."""
    known = some().library.numbers
    ours = [(a.collective, int(a.twin["number"])) for a in calls.twins(known) if a.twin]
    assert len(set(ours)) == len(ours) >= 55
    # Those for vectors of lengths that differ by rank are not in the catalogue.
    assert {entry for entry in known - set(ours) if not entry[0].endswith("v")} == set()
