"""collscope.twins.judge:
every twin sends what Open MPI sends with that algorithm forced, and a decision table takes what it takes by default."""

from __future__ import annotations

from collscope.catalogue.keys import stem_of
from collscope.commands import twins
from collscope.twins import calls, judge
from collscope.twins.call import Call, Compared
from open_mpi import needs_open_mpi, needs_prover, some


def verdicts(found: list[Compared]) -> set[str]:
    return {c.verdict for c in found}


@needs_prover
@needs_open_mpi
def test_twins_send_what_open_mpi_sends() -> None:
    found = some()
    assert not found.bad, "\n".join(map(str, found.bad[:20]))
    same = {stem_of(c.call.key) for c in found.forced if c.verdict == "same"}
    assert same == {a.key for a in calls.twins(found.library.numbers)}
    assert verdicts(found.decided) == {"same"}
    assert {c.call.collective for c in found.decided} >= {"bcast", "alltoall", "barrier", "exscan"}


@needs_prover
@needs_open_mpi
def test_a_wrong_key_is_different() -> None:
    """The comparison can fail: another tree, another segment, another order, an algorithm that was not forced."""
    forced = (("bcast_algorithm", 6), ("bcast_algorithm_segmentsize", 1024))
    wrong = [
        Call("bcast/binary[s=1024]", "bcast", 1000, forced=forced),
        Call("bcast/binomial[s=1000]", "bcast", 1000, forced=forced),
        Call("bcast/binomial[s=0]", "bcast", 1000, forced=forced),
        Call("bcast/binomial[s=1024]", "bcast", 1000, forced=(("bcast_algorithm", 7),)),
        Call("barrier/tree", "barrier", 0, forced=(("barrier_algorithm", 4),)),
        Call("alltoall/pairwise", "alltoall", 5, forced=(("alltoall_algorithm", 1),)),
    ]
    found = judge.compare(some().library, 7, wrong)
    assert [c.verdict for c in found] == ["different"] * 5 + ["order"]
    assert all("rank" in c.text for c in found)
    assert twins.Found(some().library, found).bad == found
