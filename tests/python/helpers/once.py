"""What is made once in a run of the tests, in whichever process it is needed first."""

from __future__ import annotations

import fcntl
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

folder = Path()  # of this run, set by conftest: all its processes have the same


def once(name: str, make: Callable[[], Any]) -> Any:
    """What `make` returns. The process that comes first makes it, others wait for it."""
    answer = folder / f"{name}.pickle"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not answer.exists():
            answer.write_bytes(pickle.dumps(make()))
        return pickle.loads(answer.read_bytes())
