"""A program with libcollscope.so put in front of its MPI library: what `exec` and `profile` start."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from collscope.base import programs
from collscope.base.errors import UsageError, UserError, unknown
from collscope.base.units import join_words
from collscope.catalogue import decision_files, registry
from collscope.catalogue.keys import Key, split_keys
from collscope.commands import mpi_builds
from collscope.commands.mpi_builds import Build
from collscope.sources import mpirun

LAUNCHERS = ("mpirun", "mpiexec", "orterun", "prterun")
"""Those of MPI libraries. Open MPI's pass their environment to ranks on this machine alone, and what -x names to all."""


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


def fitting_build(words: Sequence[str]) -> Build:
    """The build for the MPI library that a program among the words is linked with; of a script, for the launcher's. UserError: programs of
    two libraries, or a launcher of another."""
    launcher = shutil.which(words[0]) if is_launcher(words[0]) else None
    linked = {
        word: library
        for word in words[1 if launcher else 0 :]
        if (path := shutil.which(word)) and (library := mpi_builds.linked_with(Path(path)))
    }
    if len(set(linked.values())) > 1:
        pairs = join_words([f"{word} is linked with {library}" for word, library in linked.items()], "and")
        raise UserError(f"{pairs}; start programs of one MPI library at a time")
    word, library = next(iter(linked.items()), (None, None))
    build = mpi_builds.fitting(library, launcher)
    if launcher and series(theirs := mpirun.library(launcher)) != series(build.library):
        raise UserError(
            f"{word} runs on {build.library}, and {words[0]} is that of {theirs}; start it with {build.launcher}"
        )
    return build


def series(library: str) -> str:
    """The name and the first number of a version: what a launcher and its programs have in common."""
    return library.partition(".")[0]


def is_launcher(word: str) -> bool:
    """Whether the word is one of LAUNCHERS, with or without its folder."""
    return Path(word).name in LAUNCHERS


def command(words: Sequence[str], variables: Mapping[str, str], build: Build) -> tuple[list[str], dict[str, str]]:
    """The command line and the environment with which ranks get these variables and the library."""
    given = {
        **variables,
        "LD_PRELOAD": os.pathsep.join(filter(None, (str(build.preload), os.environ.get("LD_PRELOAD")))),
    }
    if is_launcher(words[0]) and mpirun.library(words[0]).startswith("Open MPI"):
        passed = [word for name, value in given.items() for word in ("-x", f"{name}={value}")]
        return [words[0], *passed, *words[1:]], dict(os.environ)
    return list(words), os.environ | given


def run(words: Sequence[str], variables: Mapping[str, str]) -> int:
    """Runs it; its exit status, as a shell has it. UserError: it cannot be started."""
    if not words:
        raise UsageError("expected a command behind --, such as: -- mpirun -n 4 ./program")
    if not shutil.which(words[0]):
        raise UserError(f"{words[0]}: not found; give a program in PATH, or its path")
    programs.needed(programs.PRELOAD, "it is what runs the algorithms")
    line, environment = command(words, variables, fitting_build(words))
    with subprocess.Popen(line, env=environment) as process:
        while True:
            try:
                status = process.wait()
                break
            except KeyboardInterrupt:  # the program got it, too, and ends as it likes
                continue
    return status if status >= 0 else 128 - status
