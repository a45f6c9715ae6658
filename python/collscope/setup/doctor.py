"""What is installed, what is missing, and which versions. Needs nothing but the standard library, so it can always speak."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from collscope.base import paths, programs
from collscope.setup import needs, state


@dataclass(frozen=True)
class Finding:
    """One line of the report. `advice` says what to do when it is not fine; advice alone does not make the doctor unhappy."""

    name: str
    fine: bool
    text: str
    advice: str = ""
    needed: bool = True


def version(command: Sequence[str]) -> str:
    """The first line of what a program says of its version."""
    try:
        done = programs.answer(command, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0].strip() if lines else ""


def system() -> Iterator[Finding]:
    """Python, compilers and the other needs of the system, with their versions."""
    yield Finding("Python", True, f"{platform.python_version()} ({sys.executable})")
    for need in needs.NEEDS:
        missing = [c for c in need.commands if not shutil.which(c)]
        advice = f"apt-get install {' '.join(need.packages)}"
        if need.elsewhere:
            advice += f"; without root: {need.elsewhere.splitlines()[0]}"
        if missing:
            needed = not need.preset or need.preset in state.PRESETS
            yield Finding(need.name, False, f"{' and '.join(missing)} not found", advice, needed)
        else:
            yield Finding(need.name, True, f"{version(need.version)} ({shutil.which(need.version[0])})")
    if not needs.has_venv_module():
        yield Finding("Python's venv", False, "ensurepip not found", "apt-get install python3-venv")


def libraries() -> Iterator[Finding]:
    """Versions of the libraries in .venv, asked of .venv itself."""
    python = paths.ROOT / ".venv" / "bin" / "python"
    if not python.exists():
        yield Finding("Python's libraries", False, ".venv not made yet", "./collscope list makes it")
        return
    for extra, needed in (("", True), ("dev", False)):
        names = [re.split(r"[<>=!~ ]", d)[0] for d in needs.dependencies(paths.ROOT, extra).split()]
        code = (
            "import sys, importlib.metadata as m\n"
            "for n in sys.argv[1:]:\n"
            "  try: print(n, m.version(n))\n"
            "  except m.PackageNotFoundError: print(n, '-')"
        )
        done = programs.answer([python, "-c", code, *names])
        found = [line.split() for line in done.stdout.splitlines()]
        missing = [name for name, number in found if number == "-"] if found else names
        there = ", ".join(f"{name} {number}" for name, number in found if number != "-")
        name = "Python's libraries" if needed else "tools for tests"
        if missing:
            advice = "./collscope list installs them" if needed else "./collscope test installs them"
            lacking = f"{', '.join(missing)} not installed"
            yield Finding(name, False, lacking + (f"; there are {there}" if there else ""), advice, needed)
        else:
            yield Finding(name, True, there)


def builds() -> Iterator[Finding]:
    """What each preset must give, and whether anything changed since."""
    for preset, files in programs.BUILT.items():
        missing = [name for name in files.values() if not (paths.BUILD / preset / name).exists()]
        if not missing:
            yield Finding(f"build {preset}", True, ", ".join(f"build/{preset}/{name}" for name in files.values()))
        else:
            log = paths.ROOT / ".cache" / "log" / f"build-{preset}.log"
            needed = preset in state.PRESETS
            first = {"prove": "any command", "smpi": "the first simulation", "mpi": "the first real run"}[preset]
            advice = f"{first} builds it"
            advice += f"; the last attempt's log is {log}" if log.exists() else ""
            yield Finding(f"build {preset}", False, f"build/{preset}/{missing[0]} is not there", advice, needed)
    ready = state.is_ready(paths.ROOT)
    text = "complete, nothing changed since" if ready else "something changed since the last set-up"
    keeper = "the next command brings it up to date"
    if not paths.is_writable(paths.ROOT / ".cache"):
        keeper = "its owner brings it up to date: ./collscope setup --real; until then commands are refused"
    yield Finding("set-up", ready, text, keeper, needed=False)


def machine() -> Iterator[Finding]:
    """Cores, memory, disk, whether this machine was measured, and which machines a user, or whoever keeps the tree, has made."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    yield Finding("machine", True, f"{cores} cores, {memory:.0f} GiB memory, {platform.platform()}")
    free = shutil.disk_usage(paths.ROOT).free / (1 << 30)
    yield Finding("disk", free > 0.5, f"{free:.1f} GiB free at {paths.ROOT}", "free some space; results need little")
    folders = paths.machine_folders(paths.ROOT / "platforms")
    here = [path for folder in folders if (path := folder / "this_machine" / "spec.toml").exists()]
    text = f"calibrated ({here[-1]})" if here else "not calibrated"
    yield Finding("this_machine", bool(here), text, "./collscope calibrate measures it", needed=False)
    for folder in folders[1:]:
        if names := paths.machines_in(folder) - {"this_machine"}:
            yield Finding("own machines", True, f"{', '.join(sorted(names))} ({folder})")


def cache() -> Finding:
    """Where what was computed is kept, and from where it is read."""
    shared = f"; read from {paths.SHARED_CACHE}, too, which cannot be written to" if paths.SHARED_CACHE else ""
    if paths.is_writable(paths.CACHE):
        return Finding("cache", True, f"{paths.CACHE}{shared}")
    return Finding("cache", False, f"{paths.CACHE} cannot be written to", "name a folder that can, in COLLSCOPE_CACHE")


def findings() -> list[Finding]:
    """All lines of the report, in order."""
    return [*machine(), cache(), *system(), *libraries(), *builds()]


def main() -> int:
    """Prints the report; 0 when nothing needed is missing."""
    found = findings()
    width = max(len(f.name) for f in found)
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    columns = shutil.get_terminal_size((120, 24)).columns if sys.stdout.isatty() else 10_000
    for f in found:
        mark = "ok" if f.fine else "MISSING" if f.needed else "note"
        paint = {"ok": "32", "MISSING": "31;1", "note": "33"}[mark]
        shown = f"\033[{paint}m{mark:<7}\033[0m" if color else f"{mark:<7}"
        lead = f"{mark:<7}  {f.name:<{width}}  "
        for i, line in enumerate(
            _wrap(f.text + (f" → {f.advice}" if not f.fine and f.advice else ""), columns - len(lead))
        ):
            print(f"{shown}  {f.name:<{width}}  {line}" if i == 0 else " " * len(lead) + line)
    bad = [f.name for f in found if f.needed and not f.fine]
    print()
    print(f"missing: {', '.join(bad)}" if bad else "all that is needed is there")
    return 1 if bad else 0


def _wrap(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, max(30, width), break_on_hyphens=False) or [""]


if __name__ == "__main__":
    sys.exit(main())
