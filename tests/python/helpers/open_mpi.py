"""The Open MPI of this machine, asked on a few ranks: once for all tests."""

from __future__ import annotations

import functools

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.commands import twins
from collscope.twins.library import find_library

SOME = (2, 5, 8)  # ranks of the short test
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
    """What the library of this machine does on a few ranks: asked once for all tests."""
    return twins.run(find_library(), SOME)
