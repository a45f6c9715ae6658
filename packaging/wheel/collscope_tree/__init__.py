"""The command `collscope` of the wheel: the tree is unpacked once into the user's own folder, and its launcher does the rest."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

VERSION = "0.1"
PACKED = Path(__file__).parent / "tree"


def unpacked() -> Path:
    """The tree in the user's own folder; COLLSCOPE_TREE names a clone to be taken in its place."""
    if named := os.environ.get("COLLSCOPE_TREE"):
        return Path(named)
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "collscope"
    tree = data / f"{VERSION}-{(PACKED / 'COMMIT').read_text().strip()[:12]}"
    if not tree.exists():
        data.mkdir(parents=True, exist_ok=True)
        half = Path(tempfile.mkdtemp(dir=data, prefix=".unpacking-"))
        shutil.copytree(PACKED, half, dirs_exist_ok=True)
        (half / "collscope").chmod(0o755)
        try:
            half.rename(tree)
        except OSError:  # another call was faster
            shutil.rmtree(half)
    return tree


def main() -> None:
    """Becomes the launcher of the tree."""
    launcher = unpacked() / "collscope"
    if not launcher.is_file():
        sys.exit(f"collscope: {launcher} is missing; COLLSCOPE_TREE must name a clone of collscope")
    os.execv(sys.executable, [sys.executable, "-S", str(launcher), *sys.argv[1:]])
