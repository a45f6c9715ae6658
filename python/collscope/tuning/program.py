"""What a program itself could change, beside the algorithms of its collectives: from its profile, and where it says so from the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collscope.base.units import counted, format_size, format_time
from collscope.tuning.changes import MERGED, Timed
from collscope.tuning.uses import Profile, Use

WAITING = 0.25  # of the time of calls: more of it is worth a word
SMALL = 4096  # bytes of calls that could be fewer
MANY = 100  # calls of a rank, or communicators
SAVES = 0.25  # of the time, that fewer calls must save by the model
IN_PLACE = 0.05  # the same of MPI_IN_PLACE
RELEVANT = 0.01  # of the time in collectives: less is not worth a word


@dataclass(frozen=True)
class Hint:
    """One change to the program. kind: arrival, blocks, communicators, in_place or types; saves_s: of each rank of the job on average,
    None: not known; is_measured: by the profile, else `saves_s` is predicted."""

    kind: str
    use: Use
    saves_s: float | None
    is_measured: bool
    text: str


def hints(profile: Profile, timed: Sequence[Timed]) -> list[Hint]:
    """All that is worth a word, in the order of the kinds, the longest times first."""
    uses = sorted((u for u in profile.uses if u.seconds > RELEVANT * profile.seconds), key=lambda u: -u.seconds)
    parts = sorted((t for t in timed if t.use in uses), key=lambda t: -t.use.seconds)
    found = [
        *map(_arrival, uses),
        *map(_blocks, parts),
        *map(_communicators, uses),
        *map(_in_place, parts),
        *map(_types, uses),
    ]
    return [hint for hint in found if hint]


def _name(use: Use) -> str:
    return f"{use.collective}, {use.size_text}, {use.where}"


def _arrival(use: Use) -> Hint | None:
    waiting = use.waiting_s or 0.0
    if not use.arrival or waiting < WAITING * use.seconds:
        return None
    share = "all" if waiting >= use.seconds else f"about {waiting / use.seconds:.0%}"
    text = (
        f"{_name(use)}: the first rank waits {format_time(use.arrival.skew_s)} for the last "
        f"({counted(use.arrival.samples, 'sample')}); {share} of the time inside is waiting, which no algorithm saves: "
        "even out the work before it"
    )
    return Hint("arrival", use, waiting, True, text)


def _blocks(part: Timed) -> Hint | None:
    use = part.use
    if use.calls < MANY or use.mean_bytes is None or use.mean_bytes > SMALL or part.merged_s is None:
        return None
    share = 1 - part.merged_s / (MERGED * part.own_s)
    if share < SAVES:
        return None
    text = (
        f"{_name(use)}: {use.calls:,.0f} calls of {format_size(round(use.mean_bytes))}; {MERGED} of them as one would take "
        f"{share:.0%} less time by the model"
    )
    return Hint("blocks", use, share * use.working_s, False, text)


def _communicators(use: Use) -> Hint | None:
    if not use.ranks or (use.communicators or 0) < MANY:
        return None
    text = (
        f"{use.collective}, {use.size_text}: {use.communicators} communicators of {counted(use.ranks, 'rank')} were used; to make one "
        "is itself collective: keep and use them again"
    )
    return Hint("communicators", use, None, True, text)


def _in_place(part: Timed) -> Hint | None:
    if part.placed_s is None:
        return None
    share = 1 - part.placed_s / part.own_s
    if share < IN_PLACE:
        return None
    text = f"{_name(part.use)}: with MPI_IN_PLACE, which saves a copy, it would take {share:.0%} less time by the model"
    return Hint("in_place", part.use, share * part.use.working_s, False, text)


def _types(use: Use) -> Hint | None:
    if use.type != "derived":
        return None
    text = f"{_name(use)}: of a derived type; if it has gaps the MPI library packs it at every call, which contiguous data need not"
    return Hint("types", use, None, True, text)
