"""The Open MPI of this machine, asked on a few ranks: once for all tests, in whichever process they run."""

from __future__ import annotations

import functools

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.commands import twins
from collscope.twins.library import find_library
from once import once

SOME = (2, 4, 5)  # ranks of the short test: a power of two above 2, and an odd number
needs_prover = pytest.mark.skipif(not programs.RECORDED.exists(), reason="the prover is not built")


def missing() -> str | None:
    """Why Open MPI cannot be asked here, or None."""
    try:
        find_library().check()
    except UserError as error:
        return str(error)
    return None


needs_open_mpi = pytest.mark.skipif(missing() is not None, reason=missing() or "")


@functools.lru_cache(maxsize=1)
def some() -> twins.Found:
    """What the library of this machine does on a few ranks."""
    found = once("open-mpi", lambda: twins.run(find_library(), SOME))
    assert isinstance(found, twins.Found)
    return found
