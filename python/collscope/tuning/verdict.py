"""What `tune --check` looks at, and what it finds of a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collscope.tuning.confirm import TIE
from collscope.tuning.origin import MODEL, REAL
from collscope.tuning.rules import Call, Rule


@dataclass(frozen=True)
class Scope:
    """What is looked at: numbers of ranks, None: what the rules say; ranks on a node, None: as rules say, or as many as it has cores;
    sizes; what a rule may lose; and by which source the rules were chosen."""

    ranks: Sequence[int] | None
    per_node: int | None
    sizes: Sequence[int]
    loss: float
    chosen_by: str

    def allowed(self, source: str) -> float:
        """What a rule may lose by times of a source. By the model it may lose its error more where measuring chose among what the model
        cannot tell apart; and so by simulation, where real ranks were measured."""
        alike = source in (self.chosen_by, REAL) or self.chosen_by == MODEL
        return self.loss if alike else (1 + self.loss) * (1 + TIE) - 1


@dataclass(frozen=True)
class Verdict:
    """A call at which a rule was checked. loss: of the rule against the best, None: what it takes has no time; source: of the times;
    allowed: what it may lose by these."""

    rule: Rule
    call: Call
    loss: float | None
    best: str
    source: str
    allowed: float
    is_wrong: bool
