"""What has been computed before, found again by content.

A key is a hash of everything the number depends on; the value is what the program printed. One sqlite3 file holds all; every
finished point is committed at once, of many quick ones those of a moment together, so an interrupted run loses nothing and two runs may
share the file.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
import os
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from collscope.base import console, paths, programs
from collscope.base.errors import UserError

MOMENT_S = 0.2  # what took this long is kept
BESIDE_BYTES = 1 << 16  # of the index of what was written last, which several processes share
_WAIT_S = 60  # for another command that writes
_CHUNK = 500  # below sqlite's limit on variables in a statement
_NETWORK = re.compile(r"nfs|lustre|gpfs|beegfs|ceph|cifs|smb|panfs|pvfs|orangefs|glusterfs|afs|9p|fuse")
"""How types of file systems begin that several hosts may share, or behind which such a one may lie."""


def digest(*parts: str) -> str:
    """Hash of some texts; where one ends and the next begins matters."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode()
        h.update(b"%d:" % len(data))
        h.update(data)
    return h.hexdigest()


_SOURCES = (".c", ".h", ".cpp", ".hpp", ".cmake", "CMakeLists.txt")
_CODE = (".py", ".j2", ".toml")
SETTLED_NS = 2_000_000_000
"""So long ago a file was changed whose time of change tells it from what it was before."""


def sources_hash(*places: str) -> str:
    """Hash of single files, and of the C, C++ and CMake sources below folders of the repository: names and contents; and of algorithms
    outside the tree that the programs know."""
    own = b"".join(path.read_bytes() + b"\0" for path in programs.OWN)
    return _files_hash(own, paths.ROOT, places, _SOURCES)


def code_hash(*places: str) -> str:
    """Hash of Python files and templates: files and folders below the package, names and contents."""
    return _files_hash(b"", paths.ROOT / "python" / "collscope", places, _CODE)


def _files_hash(first: bytes, root: Path, places: Iterable[str], endings: tuple[str, ...]) -> str:
    """Commands hash hundreds of files, and do it often: with paths for all of them it takes twice as long."""
    found: list[tuple[str, int, int]] = []
    for place in places:
        base = root / place
        below = (f"{folder}/{name}" for folder, _, names in os.walk(base) for name in names if name.endswith(endings))
        for path in [str(base)] if base.is_file() else sorted(below, key=lambda path: path.split("/")):
            stat = os.stat(path)  # noqa: PTH116 (a path for each takes as long again)
            found.append((path, stat.st_mtime_ns, stat.st_size))
    newest_ns = max((changed_ns for _, changed_ns, _ in found), default=0)
    # A file system's clock ticks slowly: what has just been changed may be changed again without a trace in its time.
    kept = _contents_hash if time.time_ns() - newest_ns > SETTLED_NS else _contents_hash.__wrapped__
    return kept(first, len(f"{root}/"), tuple(found))


@functools.lru_cache(maxsize=16)
def _contents_hash(first: bytes, named_from: int, files: tuple[tuple[str, int, int], ...]) -> str:
    """Of files as they were changed last: those that stay are read once in a process."""
    h = hashlib.sha256(first)
    for path, _, _ in files:
        h.update(path[named_from:].encode() + b"\0")
        with open(path, "rb") as file:
            h.update(file.read() + b"\0")
    return h.hexdigest()


def build_hash(*files: Path) -> str:
    """Hash of built programs: what they print is theirs, and they may be older than the sources. Of what is not there nothing is known."""
    return digest(*(_content_hash(path, *_state(path)) for path in files))


def _state(path: Path) -> tuple[int, int]:
    """(time of change in ns, bytes) of a file; (0, 0) of one that is not there."""
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


@functools.lru_cache
def _content_hash(path: Path, changed_ns: int, size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if changed_ns else ""


def _select(database: sqlite3.Connection, keys: Sequence[str]) -> dict[str, Any]:
    """The values of those keys that a file knows."""
    found = {}
    for start in range(0, len(keys), _CHUNK):
        part = keys[start : start + _CHUNK]
        marks = ",".join("?" * len(part))
        for key, value in database.execute(f"SELECT key, value FROM results WHERE key IN ({marks})", part):
            found[key] = json.loads(value)
    return found


def _read_only(path: Path) -> sqlite3.Connection | None:
    """A file that cannot be written to, for reading; None where it cannot be read either. Beside one that its owner is writing lie files
    with the newest values; without them nobody is writing, and sqlite must not want to make them."""
    for option in ("mode=ro", "immutable=1"):
        with contextlib.suppress(sqlite3.Error):
            database = sqlite3.connect(f"{path.as_uri()}?{option}", uri=True, timeout=_WAIT_S, check_same_thread=False)
            database.execute("SELECT key FROM results LIMIT 1").fetchall()
            return database
    return None


@functools.lru_cache
def _is_on_network(folder: Path) -> bool:
    mounts = Path("/proc/self/mountinfo")
    text = mounts.read_text(encoding="utf-8", errors="replace") if mounts.exists() else ""
    return bool(_NETWORK.match(_file_system(text, os.path.realpath(folder))))


def _file_system(mounts: str, folder: str) -> str:
    """The type of the file system that a folder is on: of the lines of mountinfo, that of the last mount which is nearest above it."""
    found = ("", "")
    for line in mounts.splitlines():
        place, kind = (words.split() for words in line.split(" - ", 1))
        above = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), place[4])
        if f"{folder}/".startswith(f"{above.rstrip('/')}/") and len(above) >= len(found[0]):
            found = above, kind[0]
    return found[1]


