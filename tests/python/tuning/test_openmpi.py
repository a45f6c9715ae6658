"""collscope.tuning.openmpi: versions of Open MPI, what each can be told, and who decides there."""

from __future__ import annotations

import pytest

from collscope.tuning import openmpi
from collscope.tuning.openmpi import DYNAMIC, WITHOUT_HAN, OpenMpi
from open_mpi import needs_open_mpi, needs_prover

V40, V41, V50 = openmpi.SERIES


@needs_prover
@pytest.mark.parametrize(
    ("key", "which"),
    [
        ("allgather/sparbit", [V50]),
        ("scatter/linear_nb[blocking_every=0]", [V41, V50]),
        ("bcast/binomial[s=0]", [V40, V41, V50]),
        ("bcast/mst", []),  # a twin nowhere
        ("bcast/nothing", []),
    ],
)
def test_a_version_has_the_algorithms_of_its_sources(key: str, which: list[OpenMpi]) -> None:
    """And has words for these alone."""
    assert [v for v in openmpi.SERIES if v.has(key)] == which
    assert [v for v in openmpi.SERIES if v.words(key, 1, 8)] == which


@needs_prover
def test_an_algorithm_of_parts_needs_all_of_them() -> None:
    """A version without the reduction has no allreduce that is made of it."""
    key = "allreduce/nonoverlapping[reduce=rabenseifner,reduce_s=0,bcast=binomial,bcast_s=0]"
    less = OpenMpi("4.1.0", V41.highest | {"reduce": 6})
    assert V41.has(key) and not less.has(key)


@needs_prover
@pytest.mark.parametrize(
    ("key", "nodes", "ranks", "han"),
    [
        ("bcast/binomial[s=0]", 2, 4, True),
        ("bcast/binomial[s=0]", 1, 4, False),  # one node: coll/han leaves it to others
        ("bcast/binomial[s=0]", 4, 4, False),  # a rank per node: as well
        ("alltoall/pairwise", 2, 4, False),  # no collective of coll/han
    ],
)
def test_coll_han_is_switched_off_where_it_would_decide(key: str, nodes: int, ranks: int, han: bool) -> None:
    """In 5.0; in 4.1 its priority is 0."""
    assert V50.words(key, nodes, ranks).startswith(f"{WITHOUT_HAN} {DYNAMIC} " if han else f"{DYNAMIC} ")
    assert V41.words(key, nodes, ranks).startswith(f"{DYNAMIC} ")


def parameters(han: int) -> str:
    """A few lines of ompi_info."""
    return (
        f"mca:coll:han:param:coll_han_priority:value:{han}\n"
        "mca:coll:tuned:param:coll_tuned_priority:value:30\n"
        "mca:coll:tuned:param:coll_tuned_bcast_algorithm:value:ignore\n"
        "mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:10:new\n"
        "mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:9:scatter_allgather_ring\n"
        "mca:coll:tuned:param:coll_tuned_reduce_scatter_block_algorithm:enumerator:value:4:butterfly\n"
    )


def test_an_installed_version_says_itself_what_it_has() -> None:
    """Its numbers go before those of the sources of its series."""
    there = openmpi.read("Open MPI v5.0.11\n\nhttp://…", parameters(35))
    assert there == OpenMpi("5.0.11", {"bcast": 10, "reduce_scatter_block": 4}, openmpi.HAN, is_installed=True)
    assert openmpi.libraries(there) == [V41, there]
    assert openmpi.names([V41, there]) == "Open MPI 4.1 and 5.0.11 (installed)"
    assert there.decision == "decision/ompi_5_0"


def test_coll_han_decides_by_its_priority() -> None:
    """Not below coll/tuned's, nor where it is not built."""
    for text in (parameters(30), parameters(0), parameters(35).partition("\n")[2]):
        there = openmpi.read("Open MPI v4.1.4", text)
        assert there and not there.han


def test_another_mpi_is_not_taken_for_open_mpi() -> None:
    """Nor an Open MPI whose ompi_info lists no algorithms for a version that lacks them."""
    assert openmpi.read("MPICH Version: 4.3.2", "") is None
    assert openmpi.libraries(openmpi.read("Open MPI v4.1.4", "")) == [V41, V50]
    assert openmpi.libraries(None) == [V41, V50]


@needs_open_mpi
@needs_prover
def test_sources_and_the_installed_version_agree() -> None:
    """Where it is of a series that is known."""
    there = openmpi.installed()
    assert there and there.is_installed
    known = next((v for v in openmpi.SERIES if v.series == there.series), None)
    if known is None:
        pytest.skip(f"Open MPI {there.version}: of no series that is known from its sources")
    assert {c: there.highest.get(c) for c in known.highest} == dict(known.highest)
    assert there.han == known.han
