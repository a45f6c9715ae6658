"""The programs that are built, by preset, and where they lie. Standard library only: set-up reads the same table."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from collscope.base import paths
from collscope.base.errors import UserError

BUILT = {  # preset → target of the build → file in build/PRESET
    "prove": {"collscope-prove": "collscope-prove", "collscope-recorded": "collscope-recorded"},
    "smpi": {"collscope-driver": "collscope-driver", "collscope-platform": "collscope-platform.so"},
    "mpi": {
        "collscope-driver": "collscope-driver",
        "collscope-switch": "collscope-switch",
        "collscope-idle": "collscope-idle.so",
    },
}

# Of the system, for a test bed: command → the Debian package that brings it.
TEST_BED = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux", "nsenter": "util-linux", "chrt": "util-linux"}

PROVER = paths.BUILD / "prove" / "collscope-prove"
RECORDED = paths.BUILD / "prove" / "collscope-recorded"
SIM_DRIVER = paths.BUILD / "smpi" / "collscope-driver"
MPI_DRIVER = paths.BUILD / "mpi" / "collscope-driver"
SWITCH = paths.BUILD / "mpi" / "collscope-switch"
IDLE = paths.BUILD / "mpi" / "collscope-idle.so"
PLUGIN = paths.BUILD / "smpi" / "collscope-platform.so"

OWN: tuple[Path, ...] = ()
"""Files of algorithms outside the tree that the programs know, too: what depends on the sources depends on them."""


def use_own(made: Mapping[tuple[str, str], Path], files: Sequence[Path]) -> None:
    """From here on the programs of (preset, target) are these, which know the algorithms of these files."""
    global PROVER, RECORDED, SIM_DRIVER, MPI_DRIVER, OWN
    PROVER = made.get(("prove", "collscope-prove"), PROVER)
    RECORDED = made.get(("prove", "collscope-recorded"), RECORDED)
    SIM_DRIVER = made.get(("smpi", "collscope-driver"), SIM_DRIVER)
    MPI_DRIVER = made.get(("mpi", "collscope-driver"), MPI_DRIVER)
    OWN = tuple(files)


def answer(command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
    """What a program printed on both outputs and how it ended, read as UTF-8 in any locale. `options`: further ones of subprocess.run;
    OSError and TimeoutExpired as it raises them."""
    words = list(map(str, command))
    return subprocess.run(
        words, capture_output=True, text=True, encoding="utf-8", errors="replace", **{"check": False} | options
    )


def needed(program: Path, reason: str = "") -> Path:
    """The path of a built program, or a UserError that says how to build it; `reason`: who needs it and for what."""
    if not program.exists():
        preset = program.parent.name
        raise UserError(
            f"{paths.display(program)} is missing{'; ' + reason if reason else ''}; build it: "
            f"cmake --preset {preset} && cmake --build --preset {preset}"
        )
    return program
