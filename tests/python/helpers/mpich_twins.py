"""What a decision table sends, beside what MPICH itself hands to its network."""

from __future__ import annotations

from collections.abc import Sequence

import libraries
from collscope.twins import mpich_messages
from collscope.twins.mpich_messages import Mpich
from library_calls import Call, Compared, compared, own_messages


def library() -> Mpich:
    """PyPI's MPICH, fetched when it is not there yet."""
    there = libraries.mpich()
    return Mpich(str(there.mpicc), str(there.mpirun))


def compare(ranks: int, calls: Sequence[Call], keys: Sequence[str] | None = None) -> list[Compared]:
    """Each call of MPICH, with every rank alone on a node so that all messages are seen, beside decision/mpich_4's choice, or beside the
    keys given."""
    keys = keys or [f"decision/mpich_4:{c.collective}" for c in calls]
    theirs = mpich_messages.library_messages(library(), ranks, ranks, calls)
    own = own_messages(ranks, calls, keys)
    sent = [tuple(theirs[i, r] for r in range(ranks)) for i in range(len(calls))]
    return [compared(call, keys[i], "MPICH", sent[i], own, i) for i, call in enumerate(calls)]
