"""What a source of numbers is: bound, model, simulation, measurement and whatever comes later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from collscope.base.progress import Progress
from collscope.points.plan import Point, Task
from collscope.points.table import Row
from collscope.sources.cluster import Cluster
from collscope.sources.launcher import LOCAL, Launcher

MAX_DRAWS = 100_000  # of a platform's noise: prove/sweep.h

Bar = Callable[..., AbstractContextManager[Progress]]
"""Opens a display of progress: what is done, how many steps it has, and what to do where it takes long. `progress.progress` is one."""


@dataclass(frozen=True)
class Options:
    """How rows are to be made; each source looks at what concerns it."""

    jobs: int | None = None  # simulations side by side; None: one a core
    force: bool = False  # simulate again what is cached
    launches: int = 1  # whole launches of a real run
    repetitions: int | None = None  # timed calls a launch; None: what the source thinks enough
    point_limit_s: float | None = None  # a point that takes longer is given up, simulated or measured
    cluster: Cluster | None = None  # whose workers simulate; None: this machine
    launcher: Launcher = LOCAL  # how the ranks of a real run are started
    until_ci: float = (
        0.0  # a real run repeats until the median's interval is so narrow, as a part of the median; 0: it does not ask
    )
    budget_s: float = 5.0  # that each launch of a real run may spend on a point then
    interleaved: bool = True  # the algorithms of a call are measured in rounds
    buffers: str = "warm"  # of points.plan.BUFFERS
    noise: int = 0  # draws of the platform's noise, whose band stands beside the model's time; 0: none
    keep_times: bool = False  # a real run's rows have every repetition


class Stopped(KeyboardInterrupt):
    """The user ended the work; `rows` are those of all tasks, of kind "stopped" where there was no time for them."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__()  # without the rows, which its text would tell
        self.rows = rows


@dataclass(frozen=True)
class Source:
    """A source of rows.

    `rows(tasks, options, bar)` returns rows of the tidy table for these tasks; points without a number have the reason as their
    status. It raises UserError when nothing can be run."""

    name: str  # the value of the column source, and the word on the command line
    rows: Callable[[Sequence[Task], Options, Bar], list[Row]]


def is_builtin(point: Point) -> bool:
    """Whether it is the MPI library's own call, which only real runs can make."""
    return point.algorithm.endswith("/builtin")
