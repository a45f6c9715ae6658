"""MPI libraries: the machine's own, and others to compare with: PyPI's wheels, each in a folder of its own under .cache.

A wheel holds the library, its compiler wrapper and its launcher. It is fetched once; what is on the PATH stays as it is.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from collscope.base import paths, programs
from collscope.setup import needs

FOLDER = Path(__file__).parents[3] / ".cache" / "libraries"
SOURCES = FOLDER.parent / "sources"
OPEN_MPI_5 = "5.0.11"
MPICH = "4.3.2"
MPI4PY = "4.1.2"

# As root, with more ranks than cores, and no core taken by a rank that waits. (5.0's launcher has variables of its own.)
OPEN_MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


@dataclass(frozen=True)
class Library:
    """An MPI library: mpicc compiles for it without further words, mpirun -np P starts a program of it in `environment`."""

    name: str
    version: str
    mpicc: Path
    mpirun: Path
    env: dict[str, str] = field(hash=False)  # what mpirun needs beside the caller's own

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | self.env


def own() -> Library:
    """The machine's Open MPI."""
    env = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
    return Library("Open MPI", "of this machine", Path("mpicc"), Path("mpirun"), OPEN_MPI_ENVIRONMENT | env)


def _installed(package: str, version: str) -> Path:
    """The folder of a wheel; fetched when it is not there yet. Skips the test that asks when it cannot be had."""
    folder = FOLDER / f"{package}-{version}"
    done = folder / "installed"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / f"{package}-{version}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if done.exists():
            return folder
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(folder / "bin" / "pip"), "--disable-pip-version-check", "install", "-q", f"{package}=={version}"]
        printed = subprocess.run(pip, capture_output=True, text=True)
        if printed.returncode:
            last = (printed.stderr.strip().splitlines() or ["no reason given"])[-1]
            pytest.skip(f"needs PyPI's {package} {version}, which cannot be had here: {last}")
        done.touch()
    return folder


def source(package: str, version: str, part: str) -> Path:
    """The folder of a source package of PyPI, of which there is this part, a folder; fetched when it is not there yet. Skips the test that
    asks when it cannot be had."""
    folder = SOURCES / f"{package}-{version}"
    SOURCES.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        archive = SOURCES / f"{package}-{version}.tar.gz"
        if not archive.exists():
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q", "--no-deps"]
            words = [*pip, "--no-binary", package, "-d", str(SOURCES), f"{package}=={version}"]
            got = subprocess.run(words, capture_output=True, text=True)
            if not archive.exists():
                pytest.skip(f"needs PyPI's {package} {version}, which cannot be had here: {got.stderr[-200:]}")
        if not (folder / part).exists():
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=SOURCES) as partial, tarfile.open(archive) as members:
                inside = [m for m in members if m.name.startswith(f"{folder.name}/{part}/")]
                members.extractall(partial, inside, filter="data")
                (Path(partial) / folder.name / part).rename(folder / part)
    return folder


def mpi4py() -> tuple[Path, Path]:
    """(Python that has mpi4py, which uses the MPI library of this machine; the folder of mpi4py's own tests)."""
    return _installed("mpi4py", MPI4PY) / "bin" / "python", source("mpi4py", MPI4PY, "test") / "test"


def debian(program: str, *packages: str) -> Path:
    """A program of Debian's packages, which are installed where we may. Skips the test that asks when it cannot be had."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER.parent / f"{packages[0]}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        apt = needs.apt_command()
        if not shutil.which(program) and apt:
            words = [*apt, "install", "-y", "--no-install-recommends", *packages]
            subprocess.run(words, capture_output=True, env=needs.apt_environment())
    found = shutil.which(program)
    if not found:
        pytest.skip(f"needs {program}, which cannot be had here: apt-get install {' '.join(packages)}")
    return Path(found)


def _library(package: str, name: str, version: str, env: dict[str, str]) -> Library:
    folder = _installed(package, version)
    return Library(name, version, folder / "bin" / "mpicc", folder / "bin" / "mpirun", env)


def openmpi_5() -> Library:
    return _library("openmpi", "Open MPI", OPEN_MPI_5, OPEN_MPI_ENVIRONMENT)


def mpich(version: str = MPICH) -> Library:
    # 4.3.2's collectives in shared memory read a null address now and then, with 16 ranks on two cores: a dozen lines of barriers and
    # allreduces show it.
    return _library("mpich", "MPICH", version, {"MPIR_CVAR_DEVICE_COLLECTIVES": "none"})


def preload(library: Library, *targets: str) -> Path:
    """libcollscope.so built for a library, and further targets beside it."""
    folder = paths.BUILD / f"preload-{library.name.replace(' ', '').lower()}-{library.version}"
    folder.parent.mkdir(exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCOLLSCOPE_BACKEND=mpi"]
        for words in (
            ["cmake", "-S", str(paths.ROOT), "-B", str(folder), *options, f"-DCMAKE_C_COMPILER={library.mpicc}"],
            ["cmake", "--build", str(folder), "--target", "collscope", *targets],
        ):
            done = subprocess.run(words, capture_output=True, text=True, env=library.environment)
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return folder / programs.PRELOAD.name
