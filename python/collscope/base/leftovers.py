"""What must not outlive us: programs that were started, and folders for the time of a command.

kill -9 leaves no time to tidy up. So a watchdog, a process of its own, ends all programs of a command that is gone; and the next command
takes away folders whose owner is no more. Programs are known by a mark in their environment, folders by the same mark in their
name. Standard library alone: the launcher and the watchdog run before and without everything else.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

VARIABLE = "COLLSCOPE_OWNER"
PREFIX = "collscope-"
MARK = re.compile(r"(?P<host>[0-9a-f]{8})-(?P<boot>[0-9a-f]{8})-(?P<pid>\d+)-(?P<start>\d+)")
OLD_S = 7 * 24 * 3600.0  # what somebody on another machine, or without a mark, left so long ago is nobody's
RENEW_S = (
    OLD_S / 7
)  # so often a watchdog touches the folders of a command that runs, which other machines then leave alone
SEMAPHORES = Path("/dev/shm")  # of Python's processes, "sem." before their name
PATIENCE_S = 3.0  # from asking programs to end to making them

_watchdogs: dict[int, subprocess.Popen[bytes]] = {}  # by the process that started it: a fork has none


def mark(pid: int | None = None) -> str:
    """What tells this process from all others, on every machine: host, boot, process number, and when it was started."""
    number = pid or os.getpid()
    return f"{_host()}-{_boot()}-{number}-{_start(number)}"


def _host() -> str:
    """The machine and its space of process numbers, in eight digits. Machines may share a name, copies of one image its machine-id."""
    try:
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        space = ""
    name = f"{os.uname().nodename} {_text('/etc/machine-id')} {space}"
    return f"{zlib.crc32(name.encode()):08x}"


def _boot() -> str:
    """When this machine was booted, as the kernel names it, in eight digits: process numbers and start times begin again with each boot."""
    return (_text("/proc/sys/kernel/random/boot_id") or "0" * 8)[:8]


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _fields(pid: int) -> list[str]:
    """What the kernel says of a process, from its state on; [] where it does not exist, or has ended and only waits to be told so."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
    return [] if fields[0] in "ZX" else fields


def _start(pid: int) -> int:
    """When a process was started, in ticks of the machine; 0: it does not run."""
    fields = _fields(pid)
    return int(fields[19]) if fields else 0


def _parent(pid: int) -> int:
    """The process that started this one; 0: it does not run."""
    fields = _fields(pid)
    return int(fields[1]) if fields else 0


def is_alive(owner: str) -> bool:
    """Whether the process of this mark may still run; one of another machine cannot be asked, and counts as running. Enough to leave a
    folder alone, not to end a process: that takes `running`."""
    found = MARK.search(owner)
    if not found or found["host"] != _host():
        return True
    return running(found[0]) > 0


def is_of_this_machine(owner: str) -> bool:
    """Whether the process of this mark was started on this machine, in this boot or another."""
    found = MARK.search(owner)
    return found is not None and found["host"] == _host()


def running(owner: str) -> int:
    """The number of the process of this mark, where it runs on this machine now; else 0: the number may be another process's."""
    found = MARK.fullmatch(owner)
    if not found or (found["host"], found["boot"]) != (_host(), _boot()):
        return 0
    return int(found["pid"]) if _start(int(found["pid"])) == int(found["start"]) != 0 else 0


