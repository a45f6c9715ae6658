"""What a source of numbers is: bound, model, simulation, measurement and whatever comes later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from collscope.base.console import Progress
from collscope.points.plan import Point, Task
from collscope.points.table import Row

Bar = Callable[[str, int], AbstractContextManager[Progress]]
"""Opens a display of progress: what is done, and how many steps it has. `console.progress` is one."""


@dataclass(frozen=True)
class Options:
    """How rows are to be made; each source looks at what concerns it."""

    jobs: int | None = None  # simulations side by side; None: one a core
    force: bool = False  # simulate again what is cached
    launches: int = 1  # whole launches of a real run
    repetitions: int | None = None  # timed calls a launch; None: what the source thinks enough


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
