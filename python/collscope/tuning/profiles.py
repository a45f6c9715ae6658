"""Profiles of programs, whichever tool wrote them: a format is a reader in a file of its own."""

from __future__ import annotations

import re

from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.tuning import mpip, preload_report
from collscope.tuning.uses import Profile


def read(path: str, assume_world: bool = False) -> Profile:
    """The profile in a file. `assume_world`: where the format lacks the sizes of communicators, all are MPI_COMM_WORLD. UserError: it is of
    no tool that is known, or has no collective call."""
    text = preload_report.text_of(path)
    if not text.strip():
        raise UserError(f"{path}: the file is empty; {preload_report.PROFILE}")
    is_mpip = mpip.is_report(text)
    profile = mpip.profile(path, text) if is_mpip else preload_report.of_report(path, text)
    if not profile.uses:
        raise UserError(f"{path}: the program made no collective call with another rank; there is nothing to tune")
    return mpip.on_world(profile, text) if is_mpip and assume_world else profile


def decision_of(library: str) -> str | None:
    """The decision of the catalogue that stands for what a library takes by itself, by the name that it gives itself; None: its rules
    are not known."""
    if found := re.search(r"Open MPI v(\d+)\.(\d+)", library):
        key = f"decision/ompi_{found[1]}_{found[2]}"
    elif found := re.search(r"MPICH Version:\s*(\d+)", library):
        key = f"decision/mpich_{found[1]}"
    else:
        return None
    return key if key in {d.key for d in registry.load().decisions} else None


def target_of(library: str) -> str:
    """For what rules of a library are, by the name that it gives itself, as `tune --for` has it; "": for nothing that is known."""
    for pattern, family in ((r"Open MPI v(\d+\.\d+)", "openmpi"), (r"MPICH Version:\s*(\d+\.\d+)", "mpich")):
        if found := re.search(pattern, library):
            return f"{family}-{found[1]}"
    return ""
