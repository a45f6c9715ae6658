"""mpich_suite, preload: MPICH's own test programs of collectives pass with each algorithm in turn where they pass without, on the
machine's Open MPI and on MPICH.

On Open MPI each algorithm runs three programs that call its collective, those of the fewest ranks; on MPICH, whose ranks keep cores busy
while they wait, programs of few ranks run with two sets of choices, one algorithm per collective. With MPICH_SUITE=all: every program with
every algorithm, hours on two cores."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

import libraries
import mpich_suite
from collscope.base import paths, programs
from collscope.catalogue import registry
from collscope.sources import mpirun
from open_mpi import needs_open_mpi

built = pytest.mark.skipif(
    not programs.PRELOAD.exists() or not programs.PROVER.exists(), reason="build/mpi is not made"
)
pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]
WHOLE = os.environ.get("MPICH_SUITE") == "all"
FEW = 5  # ranks


def variables(library: Path, **chosen: str) -> Mapping[str, str]:
    return {"LD_PRELOAD": str(library)} | {f"COLLSCOPE_{name.upper()}": value for name, value in chosen.items()}


def algorithms() -> list[registry.Algorithm]:
    """Of all of MPI's collectives; those of the build that is there when tests are collected."""
    if not programs.PROVER.exists():
        return []
    known = registry.load()
    return [a for a in known.algorithms if known.collective(a.collective).mpi]


@needs_open_mpi
def test_most_cases_pass_without_the_library() -> None:
    library = libraries.own()
    assert len(mpich_suite.passing(library)) >= 0.9 * len(mpich_suite.cases(library)) > 90


@built
@needs_open_mpi
def test_nothing_fails_that_is_only_counted(tmp_path: Path) -> None:
    given = variables(programs.PRELOAD, report=str(tmp_path / "report.json"), profile="1")
    assert not mpich_suite.failing(mpich_suite.passing(libraries.own()), given)


@built
@needs_open_mpi
@pytest.mark.parametrize("key", [a.key for a in algorithms()])
def test_programs_that_pass_without_an_algorithm_pass_with_it(key: str) -> None:
    known = registry.load()
    algorithm, library = known.by_key[key], libraries.own()
    function = known.collective(algorithm.collective).mpi
    cases = sorted((c for c in mpich_suite.passing(library) if function in c.functions), key=lambda case: case.ranks)
    if not any(function in case.functions for case in mpich_suite.cases(library)):
        pytest.skip(f"none of MPICH's programs calls {function} for itself")
    assert cases
    given = variables(programs.PRELOAD, **{algorithm.collective: key})
    assert not mpich_suite.failing(cases if WHOLE else cases[:3], given)


OWN = ("nonblocking", "nonblocking2", "nonblocking3", "iallred", "ibarrier")
"""MPICH's own programs of non-blocking collectives."""


def playable() -> list[registry.Algorithm]:
    return [a for a in algorithms() if not {"any_source", "segments"} & set(a.flags)]


def sets(of_these: list[registry.Algorithm]) -> list[dict[str, str]]:
    """Choices for all collectives at once: the nth has each one's nth algorithm, so that all of them together have every algorithm."""
    of: dict[str, list[str]] = {}
    for a in of_these:
        of.setdefault(a.collective, []).append(a.key)
    return [
        {name: keys[n % len(keys)] for name, keys in of.items()} for n in range(max(map(len, of.values()), default=0))
    ]


@built
@pytest.mark.parametrize("number", range(len(sets(algorithms())) if WHOLE else 2))
def test_programs_that_pass_on_mpich_pass_with_algorithms_for_all_collectives(number: int) -> None:
    library, most = libraries.mpich(), 1024 if WHOLE else FEW
    passing = mpich_suite.passing(library, most)
    assert len(passing) >= 0.9 * sum(case.ranks <= most for case in mpich_suite.cases(library)) > 60
    assert not mpich_suite.failing(passing, variables(libraries.preload(library), **sets(algorithms())[number]))


@built
@needs_open_mpi
@pytest.mark.parametrize("calls", ["nonblocking", "persistent"])
@pytest.mark.parametrize("number", range(len(sets(playable()))))
def test_programs_that_pass_without_algorithms_pass_with_them_in_calls_that_do_not_block(
    number: int, calls: mpich_suite.Calls
) -> None:
    library, most = libraries.own(), 1024 if WHOLE else FEW
    cases = list(mpich_suite.passing(library, most, calls))
    assert len(cases) > 60
    if not WHOLE:
        cases = cases[number % 6 :: 6]
    if calls == "nonblocking":
        cases += [case for case in mpich_suite.passing(library, most) if case.name in OWN]
    assert not mpich_suite.failing(cases, variables(programs.PRELOAD, **sets(playable())[number]))


@needs_open_mpi
@pytest.mark.parametrize("words", [[], ["persistent"]])
def test_open_mpi_4_1_alone_never_ends_an_exchange_of_empty_types(words: list[str], tmp_path: Path) -> None:
    """A fault of Open MPI 4.1.4, not of this project: where it is mended, this, ENDLESS and its note in docs/preload.md go."""
    library, program = libraries.own(), tmp_path / "empty_types"
    if "4.1" not in mpirun.library():
        pytest.skip("the machine's MPI is not Open MPI 4.1")
    source = paths.ROOT / "tests" / "libraries" / "open_mpi_empty_types.c"
    compiler = [library.mpicc, f"-I{paths.ROOT}", source, "-o", program]
    subprocess.run(compiler, check=True, env=library.environment)
    for ranks, printed in ((1, "ended"), (2, "never ended")):
        line = [library.mpirun, "-np", str(ranks), program, *words]
        done = subprocess.run(line, capture_output=True, text=True, timeout=300, env=library.environment)
        assert done.stdout == f"{printed}\n" * ranks, done
