"""Two sides' messages of calls, compared: what our schedules send, beside what a library hands to its point-to-point layer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from collscope.twins.call import Call, Compared, Messages, Verdict
from collscope.twins.library import Library
from collscope.twins.messages import library_messages, own_messages


def sends(messages: Messages) -> list[tuple[int, int]]:
    """(receiver, bytes) of what a rank sends, in order."""
    return [(peer, size) for kind, peer, size in messages if kind != "R"]


def by_peer(messages: Messages) -> dict[int, list[int]]:
    """Receiver → bytes of what a rank sends to it, in order."""
    made: dict[int, list[int]] = defaultdict(list)
    for peer, size in sends(messages):
        made[peer].append(size)
    return made


def same_order(theirs: Messages, ours: Messages) -> bool:
    """Sends in one order, and receives: those of Open MPI may be from any rank, and their bytes are room, not need."""
    if not same_sends(theirs, ours):
        return False
    from_a, from_b = ([peer for kind, peer, _ in m if kind == "R"] for m in (theirs, ours))
    return len(from_a) == len(from_b) and all(a in (-1, b) for a, b in zip(from_a, from_b, strict=True))


def same_sends(theirs: Messages, ours: Messages) -> bool:
    """Sends in one order, whatever is received."""
    return sends(theirs) == sends(ours)


def alike(theirs: Sequence[Messages], ours: Sequence[Messages]) -> bool:
    """At all ranks the same sends and receives in the same order; both by rank."""
    return all(same_order(a, b) for a, b in zip(theirs, ours, strict=True))


def judge(
    theirs: Sequence[Messages], ours: Sequence[Messages], name: str, same: Callable[[Messages, Messages], bool]
) -> tuple[Verdict, str]:
    """The verdict over messages by rank, and the first rank where they differ, as text; `name` is the library's, `same` says
    whether one rank's are the same."""
    wrong = [r for r, (a, b) in enumerate(zip(theirs, ours, strict=True)) if not same(a, b)]
    if not wrong:
        return "same", ""
    pairs = [r for r in wrong if by_peer(theirs[r]) != by_peer(ours[r])]
    r = (pairs or wrong)[0]
    return "different" if pairs else "order", f"rank {r}: {name} {theirs[r][:8]}, here {ours[r][:8]}"


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
