"""Profiles as TAU writes them (src/Profile/Profiler.cpp), made up: a file per rank."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

RANKS = 4
FUNCTIONS = (
    (".TAU application", 1, 2000000),
    ("MPI_Bcast()  ", 64, 100000),
    ("MPI_Allreduce()  ", 1000, 500000),
    ("MPI_Allgather()  ", 10, 10000),
    ("MPI_Allgatherv()  ", 10, 10000),
    ("MPI_Alltoall()  ", 20, 200000),
    ("MPI_Gather()  ", 5, 1000),
    ("MPI_Barrier()  ", 7, 20000),
    ("MPI_Send()  ", 9, 900),
    (".TAU application => MPI_Bcast()  ", 64, 100000),
)
EVENTS: tuple[tuple[str, int, float, float, float], ...] = (
    ("Message size for broadcast", 64, 4096, 4, 72.875),
    ("[GROUP=MAX_MARKER] Message size for broadcast", 3, 4096, 8, 1424),
    ("Message size for all-reduce", 1000, 8, 8, 8),
    ("Message size for all-gather", 20, 32, 4, 18),
    ("Message size for all-to-all", 20, 2048, 2048, 2048),
)
GATHERED = ("Message size for gather", 5, 256, 256, 256)  # at the root


def text(
    rank: int, functions: Sequence[tuple[str, int, int]] = FUNCTIONS,
    events: Sequence[tuple[str, int, float, float, float]] = EVENTS,
) -> str:  # fmt: skip
    """The file of a rank, of two on each host; rank 1 is the root of gathers."""
    mine = [*events, GATHERED] if rank == 1 and events is EVENTS else [*events]
    made = [
        f"{len(functions)} templated_functions_MULTI_TIME",
        "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute>"
        f"<attribute><name>Hostname</name><value>n{rank // 2:02d}</value></attribute></metadata>",
        *(f'"{name}" {calls} 0 {us} {us} 0 GROUP="MPI" ' for name, calls, us in functions),
        "0 aggregates",
        f"{len(mine)} userevents",
        "# eventname numevents max min mean sumsqr",
        *(f'"{name}" {count} {high} {low} {mean} {count * mean * mean}' for name, count, high, low, mean in mine),
    ]
    return "\n".join(made) + "\n"


def write(folder: Path) -> None:
    """The files of all ranks."""
    for rank in range(RANKS):
        (folder / f"profile.{rank}.0.0").write_text(text(rank), encoding="utf-8")
    (folder / "profile.0.0.1").write_text(text(0), encoding="utf-8")  # of another thread
