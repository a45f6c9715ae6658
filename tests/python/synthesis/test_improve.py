"""collscope.synthesis.improve: the variants of a schedule, each under the words that say what was changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from collscope.base import programs
from collscope.points.plan import Point, plan_text
from collscope.schedules import one_port
from collscope.synthesis import improve, schedule
from collscope.synthesis.judge import Judge

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def test_each_variant_is_the_schedule_that_its_words_say(tmp_path: Path) -> None:
    """Whichever of them the judge finds to be the fastest."""
    base = Judge(one_port.telephone(4, None), tmp_path).recorded(
        plan_text([("1", Point("allgather", "allgather/bucket", 16))], 4)
    )
    assert base
    cut = schedule.cut_into(base, 2)
    expected = {
        "ring": base,
        "ring, posted early": schedule.early(base),
        "ring, messages in 2": cut,
        "ring, messages in 2, posted early": schedule.early(cut),
    }
    for words, made in expected.items():
        judge = SimpleNamespace(seconds=lambda other, made=made: 1.0 if other == made else 2.0)
        best = improve.variants("catalogue", "ring", base, judge, (1, 2))  # type: ignore[arg-type]
        assert best and (best.method, best.what, best.seconds) == ("catalogue", words, 1.0) and best.schedule == made
    judge = SimpleNamespace(seconds=lambda other: None)
    assert improve.variants("catalogue", "ring", base, judge) is None, "none comes to an end"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seconds", "what", "least"),
    [
        ((2.0,), "a schedule", 1.0),
        ((1.0,), "a schedule", 1.0),
        ((1.0, 0.5, 0.5), "a schedule, reordered", 0.5),
        ((0.5, 0.25), "a schedule, reordered", 0.25),
    ],
)
def test_a_schedule_is_reordered_once_another_order_is_faster(
    seconds: tuple[float, ...], what: str, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is as fast takes its place under its words."""
    start = improve.Candidate("greedy", "a schedule", schedule.Schedule("call", "first", (0,), ((),)), 1.0)
    orders = iter(replace(start.schedule, origin=f"order {n}") for n in range(len(seconds)))
    monkeypatch.setattr(improve.schedules, "moved", lambda *_: next(orders))
    takes = iter(seconds)
    judge = SimpleNamespace(seconds=lambda _: next(takes), critical=lambda _: {})
    better: list[improve.Candidate] = []
    found = improve.improved(start, judge, 0, len(seconds), on_better=better.append)  # type: ignore[arg-type]
    assert (found.what, found.seconds) == (what, least)
    assert found.schedule.origin == ("first" if seconds == (2.0,) else f"order {len(seconds) - 1}")
    assert [one.seconds for one in better] == sorted({s for s in seconds if s < 1.0}, reverse=True)
