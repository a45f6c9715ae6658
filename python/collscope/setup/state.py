"""What a complete set-up has seen, kept in a stamp (.cache/setup.json): comparing it takes a few hundred file stats."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from collscope.base import depends, programs

PRESETS = ("prove",)  # every command needs it; "smpi" only what simulates, "mpi" only what runs for real
SOURCE_FILES = ("CMakeLists.txt", "CMakePresets.json")
SOURCE_SUFFIXES = (".c", ".h", ".cpp", ".hpp", ".cmake", "CMakeLists.txt")
HEAVY_FOLDERS = frozenset({"__pycache__", "python", "this_machine", "fresh"})


def sources(root: Path) -> Iterator[tuple[str, int, int]]:
    """(path, time of change in ns, size in bytes) of everything the builds are made from."""
    for name in SOURCE_FILES:
        with contextlib.suppress(OSError):
            stat = (root / name).stat()
            yield name, stat.st_mtime_ns, stat.st_size
    for folder in depends.PROGRAMS:
        yield from _scan(str(root / folder), folder)


def _scan(path: str, name: str) -> Iterator[tuple[str, int, int]]:
    try:
        entries = sorted(os.scandir(path), key=lambda e: e.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.endswith(SOURCE_SUFFIXES):
            stat = entry.stat()
            yield f"{name}/{entry.name}", stat.st_mtime_ns, stat.st_size
        elif entry.name not in HEAVY_FOLDERS and entry.is_dir(follow_symlinks=False):
            yield from _scan(entry.path, f"{name}/{entry.name}")


def state(root: Path) -> dict[str, object]:
    """What a complete set-up depends on, as it is now. Keys: root, sources (as `sources` gives them), built ("PRESET/FILE" → time of change
    in ns, 0: not there), pyproject (time of change, size), python (whether .venv is there)."""
    built = {}
    for preset, files in programs.BUILT.items():
        for name in files.values():
            path = root / "build" / preset / name
            built[f"{preset}/{name}"] = path.stat().st_mtime_ns if path.exists() else 0
    project = (root / "pyproject.toml").stat()
    python = (root / ".venv" / "bin" / "python").exists()
    return {
        "root": str(root),
        "sources": [list(s) for s in sources(root)],
        "built": built,
        "pyproject": [project.st_mtime_ns, project.st_size],
        "python": python,
    }


def stamp_path(root: Path) -> Path:
    """Where the stamp lies."""
    return root / ".cache" / "setup.json"


def stamp_of(root: Path) -> dict[str, object]:
    """The state at the end of the last set-up; builds that it did not make have no time of change."""
    try:
        stamp = json.loads(stamp_path(root).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def is_ready(root: Path, presets: Sequence[str] = PRESETS) -> bool:
    """True when nothing has changed since the last set-up that made these builds."""
    stamp, now = stamp_of(root), state(root)
    then_built, now_built = stamp.pop("built", None), now.pop("built")
    if stamp != now or not isinstance(then_built, dict) or not isinstance(now_built, dict):
        return False
    files = [f"{preset}/{name}" for preset in presets for name in programs.BUILT[preset].values()]
    return all(then_built.get(f) and then_built[f] == now_built[f] for f in files)


def remember(root: Path, presets: Sequence[str], before: list[list[object]]) -> None:
    """Writes the stamp after these builds were made from the sources as they were before."""
    now = state(root)
    if now["sources"] != before:
        return  # somebody edited while it was built: the next call looks again
    old = stamp_of(root)
    kept = old.get("built") if old.get("sources") == before else None
    built = now["built"]
    assert isinstance(built, dict)
    for name in built:
        if name.partition("/")[0] not in presets:
            built[name] = kept.get(name, 0) if isinstance(kept, dict) else 0
    temporary = root / ".cache" / f"setup.json.{os.getpid()}"
    temporary.write_text(json.dumps(now), encoding="utf-8")
    os.replace(temporary, stamp_path(root))
