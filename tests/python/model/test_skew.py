"""model: ranks that enter late: the model beside the simulation, and what a delay is."""

from __future__ import annotations

from pathlib import Path

import pytest

from collscope.base import programs
from collscope.catalogue import registry
from collscope.machines import find
from collscope.points import arrival
from collscope.points.plan import Layout, Point
from collscope.sources import model
from driven import agree, needs_simulation

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
RANKS = 13


def patterns(folder: Path) -> list[str]:
    file = folder / "late.txt"
    file.write_text("".join(f"{3e-6 + k % 4 * 2e-6}\n" for k in range(RANKS)))
    return [
        arrival.parse(p) for p in ("linear:20us", "random:30us:5", "one_late:15us", "one_late:15us:0", f"file:{file}")
    ]


@needs_simulation()
@pytest.mark.parametrize("metric", ["makespan", pytest.param("delay", marks=pytest.mark.full)])
def test_model_and_simulation_agree_to_nanoseconds_under_skew(metric: str, tmp_path: Path) -> None:
    keys = [a.full_key() for a in registry.load().algorithms]
    found = patterns(tmp_path)
    points = [
        Point(key.partition("/")[0], key, count, metric=metric, skew=found[k % len(found)])
        for k, key in enumerate(keys)
        for count in (100, 40_000)
    ]
    agree(tmp_path, "schooner", RANKS, points, nodes=2)


@needs_prover
def test_a_delay_is_counted_from_the_last_arrival(tmp_path: Path) -> None:
    layout = Layout(find.load("schooner"), 2, RANKS)
    last = {"linear:2e-05": 2e-5, "one_late:1.5e-05": 1.5e-5, patterns(tmp_path)[-1]: 6e-6}
    for skew, late in last.items():
        for key in ("barrier/dissemination", "bcast/binomial"):
            owner = key.partition("/")[0]
            span, delay = (
                model.evaluate([(layout, Point(owner, key, 100, metric=metric, skew=skew))])[0]["model_s"]
                for metric in ("makespan", "delay")
            )
            assert delay == pytest.approx(span - late, rel=1e-9, abs=1e-15)
            assert delay >= 0


@needs_prover
def test_a_barrier_lets_nobody_go_before_the_last_one_and_a_leaf_of_a_tree_keeps_nobody() -> None:
    layout = Layout(find.load("schooner"), 2, RANKS)

    def delay(key: str, skew: str) -> float:
        point = Point(key.partition("/")[0], key, 0 if "barrier" in key else 100, metric="delay", skew=skew)
        return float(model.evaluate([(layout, point)])[0]["model_s"])

    assert delay("barrier/dissemination", "one_late:0.001") > 1e-6
    assert delay("bcast/binomial", f"one_late:0.001:{RANKS - 2}") < delay("bcast/binomial", "none") / 2
