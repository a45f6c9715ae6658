"""Errors that are the reader's business: what is wrong, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable


class UserError(Exception):
    """Something failed that the user can understand and often mend. The command line prints it and exits with 1."""

    exit_status = 1


class UsageError(UserError):
    """The request itself cannot be understood or cannot be met. Exit status 2."""

    exit_status = 2


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like `name`, or None when nothing does."""
    import difflib

    names = list(known)
    matches = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if not matches:
        folded = {n.lower(): n for n in names}
        matches = [folded[m] for m in difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.5)]
    if not matches and len(name) >= 3:
        matches = [n for n in names if name.lower() in n.lower()]
    return matches[0] if matches else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean "block"?`, or nothing where no known name is near."""
    match = nearest(name, known)
    return f'; did you mean "{match}"?' if match else ""


def unknown(kind: str, name: str, known: Iterable[str], hint: str = "") -> UsageError:
    """`unknown algorithm "bcast/mts"; did you mean "bcast/mst"? …`"""
    names = list(known)
    text = f'unknown {kind} "{name}"'
    if guess := did_you_mean(name, names):
        text += guess
    elif names and len(names) <= 12:
        text += "; known: " + ", ".join(names)
    if hint:
        text += f" ({hint})"
    return UsageError(text)


def disk_error(error: OSError, path: object) -> UserError:
    """An OSError from writing `path`, in words."""
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError(f"{path}: the disk is full; free some space and repeat the command (finished points are kept)")
    return UserError(f"{path}: {error.strerror or error}")
