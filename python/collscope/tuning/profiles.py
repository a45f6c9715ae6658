"""Profiles of programs, whichever tool wrote them: a format is a reader in a file of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from collscope.base.errors import UsageError, UserError
from collscope.base.units import join_words
from collscope.catalogue import registry
from collscope.tuning import mpip, preload_report, tau
from collscope.tuning.targets import OURS, Target
from collscope.tuning.uses import Profile


def read(path: str, assume_world: bool = False) -> Profile:
    """The profile in a file, or in a folder of TAU's files. `assume_world`: where the format lacks the sizes of communicators, all are
    MPI_COMM_WORLD. UserError: it is of no tool that is known, or has no collective call."""
    if not path:
        raise UserError(f"the name of a profile is empty; {preload_report.PROFILE}")
    text = "" if Path(path).is_dir() else preload_report.text_of(path)
    if tau.is_profile(path, text):
        profile, hosts = tau.profile(path)
        made = tau.on_world(profile, hosts) if assume_world else profile
    elif not text.strip():
        raise UserError(f"{path}: the file is empty, or a folder without TAU's profile.0.0.0; {preload_report.PROFILE}")
    elif mpip.is_report(text):
        profile = mpip.profile(path, text)
        made = mpip.on_world(profile, text) if assume_world else profile
    else:
        made = preload_report.of_report(path, text)
    if not made.uses:
        raise UserError(f"{path}: the program made no collective call with another rank; there is nothing to tune")
    return made


def read_all(files: Sequence[str], assume_world: bool = False) -> list[Profile]:
    """Of several files. UserError: they are of several libraries."""
    made = [read(file, assume_world) for file in files]
    libraries = list(dict.fromkeys(p.library for p in made))
    if len(libraries) > 1:
        raise UserError(
            f"the profiles are of {join_words([name or 'an MPI library that is not named' for name in libraries])}; "
            "take those of one library at a time"
        )
    return made


def joined(all_of: Sequence[Profile]) -> Profile:
    """Runs one after the other as one."""
    first = all_of[0]
    if len(all_of) == 1:
        return first
    times = [p.run_s for p in all_of]
    return Profile(
        file=join_words([p.file for p in all_of]),
        tool=first.tool,
        library=first.library,
        ranks=max(p.ranks for p in all_of),
        run_s=None if None in times else sum(t for t in times if t is not None),
        uses=[use for p in all_of for use in p.uses],
        lacks=list(dict.fromkeys(text for p in all_of for text in p.lacks)),
    )


def check_library(profile: Profile, target: Target) -> None:
    """UsageError: rules for another library than the profile's."""
    if target.name == OURS or not profile.library or target.name == target_of(profile.library):
        return
    raise UsageError(
        f"--for {target.name}: {profile.file} is of {profile.library}, which other rules than those of {target.title} would change; "
        "profile the program with the library that is to be tuned, or take --for collscope"
    )


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
