"""Grading many folders side by side: whatever one of them does, the others go on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from collscope.base.errors import UserError
from collscope.labs.check import Report, check
from collscope.labs.hand_in import lab_of
from collscope.labs.lab import Lab


def grade(
    folders: Sequence[Path],
    lab: Lab | None = None,
    jobs: int = 0,
    only: str = "",
    done: Callable[[], None] = lambda: None,
) -> list[Report]:
    """A report of each folder, in their order, with the hidden cases. `lab` None: each says which lab it is for. `jobs` 0: one per core.
    `done` is called as each is finished. UserError: one does not exist, before any is judged."""
    if missing := next((folder for folder in folders if not os.path.lexists(folder)), None):
        raise UserError(f"{missing}: there is no such folder; name the folders of students")

    def one(folder: Path) -> Report:
        report = _graded(folder, lab, only)
        done()
        return report

    with ThreadPoolExecutor(jobs or len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(one, folders))


def _graded(folder: Path, lab: Lab | None, only: str) -> Report:
    if not folder.is_dir():
        return Report(folder, None, (), fault="not a folder: unpack it, or leave it out")
    found, began = lab, time.monotonic()
    try:
        found = found or lab_of(folder)
        return check(folder, found, with_hidden=True, only=only)
    except (UserError, OSError) as error:
        fault = str(error)
    except Exception as error:  # an error of collscope's own, which only this hand-in meets
        fault = (
            f"could not be judged: {type(error).__name__}: {str(error)[:200]}; this is an error in collscope: "
            f"./collscope lab check {folder} shows where"
        )
    return Report(folder, found, (), fault=fault, wall_s=time.monotonic() - began)
