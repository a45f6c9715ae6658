"""The command line of mpirun: what Open MPI, MPICH and the machine need to be told."""

from __future__ import annotations

import os
import re
import subprocess
from functools import lru_cache

from collscope.base.errors import UserError


@lru_cache(maxsize=1)
def library() -> str:
    """What mpirun says it is: "Open MPI 4.1.4", "MPICH 4.0.2"; UserError when there is no mpirun."""
    try:
        done = subprocess.run(
            ["mpirun", "--version"], capture_output=True, text=True, encoding="utf-8", errors="replace", check=False
        )
    except OSError as error:
        raise UserError("mpirun: not found; install openmpi-bin (./collscope doctor says more)") from error
    text = done.stdout + done.stderr
    name = "Open MPI" if "Open MPI" in text or "OpenRTE" in text else "MPICH" if "HYDRA" in text else "MPI"
    match = re.search(r"(\d+\.\d+(?:\.\d+)?)", text)
    return f"{name} {match.group(1)}" if match else name


def share_cores(ranks: int, nodes: int = 1) -> bool:
    """More ranks than cores: they take turns."""
    return ranks > nodes * len(os.sched_getaffinity(0))


def command(ranks: int, nodes: int = 1) -> list[str]:
    """mpirun with what this machine needs: more ranks than cores must yield, root must say that it means it."""
    words = ["mpirun", "-np", str(ranks)]
    if library().startswith("Open MPI"):
        if os.geteuid() == 0:
            words.append("--allow-run-as-root")
        if share_cores(ranks, nodes):
            words += ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        if nodes > 1:
            words += ["--map-by", f"ppr:{-(-ranks // nodes)}:node"]
    else:
        if library().startswith("MPICH") and share_cores(ranks, nodes):
            words += ["-genv", "MPIR_CVAR_ENABLE_HEAVY_YIELD", "1"]
        if nodes > 1:  # MPICH's launcher, and those made from it
            words += ["-ppn", str(-(-ranks // nodes))]
    return words
