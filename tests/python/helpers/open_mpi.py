"""The Open MPI of this machine, asked on a few ranks: once for all tests, in whichever process they run."""

from __future__ import annotations

import fcntl
import functools
import pickle
from pathlib import Path

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.commands import twins
from collscope.twins.library import find_library

SOME = (2, 4, 5)  # ranks of the short test: a power of two above 2, and an odd number
shared = Path()  # folder of this run of the tests, set by conftest: all its processes have the same
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
    """What the library of this machine does on a few ranks. The process that comes first asks, others wait for its answer."""
    answer = shared / "open-mpi.pickle"
    with (shared / "open-mpi.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not answer.exists():
            answer.write_bytes(pickle.dumps(twins.run(find_library(), SOME)))
        found = pickle.loads(answer.read_bytes())
    assert isinstance(found, twins.Found)
    return found
