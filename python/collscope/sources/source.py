"""What a source of numbers is: bound, model, simulation, measurement and whatever comes later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from collscope.base import progress
from collscope.base.progress import Progress
from collscope.base.units import counted
from collscope.catalogue import metrics
from collscope.machines import placement
from collscope.points.plan import Point, Task
from collscope.points.table import Row
from collscope.sources.cluster import Cluster
from collscope.sources.launcher import LOCAL, Launcher

MAX_DRAWS = 100_000  # of a platform's noise: prove/sweep.h
LOOP_WARMUP, LOOP_CALLS = 2, 2  # of a loop without noise: what comes then repeats every other call at the latest


@dataclass(frozen=True, kw_only=True)
class Options:
    """How rows are made; each source looks at what concerns it. What is timed, and how often, is in the points."""

    title: str = ""  # of the work, for people who wait; "": the source says what it does
    quiet: bool = False  # nothing is displayed
    jobs: int | None = None  # simulations side by side; None: one per core
    force: bool = False  # simulate again what is cached
    speed: float | None = None  # seconds of a core per unit of estimated cost, where a run before tells it
    also_metrics: tuple[str, ...] = ()  # further metrics of the simulated calls: their rows stand behind all others
    launches: int = 1  # whole launches of a real run
    point_timeout_s: float | None = None  # a point that takes longer is given up
    cluster: Cluster | None = None  # whose workers simulate; None: this machine
    launcher: Launcher = LOCAL  # how the ranks of a real run are started
    interleaved: bool = True  # the algorithms of a call are measured in rounds
    noise: int = 0  # draws of the platform's noise, whose band stands beside the model's time; 0: none
    keep_times: bool = False  # a real run's rows have every repetition
    traffic: bool = False  # the model's rows have the bytes that cross links between nodes
    on_row: Callable[[Row], None] = lambda row: None  # called with each measured row as soon as it is complete


class Stopped(KeyboardInterrupt):
    """The user ended the work; `rows` are those of all tasks, of kind "stopped" where there was no time for them."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__()  # without the rows, which its text would show
        self.rows = rows


@dataclass(frozen=True)
class Source:
    """A source of rows.

    `rows(tasks, options)` returns rows of the tidy table for these tasks; points without a number have the reason as their
    status. It raises UserError when nothing can be run. `left(tasks)`: those of them whose numbers are not kept."""

    name: str  # the value of the column source, and the word on the command line
    rows: Callable[[Sequence[Task], Options], list[Row]]
    left: Callable[[Sequence[Task]], list[Task]] = list


@contextmanager
def display(options: Options, what: str, total: int, hint: str = "") -> Iterator[Progress]:
    """Shows how far the work is, unless it is to be quiet."""
    if options.quiet:
        yield Progress(what, total)
        return
    with progress.progress(options.title or what, total, hint) as bar:
        yield bar


def is_builtin(point: Point) -> bool:
    """Whether it is the MPI library's own call, which only real runs can make."""
    return point.key.is_builtin


def in_loop(point: Point) -> Point:
    """The point as it is simulated and modelled: with a barrier before each call, some calls after those of the loop's beginning."""
    if not metrics.has_barrier(point.metric):
        return point
    calls = point.timing.repetitions or LOOP_CALLS
    return replace(point, timing=replace(point.timing, warmup=LOOP_WARMUP, repetitions=calls))


def lacks_cores(task: Task) -> str:
    """Why the layout has no room for a thread per rank that advances its calls; "" where none is asked for, or there is."""
    layout, point = task
    if layout.platform is None or not metrics.goes_on(point.metric) or metrics.progress(point.metric) != "thread":
        return ""
    cores = layout.platform.cores_per_node
    seats = placement.places(layout.platform, layout.nodes, layout.ranks, layout.mapping)
    each = max(Counter(node for node, _, _ in seats).values())
    if 2 * each <= cores:
        return ""
    room = f"take at most {cores // 2}" if cores > 1 else "take --progress calls"
    return f"a thread per rank takes a core of its own: {counted(each, 'rank')} on a node of {counted(cores, 'core')}; {room}"
