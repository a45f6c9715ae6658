"""Programs that lie below the tree because the system lacks them: a SimGrid of its own, tools of the build."""

from __future__ import annotations

import os
from pathlib import Path


def folder(root: Path, other: str = "") -> Path:
    """Where it is installed; `other`: the version of one that tests compare with."""
    return root / ".cache" / (f"simgrid-{other}" if other else "simgrid")


def is_there(root: Path, other: str = "") -> bool:
    """Whether it was built, and for this place: its scripts name the folder they were made for."""
    place = folder(root, other)
    try:
        return f"{place}/" in (place / "bin" / "smpirun").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


SYSTEM_FOLDERS = ("/usr/sbin", "/sbin")


def search_path(root: Path, path: str) -> str:
    """PATH with what was built or installed below the tree: SimGrid first, tools of the build that the system lacks last; and with the
    folders in which Debian keeps ip and tc, which are not on the path of an ordinary user."""
    folders = path.split(os.pathsep)
    own, tools = str(folder(root) / "bin"), root / ".venv" / "bin"
    if is_there(root) and own not in folders:
        folders.insert(0, own)
    if any((tools / name).exists() for name in ("cmake", "ninja")) and str(tools) not in folders:
        folders.append(str(tools))
    folders += [name for name in SYSTEM_FOLDERS if name not in folders]
    return os.pathsep.join(folders)
