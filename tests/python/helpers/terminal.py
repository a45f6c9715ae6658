"""The command line in a terminal of a given width, as a user sees it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[3]
ERASED = re.compile(r"[^\n\r]*\r\x1b\[2K")  # a line that another takes the place of, as those of a bar
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def heard() -> None:
    """In a child before it starts: signals end it, as from a terminal; nohup, and a shell's &, let it ignore some."""
    for one in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(one, signal.SIG_DFL)


def shown(
    words: Sequence[str],
    columns: int,
    *,
    program: Sequence[str] = ("-m", "collscope"),
    env: dict[str, str] | None = None,
    folder: Path | None = None,
    stop_after: str | None = None,
    number: int = signal.SIGINT,
) -> tuple[int, str]:
    """Exit status and all that is shown, without colours, movements of the cursor and lines that were written over. `stop_after`:
    send the signal `number` as soon as this text has been shown."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    quiet = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, *program, *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=folder or ROOT,
        env=quiet | {"PYTHONPATH": str(ROOT / "python")} | (env or {}) | {"TERM": "xterm"},
        start_new_session=True,
        preexec_fn=heard,
    )
    os.close(slave)
    data = b""
    end = time.monotonic() + 120
    waiting = stop_after
    with contextlib.suppress(OSError):  # the other end is closed: the program has ended
        while chunk := os.read(master, 1 << 16):
            data += chunk
            if waiting and waiting in data.decode(errors="replace"):
                waiting = None
                process.send_signal(number)
            if time.monotonic() > end:
                process.kill()
    os.close(master)
    return process.wait(), CONTROL.sub("", ERASED.sub("", data.decode(errors="replace")))


def widest(text: str) -> int:
    """Characters of the longest line."""
    return max(map(len, text.splitlines()), default=0)
