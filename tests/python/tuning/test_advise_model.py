"""collscope.commands.advise_model: for which calls of a profile no rule can be judged, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from collscope.commands.advise_model import reason_against
from collscope.tuning import openmpi, targets
from collscope.tuning.uses import Use

OPEN_MPI_4, OPEN_MPI_5 = (next(v for v in openmpi.SERIES if v.series == series) for series in ("4.1", "5.0"))
USE = Use(
    "bcast", "MPI_COMM_WORLD (4)", 4, 4, 1, 1, (1024, 2047), 1500, 100, 100, False, 0, "MPI_INT", None, "", 1e-3, None
)


def reason(version: openmpi.OpenMpi = OPEN_MPI_4, decision: str | None = "", **changes: Any) -> str:
    """Why no rule of this Open MPI can be judged for calls like USE."""
    target = targets.of_open_mpi(version)
    return reason_against(replace(USE, **changes), target, target.default if decision == "" else decision)


def test_a_call_of_one_class_of_sizes_can_be_judged() -> None:
    assert reason() == reason(bytes=(1024, 2046)) == reason(bytes=(7, 7)) == ""


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"collective": "ibcast"}, "not blocking"),
        ({"collective": "bcast_init"}, "not blocking"),
        ({"collective": "alltoallw"}, "not a collective of the catalogue"),
        ({"collective": "neighbor_alltoall"}, "not a collective of the catalogue"),
        ({"collective": "alltoallv"}, "blocks of several sizes, of which the profile has the mean"),
        ({"ranks": None}, "lacks the size of their communicators"),
        ({"collective": "barrier"}, "no data"),
        ({"bytes": (0, 0)}, "no data"),
        ({"bytes": None}, "lacks their sizes"),
        ({"mean_bytes": None}, "lacks their sizes"),
        ({"bytes": (1024, 2048)}, "sizes of several classes in one row"),
        ({"collective": "exscan"}, "no rule of Open MPI 4.1 can speak of it"),
        ({"decision": None}, "which algorithm the MPI library takes is not known"),
    ],
)
def test_calls_that_no_rule_can_be_judged_for_are_named(changes: dict[str, Any], expected: str) -> None:
    assert expected in reason(**changes)


def test_an_algorithm_of_ours_can_be_judged_whatever_the_library_takes() -> None:
    assert reason(decision=None, algorithm="bcast/linear") == ""


def test_calls_that_a_library_splits_by_node_are_not_judged() -> None:
    """Open MPI 5 by coll/han on several nodes with several ranks each, MPICH where ranks share nodes."""
    assert "coll/han of Open MPI 5.0 decides" in reason(OPEN_MPI_5, ranks=8, per_node=2)
    assert (
        reason(OPEN_MPI_5) == reason(OPEN_MPI_5, nodes=1, per_node=4) == reason(OPEN_MPI_4, ranks=8, per_node=2) == ""
    )
    mpich = targets.of_mpich("4.0.2")
    split = replace(USE, ranks=8, per_node=2)
    assert "MPICH splits it on nodes of several ranks" in reason_against(split, mpich, mpich.default)
    assert reason_against(USE, mpich, mpich.default) == ""
    assert reason_against(replace(split, collective="alltoall"), mpich, mpich.default) == ""
