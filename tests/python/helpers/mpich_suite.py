"""MPICH's collective test programs, as SimGrid's source package carries them: fetched once, compiled for an MPI library, run with a
preloaded library or without."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import libraries
from once import once

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / ".cache" / "mpich-suite"
VERSION = "4.1"  # of SimGrid
SUITE = libraries.SOURCES / f"simgrid-{VERSION}" / "teshsuite" / "smpi" / "mpich3-test"
RENAMED = {"reduce_mpich": "reduce", "bcast_full": "bcast"}  # a name in the list of tests → its source

# In front of every source: names that MPI 3 removed and these old programs still use; and MPI_Finalize, which some never call, whereupon
# mpirun ends their ranks and may lose what they said.
AMENDED = """
#include <mpi.h>
#undef MPI_Errhandler_set
#define MPI_Errhandler_set MPI_Comm_set_errhandler
#undef MPI_Type_struct
#define MPI_Type_struct MPI_Type_create_struct
#undef MPI_Type_hvector
#define MPI_Type_hvector MPI_Type_create_hvector
#undef MPI_Type_hindexed
#define MPI_Type_hindexed MPI_Type_create_hindexed
#undef MPI_Address
#define MPI_Address MPI_Get_address
#undef MPI_Type_extent
static inline int type_extent(MPI_Datatype t, MPI_Aint *e) { MPI_Aint b; return MPI_Type_get_extent(t, &b, e); }
#define MPI_Type_extent type_extent
__attribute__((destructor)) static void finalize(void) {
  int begun, ended;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun && !ended) MPI_Finalize();
}
"""


Calls = Literal["as they are", "nonblocking", "persistent"]
"""Blocking collectives of the programs may be made others (tests/preload/ended.h)."""
OTHERS: dict[Calls, list[str]] = {
    "as they are": [],
    "nonblocking": ["-include", str(ROOT / "tests/preload/ended.h"), f"-I{ROOT}"],
    "persistent": ["-DPERSISTENT", "-include", str(ROOT / "tests/preload/ended.h"), f"-I{ROOT}"],
}
ENDLESS = {"alltoallw_zeros"}
"""Programs that Open MPI 4.1 alone never ends on several ranks when their calls are made others: tests/libraries/open_mpi_empty_types.c."""


@dataclass(frozen=True)
class Case:
    """One line of the list of tests."""

    library: libraries.Library
    name: str
    ranks: int
    arguments: tuple[str, ...]
    program: Path
    functions: frozenset[str]  # of MPI, that its source names

    def fault(self, environment: Mapping[str, str], timeout_s: float = 240) -> str | None:
        """Why it does not pass; None: it says that it does."""
        words = [str(self.library.mpirun), "-np", str(self.ranks), "env"]
        words += [f"{name}={value}" for name, value in environment.items()]
        with subprocess.Popen(
            [*words, str(self.program), *self.arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=self.library.environment,
        ) as process:
            try:
                printed, _ = process.communicate(timeout=timeout_s)
            except subprocess.TimeoutExpired:
                process.terminate()
                process.communicate()
                return f"not over after {timeout_s:g} s"
        if "no errors" in printed.lower():
            return None
        return (printed.strip().splitlines() or ["printed nothing"])[-1]


def _compiled(library: libraries.Library, name: str, calls: Calls) -> Path | None:
    """None: this MPI cannot compile it."""
    kind = f" {calls}" if OTHERS[calls] else ""
    folder = FOLDER / f"{library.name} {library.version}{kind}".replace(" ", "-").lower()
    program, refused, common = folder / name, folder / f"{name}.refused", folder / "mtest.o"
    if program.exists() or refused.exists():
        return program if program.exists() else None
    folder.mkdir(parents=True, exist_ok=True)
    header = folder / "amended.h"
    header.write_text(AMENDED)
    words = [str(library.mpicc), "-w", "-O1", "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-DOMPI_REMOVED_USE_STATIC_ASSERT=0"]
    words += ["-include", str(header), f"-I{SUITE / 'include'}", *OTHERS[calls]]
    if not common.exists():
        shared = [*words, "-c", str(SUITE / "util" / "mtest.c"), "-o", str(common)]
        subprocess.run(shared, check=True, env=library.environment)
    words += [str(SUITE / "coll" / f"{name}.c"), str(common), "-o", str(program)]
    done = subprocess.run(words, capture_output=True, text=True, env=library.environment)
    if done.returncode:
        refused.write_text(done.stderr)
        return None
    return program


@cache
def cases(library: libraries.Library, calls: Calls = "as they are") -> tuple[Case, ...]:
    """Every case that this MPI compiles."""
    libraries.source("simgrid", VERSION, "teshsuite/smpi/mpich3-test")
    return tuple(_cases(library, calls))


def _cases(library: libraries.Library, calls: Calls) -> Iterator[Case]:
    for line in (SUITE / "coll" / "testlist").read_text().splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        name = RENAMED.get(words[0], words[0])
        source = SUITE / "coll" / f"{name}.c"
        if source.exists() and (program := _compiled(library, name, calls)):
            arguments = tuple(w.removeprefix("arg=") for w in words[2:] if w.startswith("arg="))
            functions = frozenset(re.findall(r"\bMPI_\w+", source.read_text(errors="replace")))
            yield Case(library, words[0], int(words[1]), arguments, program, functions)


@cache
def passing(library: libraries.Library, max_ranks: int = 1024, calls: Calls = "as they are") -> tuple[Case, ...]:
    """Those of so many ranks that pass without a preloaded library."""

    def those() -> list[int]:
        few = [i for i, case in enumerate(cases(library, calls)) if case.ranks <= max_ranks]
        return [i for i in few if _passes(cases(library, calls)[i], calls)]

    found = once(f"passing-{library.name}-{library.version}-{max_ranks}-{calls}", those)
    return tuple(cases(library, calls)[i] for i in found)


def _passes(case: Case, calls: Calls) -> bool:
    """Without a preloaded library; why not, it prints."""
    endless = case.library == libraries.own() and calls != "as they are" and case.ranks > 1 and case.name in ENDLESS
    fault = "never ends with Open MPI 4.1" if endless else case.fault({})
    if fault:
        print(f"{case.name} on {case.ranks} ranks, {calls}: {fault}")
    return not fault


def failing(cases: Iterable[Case], environment: Mapping[str, str]) -> list[str]:
    """Those that do not pass with these variables, in words. One that fails without them, too, when it is tried again says nothing of
    them: some need more memory than there is while other tests run."""
    wrong = []
    for case in cases:
        if case.fault(environment) and not case.fault({}) and (fault := case.fault(environment)):
            wrong.append(f"{case.name} on {case.ranks} ranks: {fault}")
    return wrong