def _make(file: Path) -> None:
    """The file where it is missing: sqlite's own would be its maker's alone, also in a group's folder."""
    paths.make_dir(file.parent)
    if not file.exists():
        file.touch()
        paths.share(file)


FILE = "results.sqlite"
_reported: set[Path] = set()


class Cache:
    """A persistent dictionary from content hashes to JSON values. Safe to use from several threads.

    In a tree that somebody else keeps, what the tree's own file knows is read from there and never written to."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or paths.CACHE / FILE
        self._lock = threading.Lock()
        self._waiting: dict[str, Any] = {}
        self._kept_at = -math.inf
        self._shared = _read_only(paths.SHARED_CACHE / FILE) if paths.SHARED_CACHE and not path else None
        try:
            _make(self.path)
            self._db = sqlite3.connect(self.path, timeout=_WAIT_S, check_same_thread=False, isolation_level=None)
            self._set_journal(_is_on_network(self.path.parent))
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
            )
        except (sqlite3.Error, OSError) as error:
            raise self._failed(error) from error

    def _set_journal(self, on_network: bool) -> None:
        """With the log several processes read while one writes; its index is in shared memory, which no two hosts have in common."""
        if not on_network:
            self._db.execute("PRAGMA journal_mode=WAL")
            return
        self._db.execute("PRAGMA busy_timeout=0")
        with contextlib.suppress(sqlite3.OperationalError):  # another command has it open with a log
            self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.execute(f"PRAGMA busy_timeout={1000 * _WAIT_S}")

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        """The values of those keys that are known."""
        needed = list(dict.fromkeys(keys))
        with self._lock:
            try:
                found = _select(self._db, needed)
            except sqlite3.Error as error:
                raise self._failed(error) from error
            if self._shared:
                # Only a convenience: its owner may be writing.
                with contextlib.suppress(sqlite3.Error):
                    found |= _select(self._shared, [key for key in needed if key not in found])
        return found

    def put(self, key: str, value: Any) -> None:
        """Keeps a value that JSON can hold, on disk when this returns. UserError: the disk is full, the file is damaged."""
        self.put_many({key: value})

    def put_soon(self, key: str, value: Any) -> None:
        """Keeps a value as put does, with those that came within MOMENT_S before it: a transaction takes as long as many a point. What
        is left is kept at the end, of whatever kind it is; a program that is killed loses what took it no longer than that."""
        self._waiting[key] = value
        if time.monotonic() >= self._kept_at + MOMENT_S:
            self._put_waiting()

    def _put_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        if waiting:
            self.put_many(waiting)
            self._kept_at = time.monotonic()

    def put_many(self, items: dict[str, Any]) -> None:
        """Keeps several values at once: all of them or none. UserError as in put."""
        if paths.SHARED_CACHE and self.path.parent == paths.CACHE and self.path not in _reported:
            _reported.add(self.path)
            console.note(f"{paths.SHARED_CACHE} cannot be written to; what is computed now is kept in {paths.CACHE}")
        try:
            with self._lock:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    self._db.executemany(
                        "INSERT OR REPLACE INTO results VALUES (?, ?)", [(k, json.dumps(v)) for k, v in items.items()]
                    )
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:  # where the disk is full, sqlite has taken it back already
                        self._db.execute("ROLLBACK")
                    raise
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def close(self) -> None:
        """Ends the use of the file; `with Cache() as store` does it."""
        try:
            self._put_waiting()
        finally:
            with self._lock:
                self._db.close()
                if self._shared:
                    self._shared.close()

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _is_full(self) -> bool:
        """Whether the disk has no room for what sqlite writes beside the file: it calls that an I/O error."""
        with contextlib.suppress(OSError):
            return shutil.disk_usage(self.path.parent).free < BESIDE_BYTES
        return False

    def _failed(self, error: Exception) -> UserError:
        if isinstance(error, OSError):
            return UserError(
                f"{self.path.parent}: {error.strerror}; name another folder for the cache with COLLSCOPE_CACHE"
            )
        if "full" in str(error) or ("disk I/O error" in str(error) and self._is_full()):
            return UserError(f"{self.path}: the disk is full; free some space and repeat the command")
        if "malformed" in str(error) or "not a database" in str(error):
            return UserError(
                f"{self.path}: damaged ({error}); delete it, it holds nothing that cannot be computed again"
            )
        return UserError(f"{self.path}: {error}")
