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


def say(text: str, markup: bool = False) -> None:
    """A sentence on standard output: broken between words on a terminal, one line in a file or a pipe."""
    out().print(text, markup=markup, soft_wrap=not sys.stdout.isatty())


def columns() -> int:
    """Characters of a line on the terminal; 0 where standard output is none, and lines have no end."""
    import shutil

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def wrapped(text: str, indent: int = 0, hang: int | None = None) -> str:
    """The text so far to the right, broken between words on a terminal; lines after the first stand at `hang`."""
    import textwrap

    first, rest = " " * indent, " " * (indent if hang is None else hang)
    width = columns()
    if not width:
        return first + text
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False
    )


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
