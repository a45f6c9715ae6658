"""Writing files whole: whoever looks sees the old content or the new one."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UserError, disk_error


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Writes beside the target, then renames: whoever looks sees the old file or the new one, never half of it. A link is followed;
    a pipe or a device is written to, not replaced. Text is written as UTF-8; a UserError says why it cannot be."""
    given, target = Path(path), paths.resolved(path)
    data = content.encode() if isinstance(content, str) else content
    if given.exists() and not given.is_file() and not given.is_dir():
        try:
            with open(given, "wb") as device:  # by its own name: that of a pipe in /proc leads nowhere
                device.write(data)
        except OSError as error:
            raise disk_error(error, given) from error
        return
    if target.is_symlink():
        raise UserError(f"{path}: a link to itself")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        try:
            paths.make_dir(target.parent)
            with open(temporary, "wb") as file:
                file.write(data)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise disk_error(error, target) from error


def says(path: Path, text: str) -> bool:
    """Whether a file is there and says just this."""
    return path.exists() and path.read_text(encoding="utf-8") == text
