"""A program with libcollscope.so put in front of its MPI library: what `exec` and `profile` start."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from collscope.base import programs
from collscope.base.errors import UsageError, UserError, unknown
from collscope.catalogue import decision_files, registry
from collscope.catalogue.keys import Key, split_keys
from collscope.sources import mpirun

LAUNCHERS = ("mpirun", "mpiexec", "orterun", "prterun")
"""Open MPI's: they pass their environment to ranks on this machine alone, and what -x names to all."""


def choices(text: str | None) -> dict[str, str]:
    """Variables of the library for "bcast=knomial[k=4],allreduce=ring". UsageError: a collective that MPI does not have, or an algorithm
    that the collective does not have."""
    known = registry.load()
    served = [c.name for c in known.collectives if c.mpi]
    chosen: dict[str, str] = {}
    for part in split_keys(text) if text else ():
        collective, equal, key = (word.strip() for word in part.partition("="))
        if collective not in served:
            raise unknown("collective", collective, served)
        if not equal or not key:
            raise UsageError(f"--choose {part}: expected COLLECTIVE=ALGORITHM; write for example {collective}=binomial")
        if (name := f"COLLSCOPE_{collective.upper()}") in chosen:
            raise UsageError(f"--choose: {collective} is given twice; give it once")
        _, full = known.resolve(key, collective)
        if (decided := Key.parse(full)).is_decision and collective not in known.decision(full).collectives:
            raise UsageError(f"--choose {part}: {decided.stem} has no rule for {collective}")
        chosen[name] = decision_files.placed(full)
    return chosen


def libraries_of(program: Path) -> list[str]:
    """The MPI libraries that a program is linked with, by their file names; none where it is a script, or static."""
    try:
        listed = programs.answer(["ldd", program], timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    return sorted(set(re.findall(r"^\s*(libmpi(?:ch)?\.so[.\d]*|libsimgrid\.so[.\d]*)\s", listed, re.MULTILINE)))


def check_library(words: Sequence[str]) -> None:
    """UserError where a program among the words is linked with another MPI library than ours."""
    ours = libraries_of(programs.PRELOAD)
    for word in words[1:]:
        path = shutil.which(word)
        if path and ours and (theirs := libraries_of(Path(path))) and not set(theirs) & set(ours):
            raise UserError(
                f"{word} is linked with {', '.join(theirs)}, and {programs.PRELOAD.name} is built for {', '.join(ours)}; put the mpicc of "
                "the program's library first in PATH and build again: cmake --fresh --preset mpi && cmake --build --preset mpi"
            )


def command(words: Sequence[str], variables: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """The command line and the environment with which ranks get these variables and the library."""
    library = str(programs.needed(programs.PRELOAD, "it is what runs the algorithms"))
    given = {**variables, "LD_PRELOAD": os.pathsep.join(filter(None, (library, os.environ.get("LD_PRELOAD"))))}
    if Path(words[0]).name in LAUNCHERS and mpirun.library().startswith("Open MPI"):
        passed = [word for name, value in given.items() for word in ("-x", f"{name}={value}")]
        return [words[0], *passed, *words[1:]], dict(os.environ)
    return list(words), os.environ | given


def run(words: Sequence[str], variables: Mapping[str, str]) -> int:
    """Runs it; its exit status, as a shell has it. UserError: it cannot be started."""
    if not words:
        raise UsageError("expected a command behind --, such as: -- mpirun -n 4 ./program")
    if not shutil.which(words[0]):
        raise UserError(f"{words[0]}: not found; give a program in PATH, or its path")
    check_library(words)
    line, environment = command(words, variables)
    with subprocess.Popen(line, env=environment) as process:
        while True:
            try:
                status = process.wait()
                break
            except KeyboardInterrupt:  # the program got it, too, and ends as it likes
                continue
    return status if status >= 0 else 128 - status
