"""Talking to the person at the terminal: tables on standard output, progress and complaints on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

Progress = Callable[[int], None]
"""Called with the number of points that have just been finished."""

PLAIN_WIDTH = 160  # of tables that go into a file or a pipe


@lru_cache(maxsize=1)
def out() -> Console:
    """Standard output, for tables: as wide as the terminal, or PLAIN_WIDTH where there is none."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS") or PLAIN_WIDTH)
    return Console(width=width, highlight=False, soft_wrap=False)


@lru_cache(maxsize=1)
def err() -> Console:
    """Standard error, for progress."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def note(text: str) -> None:
    """A remark that is no result."""
    print(f"collscope: {text}", file=sys.stderr)


@contextmanager
def progress(what: str, total: int) -> Iterator[Progress]:
    """A bar on a terminal; without one, a line now and then. Yields a function to be told how many are done."""
    if total <= 0:
        yield lambda n: None
        return
    if not sys.stderr.isatty():
        yield _lines(what, total)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=err(),
        transient=True,
    ) as bar:
        task = bar.add_task(what, total=total)
        yield lambda n: bar.advance(task, n)


def _lines(what: str, total: int) -> Progress:
    """For logs: a line every ten seconds, so that short work says nothing."""
    import time

    done = 0
    start = spoken = time.monotonic()

    def advance(n: int) -> None:
        nonlocal done, spoken
        done += n
        now = time.monotonic()
        if now - spoken >= 10:
            spoken = now
            note(f"{what}: {done} of {total}, {now - start:.0f} s")

    return advance
