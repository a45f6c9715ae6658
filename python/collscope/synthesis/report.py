"""What a synthesis says, and the files that it leaves: schedules, and the fastest as MSCCL's XML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.base.units import counted, format_ratio, format_time, join_words
from collscope.catalogue import registry
from collscope.machines.machine_file import machine_file
from collscope.schedules import from_file
from collscope.schedules.exports import write as export
from collscope.synthesis.demand import BOTH, Design
from collscope.synthesis.emit import Call, schedule_of
from collscope.synthesis.exact import NONE, UNKNOWN
from collscope.synthesis.search import MAX_EXACT_RANKS, Outcome, Task

FILES = ("*.schedule", "best.xml")
BEST = "best.schedule"
AS_FAST = 1 + 1e-6  # times that differ by less are the same


def sentences(task: Task, outcome: Outcome) -> list[str]:
    """The answer in words."""
    made = [_solver(task, outcome)] if "exact" in task.methods else []
    best, least = outcome.best, outcome.catalogue
    if best is None:
        made.append("Nothing was found.")
    elif least is None:
        made.append(f"The catalogue has nothing for this call; found: {best.what}, {format_time(best.seconds)}.")
    else:
        made.append(_verdict(best.seconds, best.method, float(least["median_s"]), str(least["algorithm"])))
    if best is not None and outcome.loggp_s:
        gap = best.seconds / outcome.loggp_s - 1
        made.append(
            f"No makespan is below the LogGP bound, {format_time(outcome.loggp_s)}: at most {gap:.0%} can be gained on what was found."
        )
    made += [f"Wrong, and left out: {text}" for text in outcome.wrong]
    made.append(f"{outcome.seconds:.0f} s, {counted(outcome.evaluations, 'schedule')} timed.")
    return made


def _verdict(seconds: float, method: str, least_s: float, key: str) -> str:
    if seconds * AS_FAST < least_s:
        return (
            f"Found by {method}: {format_ratio(least_s / seconds)} times as fast as {key}, the best of the catalogue."
        )
    if seconds <= least_s * AS_FAST:
        return f"Nothing better found than {key} of the catalogue; what was found is as fast."
    return f"Nothing better found than {key} of the catalogue; what was found takes {format_ratio(seconds / least_s)} times as long."


def _solver(task: Task, outcome: Outcome) -> str:
    if task.layout.ranks > MAX_EXACT_RANKS:
        return f"Solver: not asked; it is for at most {MAX_EXACT_RANKS} ranks."
    if outcome.solver is None:
        return f"Solver: not asked; {'it was stopped before' if outcome.stopped else 'the time was over'}."
    states = [t.answer.status for t in outcome.solver.tries]
    proven, undecided, found = states.count(NONE), states.count(UNKNOWN), outcome.solver.found
    rest = f"{counted(proven, 'cheaper shape')} proven impossible, {undecided} undecided"
    if found is None:
        return f"Solver: nothing found; {rest}."
    shape = found.shape
    what = (
        f"{counted(shape.parts, 'chunk')} per block, {counted(shape.steps, 'step')}, {counted(shape.rounds, 'round')}"
    )
    grade = "optimal in steps and rounds" if outcome.solver.optimal else "feasible"
    met = [
        *["steps"] * (shape.steps == outcome.solver.min_steps),
        *["rounds per chunk"] * (shape.rounds_per_part == outcome.solver.min_rounds_per_part),
    ]
    bound = f"; no schedule has fewer {join_words(met, 'or')}" if met else ""
    half = " in each half" if task.point.collective in BOTH else ""
    return f"Solver: {what}{half}: {grade}{bound}; {rest}."


def write(task: Task, outcome: Outcome, folder: Path) -> list[Path]:
    """The fastest of each method, the fastest of all as best.schedule, and that as MSCCL's XML where it can hold it."""
    if not outcome.candidates:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    for old in (path for pattern in FILES for path in folder.glob(pattern)):
        old.unlink()
    made = []
    for i, each in enumerate(outcome.candidates):
        for name in [BEST] * (i == 0) + [f"{each.method}.schedule"]:
            write_atomically(folder / name, each.schedule.text())
            made.append(folder / name)
    layout = task.layout
    assert layout.platform
    machine = machine_file(layout.platform, layout.nodes, layout.ranks, layout.mapping)
    try:
        trace = from_file.trace(from_file.read(folder / BEST), machine, f"model of {layout.platform_name}")
        made.append(export.write(trace, folder / "best.xml"))
    except UserError:  # a collective that MSCCL does not have, or too many chunks
        pass
    return made


def write_designs(designs: Mapping[str, Design], folder: Path) -> list[Path]:
    """A schedule file of each, for a call whose chunks have 1024 bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in (path for pattern in FILES for path in folder.glob(pattern)):
        old.unlink()
    made = []
    for name, design in designs.items():
        about = registry.load().collective(design.collective)
        count = 256 * design.parts * (1 if about.counts_blocks or design.collective == "bcast" else design.ranks)
        path = folder / f"{name}.schedule"
        write_atomically(path, schedule_of(design, Call(count, 4), "synthesised:exact").text())
        made.append(path)
    return made
