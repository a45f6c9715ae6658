"""Talking to the person at the terminal: tables on standard output, progress and complaints on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from collscope.base.characters import short_words, visible

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_WIDTH = 100  # of tables that go into a file or a pipe where nobody sits at a terminal
MAX_COLUMNS = 10_000  # of COLUMNS, which anything may have set


@lru_cache(maxsize=1)
def out() -> Console:
    """Standard output, for tables: as wide as the terminal, also in front of a pager, or PLAIN_WIDTH without a terminal."""
    from rich.console import Console

    width, height = _size(sys.stdout.isatty())
    return Console(width=width, height=height, highlight=False)


@lru_cache(maxsize=1)
def err() -> Console:
    """Standard error, for progress."""
    from rich.console import Console

    width, height = _size(sys.stderr.isatty())
    return Console(width=width, height=height, stderr=True, highlight=False)


def fetch() -> None:
    """Imports what tables are printed with, in a thread: for whoever waits for another program before there is anything to print."""
    threading.Thread(
        target=lambda: [import_module(f"rich.{name}") for name in ("console", "table")], daemon=True
    ).start()


def _size(terminal: bool) -> tuple[int | None, int | None]:
    """Width and height of a console. Without a terminal rich reads COLUMNS unless it knows both, and fails on some texts there."""
    if terminal:
        return None, None
    columns_text = os.environ.get("COLUMNS", "")
    if columns_text.isdecimal() and 0 < int(columns_text) <= MAX_COLUMNS:
        return int(columns_text), 25
    return _reader_columns() or PLAIN_WIDTH, 25


def _reader_columns() -> int:
    """Characters of a line of the terminal at which our pipe is read, that of standard error; 0: without one."""
    with contextlib.suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns if sys.stderr.isatty() else 0
    return 0


def say(text: str, markup: bool = False) -> None:
    """A sentence on standard output: broken between words on a terminal, one line in a file or a pipe."""
    out().print(text, markup=markup, soft_wrap=not sys.stdout.isatty())


def columns() -> int:
    """Characters of a line on the terminal; 0 for a file or a pipe, whose lines have no end."""
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


_quiet = False


@contextlib.contextmanager
def quiet(on: bool = True) -> Iterator[None]:
    """Meanwhile there are no remarks and no progress; errors are printed all the same."""
    global _quiet
    before, _quiet = _quiet, on
    try:
        yield
    finally:
        _quiet = before


def is_quiet() -> bool:
    """Whether remarks and progress are left out."""
    return _quiet


_kept = False


def keep() -> None:
    """Something that is finished has been kept: after this command is stopped the same command goes on from there."""
    global _kept
    _kept = True


def stopped() -> str:
    """What is said of a command that the user ends."""
    return "stopped; finished points are kept, the same command goes on from there" if _kept else "stopped"


def note(text: str) -> None:
    """A remark, which is not a result."""
    if not _quiet:
        complain(text)


def complain(text: str) -> None:
    """What went wrong."""
    print(f"collscope: {visible(short_words(text))}", file=sys.stderr)
