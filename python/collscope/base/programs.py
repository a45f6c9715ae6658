"""The programs that are built, by preset, and where they lie. Standard library only: set-up reads the same table."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from collscope.base import paths
from collscope.base.errors import UserError

BUILT = {  # preset → target of the build → file in build/PRESET
    "prove": {"collscope-prove": "collscope-prove", "collscope-recorded": "collscope-recorded"},
    "smpi": {
        "collscope-driver": "collscope-driver",
        "collscope": "collscope.o",
        "collscope-untimed": "collscope-untimed.so",
        "collscope-platform": "collscope-platform.so",
    },
    "mpi": {
        "collscope-driver": "collscope-driver",
        "collscope-switch": "collscope-switch",
        "collscope-idle": "collscope-idle.so",
        "collscope": "libcollscope.so",
    },
}

# Of the system, for a test bed: command → the Debian package that brings it.
TEST_BED = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux", "nsenter": "util-linux", "chrt": "util-linux"}

PATIENCE_S = 10.0  # from asking a program to end to making it

PROVER = paths.BUILD / "prove" / "collscope-prove"
WASM = paths.BUILD / "wasm" / "collscope-prove.wasm"  # for pages; beside it the script that loads it
RECORDED = paths.BUILD / "prove" / "collscope-recorded"
SIM_DRIVER = paths.BUILD / "smpi" / "collscope-driver"
MPI_DRIVER = paths.BUILD / "mpi" / "collscope-driver"
SWITCH = paths.BUILD / "mpi" / "collscope-switch"
PRELOAD = paths.BUILD / "mpi" / "libcollscope.so"
IDLE = paths.BUILD / "mpi" / "collscope-idle.so"
SIM_LIBRARY = paths.BUILD / "smpi" / "collscope.o"
PLUGIN = paths.BUILD / "smpi" / "collscope-platform.so"
UNTIMED = paths.BUILD / "smpi" / "collscope-untimed.so"

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


def answer(
    command: Sequence[str | Path],
    *,
    input: str | None = None,
    timeout: float | None = None,
    check: bool = False,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """What a program printed on both outputs and how it ended, read as UTF-8 in any locale. `options` go to Popen. OSError,
    TimeoutExpired and CalledProcessError as subprocess.run raises them; the program and what it started have ended by then."""
    words = list(map(str, command))
    options = {"stdin": subprocess.DEVNULL if input is None else subprocess.PIPE} | options
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,  # a terminal's Ctrl-C and end_group are both sent to all of a group: once is enough
        **options,
    ) as process:
        try:
            output, errors = process.communicate(input, timeout)
        except BaseException:
            end_group(process)
            raise
    done = subprocess.CompletedProcess(words, process.returncode, output, errors)
    if check:
        done.check_returncode()
    return done


def end_group(process: subprocess.Popen[Any]) -> None:
    """Asks the process group of a child to end, then makes it. mpirun ends its ranks and takes away their shared memory meanwhile."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        try:
            process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            continue
        if number == signal.SIGTERM:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # those that outlived their parent
        return


def needed(program: Path, reason: str = "") -> Path:
    """The path of a built program, or a UserError that says how to build it; `reason`: who needs it and for what."""
    if not program.exists():
        preset = program.parent.name
        raise UserError(
            f"{paths.display(program)} is missing{'; ' + reason if reason else ''}; build it: "
            f"cmake --preset {preset} && cmake --build --preset {preset}"
        )
    return program
