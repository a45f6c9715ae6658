"""NAS's integer sort, as SimGrid's source package carries it: a program that checks its own result, compiled for Open MPI and for SMPI."""

from __future__ import annotations

import subprocess
from pathlib import Path

import libraries
import mpich_suite
from collscope.base import programs

PART = "examples/smpi/NAS"
HEADERS = {
    "smpi/mpi.h": "#include <mpi.h>\n",
    "simgrid/instr.h": "#define TRACE_smpi_set_category(name) ((void)(name))\n",
}
"""What it includes, where SimGrid is not what it runs on."""


def _compiled(words: list[str | Path], folder: Path) -> Path:
    sources = libraries.source("simgrid", mpich_suite.VERSION, PART) / PART
    made = folder / "is"
    line = [*words, f"-I{sources}", sources / "is.c", sources / "nas_common.c", "-o", made, "-lm"]
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True, env=libraries.own().environment)
    assert done.returncode == 0, done.stderr[-2000:]
    return made


def for_open_mpi(folder: Path) -> Path:
    """The program."""
    for name, text in HEADERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return _compiled([libraries.own().mpicc, "-w", "-O2", f"-I{folder}"], folder)


def for_smpi(folder: Path) -> Path:
    """The program, linked with libcollscope.so's sources as smpirun needs it."""
    return _compiled(["smpicc", "-w", "-O2", programs.SIM_LIBRARY, "-Wl,-Bsymbolic"], folder)
