"""What our schedules send, beside what Open MPI itself hands to its point-to-point layer."""

from __future__ import annotations

from collections.abc import Sequence

from collscope.twins.call import Call, Compared
from collscope.twins.judge import judge, same_order
from collscope.twins.library import Library
from collscope.twins.messages import library_messages, own_messages


def compare(library: Library, ranks: int, calls: Sequence[Call]) -> list[Compared]:
    """Every call of the list, in its order. One launch."""
    theirs = library_messages(library, ranks, calls)
    own = own_messages(ranks, calls)
    made = []
    for i, call in enumerate(calls):
        sent = tuple(theirs[i, r] for r in range(ranks))
        if why := own.unsupported.get(i):
            made.append(Compared(ranks, call, "unsupported", text=why.reason, advice=why.advice, theirs=sent))
            continue
        verdict, text = judge(sent, [own.messages[i, r] for r in range(ranks)], "Open MPI", same_order)
        made.append(Compared(ranks, call, verdict, own.keys[i], text))
    return made
