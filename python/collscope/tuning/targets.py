"""What rules can be written for: the algorithms that a library has, with the parameters that its rules can carry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from collscope.base.errors import UserError, unknown
from collscope.catalogue import registry
from collscope.catalogue.registry import Algorithm
from collscope.tuning import openmpi

KIB = 1 << 10
SEGMENTS = (0, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB)
VALUES = {"s": SEGMENTS, "first": (KIB, 32 * KIB), "chains": (1, 2, 4, 8), "k": (2, 3, 4, 8)}
"""What is tried of a parameter; of others the default alone."""


@dataclass(frozen=True)
class Target:
    """A library, or ours. `default`: the decision that stands for its own choice; `has`: its algorithms; `carries`: the parameters that
    a rule can give; `per_vector`: whether its rules' sizes are of the whole vector, else of a call's count; `may_decline`: whether a
    rule can leave a call to the library's own choice; `knows_nodes`: whether rules can differ by ranks per node."""

    name: str
    title: str
    default: str
    has: Callable[[Algorithm], bool]
    carries: frozenset[str]
    per_vector: bool
    may_decline: bool
    knows_nodes: bool = False

    def keys(self, collective: str) -> list[str]:
        """Full keys of all that can be chosen. What is made of other collectives is left out where these have rules of their own."""
        made = []
        for a in registry.load().of(collective):
            if not self.has(a):
                continue
            varied = [p for p in a.params if p.name in self.carries]
            for values in product(*(VALUES[p.name] for p in varied)):
                made.append(a.full_key({p.name: value for p, value in zip(varied, values, strict=True)}))
        return made

    def bytes(self, collective: str, vector: int, ranks: int) -> int:
        """The size that its rules compare, of a call whose vector has so many bytes."""
        blocks = registry.load().collective(collective).counts_blocks and not self.per_vector
        return vector // ranks if blocks else vector


def is_made_of_others(a: Algorithm) -> bool:
    """Whether it calls other collectives, which a library serves by their own rules."""
    return any(p.words and p.name in {c.name for c in registry.load().collectives} for p in a.params)


def of_open_mpi(library: openmpi.OpenMpi) -> Target:
    """Rules of coll/tuned."""
    return Target(
        f"openmpi-{library.series}",
        f"Open MPI {library.version}",
        library.decision,
        lambda a: library.has(a.full_key()) and not is_made_of_others(a),
        frozenset({"s", "first", "chains"}),
        per_vector=True,
        may_decline=True,
    )


def find(text: str) -> Target:
    """collscope; openmpi, which is installed; openmpi-5.0. UserError: it is not installed, or its format is not known."""
    there = openmpi.installed()
    series = {library.series: library for library in openmpi.SERIES[1:]}
    if text == "collscope":
        default = (there or openmpi.SERIES[1]).decision
        return Target(
            text, "libcollscope.so", default, lambda a: True, frozenset(VALUES), False, False, knows_nodes=True
        )
    name, _, version = text.partition("-")
    if name != "openmpi":
        raise unknown("library", text, ["collscope", "openmpi", *(f"openmpi-{v}" for v in series)])
    if not version and there is None:
        raise UserError(
            "--for openmpi: no Open MPI is installed; install openmpi-bin, or name a version: " + _versions(series)
        )
    number = version or (there.series if there else "")
    if number not in series:
        raise UserError(
            f"--for {text}: the rules of Open MPI {number} have a format that is not known here; name one of "
            + _versions(series)
        )
    return of_open_mpi(there if there and there.series == number else series[number])


def _versions(series: dict[str, openmpi.OpenMpi]) -> str:
    return ", ".join(f"--for openmpi-{name}" for name in series)
