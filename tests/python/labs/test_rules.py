"""collscope.labs.rules: what is wrong with a student's choices, over the best of the catalogue and beside a library's."""

from __future__ import annotations

import math

import pytest

from collscope.labs import rules
from collscope.labs.lab import Rules
from open_mpi import needs_prover

GOAL = Rules.model_validate(
    {"collective": "bcast", "platform": "schooner", "nodes": [2, 4], "bytes": "64B", "at_most": 1.9, "worst": 3.0,
     "against": "decision/ompi_4_1"}
)  # fmt: skip
TOO_SLOW, ALONE, NOT_BETTER = (
    "Your choices take 2.000 times",
    "The worst: 64 B on 4 ranks: mine",
    "Not better than decision",
)


@needs_prover
@pytest.mark.parametrize(
    ("mine", "library", "faults"),
    [
        ((1.0, 1.2), 1.3, []),
        ((1.0, 3.5), 9.0, [ALONE]),
        ((2.0, 2.0), 9.0, [TOO_SLOW, ALONE]),
        ((1.0, 1.2), 1.05, [NOT_BETTER, ALONE]),
        ((1.2, 1.2), 1.2, [NOT_BETTER, ALONE]),
        ((1.0, math.inf), 9.0, ["64 B on 4 ranks: bcast/mine; every call needs a rule"]),
    ],
)
def test_choices_are_too_slow_by_their_mean_or_a_single_call_or_beside_a_library(
    mine: tuple[float, float], library: float, faults: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mean that is too large is named with the call that is worst."""

    def outcomes(where: object, keys: list[str], *_: object) -> list[tuple[float, str]]:
        ranks: int = where.ranks  # type: ignore[attr-defined]
        return [(mine[ranks > 2], "bcast/mine")] if keys == ["rules"] else [(library, "")] + [(1.0, "")] * len(keys[1:])

    monkeypatch.setattr(rules.quantities, "outcomes", outcomes)
    found = rules.regret("rules", GOAL)
    assert [line[: len(fault)] for line, fault in zip(found, faults, strict=True)] == faults
