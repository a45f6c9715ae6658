"""The folders of a study's results: results/NAME/fresh/ appears at once and whole; results/NAME/ holds the committed reference."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from collscope.base import cache, console, depends, folders, leftovers, paths
from collscope.base.errors import UsageError, UserError, disk_error
from collscope.base.files import write_atomically

SENSITIVITY = "sensitivity.csv"  # verdicts over the ranges of the platform's numbers; columns: sensitivity.COLUMNS
PREFIX, OLD = ".fresh-", "-old"  # of folders that wait to take a place, and of those that had it
RUN = "run.json"  # keys: stamp, files (names below the folder), origin (the fields of Origin)


def fresh_folder(study: str, out: str | None = None) -> Path:
    """Where a run of the study puts its results: `out`, or results/NAME/fresh (paths.fresh). UsageError: `out` cannot be taken."""
    if out is None:
        folder = paths.fresh(study)
        if not folder.is_relative_to(paths.RESULTS):
            console.note(f"{paths.RESULTS} cannot be written to; results go to {folder} (--out DIR: elsewhere)")
        return folder
    folder = folders.own(out, "study results", lambda there: bool(record(there)))
    if not paths.is_writable(folder.parent):
        raise UsageError(f"--out {out}: {folder.parent} cannot be written to")
    return folder


def stamp(*contents: str) -> str:
    """Hash of all that the figures and the report follow from: these contents, and the code that draws."""
    return cache.digest(*contents, cache.code_hash(*depends.STUDY_PAGES))


def record(folder: Path) -> dict[str, Any]:
    """What RUN says in the folder; nothing where it is absent or cannot be read."""
    try:
        data = json.loads((folder / RUN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def is_complete(folder: Path, known: Mapping[str, Any]) -> bool:
    """Whether every file of the record is still there."""
    return all((folder / name).is_file() for name in known.get("files", ())) and bool(known.get("files"))


class replacing:
    """A new folder that takes the place of `target` at the end, whole, or leaves no trace. OSErrors become UserErrors.

    What others left beside it that were killed goes; the old folder of one that was killed just before the new one stood in its
    place is put back."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __enter__(self) -> Path:
        leftovers.watch()  # pictures are drawn by several processes
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            recover(self.target)
            leftovers.sweep(self.target.parent, PREFIX)
            self.new = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{leftovers.mark()}-", dir=self.target.parent))
            leftovers.goes_with_us(self.new)
            self.new.chmod(0o755)
        except OSError as error:
            raise disk_error(error, self.target.parent) from error
        return self.new

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if kind is not None:
            shutil.rmtree(self.new, ignore_errors=True)
            if isinstance(error, OSError) and not isinstance(error, UserError):
                raise disk_error(error, self.target) from error
            return
        old = self.new.with_name(self.new.name + OLD)
        try:
            if self.target.exists():
                os.replace(self.target, old)
            os.replace(self.new, self.target)
        except OSError as problem:
            raise disk_error(problem, self.target) from problem
        finally:
            shutil.rmtree(old, ignore_errors=True)


def recover(target: Path) -> None:
    """Puts back the old folder of one that was killed before the new one stood in its place."""
    for old in leftovers.abandoned(target.parent, PREFIX):
        if old.name.endswith(OLD) and not target.exists():
            os.replace(old, target)


def publish(fresh: Path, reference: Path) -> None:
    """Makes the fresh results the committed reference: figures that are no longer made are taken away."""
    keep = {*record(fresh).get("files", ()), RUN}
    for path in sorted((reference / "figures").glob("*")):
        if f"figures/{path.name}" not in keep:
            path.unlink()
    for name in sorted(keep):
        write_atomically(reference / name, (fresh / name).read_bytes())
