"""What the ranks of a simulation or of a real run did, and when: the driver's `--trace`, in which each rank's own operations are
noted. `retimed` makes of it the same Trace that the model's schedules are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collscope.base import leftovers, programs
from collscope.base.errors import UserError, disk_error
from collscope.base.units import counted, format_time
from collscope.points.plan import Layout, Point
from collscope.sources import launch, measure, mpirun, smpirun
from collscope.sources.launch import Children
from collscope.sources.outcome import OK, Outcome


@dataclass(frozen=True)
class Event:
    """One operation of a rank: see core/runtime/observe.h."""

    kind: str
    peer: int
    label: int
    bytes: int
    begin_s: float
    end_s: float
    done_s: float


@dataclass(frozen=True)
class Costs:
    """What is known of a processor's part in messages: of a model and its simulation, not of a real machine."""

    eager_bytes: int  # the largest message whose send does not wait
    overhead_s: float  # of posting an isend or an eager send, and of taking in an eager message
    eager_nonblocking_bytes: int | None = None  # the largest one whose isend does not; None: the same

    def eager(self, size: int, nonblocking: bool = False) -> bool:
        """Whether a send of so many bytes need not wait for its receive."""
        other = self.eager_nonblocking_bytes if nonblocking else None
        return size <= (self.eager_bytes if other is None else other)

    def taking(self, size: int, nonblocking: bool = False) -> float:
        """What the receiver's processor spends on a message."""
        return self.overhead_s if self.eager(size, nonblocking) else 0.0


@dataclass(frozen=True)
class Observed:
    """One repetition: [rank]."""

    events: tuple[tuple[Event, ...], ...]
    start_s: tuple[float, ...]
    end_s: tuple[float, ...]
    clock_error_s: float  # of two ranks' clocks, at most


@dataclass(frozen=True)
class Run:
    """All that a launch said of its one point."""

    repetitions: tuple[Observed, ...]
    times_s: tuple[float, ...]  # makespan of each repetition
    places: tuple[tuple[int, int, int], ...]
    chose: str
    back_end: str

    @property
    def median(self) -> int:
        """The repetition whose time is the median (the lower of two)."""
        return sorted(range(len(self.times_s)), key=lambda i: self.times_s[i])[(len(self.times_s) - 1) // 2]


# ---- running ----------------------------------------------------------------------------------------------


def simulated(layout: Layout, point: Point, limit_s: float | None = None) -> Run:
    """A point's simulation, observed; a UserError says why it failed."""

    def command(folder: Path) -> list[str | Path]:
        return smpirun.command(layout, [("0", point)], folder)

    assert layout.platform is not None
    return _run(command, point, limit_s, smpirun.environment(layout))


def measured(layout: Layout, point: Point, limit_s: float | None = None) -> Run:
    """A point's real run, observed; the driver is built where it is not there. A UserError says why it failed."""
    if not programs.MPI_DRIVER.exists():
        measure.build()

    def command(folder: Path) -> list[str | Path]:
        return measure.command(layout, [("0", point)], folder)

    return _run(command, point, limit_s, {"TMPDIR": "."}, silence_s=measure.SILENCE_S, explain=mpirun.reason)


def _run(
    command: Callable[[Path], Sequence[str | Path]],
    point: Point,
    limit_s: float | None,
    env: dict[str, str],
    *,
    silence_s: float | None = None,
    explain: Callable[[str], str] = lambda reason: "",
) -> Run:
    outcomes: list[Outcome] = []
    children = Children()
    with leftovers.scratch() as folder:
        try:
            arguments = [*command(folder), "--trace"]
        except OSError as error:
            raise disk_error(error, folder) from error
        try:
            report = launch.run(
                arguments,
                ["0"],
                lambda _, outcome: outcomes.append(outcome),
                children=children,
                folder=folder,
                env=env,
                silence_s=silence_s,
                limit_s=limit_s,
                explain=explain,
            )
        finally:
            children.stop()
    if report.over_limit_s:
        raise UserError(f"{point.algorithm}: took longer than {report.over_limit_s:g} s (--point-timeout)")
    if not outcomes:
        raise UserError(f"{point.algorithm}: the run did not come to its end: {report.reason}")
    if outcomes[0].kind != OK:
        raise UserError(f"{point.algorithm}: {outcomes[0].status}")
    return read(report.traces, outcomes[0], report.meta)


def read(lines: Sequence[dict[str, Any]], outcome: Outcome, meta: dict[str, Any]) -> Run:
    """What the driver's lines of one point say; `lines` are its traces, `outcome` its times, `meta` the launch's own."""
    by_repetition: dict[int, dict[int, dict[str, Any]]] = defaultdict(dict)
    for line in lines:
        by_repetition[line["trace"]][line["rank"]] = line
    traced = []
    for number in sorted(by_repetition):
        ranks = [by_repetition[number][r] for r in sorted(by_repetition[number])]
        traced.append(
            Observed(
                events=tuple(tuple(Event(*e) for e in line["events"]) for line in ranks),
                start_s=tuple(line["start_s"] for line in ranks),
                end_s=tuple(line["end_s"] for line in ranks),
                clock_error_s=2 * max(line["clock_error_s"] for line in ranks),
            )
        )
    rank_count = len(traced[0].events)
    return Run(
        repetitions=tuple(traced),
        times_s=tuple(rep[2] for rep in outcome.reps),
        places=tuple((n, s, c) for n, s, c in meta["places"][:rank_count]),
        chose=outcome.chose,
        back_end=outcome.back_end,
    )


def text(run: Run, source: str, layout: Layout) -> str:
    """Where the times are from."""
    if source == "sim":
        nodes = counted(layout.nodes, "node")
        return f"simulated on {layout.platform_name}, {nodes}, {run.back_end}"
    n = len(run.times_s)
    made = f"measured here, {run.back_end}"
    if n > 1:
        spread = f"{format_time(min(run.times_s))} to {format_time(max(run.times_s))}"
        made += f"; repetition {run.median + 1} of {n}, the median ({spread})"
    late = max(run.repetitions[run.median].start_s)
    if late > 1e-9:
        made += f"; ranks left a barrier within {format_time(late)}"
    error = run.repetitions[run.median].clock_error_s
    if error:
        made += f"; clocks of nodes agree within {format_time(error)}"
    return made
