"""Where things are. All paths start at the root of the repository, so the tool may be called from anywhere."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

ROOT = Path(os.environ.get("COLLSCOPE_ROOT") or Path(__file__).resolve().parents[3])
BUILD = ROOT / "build"
RESULTS = ROOT / "results"


def is_writable(path: Path) -> bool:
    """Whether files can be made in this folder; where it is not there, whether it can be made."""
    there = next((p for p in (path, *path.parents) if p.exists()), path)
    return os.access(there, os.W_OK | os.X_OK)


def own_place() -> Path:
    """Where a user keeps what a tree of somebody else's cannot take."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "collscope"


def machine_folders(platforms: Path) -> list[Path]:
    """Where machines lie by name, of a tree's folder of platforms: itself, where a user's own go, and where the own ones of whoever keeps
    the tree lie."""
    own = platforms / "own"
    return [platforms, own] if is_writable(own) else [platforms, own_place() / "platforms", own]


def machines_in(folder: Path) -> set[str]:
    """The names of the machines in such a folder."""
    return {p.stem for p in folder.glob("*.toml")} | {p.parent.name for p in folder.glob("*/spec.toml")}


def _caches() -> tuple[Path, Path | None]:
    """What can be computed again: the folder where it is kept and, where that is the user's own, the tree's, to read only.
    COLLSCOPE_CACHE names another folder than the tree's, one that a group shares."""
    named = os.environ.get("COLLSCOPE_CACHE")
    folder = Path(named).absolute() if named else ROOT / ".cache"
    database = folder / "results.sqlite"
    if is_writable(folder) and (not database.exists() or os.access(database, os.W_OK)):
        return folder, None
    return (own_place(), folder) if folder.is_dir() or not named else (folder, None)


CACHE, SHARED_CACHE = _caches()


def cache_dir() -> Path:
    """The folder of what can be computed again, made where it is missing."""
    return make_dir(CACHE)


def make_dir(folder: Path) -> Path:
    """A folder, made where it is missing. Below the cache a group may write to it where it may to the one above, whatever the umask."""
    if CACHE not in folder.parents:
        folder.mkdir(parents=True, exist_ok=True)
    elif not folder.is_dir():
        make_dir(folder.parent)
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
            share(folder)
    return folder


def share(path: Path) -> None:
    """Lets the group write to what was just made, where it may write to the folder above."""
    if path.parent.stat().st_mode & 0o020:
        path.chmod(path.stat().st_mode | (0o070 if path.is_dir() else 0o060))


def fresh(name: str) -> Path:
    """Where the last run's results of a study, or of `show`, lie: results/NAME/fresh; in a tree that cannot take them, the user's own."""
    folder = RESULTS / name / "fresh"
    return folder if is_writable(folder) and is_writable(folder.parent) else own_place() / "results" / name


def expanded(name: str | Path) -> Path:
    """A name as it was typed, ~ and ~USER replaced as a shell does it: of a user that does not exist it stays as it is."""
    return Path(os.path.expanduser(name))  # noqa: PTH111  # Path.expanduser fails for such a user


def resolved(path: str | Path) -> Path:
    """An absolute path without links; a link to itself stays as it is, and opening it says what is wrong."""
    return Path(os.path.realpath(path))  # Path.resolve fails for such a link


def display(path: Path) -> str:
    """The path as the user would type it: relative to where they stand when it is below."""
    try:
        return str(resolved(path).relative_to(resolved(Path.cwd())))
    except ValueError:
        return str(path)
