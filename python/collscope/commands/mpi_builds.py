"""libcollscope.so for each MPI library: which one a program runs on, and the build that fits it, made where it is missing."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from collscope.base import paths, programs
from collscope.base.errors import UserError
from collscope.setup import machine
from collscope.setup.steps import SetupError
from collscope.sources import mpirun

_LIBRARY = re.compile(r"^\s*(libmpi(?:ch)?\.so[.\d]*) => (not found|/\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Build:
    """A build for one MPI library."""

    preload: Path  # libcollscope.so
    library: str  # "MPICH 4.3.2"; "" where no launcher can be asked
    launcher: str  # of this library


def linked_with(program: Path) -> Path | None:
    """The MPI library that a program or library loads; None: it loads none (a script, say). UserError: it is not found."""
    try:
        listed = programs.answer(["ldd", program], timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _LIBRARY.search(listed)
    if found and found[2] == "not found":
        raise UserError(f"{program} is linked with {found[1]}, which is not found; put its folder into LD_LIBRARY_PATH")
    return Path(found[2]).resolve() if found else None


def _compiler(library: Path) -> Path | None:
    """The mpicc of a library: beside it, in bin of a folder above; or the one in PATH, if its library is this one."""
    for folder in list(library.parents)[1:4]:
        if (mpicc := folder / "bin" / "mpicc").is_file() and folder not in (Path("/"), Path("/usr")):
            return mpicc
    for name in ("mpicc", "mpicc.openmpi", "mpicc.mpich"):
        if (mpicc_there := shutil.which(name)) and library.parent in _library_folders(mpicc_there):
            return Path(mpicc_there)
    return None


def _library_folders(mpicc: str) -> list[Path]:
    """Where the compiler finds libraries."""
    for word in ("--showme:link", "-show"):
        done = programs.answer([mpicc, word], timeout=20)
        if done.returncode == 0:
            return [Path(folder).resolve() for folder in re.findall(r"-L\s*(\S+)", done.stdout)]
    return []


def fitting(library: Path | None, launcher: str | None) -> Build:
    """The build for a library; where it is not known (the program is a script), for the launcher's. UserError: it cannot be made."""
    default = programs.PRELOAD if programs.PRELOAD.exists() else None
    own = linked_with(default) if default else None
    beside = Path(launcher).with_name("mpicc") if launcher else None
    usual = shutil.which("mpicc")
    known = library == own if library else not beside or not beside.is_file() or str(beside) == usual
    if default and known:
        return Build(default, mpirun.library() if launcher else "", "mpirun")
    mpicc = _compiler(library) if library else beside
    if mpicc is None:
        raise UserError(
            f"the program runs on {library}, for which there is no build, and its mpicc was not found to make one; install the library's "
            "compiler wrapper, or put it first in PATH"
        )
    starts = str(mpicc.with_name("mpirun"))
    name = mpirun.library(starts)
    made = _made(mpicc, name)
    if library and linked_with(made) != library:
        raise UserError(
            f"the program runs on {library}, and {mpicc} builds for {linked_with(made)}; put the right mpicc first in PATH"
        )
    return Build(made, name, starts)


def _made(mpicc: Path, name: str) -> Path:
    tree = paths.BUILD / f"mpi-{re.sub(r'[^a-z0-9.]+', '-', name.lower())}"
    setup = machine.Setup(paths.ROOT)
    log = setup.logs / f"build-{tree.name}.log"
    log.unlink(missing_ok=True)
    try:
        with machine.locked(paths.ROOT):
            if not (tree / "build.ninja").exists() or setup.moved(tree):
                shutil.rmtree(tree, ignore_errors=True)
                options = [
                    "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                    "-DCOLLSCOPE_BACKEND=mpi",
                    f"-DCMAKE_C_COMPILER={mpicc}",
                ]
                words = ["cmake", "-S", str(paths.ROOT), "-B", str(tree), "-G", "Ninja", *options]
                setup.steps.run(f"configuring for {name}", words, log, quiet=True, cwd=paths.ROOT)
            words = ["cmake", "--build", str(tree), "-j", "2", "--target", "collscope"]
            setup.steps.run(f"building libcollscope.so for {name}", words, log, cwd=paths.ROOT)
    except SetupError as error:
        raise UserError(str(error)) from error
    return tree / "libcollscope.so"
