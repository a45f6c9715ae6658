"""Programs of Debian's packages that call MPI's collectives, each with a short input of its own, and what they compute."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import libraries
import packaged_inputs as inputs


@dataclass(frozen=True)
class Packaged:
    """program, packages: libraries.debian; words: behind the program, after `prepare` has run on one rank; results: what of its output says
    what it computed, in a file of its own or ("") in what it prints: each of the pattern's groups is a number, of this relative precision;
    chosen: five algorithms, for collectives that it calls on four ranks."""

    program: str
    packages: tuple[str, ...]
    words: tuple[str, ...]
    files: Mapping[str, str]
    results: re.Pattern[str]
    chosen: Mapping[str, str]
    output: str = ""
    precision: float = 1e-7
    prepare: Sequence[tuple[str, ...]] = field(default=())

    def path(self) -> Path:
        """Of the program. Skips the test that asks when it cannot be had."""
        return libraries.debian(self.program, *self.packages)

    def lay_out(self, folder: Path) -> None:
        """Its input, in a folder of its own."""
        for name, text in self.files.items():
            (folder / name).write_text(text)
        for words in self.prepare:
            ran([self.path(), *words], folder)

    def numbers(self, folder: Path, printed: str) -> list[float]:
        """What it computed."""
        text = (folder / self.output).read_text() if self.output else printed
        return [float(number) for found in self.results.finditer(text) for number in found.groups()]


LAMMPS = Packaged(
    program="lmp",
    packages=("lammps",),
    words=("-in", "lj.in", "-log", "none"),
    files={"lj.in": inputs.LAMMPS},
    results=re.compile(r"^ +\d+ +(\S+) +(\S+) +\S+ +(\S+) +(\S+) *$", re.MULTILINE),
    chosen={
        "allreduce": "recursive_doubling", "bcast": "knomial[k=4]", "reduce": "binomial", "scan": "recursive_doubling",
        "barrier": "dissemination",
    },
)  # fmt: skip
QUANTUM_ESPRESSO = Packaged(
    program="pw.x",
    packages=("quantum-espresso", "quantum-espresso-data"),
    words=("-in", "si.in"),
    files={"si.in": inputs.QUANTUM_ESPRESSO},
    results=re.compile(r"^!? +total energy += +(\S+) Ry", re.MULTILINE),
    chosen={
        "allreduce": "rabenseifner", "bcast": "binomial", "reduce": "binomial", "barrier": "tree", "alltoall": "pairwise",
    },
)  # fmt: skip
GROMACS = Packaged(
    program="gmx_mpi",
    packages=("gromacs",),
    words=("mdrun", "-s", "water.tpr", "-ntomp", "1", "-reprod", "-nsteps", "100", "-g", "water.log"),
    files={"water.top": inputs.GROMACS_TOPOLOGY, "water.mdp": inputs.GROMACS},
    results=re.compile(r"LJ \(SR\) .*\n +(\S+) +(\S+) +(\S+) +(\S+) +(\S+)\n"),
    chosen={
        "allreduce": "recursive_doubling", "bcast": "knomial[k=4]", "barrier": "dissemination", "gather": "binomial",
        "alltoall": "pairwise",
    },
    output="water.log",
    precision=1e-4,
    prepare=(
        ("solvate", "-cs", "spc216.gro", "-box", "2.5", "2.5", "2.5", "-o", "water.gro", "-p", "water.top"),
        ("grompp", "-f", "water.mdp", "-c", "water.gro", "-p", "water.top", "-o", "water.tpr"),
    ),
)  # fmt: skip
NWCHEM = Packaged(
    program="nwchem.openmpi",
    packages=("nwchem-openmpi",),
    words=("water.nw",),
    files={"water.nw": inputs.NWCHEM},
    results=re.compile(r"^ +(?:Total SCF|One-electron|Two-electron|Nuclear repulsion) energy += +(\S+)", re.MULTILINE),
    chosen={
        "allreduce": "recursive_doubling", "bcast": "binomial", "barrier": "tree", "allgather": "bruck", "reduce": "linear",
    },
)  # fmt: skip
HPCC = Packaged(
    program="hpcc",
    packages=("hpcc",),
    words=(),
    files={"hpccinf.txt": inputs.HPCC},
    results=re.compile(r"^Success=(\S+)", re.MULTILINE),
    chosen={
        "bcast": "scatter_ring", "reduce": "binomial", "allreduce": "rabenseifner", "barrier": "tree", "alltoall": "pairwise",
    },
    output="hpccoutf.txt",
)  # fmt: skip
PROGRAMS = {"lammps": LAMMPS, "quantum_espresso": QUANTUM_ESPRESSO, "gromacs": GROMACS, "nwchem": NWCHEM, "hpcc": HPCC}


def ran(words: Sequence[str | Path | int], folder: Path) -> str:
    """What a command printed; it ends well."""
    line = list(map(str, words))
    done = subprocess.run(line, capture_output=True, text=True, cwd=folder, env=libraries.own().environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout + done.stderr