# ---- folders ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """A folder for programs that are started now: it goes away at the end or, where we are killed, with the watchdog, and they end with
    us. `parent`: where it must lie, for programs on other machines."""
    import tempfile  # the launcher does without

    if os.getpid() not in _watchdogs:
        sweep(Path(tempfile.gettempdir()), PREFIX)
        watch()
    if parent:
        sweep(parent, PREFIX)
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{mark()}-", dir=parent) as name:
        goes_with_us(Path(name))
        yield Path(name)


def goes_with_us(path: Path) -> None:
    """The watchdog takes this folder away if we are killed before we do, and keeps it from looking old until then. Its name must be of
    this process alone."""
    watch()
    pipe = _watchdogs[os.getpid()].stdin
    with contextlib.suppress(OSError):  # the watchdog was killed: the next command sweeps
        os.write(pipe.fileno() if pipe else -1, f"{path}\0".encode(errors="surrogateescape"))


def mark_semaphores() -> None:
    """Semaphores by which processes of this one will talk carry its mark: the watchdog takes them away if we are killed."""
    from multiprocessing import process

    watch()
    process.current_process()._config["semprefix"] = f"/{PREFIX}{mark()}"  # type: ignore[attr-defined]


def abandoned(folder: Path, prefix: str) -> list[Path]:
    """Folders, and semaphores, of that prefix whose owner is gone."""
    try:
        found = [Path(entry.path) for entry in os.scandir(folder) if entry.name.startswith(prefix)]
    except OSError:
        return []
    return sorted(path for path in found if not is_alive(path.name) or _is_old(path))


def _is_old(path: Path) -> bool:
    """Whether it has lain here for long, and its owner cannot be asked."""
    if is_of_this_machine(path.name):
        return False
    try:
        return time.time() - path.lstat().st_mtime > OLD_S
    except OSError:
        return False


def sweep(folder: Path, prefix: str) -> None:
    """Takes away what `abandoned` finds; what belongs to somebody else stays."""
    for path in abandoned(folder, prefix):
        shutil.rmtree(path, ignore_errors=True)
        with contextlib.suppress(OSError):  # a semaphore is a file
            path.unlink()


# ---- programs ---------------------------------------------------------------------------------------------


def watch() -> None:
    """From now on all that this process starts ends with it, however it ends. Called before a program is started."""
    here = os.getpid()
    if here in _watchdogs:
        return
    import tempfile

    os.environ[VARIABLE] = owner = mark()
    environment = {k: v for k, v in os.environ.items() if k != VARIABLE}
    _watchdogs[here] = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, owner, tempfile.gettempdir()],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd="/",
        start_new_session=True,
    )


def marked(owner: str) -> list[int]:
    """The processes that carry this mark."""
    entry = f"{VARIABLE}={owner}".encode()
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            with contextlib.suppress(OSError):
                if entry in (process / "environ").read_bytes().split(b"\0"):
                    found.append(int(process.name))
    return found


def end(owner: str) -> None:
    """Ends all processes of a mark. Those that none of them started are asked first: mpirun then ends its ranks, also elsewhere, and takes
    away what it made; where ranks are asked at the same time, it may hang."""
    for number, wait_s in ((signal.SIGTERM, PATIENCE_S), (signal.SIGKILL, 0.05), (signal.SIGKILL, 0.05)):
        # A second look: one that was about to start others may have.
        found = marked(owner)
        for pid in found:
            if number == signal.SIGTERM and _parent(pid) in found:
                continue
            with contextlib.suppress(OSError):
                os.kill(pid, number)
        until = time.monotonic() + wait_s
        while time.monotonic() < until and marked(owner):
            time.sleep(0.02)


def _wait_for_end(owner: str, listen: int) -> list[Path]:
    """Waits until the process of this mark is gone; the folders that it has named on the pipe `listen`, which are touched meanwhile."""
    descriptors = []
    with contextlib.suppress(OSError, AttributeError):
        descriptors.append(os.pidfd_open(int(owner.split("-")[-2])))
    period_s = RENEW_S if descriptors else min(0.2, RENEW_S)
    named, listening, touched = b"", [listen], time.monotonic()
    os.set_blocking(listen, False)
    while True:
        is_over = not is_alive(owner)  # before the pipe is read: later there is nobody who writes to it
        with contextlib.suppress(BlockingIOError):
            while data := os.read(listen, 1 << 16):
                named += data
            listening = []  # the other end is closed
        folders = [Path(os.fsdecode(name)) for name in named.split(b"\0")[:-1]]
        if is_over:
            return folders
        if time.monotonic() - touched >= RENEW_S:
            touched = time.monotonic()
            for path in folders:
                with contextlib.suppress(OSError):  # most have done their work
                    os.utime(path)
        select.select(descriptors + listening, [], [], period_s)


def main() -> None:
    """The watchdog: `leftovers.py MARK FOLDER`."""
    owner, folder = sys.argv[1:]
    named = _wait_for_end(owner, sys.stdin.fileno())
    end(owner)
    sweep(Path(folder), PREFIX)
    sweep(SEMAPHORES, f"sem.{PREFIX}")
    for path in named:
        shutil.rmtree(path, ignore_errors=True)


if __name__ == "__main__":
    main()
