"""One call of a collective, and what became of comparing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Messages = list[tuple[str, int, int]]  # S or R, the other rank (-1: any), bytes
Verdict = Literal["same", "order", "different", "unsupported"]
"""order: each pair's messages are alike, a rank's order is not; unsupported: ours cannot run the call."""

FLOAT = 4
REFUSAL: Messages = [("refused", 0, 0)]
"""What stands for the messages of a call that a library refuses: unlike anything of ours."""


@dataclass(frozen=True)
class Call:
    """One call, of floats where `elem`, bytes of an element, is not another, and the key that should send the same."""

    key: str  # an algorithm's, or decision/NAME:COLLECTIVE
    collective: str
    count: int
    root: int = 0
    commutes: bool = True
    in_place: bool = False
    forced: tuple[tuple[str, int], ...] = ()  # coll_tuned's variables, without their prefix
    elem: int = FLOAT

    @property
    def shape(self) -> str:
        """The call as the programs' plans write it: count, root, whether the operator commutes, whether it is in place, and the bytes of an
        element where it is not a float."""
        words = (
            self.count,
            self.root,
            int(self.commutes),
            int(self.in_place),
            *([self.elem] if self.elem != FLOAT else []),
        )
        return " ".join(map(str, words))

    @property
    def text(self) -> str:
        """The call for people."""
        rest = f", root {self.root}" * bool(self.root) + ", in place" * self.in_place
        return (
            f"{self.key}, count {self.count}{' of bytes' * (self.elem == 1)}{rest}"
            + ", an operator that does not commute" * (not self.commutes)
        )


@dataclass(frozen=True)
class Compared:
    """What became of one call."""

    ranks: int
    call: Call
    verdict: Verdict
    key: str = ""  # ours, in full
    text: str = ""  # where they differ, or why ours cannot
    advice: str = ""  # where ours cannot: what to take instead, or what the library takes; "" where nothing is said
    theirs: tuple[Messages, ...] = ()  # by rank; kept where ours cannot

    def __str__(self) -> str:
        what = "; ".join(text for text in (self.text, self.advice) if text)
        return f"{self.ranks} ranks, {self.call.text}: {self.verdict}{': ' * bool(what)}{what}"
