"""driver, libraries:
the algorithms over other MPI libraries than the machine's: the driver compiled with theirs, all C tests started with theirs."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping

import pytest

import libraries
from collscope.base import paths
from collscope.catalogue import registry


def output_of(*command: object, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace", env=env)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


@pytest.mark.full
@pytest.mark.timeout(3600)  # ranks that share cores spin, and something else may run beside them
@pytest.mark.parametrize("get", [libraries.mpich, libraries.openmpi_5])
def test_every_algorithm_is_right_over_another_library(get: Callable[[], libraries.Library]) -> None:
    library = get()
    tree = paths.BUILD / f"{library.name.replace(' ', '').lower()}-{library.version}"
    output_of(
        *("cmake", "-S", paths.ROOT, "-B", tree, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"),
        *("-DCOLLSCOPE_BACKEND=mpi", f"-DCMAKE_C_COMPILER={library.mpicc}", "-DCOLLSCOPE_SWEEP_OPTIONS=--roots;3"),
    )
    assert f"COLLSCOPE_MPIRUN:FILEPATH={library.mpirun}\n" in (tree / "CMakeCache.txt").read_text()
    output_of("cmake", "--build", tree, "-j", "2")
    env = library.environment | {"OMPI_MCA_osc": "^ucx"}  # which complains at each start where there is no such network
    # libcollscope.so with these libraries is tests/python/preload's.
    chosen = ("-LE", "full", "-E", "^preload_")
    printed = output_of("ctest", "--test-dir", tree, *chosen, "-V", "--no-tests=error", "-j", "2", env=env)
    lines = [json.loads(line) for line in re.findall(r'^\d+: (\{"(?:meta|sweep)".*\})$', printed, re.MULTILINE)]
    known = {a.key for a in registry.load().algorithms}
    swept = {line["sweep"]: line for line in lines if line.get("sweep") in known}  # one test has a wrong one of its own
    assert set(swept) == known
    assert all(line["calls"] and not line["wrong"] for line in swept.values())
    versions = {line["meta"]["library"] for line in lines if "meta" in line}
    assert len(versions) == 1 and library.name in str(versions) and library.version in str(versions)
    calls = sum(line["calls"] for line in swept.values())
    print(f"{library.name} {library.version}: {calls} calls, each twice, data checked")
