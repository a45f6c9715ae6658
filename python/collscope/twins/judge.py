"""Two sides' messages of one call, compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from collscope.twins.call import Messages, Verdict


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
