"""mpich_suite, preload: MPICH's own test programs of collectives pass with each algorithm in turn where they pass without.

Each algorithm runs three programs that call its collective, those of the fewest ranks; with MPICH_SUITE=all every one, which
takes most of an hour on two cores."""

from __future__ import annotations

import os

import pytest

import mpich_suite
from collscope.base import programs
from collscope.catalogue import registry
from open_mpi import needs_open_mpi

pytestmark = [
    needs_open_mpi,
    pytest.mark.full,
    pytest.mark.skipif(not programs.PRELOAD.exists() or not programs.PROVER.exists(), reason="build/mpi is not made"),
]


def failing(cases: list[mpich_suite.Case], **variables: str) -> list[str]:
    environment = {"LD_PRELOAD": str(programs.PRELOAD)} | {f"COLLSCOPE_{n.upper()}": v for n, v in variables.items()}
    return [f"{case.name} on {case.ranks} ranks" for case in cases if not case.passes(environment)]


def test_most_cases_pass_without_the_library() -> None:
    assert len(mpich_suite.passing()) >= 0.9 * len(mpich_suite.cases()) > 90


def test_nothing_fails_that_is_only_counted(tmp_path_factory: pytest.TempPathFactory) -> None:
    report = tmp_path_factory.mktemp("report") / "report.json"
    assert not failing(list(mpich_suite.passing()), report=str(report), profile="1")


def keys() -> list[str]:
    """Of all algorithms of MPI's collectives; those of the build that is there when tests are collected."""
    if not programs.PROVER.exists():
        return []
    known = registry.load()
    return [a.key for a in known.algorithms if known.collective(a.collective).mpi]


@pytest.mark.parametrize("key", keys())
def test_programs_that_pass_without_an_algorithm_pass_with_it(key: str) -> None:
    known = registry.load()
    algorithm = known.by_key[key]
    function = known.collective(algorithm.collective).mpi
    cases = sorted((c for c in mpich_suite.passing() if function in c.functions), key=lambda case: case.ranks)
    if not any(function in case.functions for case in mpich_suite.cases()):
        pytest.skip(f"none of MPICH's programs calls {function} for itself")
    assert cases
    if os.environ.get("MPICH_SUITE") != "all":
        cases = cases[:3]
    assert not failing(cases, **{algorithm.collective: key})
