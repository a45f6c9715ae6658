"""What rules can be written for: the algorithms that a library has, with the parameters that its rules can carry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import product

from collscope.base.errors import UserError, unknown
from collscope.catalogue import registry
from collscope.catalogue.registry import Algorithm
from collscope.tuning import mpich, openmpi, openmpi_rules
from collscope.twins import library
from collscope.twins.mpich_messages import Mpich

OURS = "collscope"
VERSIONS = {version.series: version for version in openmpi.SERIES[1:]}  # of Open MPI, by what their sources say
LIBRARIES = (*(f"openmpi-{series}" for series in VERSIONS), f"mpich-{mpich.SERIES}")
"""Those, but ours, that rules can be written for."""
KIB = 1 << 10
SEGMENTS = (0, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB)
VALUES = {"s": SEGMENTS, "first": (KIB, 32 * KIB), "chains": (1, 2, 4, 8), "k": (2, 3, 4, 8)}
"""What is tried of a parameter; of others the default alone."""


@dataclass(frozen=True)
class Target:
    """A library, or ours. `default`: the decision that stands for its own choice; `collectives`: what its rules can speak of; `keys`: of a
    collective the full keys of all that can be chosen; `per_vector`: whether its rules' sizes are of the whole vector, else of a call's
    count; `may_decline`: whether a rule can leave a call to the library's own choice; `knows_nodes`: whether rules can differ by ranks per
    node."""

    name: str
    title: str
    default: str
    collectives: tuple[str, ...]
    keys: Callable[[str], list[str]]
    per_vector: bool
    may_decline: bool
    knows_nodes: bool = False

    @property
    def family(self) -> str:
        """Its name without a version."""
        return self.name.partition("-")[0]

    def bytes(self, collective: str, vector: int, ranks: int) -> int:
        """The size that its rules compare, of a call whose vector has so many bytes."""
        blocks = registry.load().collective(collective).counts_blocks and not self.per_vector
        return vector // ranks if blocks else vector


def varied(collective: str, has: Callable[[Algorithm], bool], carries: Iterable[str]) -> list[str]:
    """Full keys of the algorithms that a library `has`, with several values of each parameter that a rule `carries`."""
    made = []
    for a in filter(has, registry.load().of(collective)):
        names = [p.name for p in a.params if p.name in carries]
        for values in product(*(VALUES[name] for name in names)):
            made.append(a.full_key(dict(zip(names, values, strict=True))))
    return made


def is_made_of_others(a: Algorithm) -> bool:
    """Whether it calls other collectives, which a library serves by their own rules."""
    return any(p.words and p.name in {c.name for c in registry.load().collectives} for p in a.params)


def of_open_mpi(version: openmpi.OpenMpi) -> Target:
    """Rules of coll/tuned. What is made of other collectives is left out where these have rules of their own."""

    def has(a: Algorithm) -> bool:
        return version.has(a.full_key()) and not is_made_of_others(a)

    return Target(
        f"openmpi-{version.series}",
        f"Open MPI {version.version}",
        version.decision,
        tuple(openmpi_rules.NUMBERS),
        lambda collective: varied(collective, has, ("s", "first", "chains")),
        per_vector=True,
        may_decline=True,
    )


def of_mpich(version: str) -> Target:
    """Rules of MPICH's table."""
    name, title = f"mpich-{mpich.SERIES}", f"MPICH {version}"
    return Target(name, title, mpich.DECISION, tuple(mpich.KEYS), lambda c: list(mpich.KEYS[c]), True, True)


def of_collscope(default: str) -> Target:
    """Rules of the preload library."""
    names = tuple(c.name for c in registry.load().collectives if c.has_data)
    every = partial(varied, has=lambda a: True, carries=VALUES)
    return Target("collscope", "libcollscope.so", default, names, every, False, False, knows_nodes=True)


def find(text: str) -> Target:
    """collscope; openmpi or mpich, which are installed; openmpi-5.0. UserError: it is not installed, or its format is not known."""
    there = openmpi.installed()
    if text == OURS:
        return of_collscope((there or openmpi.SERIES[1]).decision)
    name, _, version = text.partition("-")
    if name == "mpich":
        return _mpich(version)
    if name != "openmpi":
        raise unknown("library", text, [OURS, "mpich", "openmpi", *LIBRARIES])
    if not version and there is None:
        raise UserError(
            "--for openmpi: no Open MPI is installed; install openmpi-bin, or name a version: " + _versions()
        )
    number = version or (there.series if there else "")
    if number not in VERSIONS:
        raise UserError(
            f"--for {text}: the rules of Open MPI {number} have a format that is not known here; name one of "
            + _versions()
        )
    return of_open_mpi(there if there and there.series == number else VERSIONS[number])


def _mpich(series: str) -> Target:
    version = series or _installed_mpich()
    if not re.fullmatch(rf"{re.escape(mpich.SERIES)}(\.\d+)?", version):
        raise UserError(
            f"--for mpich: MPICH {version}'s table of decisions is not known here, and a file takes the place of all of it; "
            f"known: --for mpich-{mpich.SERIES}"
        )
    return of_mpich(version)


def _installed_mpich() -> str:
    try:
        return library.find(Mpich).version
    except UserError as error:
        raise UserError(
            f"--for mpich: no MPICH is installed ({error}); install it, or name its version: --for mpich-{mpich.SERIES}"
        ) from error


def _versions() -> str:
    return ", ".join(f"--for openmpi-{series}" for series in VERSIONS)
