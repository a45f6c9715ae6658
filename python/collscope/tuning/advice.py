"""All that is found out of a program's collectives from its profile: what `advise` prints and writes is made from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collscope.tuning.changes import Change, Timed
from collscope.tuning.program import Hint
from collscope.tuning.uses import Profile, Use


@dataclass(frozen=True)
class Advice:
    """A change; band_s: between which eight of ten draws put what it saves, of each rank, None: nothing is open, or `unchecked` says why
    it was not drawn; doubt: the number on which it hangs, "": none."""

    change: Change
    band_s: tuple[float, float] | None
    doubt: str
    unchecked: str


@dataclass(frozen=True)
class Answer:
    """All that is known: the profile, of several runs their sum; target, title: what is to choose, and its name for people; own: whose
    rules stand for what runs now; timed: the uses with times of the model; advice: changes, those that save most first; left_out: uses
    that no rule can be judged for, with the reason."""

    profile: Profile
    platform: str
    target: str
    title: str
    own: str
    timed: Sequence[Timed]
    advice: Sequence[Advice]
    hints: Sequence[Hint]
    left_out: Sequence[tuple[Use, str]]
    notes: Sequence[str]
