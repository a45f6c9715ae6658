"""How far long work is and what it is at, on standard error: a bar on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from collscope.base import console

if TYPE_CHECKING:
    from rich.console import RenderableType

LONG_S = 60.0  # from here on the time is said before the work begins
PERIOD_S = 10.0  # between two lines where there is no terminal
SLOW_S = 2.0  # what takes longer is named on a terminal
SHOWN = 3  # of what runs at a time
KNOWN_SHARE = 0.05  # of the work: from then on the rest of the time can be said …
MIN_LEFT_S = 5.0  # … where it is longer


@dataclass
class Progress:
    """Told of what is finished and of what begins. May be told by several threads."""

    what: str
    total: int
    hint: str = ""  # what to do where it takes long
    done: int = 0
    share: float = 0.0  # of the work that was left at the start, by an estimate; 0: not known
    start: float = field(default_factory=time.monotonic)
    _shared_at: float | None = None  # when the share last grew
    _running: dict[object, tuple[str, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, n: int, share: float = 0.0) -> None:
        """`n` steps are finished, which were such a share of the work."""
        with self._lock:
            self.done += n
            if share:
                self.share += share
                self._shared_at = time.monotonic()

    def now(self, worker: object, what: str | None) -> None:
        """What a worker is at from now on; None: it has ended."""
        with self._lock:
            self._running.pop(worker, None)
            if what is not None:
                self._running[worker] = (what, time.monotonic())

    def running(self, after_s: float = 0.0) -> list[str]:
        """What has been running for so long, the longest first, with its time."""
        now = time.monotonic()
        with self._lock:
            found = sorted((since, what) for what, since in self._running.values() if now - since >= after_s)
        return [f"{what}, for {now - since:.0f} s" for since, what in found[:SHOWN]]

    def left(self) -> str:
        """About how much longer it takes, counted down while a step runs; nothing where that cannot be said."""
        if not KNOWN_SHARE <= self.share < 1:
            return ""
        now = time.monotonic()
        taken_s = (now if self._shared_at is None else self._shared_at) - self.start
        left_s = taken_s / self.share - (now - self.start)
        if left_s < -MIN_LEFT_S:
            return "longer than was estimated"
        return f"about {duration(left_s)} left" if left_s >= MIN_LEFT_S else ""

    def line(self) -> str:
        """All of this in a line."""
        words = [f"{self.what}: {self.done} of {self.total}, {time.monotonic() - self.start:.0f} s", self.left()]
        running = "; ".join(self.running())
        return ", ".join(filter(None, words)) + (f"; now {running}" if running else "")


def duration(seconds: float) -> str:
    """40 s, 5 min, 2.5 h: for people who wait."""
    if seconds < 100:
        return f"{max(1.0, seconds):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


@contextmanager
def progress(what: str, total: int, hint: str = "") -> Iterator[Progress]:
    """Shows the progress that it yields. `hint` is said once where there is no end after three periods."""
    made = Progress(what, total, hint)
    if total <= 0 or console.is_quiet():
        yield made
    elif sys.stderr.isatty():
        with _bar(made):
            yield made
    else:
        with _lines(made):
            yield made


@contextmanager
def _lines(made: Progress) -> Iterator[None]:
    """For logs: a line now and then, so that short work says nothing."""
    over = threading.Event()

    def speak() -> None:
        periods = 0
        while not over.wait(PERIOD_S):
            periods += 1
            console.note(made.line())
            if periods == 3 and made.hint:
                console.note(made.hint)

    thread = threading.Thread(target=speak, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def _bar(made: Progress) -> Iterator[None]:
    """A bar that goes away at the end, with what takes long below it."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Shown(Bar):
        """Looks at `made` whenever it is drawn."""

        def get_renderables(self) -> Iterator[RenderableType]:
            for task in self.tasks:
                task.completed = made.done
                task.fields["left"] = made.left()
            yield self.make_tasks_table(self.tasks)
            for line in made.running(SLOW_S):
                yield Text(f"  {line}", style="dim", no_wrap=True, overflow="ellipsis")
            if made.hint and time.monotonic() - made.start > 3 * PERIOD_S:
                yield Text(f"  {made.hint}", style="dim")

    columns = (TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn())
    with Shown(*columns, TextColumn("{task.fields[left]}"), console=console.err(), transient=True) as bar:
        bar.add_task(made.what, total=made.total, left="")
        yield
