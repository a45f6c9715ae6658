"""collscope.twins.calls: which calls are compared."""

from __future__ import annotations

from collscope.twins import calls
from open_mpi import needs_open_mpi, needs_prover, some


@needs_prover
@needs_open_mpi
def test_calls_go_over_thresholds() -> None:
    """Operators, in place: all of them, and whatever parameters the decisions pass."""
    everything = calls.forced_calls(8, calls.twins(some().library.numbers))
    keys = {c.key for c in everything}
    assert {"reduce/chain[chains=1,s=0]", "gather/linear_sync[first=32768]", "bcast/knomial[k=4,s=0]"} <= keys
    assert {c.collective for c in everything if c.in_place} == set(calls.IN_PLACE)
    assert {c.collective for c in everything if not c.commutes} == {
        *("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
    }


@needs_prover
@needs_open_mpi
def test_every_twin_has_a_number_that_open_mpi_lists() -> None:
    """And no two algorithms are the same twin; all that the library lists have one."""
    known = some().library.numbers
    ours = [(a.collective, int(a.twin["number"])) for a in calls.twins(known) if a.twin]
    assert len(set(ours)) == len(ours) >= 55
    # Of vector forms results/README.md says why.
    assert {entry for entry in known - set(ours) if not entry[0].endswith("v")} == set()
