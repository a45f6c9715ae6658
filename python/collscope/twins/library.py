"""An MPI library to compare with, Open MPI or MPICH, and the program that writes down what it sends, made by its compiler."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, TypeVar

from collscope.base import cache, paths, programs
from collscope.base.errors import UsageError, UserError

FOLDER = paths.ROOT / "validate" / "twins"
KNOWN = ("4.0", "4.1", "5.0")  # whose tables messages.c knows
TIMEOUT_S = 1200.0  # of one launch


@dataclass(frozen=True)
class Installed:
    """An MPI library: its compiler and launcher, and what they need in the environment. `sources`: of the program that writes down what
    it sends, and what that includes."""

    name: ClassVar[str] = ""
    sources: ClassVar[tuple[Path, ...]] = ()
    answer: ClassVar[str] = ""  # the version in what its launcher says of itself
    commands: ClassVar[tuple[tuple[str, str], ...]] = ()  # compiler and launcher in PATH, where nothing else is named
    packages: ClassVar[str] = ""  # of Debian

    mpicc: str
    mpirun: str
    env: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def environment(self) -> dict[str, str]:
        """Variables for its programs: ours, its own, and the leave to run as root."""
        return {**os.environ, **self.env, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def call(self, *command: str | Path) -> str:
        """What a program says; a UserError when it fails."""
        try:
            done = programs.answer(command, env=self.environment, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise UserError(f"{command[0]}: {error.strerror}") from error
        except subprocess.TimeoutExpired as error:
            raise UserError(f"{Path(command[0]).name}: no end after {TIMEOUT_S:.0f} s") from error
        if done.returncode:
            raise UserError(f"{Path(command[0]).name} failed: {(done.stderr or done.stdout).strip()[-2000:]}")
        return done.stdout

    @cached_property
    def version(self) -> str:
        """Of the library: 4.1.4. A UserError where it is another one."""
        reply = self.call(self.mpirun, "--version")
        found = re.search(self.answer, reply)
        if not found:
            raise UserError(f'{self.mpirun}: not {self.name}\'s; it says "{reply.strip().partition(chr(10))[0]}"')
        return found[1]

    @property
    def series(self) -> str:
        """4.1 of 4.1.4."""
        return self.version.rpartition(".")[0]

    def check(self) -> None:
        """A UserError where its program does not know this version's insides."""


class Library(Installed):
    """An Open MPI."""

    name = "Open MPI"
    sources = (FOLDER / "messages.c", FOLDER / "calls.h", paths.ROOT / "core" / "runtime" / "variables.h")
    answer = r"Open MPI\)? v?(\d+\.\d+\.\d+)"
    commands = (("mpicc", "mpirun"),)
    packages = "openmpi-bin and libopenmpi-dev"

    @cached_property
    def numbers(self) -> frozenset[tuple[str, int]]:
        """(collective, number) of all algorithms that coll/tuned lists."""
        info = Path(shutil.which(self.mpirun, path=self.environment.get("PATH")) or self.mpirun).with_name("ompi_info")
        reply = self.call(info, "--parsable", "--param", "coll", "tuned", "--level", "9")
        listed = re.findall(r"param:coll_tuned_(\w+)_algorithm:enumerator:value:(\d+):", reply)
        return frozenset((collective, int(number)) for collective, number in listed if int(number))

    def check(self) -> None:
        """A UserError where `messages` does not know this version's insides."""
        if self.series not in KNOWN:
            raise UserError(f"Open MPI {self.version}: its insides are not known here; known: {', '.join(KNOWN)}")


Kind = TypeVar("Kind", bound=Installed)


def find_library(folder: str | None = None) -> Library:
    """The Open MPI of this folder (which has bin/mpicc), or the one in PATH; a UserError where it is not found."""
    return find(Library, folder)


def find(kind: type[Kind], folder: str | None = None) -> Kind:
    """The same of one kind of library."""
    if folder is None:
        for names in kind.commands:
            mpicc, mpirun = map(shutil.which, names)
            if mpicc and mpirun:
                return kind(mpicc, mpirun)
        missing = ", ".join(kind.commands[-1])
        raise UserError(f"{missing}: not found; install {kind.packages}, or name a folder: --mpi")
    programs = paths.resolved(paths.expanded(folder)) / "bin"
    for name in ("mpicc", "mpirun"):
        if not (programs / name).exists():
            raise UsageError(f"--mpi {folder}: {programs / name} is not there")
    path = os.pathsep.join((str(programs), os.environ.get("PATH", "")))
    return kind(str(programs / "mpicc"), str(programs / "mpirun"), {"PATH": path})


def compiled(library: Installed) -> Path:
    """The program that writes down what it sends, made by this library's compiler; kept until either changes."""
    library.check()
    source = library.sources[0]
    texts = (file.read_text(encoding="utf-8") for file in library.sources)
    stamp = cache.digest(library.mpicc, library.version, *texts)[:16]
    program = paths.cache_dir() / "twins" / f"{source.stem}-{library.version}-{stamp}"
    if not program.exists():
        paths.make_dir(program.parent)
        made = program.with_suffix(f".{os.getpid()}")
        library.call(library.mpicc, "-std=gnu11", "-O1", f"-I{paths.ROOT}", "-o", made, source, "-ldl")
        os.replace(made, program)
    return program
