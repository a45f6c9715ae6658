"""collscope.labs.prediction: a student's machine is judged by calls that it has not seen, and what is off is named."""

from __future__ import annotations

import pytest

from collscope.labs import prediction
from collscope.labs.lab import Predict
from collscope.machines import find
from open_mpi import needs_prover

pytestmark = needs_prover

GOAL = Predict.model_validate(
    {"platform": "schooner[topology=switch]", "nodes": 4, "ranks": 4, "within": 0.1,
     "algorithms": ["bcast/binomial", "allgather/bucket"], "bytes": "64,64KiB"}
)  # fmt: skip


def judged(change: str, goal: Predict = GOAL) -> list[str]:
    """The lines about a machine that differs from the real one in this."""
    return prediction.judge(find.load(f"schooner[topology=switch{change}]"), goal)


def test_a_machine_that_predicts_is_right() -> None:
    assert judged("") == [] == judged(",network.latency_s=x1.01")


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (",network.s_per_byte=x3", "Only from 64 KiB on: what of large messages has not been measured?"),
        (",network.latency_s=x3,network.s_per_byte=x3,nic_bytes_per_s=x0.34", ""),
        (
            ",network.latency_s=x1000,network.s_per_byte=x1000,nic_bytes_per_s=x0.001",
            "A factor of a thousand or a million",
        ),
    ],
)
def test_a_hint_says_what_predictions_that_are_off_have_in_common(change: str, hint: str) -> None:
    first, *hints = judged(change)
    assert (
        "predictions are off by more than 10%. The furthest: " in first
        and "ranks of 4 nodes: your machine takes" in first
    )
    assert [line.startswith(hint) for line in hints] == [True] * bool(hint)


def test_ranks_without_a_place_are_refused() -> None:
    (line,) = judged(",nodes=2")
    assert line.startswith("4 ranks do not fit on 4 nodes of your machine: ") and line.endswith("see --shape")


@pytest.mark.parametrize(
    ("ratios", "hint"),
    [((3, 1, 1), "Only up to 64 B: "), ((1, 1, 3), "Only from 64 KiB on: "), ((3, 1, 3), ""), ((1, 3, 1), "")],
)
def test_small_or_large_messages_are_named_where_they_alone_are_off(
    ratios: tuple[float, float, float], hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = GOAL.model_copy(update={"bytes": (64, 4096, 65536)})
    takes = dict(zip(goal.bytes, ratios, strict=True))
    monkeypatch.setattr(prediction.quantities, "seconds", lambda where, keys, size: [1.0] * len(keys))
    monkeypatch.setattr(
        prediction.quantities, "outcomes", lambda where, keys, size, limit_s: [(takes[size], "")] * len(keys)
    )
    _, *hints = judged("", goal)
    assert [line.startswith(hint) for line in hints] == [True] * bool(hint)
