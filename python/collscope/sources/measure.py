"""Measured points: the driver under mpirun, on the machine this runs on (or in the allocation of a batch system).

Nothing is cached: a measurement belongs to its moment. What the driver said is kept in .cache/raw/.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from collscope.base import cache, depends, paths, programs
from collscope.base.console import Progress
from collscope.base.errors import UserError, disk_error
from collscope.points.plan import Layout, Point, Task, plan_text
from collscope.points.table import Row, make_row
from collscope.sources import launch
from collscope.sources.launch import Children, Outcome
from collscope.sources.simulate import failure

if TYPE_CHECKING:
    from collscope.machines.platform import Platform

REPETITIONS = 10
WARMUP = 2
SILENCE_S = 300.0  # a point that says nothing for so long hangs


def run(
    platform: Platform | None,
    nodes: int,
    ranks: int,
    mapping: str,
    points: Sequence[Point],
    *,
    launches: int = 1,
    progress: Progress | None = None,
) -> list[Row]:
    """Measured rows of these points, in their order; `launches` whole launches, all repetitions taken together.
    `progress` is told of each point of each launch."""
    layout = Layout(platform, nodes, ranks, mapping)
    return run_tasks([(layout, point) for point in points], launches=launches, progress=progress)


def run_tasks(tasks: Sequence[Task], *, launches: int = 1, progress: Progress | None = None) -> list[Row]:
    """Measured rows of any mixture of layouts and points, in their order. One launch runs at a time."""
    groups: dict[Layout, list[int]] = {}
    for i, (layout, _) in enumerate(tasks):
        groups.setdefault(layout, []).append(i)
    outcomes: list[list[Outcome]] = [[] for _ in tasks]
    if not programs.MPI_DRIVER.exists():
        build()
    children = Children()
    try:
        for number in range(launches):
            for layout, indices in groups.items():
                _launch(layout, [(i, tasks[i][1]) for i in indices], outcomes, children, progress, number)
    finally:
        children.stop()
    sources = cache.sources_hash(*depends.MEASUREMENT)[:12]
    return [_row(task, seen, launches, sources) for task, seen in zip(tasks, outcomes, strict=True)]


def build() -> None:
    """The build for real runs is made when it is first needed."""
    from collscope.setup import machine, state
    from collscope.setup.steps import SetupError

    try:
        machine.ensure(paths.ROOT, [*state.PRESETS, "mpi"])
    except SetupError as error:
        raise UserError(str(error)) from error


def _row(task: Task, seen: Sequence[Outcome], launches: int, sources: str) -> Row:
    layout, point = task
    good = [o for o in seen if o["status"] == "ok"]
    bad = next((o for o in seen if o["status"] != "ok"), None)
    reps = [o["reps"] for o in good] if bad is None else []
    return make_row(
        source="real",
        **layout.cells(),
        **point.cells(layout.ranks),
        launches=launches,
        repetitions=len(reps[0]) if reps else 0,
        **launch.summarise(reps, point.metric),
        chose=seen[0]["chose"] if seen else "",
        status=bad["status"] if bad else "ok",
        back_end=next((o["back_end"] for o in seen if o["back_end"]), ""),
        sources_hash=sources,
        platform_hash=layout.platform.content_hash()[:12] if layout.platform else "",
    )


def _launch(
    layout: Layout,
    points: list[tuple[int, Point]],
    outcomes: list[list[Outcome]],
    children: Children,
    progress: Progress | None,
    number: int,
) -> None:
    def done(name: str, outcome: Outcome) -> None:
        outcomes[int(name)].append(outcome)
        if progress:
            progress(1)

    with tempfile.TemporaryDirectory(prefix="collscope-") as name:
        folder = Path(name)
        try:
            (folder / "plan.txt").write_text(plan_text((str(i), point) for i, point in points))
            raw = paths.cache_dir() / "raw"
            raw.mkdir(exist_ok=True)
            stamp = time.strftime("%Y%m%d-%H%M%S")
            with open(raw / f"real-{stamp}-{os.getpid()}-{layout.ranks}x{number}.jsonl", "ab") as file:
                report = launch.run(
                    command(layout, folder / "plan.txt"),
                    [str(i) for i, _ in points],
                    done,
                    children=children,
                    folder=folder,
                    silence_s=SILENCE_S,
                    raw=file,
                )
        except OSError as error:
            raise disk_error(error, paths.CACHE) from error
    if not report.unfinished:
        return
    if not report.meta:
        raise UserError(f"mpirun with {layout.ranks} ranks did not start the driver: {report.complaint}")
    done(report.unfinished[0], failure(f"launch failed: {report.complaint}"))
    left = set(report.unfinished[1:])
    rest = [(i, point) for i, point in points if str(i) in left]
    if rest:
        _launch(layout, rest, outcomes, children, progress, number)


@lru_cache(maxsize=1)
def library() -> str:
    """What mpirun says it is: "Open MPI 4.1.4", "MPICH 4.0.2"."""
    try:
        done = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise UserError("mpirun: not found; install openmpi-bin (./collscope doctor says more)") from error
    said = done.stdout + done.stderr
    name = "Open MPI" if "Open MPI" in said or "OpenRTE" in said else "MPICH" if "HYDRA" in said else "MPI"
    match = re.search(r"(\d+\.\d+(?:\.\d+)?)", said)
    return f"{name} {match.group(1)}" if match else name


def command(layout: Layout, plan: Path) -> list[str | Path]:
    return [*mpirun(layout.ranks, layout.nodes), programs.MPI_DRIVER, "--plan", plan]


def share_cores(ranks: int, nodes: int = 1) -> bool:
    """More ranks than cores: they take turns."""
    return ranks > nodes * len(os.sched_getaffinity(0))


def mpirun(ranks: int, nodes: int = 1) -> list[str]:
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
