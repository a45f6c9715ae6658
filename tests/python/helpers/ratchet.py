"""Rules that older files still break: the list of these may only shrink.

The list of a rule is in tests/python/structure/ratchet/RULE/ROOM.txt, one path per line. A file that breaks the rule and is not
listed fails, and so does a listed file that keeps it: `pytest --update-golden` takes it off the list, and follows one that moved.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from collscope.base import paths

LISTS = paths.ROOT / "tests" / "python" / "structure" / "ratchet"
MAX_SHOWN = 20


@cache
def tracked() -> tuple[str, ...]:
    """Every file of the repository that exists, as a path from its root; also new files that git does not ignore."""
    words = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"]
    if not shutil.which("git") or not (paths.ROOT / ".git").exists():
        pytest.skip("needs git and a clone: the files of the repository are those that git knows")
    done = subprocess.run(words, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    return tuple(sorted({p for p in done.stdout.splitlines() if (paths.ROOT / p).is_file()}))


@cache
def text(path: str) -> str:
    return (paths.ROOT / path).read_text(encoding="utf-8")


def room(path: str) -> str:
    """The room of a file: machines for python/collscope/machines/x.py and tests/python/machines/x.py, core for core/x.c."""
    parts = Path(path).parts
    return parts[2] if parts[:2] in (("python", "collscope"), ("tests", "python")) and len(parts) > 3 else parts[0]


def listed(folder: Path) -> dict[Path, list[str]]:
    """The lists of a rule: file → the paths that it names."""
    return {file: file.read_text(encoding="utf-8").split() for file in sorted(folder.glob("*.txt"))}


def check(folder: Path, breaches: Mapping[str, str], update: bool) -> None:
    """Compares the files that break a rule (path → an example) with the rule's lists in `folder`.

    `update` takes off what is mended; as many new files as listed ones are gone take their places, as they have moved.
    """
    known = {path for names in listed(folder).values() for path in names}
    new = sorted(set(breaches) - known)
    mended = sorted(known - set(breaches))
    if update:
        moved = new[: sum(not (paths.ROOT / path).exists() for path in mended)]
        write(folder, known - set(mended) | set(moved))
        new, mended = new[len(moved) :], []
    problems = []
    if new:
        problems += ["", *(f"{path}: {breaches[path]}" for path in new[:MAX_SHOWN]), *["…"] * (len(new) > MAX_SHOWN)]
    if mended:
        problems += ["", "gone or mended; pytest --update-golden takes them off the list:", *mended[:MAX_SHOWN]]
    if problems:
        pytest.fail(f"{folder.name}:" + "\n".join(problems), pytrace=False)


def write(folder: Path, names: set[str]) -> None:
    """Writes the lists of a rule, one per room."""
    for file in listed(folder):
        file.unlink()
    for each in sorted({room(path) for path in names}):
        text = "".join(f"{path}\n" for path in sorted(names) if room(path) == each)
        (folder / f"{each}.txt").write_text(text, encoding="utf-8")
