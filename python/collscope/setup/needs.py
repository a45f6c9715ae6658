"""What the system and Python's environment must have, how to see that it is there, and what brings it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from collscope.base import programs


@dataclass(frozen=True)
class Need:
    """Something of the system, how to see that it is there, and the Debian packages that bring it."""

    name: str
    packages: tuple[str, ...]
    commands: tuple[str, ...]
    version: tuple[str, ...]  # the command that says which version is there
    preset: str = ""  # the build that needs it; "": all
    wheel: str = ""  # the Python package that brings it too, where nobody may install Debian's
    elsewhere: str = ""  # what else brings it there

    def present(self) -> bool:
        """Whether all of its commands are found."""
        return all(map(shutil.which, self.commands))


WASM = "wasm"  # the prover for pages: built by the command that makes one
BROWSER = "browser"  # for tests of pages
TEST_BED = "testbed"  # no build, but asked for like one
NEEDS = (
    Need("C compiler", ("build-essential",), ("gcc", "make"), ("gcc", "--version")),
    Need("C++ compiler", ("build-essential",), ("g++",), ("g++", "--version"), "smpi"),
    Need("CMake", ("cmake",), ("cmake",), ("cmake", "--version"), wheel="cmake>=3.21"),
    Need("Ninja", ("ninja-build",), ("ninja",), ("ninja", "--version"), wheel="ninja"),
    Need(
        "SimGrid with SMPI",
        ("libsimgrid-dev",),
        ("smpicc", "smpirun"),
        ("smpirun", "-version"),
        "smpi",
        elsewhere="./collscope setup --simgrid-from-source   builds it below this tree, once\n"
        "    without it:    list, prove, decide, docs, show, run --source bound,model",
    ),
    Need(
        "MPI",
        ("openmpi-bin", "libopenmpi-dev", "libhwloc-dev"),
        ("mpicc", "mpirun"),
        ("mpirun", "--version"),
        "mpi",
        elsewhere="the cluster's own MPI, which has mpicc and mpirun (module load openmpi, say)",
    ),
    Need("Emscripten", ("emscripten",), ("emcc",), ("emcc", "--version"), WASM),
    Need("Chromium (tests of pages)", ("chromium",), ("chromium",), ("chromium", "--version"), BROWSER),
    Need(
        "namespaces (test bed)",
        tuple(dict.fromkeys(programs.TEST_BED.values())),
        tuple(programs.TEST_BED),
        ("ip", "-V"),
        TEST_BED,
    ),
)


def has_venv_module() -> bool:
    """Debian splits ensurepip off; without it `python3 -m venv` makes nothing useful."""
    import importlib.util

    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


def missing(presets: Sequence[str]) -> list[Need]:
    """What these builds miss; none is missed where nothing is built."""
    return [n for n in NEEDS if presets and (not n.preset or n.preset in presets) and not n.present()]


def missing_packages(presets: Sequence[str]) -> tuple[list[str], list[str]]:
    """(names of what these builds miss, Debian packages that would bring it)."""
    absent = missing(presets)
    names = [need.name for need in absent]
    packages = [package for need in absent for package in need.packages]
    if not has_venv_module():
        names.append("Python's venv")
        packages.insert(0, "python3-venv")
    return names, list(dict.fromkeys(packages))


def apt_command() -> list[str] | None:
    """How to call apt-get here, or None when we may not."""
    apt = shutil.which("apt-get")
    if not apt:
        return None
    if os.geteuid() == 0:
        return [apt]
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return [sudo, "-n", "DEBIAN_FRONTEND=noninteractive", apt]
    return None


def apt_environment() -> dict[str, str]:
    """What apt-get asks nothing with."""
    return {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_MODE": "a"}


def dependencies(root: Path, extra: str = "") -> str:
    """One requirement a line, from pyproject.toml."""
    import tomllib

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return "\n".join(required) + "\n"
