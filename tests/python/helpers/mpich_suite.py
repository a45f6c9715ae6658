"""MPICH's collective test programs, as SimGrid's source package carries them: fetched once, compiled with the mpicc of this machine, run
with a preloaded library or without."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / ".cache" / "mpich-suite"
VERSION = "4.1"  # of SimGrid
SUITE = FOLDER / f"simgrid-{VERSION}" / "teshsuite" / "smpi" / "mpich3-test"
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


@dataclass(frozen=True)
class Case:
    """One line of the list of tests."""

    name: str
    ranks: int
    arguments: tuple[str, ...]
    program: Path
    functions: frozenset[str]  # of MPI, that its source names

    def passes(self, environment: Mapping[str, str], timeout_s: float = 60) -> bool:
        """Whether it says so."""
        words = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(self.ranks)]
        for name, value in environment.items():
            words += ["-x", f"{name}={value}"]
        own = {
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1",
        }
        with subprocess.Popen(
            [*words, str(self.program), *self.arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | own,
        ) as process:
            try:
                printed, _ = process.communicate(timeout=timeout_s)
            except subprocess.TimeoutExpired:
                process.terminate()
                printed, _ = process.communicate()
        return "no errors" in printed.lower()


def _fetch() -> None:
    done = FOLDER / "fetched"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if done.exists():
            return
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q", "--no-deps"]
        archive = FOLDER / f"simgrid-{VERSION}.tar.gz"
        if not archive.exists():
            got = subprocess.run(
                [*pip, "--no-binary", "simgrid", "-d", str(FOLDER), f"simgrid=={VERSION}"],
                capture_output=True,
                text=True,
            )
            if not archive.exists():
                pytest.skip(f"needs PyPI's simgrid {VERSION}, which cannot be had here: {got.stderr[-200:]}")
        with tarfile.open(archive) as members:
            for member in members:
                if "/mpich3-test/" in member.name:
                    members.extract(member, FOLDER)
        done.touch()


def _compiled(name: str) -> Path | None:
    """None: this MPI cannot compile it."""
    program, refused = FOLDER / "programs" / name, FOLDER / "programs" / f"{name}.refused"
    if program.exists() or refused.exists():
        return program if program.exists() else None
    program.parent.mkdir(exist_ok=True)
    header = FOLDER / "amended.h"
    header.write_text(AMENDED)
    words = [
        "mpicc",
        "-w",
        "-O1",
        "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0",
        "-DOMPI_REMOVED_USE_STATIC_ASSERT=0",
        "-include",
        str(header),
    ]
    words += [
        f"-I{SUITE / 'include'}",
        str(SUITE / "coll" / f"{name}.c"),
        str(SUITE / "util" / "mtest.c"),
        "-o",
        str(program),
    ]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        refused.write_text(done.stderr)
        return None
    return program


@cache
def cases() -> tuple[Case, ...]:
    """Every case that this MPI compiles."""
    _fetch()
    return tuple(_cases())


def _cases() -> Iterator[Case]:
    for line in (SUITE / "coll" / "testlist").read_text().splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        name = RENAMED.get(words[0], words[0])
        source = SUITE / "coll" / f"{name}.c"
        if source.exists() and (program := _compiled(name)):
            arguments = tuple(w.removeprefix("arg=") for w in words[2:] if w.startswith("arg="))
            functions = frozenset(re.findall(r"\bMPI_\w+", source.read_text(errors="replace")))
            yield Case(words[0], int(words[1]), arguments, program, functions)


@cache
def passing() -> tuple[Case, ...]:
    """Those that pass without a preloaded library."""
    return tuple(case for case in cases() if case.passes({}))
