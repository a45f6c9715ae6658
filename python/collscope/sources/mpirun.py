"""The command line of mpirun: what Open MPI, MPICH and the machine need to be told."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from collscope.base import programs
from collscope.base.errors import UsageError, UserError


@lru_cache(maxsize=8)
def library(launcher: str = "mpirun") -> str:
    """What mpirun, or another launcher, says it is: "Open MPI 4.1.4", "MPICH 4.0.2"; UserError when it is not there."""
    try:
        done = programs.answer([launcher, "--version"])
    except OSError as error:
        raise UserError(f"{launcher}: not found; install openmpi-bin (./collscope doctor says more)") from error
    text = done.stdout + done.stderr
    name = "Open MPI" if "Open MPI" in text or "OpenRTE" in text else "MPICH" if "HYDRA" in text else "MPI"
    match = re.search(r"(\d+\.\d+(?:\.\d+)?)", text)
    return f"{name} {match.group(1)}" if match else name


def share_cores(ranks: int, nodes: int = 1) -> bool:
    """More ranks than cores: they share them."""
    return ranks > nodes * len(os.sched_getaffinity(0))


FILLING = {"fill": "core", "core": "core", "socket": "socket"}  # mapping → --map-by
ALTERNATING = ("cyclic", "node")


def command(ranks: int, nodes: int = 1, mapping: str = "block") -> list[str]:
    """mpirun with what this machine needs: more ranks than cores must yield, root must say that it means it; and where ranks sit, but
    for a mapping's file. UsageError, UserError: no mpirun, or only Open MPI, is told of this mapping."""
    words = ["mpirun", "-np", str(ranks)]
    if mapping == "packed":
        raise UsageError(
            "--mapping packed: mpirun has no such option; on one node core is the same, otherwise use block"
        )
    if library().startswith("Open MPI"):
        if os.geteuid() == 0:
            words.append("--allow-run-as-root")
        if share_cores(ranks, nodes):
            words += ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        if mapping in FILLING:
            words += ["--map-by", FILLING[mapping]]
        elif nodes > 1:
            words += ["--map-by", f"ppr:{-(-ranks // nodes)}:node"]
            words += ["--rank-by", "node"] if mapping in ALTERNATING else []
        if mapping in (*FILLING, "node") and not share_cores(ranks, nodes):
            words += ["--bind-to", "core"]
    elif mapping != "block":
        raise UserError(
            f"--mapping {mapping}: of {library()} only block is known to be kept; real runs of the others need Open MPI"
        )
    else:
        if library().startswith("MPICH") and share_cores(ranks, nodes):
            words += ["-genv", "MPIR_CVAR_ENABLE_HEAVY_YIELD", "1"]
        if nodes > 1:  # MPICH's launcher, and those made from it
            words += ["-ppn", str(-(-ranks // nodes))]
    return words


ADVICE = (  # what mpirun says when it cannot start, and what to do
    ("not enough slots", "take fewer ranks, more nodes, or give each node slots=N in the host file"),
    ("could not resolve hostname|unable to reliably start", "check the host file's names, and that ssh reaches them"),
    ("error while loading shared|cannot open shared object", "set LD_LIBRARY_PATH, or load its module, on every node"),
    ("could not access\\s+or execute an executable|no such file", "every node needs this file at the same path"),
    (
        "requested component was not found|unknown option",
        "look for OMPI_MCA_… in the environment and in mca-params.conf",
    ),
    ("direct launched using", "set SLURM_MPI_TYPE=pmix, or what else `srun --mpi=list` has"),
    ("bind|more processes than cpus", "give fewer ranks than cores, or set OMPI_MCA_hwloc_base_binding_policy=none"),
    ("run as root", "run as another user"),
)
MAX_CHARACTERS = 600  # characters of its words


def reason(errors: str) -> str:
    """Why mpirun did not start, in its own words but without frames, lists and repetitions, and what to do; "" when it says nothing."""
    parts: list[str] = []
    for paragraph in re.split(r"\n[ \t]*\n|^-{20,}$", errors, flags=re.MULTILINE):
        lines = [re.sub(r"^\[\S*\]( \*\*\*)?\s*", "", line.strip()) for line in paragraph.strip().splitlines()]
        lines = [line for line in lines if not re.match(r"Type '|.*ORTE_ERROR_LOG", line)]
        pairs = [line for line in lines if re.match(r"[A-Z]\w+:\s", line)]
        text = " ".join(filter(None, lines)) if len(pairs) < len(lines) else ", ".join(pairs)
        parts.append(re.sub(r"\s+", " ", text).replace(" :", ":"))
    aside = re.compile(
        r"^(It looks like|Either|Alternatively|In all the|A \"slot\"|\d\.|\* |We |Running as|You can|reported by)|"
        r"^$|usually is caused|^(build|/)\S*$|MPI_ERRORS_ARE_FATAL|while attempting|Per user-direction"
    )
    kept = list(dict.fromkeys(text for text in parts if not aside.search(text)))
    words = "; ".join(text.rstrip(" .:,") for text in kept)[:MAX_CHARACTERS]
    advice = next((what for pattern, what in ADVICE if re.search(pattern, errors, re.IGNORECASE)), "")
    return f"{words}; {advice}" if words and advice else words
