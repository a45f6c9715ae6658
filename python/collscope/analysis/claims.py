"""Claims of a source as executable assertions.

A claim is split into atomic assertions: this winner, at these sizes, on these nodes, with its tolerance. Each carries the verdict
that theory expects, written down before anything was run. Reproduced: all assertions hold; partly: at least half of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

YES, NO, OPEN = "yes", "no", "open"  # what theory expects of an assertion
STRICT, MILD = "strict", "mild"  # how a sentence that can be taken in two ways is read


@dataclass(frozen=True)
class Assertion:
    """One comparison, and whether it holds."""

    text: str
    holds: bool | None  # None: the table lacks the points
    evidence: str  # the numbers that decided
    expected: str  # YES, NO or OPEN
    theory: str = ""  # why it is expected so
    reading: str = ""  # STRICT or MILD: it belongs to that reading of the claim alone; "": to both

    @property
    def surprise(self) -> bool:
        """Theory expected the opposite."""
        return self.holds is not None and self.expected != OPEN and (self.expected == YES) != self.holds


@dataclass(frozen=True)
class Claim:
    """What a source says, with the assertions that it is made of."""

    id: str
    text: str
    where: str
    assertions: tuple[Assertion, ...]
    rule: str = ""  # tolerances, in words
    explanation: str = ""  # the reason found after the run, where it is not reproduced

    @property
    def testable(self) -> tuple[Assertion, ...]:
        """The assertions for which the table has the points."""
        return tuple(a for a in self.assertions if a.holds is not None)

    @property
    def held(self) -> int:
        """How many assertions hold."""
        return sum(1 for a in self.testable if a.holds)

    @property
    def verdict(self) -> str:
        """reproduced, partly, not reproduced or not testable."""
        return verdict([a.holds for a in self.assertions])

    @property
    def readings(self) -> dict[str, str]:
        """Where the sentence is ambiguous: the verdict of its strictest and of its mildest reading, by STRICT and MILD; else nothing."""
        if not any(a.reading for a in self.assertions):
            return {}
        return {r: verdict([a.holds for a in self.assertions if a.reading in ("", r)]) for r in (STRICT, MILD)}

    @property
    def expected_verdict(self) -> str:
        """What theory expects of the claim as a whole: the same rule, on the expectations. Open ones are left out."""
        known = [a.expected == YES for a in self.assertions if a.expected != OPEN]
        return verdict(known) if known else "open"

    @property
    def reason(self) -> str:
        """Why it is not reproduced, or not wholly: theory's word on what failed, and what nobody expected."""
        failed = [a for a in self.testable if not a.holds]
        known = list(dict.fromkeys(a.theory for a in failed if a.expected == NO and a.theory))
        unexpected = [a for a in failed if a.expected != NO]
        parts = [f"Foreseen: {'; '.join(known)}"] if known else []
        if unexpected:
            names = "; ".join(a.text for a in unexpected[:3]) + (
                f"; and {len(unexpected) - 3} more" if len(unexpected) > 3 else ""
            )
            parts.append(f"Not foreseen: {names}")
        if not self.testable:
            parts.append("The table has none of its points")
        return ". ".join(parts)


def verdict(holds: Sequence[bool | None]) -> str:
    """The verdict of assertions that hold, fail, or (None) could not be tested: a claim with one of these is never reproduced."""
    known = [h for h in holds if h is not None]
    if not known:
        return "not testable"
    if all(known) and len(known) == len(holds):
        return "reproduced"
    return "partly" if 2 * sum(known) >= len(known) else "not reproduced"
