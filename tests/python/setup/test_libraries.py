"""libraries: the libraries that others are compared with are what their names say, and run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import libraries

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int rank, size, length;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_library_version(text, &length);
  if (!rank) printf("%d %s\\n", size, text);
  return MPI_Finalize();
}
"""


@pytest.mark.full
@pytest.mark.parametrize("get", [libraries.openmpi_5, libraries.mpich])
def test_a_library_compiles_and_runs(get: Callable[[], libraries.Library], tmp_path: Path) -> None:
    library = get()
    (tmp_path / "hello.c").write_text(PROGRAM)
    program = str(tmp_path / "hello")
    subprocess.run([str(library.mpicc), "-o", program, str(tmp_path / "hello.c")], check=True)
    launch = [str(library.mpirun), "-np", "4", program]
    printed = subprocess.run(launch, capture_output=True, text=True, check=True, env=library.environment).stdout
    assert printed.startswith("4 ")
    assert library.name in printed and library.version in printed
