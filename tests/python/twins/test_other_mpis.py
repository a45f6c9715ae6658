"""driver, libraries:
the algorithms over other MPI libraries than the machine's: the driver compiled with theirs, all C tests started with theirs; over MPICH
under sanitizers, too."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import libraries
from collscope.base import paths
from collscope.catalogue import registry


def output_of(*command: object, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace", env=env)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def configured(library: libraries.Library, preset: str) -> Path:
    """A build tree of a preset, of the library's compiler."""
    tree = paths.BUILD / f"{library.name.replace(' ', '').lower()}-{library.version}-{preset}"
    known = {p["name"]: p for p in json.loads((paths.ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    variables: dict[str, str] = {}
    name: str | None = preset
    while name:
        variables = known[name]["cacheVariables"] | variables
        name = known[name].get("inherits")
    variables["CMAKE_C_COMPILER"] = str(library.mpicc)
    defined = [f"-D{name}={value}" for name, value in variables.items()]
    output_of("cmake", "-S", paths.ROOT, "-B", tree, "-G", "Ninja", *defined)
    assert f"COLLSCOPE_MPIRUN:FILEPATH={library.mpirun}\n" in (tree / "CMakeCache.txt").read_text()
    return tree


# Under sanitizers: each algorithm's data, and the operations that few of them use.
SANITIZED = ("collscope-driver", "operations_test", "resting")
SENDING = (("-R", r"^(sweep_more_[0-9]|operations)\.5$"),)
# libcollscope.so with these libraries is tests/python/preload's. Of the long tests, each algorithm's data, blocking and not, and what is
# left to sanitizers where there is a sanitized tree.
ALL_BUT_PRELOADED = (
    ("-LE", "full", "-E", "^preload_"),
    (
        "-R",
        r"^(sweep_more_[0-9]|nonblocking\.play_more_[0-9]+)\.4$|^nonblocking\.(several\.5|threads\.3|plans)$|^full_disk$",
    ),
)


@pytest.mark.full
@pytest.mark.timeout(3600)  # ranks that share cores spin, and something else may run beside them
@pytest.mark.parametrize(
    ("get", "preset", "targets", "chosen"),
    [
        (libraries.mpich, "mpi", ("all",), ALL_BUT_PRELOADED),
        (libraries.mpich, "mpi-asan", SANITIZED, SENDING),
        (libraries.openmpi_5, "mpi", ("all",), ALL_BUT_PRELOADED),
    ],
    ids=["mpich", "mpich-sanitized", "openmpi_5"],
)
def test_every_algorithm_is_right_over_another_library(
    get: Callable[[], libraries.Library], preset: str, targets: tuple[str, ...], chosen: tuple[tuple[str, ...], ...]
) -> None:
    library = get()
    tree = configured(library, preset)
    output_of("cmake", "--build", tree, "-j", "2", "--target", *targets)
    env = library.environment | {"OMPI_MCA_osc": "^ucx"}  # which complains at each start where there is no such network
    printed = "".join(
        output_of("ctest", "--test-dir", tree, *words, "-V", "--no-tests=error", "-j", "2", env=env) for words in chosen
    )
    lines = [json.loads(line) for line in re.findall(r'^\d+: (\{"(?:meta|sweep)".*\})$', printed, re.MULTILINE)]
    known = {a.key for a in registry.load().algorithms}
    swept = {line["sweep"]: line for line in lines if line.get("sweep") in known}  # one test has a wrong one of its own
    assert set(swept) == known
    assert all(line["calls"] and not line["wrong"] for line in swept.values())
    versions = {line["meta"]["library"] for line in lines if "meta" in line}
    assert len(versions) == 1 and library.name in str(versions) and library.version in str(versions)
    calls = sum(line["calls"] for line in swept.values())
    print(f"{library.name} {library.version}: {calls} calls, each twice, data checked")
