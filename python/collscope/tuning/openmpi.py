"""Open MPI: which of its algorithms a version has, which component decides for a call, and the words for mpirun that force one.

Of the version that is installed ompi_info tells it; of the others it is known from their sources (open-mpi/ompi, tags v4.0.7, v4.1.6
and v5.0.9: coll_tuned_*_decision.c, coll_han_component.c, coll_han_module.c, coll_han_subcomms.c).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from collscope.base import programs
from collscope.base.units import join_words
from collscope.catalogue import registry
from collscope.twins import calls

PATIENCE_S = 60.0  # for ompi_info, which reads hundreds of files
HAN = frozenset({"bcast", "reduce", "allreduce", "allgather", "gather", "scatter", "barrier"})
WITHOUT_HAN = "--mca coll ^han"
DYNAMIC = "--mca coll_tuned_use_dynamic_rules 1"

# The highest number of an algorithm of coll/tuned.
_OF_4_1 = {
    "allgather": 6,
    "allreduce": 6,
    "alltoall": 5,
    "barrier": 6,
    "bcast": 9,
    "exscan": 2,
    "gather": 3,
    "reduce": 7,
    "reduce_scatter": 4,
    "reduce_scatter_block": 4,
    "scan": 2,
    "scatter": 3,
}


@dataclass(frozen=True)
class OpenMpi:
    """A version of Open MPI. `highest`: collective → the highest number of an algorithm of coll/tuned; `han`: the collectives for
    which coll/han goes before coll/tuned."""

    version: str
    highest: Mapping[str, int]
    han: frozenset[str] = frozenset()
    is_installed: bool = False

    @property
    def series(self) -> str:
        """4.1 of 4.1.4."""
        return ".".join(self.version.split(".")[:2])

    @property
    def decision(self) -> str:
        """The decision of the catalogue with the rules of coll/tuned of this series."""
        return f"decision/ompi_{self.series.replace('.', '_')}"

    def has(self, key: str) -> bool:
        """Whether it can be forced to run this full key, with all the parts that the algorithm is made of."""
        algorithm = registry.load().algorithm(key)
        if algorithm is None or not algorithm.twin:
            return False
        numbers = [(name, number) for name, number in calls.forced(key) if name.endswith("_algorithm")]
        return all(number <= self.highest.get(name.removesuffix("_algorithm"), 0) for name, number in numbers)

    def asks_han(self, collective: str, nodes: int, ranks: int) -> bool:
        """Whether coll/han decides: on several nodes, where some node has two ranks or more."""
        return collective in self.han and 1 < nodes < ranks

    def words(self, key: str, nodes: int, ranks: int) -> str:
        """The words with which its mpirun runs this full key on so many nodes and ranks; nothing where it has no such algorithm."""
        if not self.has(key):
            return ""
        algorithm = registry.load().algorithm(key)
        assert algorithm
        forced = [f"--mca coll_tuned_{name} {value}" for name, value in calls.forced(key)]
        first = [WITHOUT_HAN] if self.asks_han(algorithm.collective, nodes, ranks) else []
        return " ".join([*first, DYNAMIC, *forced])


SERIES = (
    OpenMpi("4.0", _OF_4_1 | {"scatter": 2}),
    OpenMpi("4.1", _OF_4_1),
    OpenMpi("5.0", _OF_4_1 | {"allgather": 7}, HAN),
)
"""From their sources."""


def read(version: str, parameters: str) -> OpenMpi | None:
    """The library of which `ompi_info --version` and `ompi_info --param coll all --level 9 --parsable` print this; None: another MPI."""
    found = re.search(r"Open MPI v(\d+\.\d+\.\d+)", version)
    if not found:
        return None
    highest: dict[str, int] = {}
    for name, number in re.findall(
        r"^mca:coll:tuned:param:coll_tuned_(\w+)_algorithm:enumerator:value:(\d+):", parameters, re.M
    ):
        highest[name] = max(int(number), highest.get(name, 0))
    priority = dict(
        re.findall(r"^mca:coll:(han|tuned):param:coll_(?:han|tuned)_priority:value:(-?\d+)", parameters, re.M)
    )
    first = int(priority.get("han", -1)) > int(priority.get("tuned", -1))
    return OpenMpi(found[1], highest, HAN if first else frozenset(), is_installed=True)


@cache
def installed() -> OpenMpi | None:
    """The Open MPI whose ompi_info is on the path; None where it is missing or does not answer."""
    try:
        version = programs.answer(["ompi_info", "--version"], timeout=PATIENCE_S)
        parameters = programs.answer(
            ["ompi_info", "--param", "coll", "all", "--level", "9", "--parsable"], timeout=PATIENCE_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return read(version.stdout, parameters.stdout)


def libraries(there: OpenMpi | None) -> list[OpenMpi]:
    """The versions that advice is for, 4.1 and later: of each series `there`, the one that is installed, or what its sources say."""
    series = {library.series: library for library in SERIES[1:]}
    if there and there.highest:
        series[there.series] = there
    return [series[name] for name in sorted(series)]


def names(libraries: Sequence[OpenMpi]) -> str:
    """Versions in a sentence: "Open MPI 4.1.4 (installed) and 5.0"."""
    return "Open MPI " + join_words([f"{v.version}{' (installed)' * v.is_installed}" for v in libraries])
