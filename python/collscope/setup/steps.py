"""Long steps of set-up: run with a log, told on standard error, on the side where they need not wait."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from collscope.base import leftovers


class SetupError(Exception):
    """The machine cannot be made ready; the message says what to do."""


class Steps:
    """Long steps, told on standard error: a line each; on a terminal the line shows the time and the latest news."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.terminal = sys.stderr.isatty()

    def say(self, text: str) -> None:
        """A line on standard error."""
        with self.lock:
            if self.terminal:
                sys.stderr.write("\r\033[K")
            sys.stderr.write(f"collscope: {text}\n")

    def tick(self, text: str) -> None:
        """News in the last line of a terminal; nothing elsewhere."""
        if self.terminal:
            with self.lock:
                width = shutil.get_terminal_size().columns - 1
                sys.stderr.write(f"\r\033[K{text[:width]}")
                sys.stderr.flush()

    def run(
        self, what: str, command: Sequence[str | Path], log: Path, *, quiet: bool = False, **options: object
    ) -> None:
        """Runs a command with its output in a log; raises a SetupError with the log's telling lines when it fails. `options` go
        to subprocess.Popen; `quiet`: nothing is told."""
        start = time.monotonic()
        if not quiet:
            self.say(f"{what} …")
        log.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(log, "ab") as out:
                out.write(f"$ {' '.join(map(str, command))}\n".encode())
                out.flush()
                begin = out.tell()
                leftovers.watch()
                process = subprocess.Popen(
                    [str(c) for c in command],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    **options,  # type: ignore[call-overload]
                )
                try:
                    while True:
                        try:
                            status = process.wait(timeout=0.5)
                            break
                        except subprocess.TimeoutExpired:
                            if not quiet:
                                self.tick(f"  {what}, {time.monotonic() - start:.0f} s  {_last_line(log)}")
                except BaseException:
                    process.terminate()
                    process.wait()
                    raise
        except OSError as error:
            raise SetupError(f"{what}: {error.filename or command[0]}: {error.strerror}") from error
        if status:
            self.tick("")
            raise SetupError(f"{what} failed (exit status {status}); the whole log is {log}\n{_excerpt(log, begin)}")
        seconds = time.monotonic() - start
        if not quiet and (seconds >= 1 or self.terminal):
            self.say(f"{what}: done in {seconds:.0f} s")


def _last_line(log: Path) -> str:
    try:
        with open(log, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 400))
            lines = file.read().decode(errors="replace").replace("\r", "\n").strip().splitlines()
        return lines[-1] if lines else ""
    except OSError:
        return ""


def _excerpt(log: Path, begin: int) -> str:
    """The lines of a failed step that tell why: its errors if there are any, else its end."""
    with open(log, "rb") as file:
        file.seek(begin)
        lines = file.read().decode(errors="replace").splitlines()
    errors = [i for i, line in enumerate(lines) if "error" in line.lower() or line.startswith(("E: ", "FAILED"))]
    part = lines[max(0, errors[0] - 1) : errors[0] + 14] if errors else lines[-12:]
    return "\n".join(f"    {line}" for line in part)


class Background:
    """A step on the side; what went wrong there is raised by result()."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.error: BaseException | None = None

        def call() -> None:
            try:
                work()
            except BaseException as error:
                self.error = error

        self.thread = threading.Thread(target=call, daemon=True)
        self.thread.start()

    def join(self) -> None:
        """Waits until the step has ended."""
        self.thread.join()

    def result(self) -> None:
        """Raises what the step raised."""
        if self.error:
            raise self.error
