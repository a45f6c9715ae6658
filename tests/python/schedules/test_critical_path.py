"""collscope.schedules.critical_path: the critical path of a run that was observed: walked back by hand, and beside the model's."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from collscope.base import programs
from collscope.machines import find
from collscope.machines.machine_file import machine_file
from collscope.points.plan import Layout, Point
from collscope.schedules import critical_path, observed, record
from collscope.schedules.modelled import costs_of
from collscope.schedules.retimed import retimed
from collscope.schedules.trace import Span
from made_trace import US, made_trace, message

needs_prover = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def test_a_path_of_the_model_has_the_time_limit_of_its_points(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []
    monkeypatch.setattr(record, "reply", lambda *words: given.extend(words) or [])
    assert critical_path.modelled([], 4, "machine", 2.5) == []
    assert given == [[], 4, "machine", "--explain", 2.5]


def test_a_path_is_walked_back_from_the_rank_that_is_done_last() -> None:
    path = critical_path.observed(made_trace())
    assert path.time_s == pytest.approx(8 * US)
    assert [(s.part, s.rank, s.other) for s in path.segments] == [
        ("other", 2, None),
        ("message", 0, 2),  # it began when rank 2 asked: the path goes on there
        ("reduce", 2, None),
        ("other", 2, None),
        ("message", 2, 1),
    ]
    assert sum(path.parts.values()) == pytest.approx(path.time_s)
    ends = [s.end_s for s in path.segments]
    assert [s.begin_s for s in path.segments[1:]] == pytest.approx(ends[:-1])
    assert path.busiest is None and path.rendezvous_s is None


def test_a_rank_that_enters_late_is_a_late_arrival() -> None:
    t = made_trace(
        messages=(), transfers=(), spans=(), rank_start_s=(0.0, 0.0, 0.0, 6 * US), rank_end_s=(0.0, 0.0, 0.0, 8 * US)
    )
    assert critical_path.observed(t).parts == pytest.approx({"arrival": 8 * US})


def test_a_path_begins_when_the_first_rank_enters() -> None:
    start = (2 * US,) * 4
    t = made_trace(messages=(), transfers=(), spans=(), rank_start_s=start, rank_end_s=(5 * US, *start[1:]))
    assert [(s.begin_s, s.end_s) for s in critical_path.observed(t).segments] == [pytest.approx((0, 3 * US))]


def test_a_sender_that_is_free_does_not_end_with_its_message() -> None:
    """The message ends while rank 0 does nothing, but rank 0 left it to the network after half a microsecond."""
    t = made_trace(
        ranks=2, messages=(message(0, 1, 1, 1.0, 6.0, sent_s=1.5),), transfers=(),
        spans=(Span(0, "reduce", 1.5 * US, 3 * US),), rank_end_s=(7 * US, 6 * US),
    )  # fmt: skip
    assert critical_path.observed(t).parts == pytest.approx({"other": 5.5 * US, "reduce": 1.5 * US})


def test_clocks_that_disagree_do_not_lead_round_in_circles() -> None:
    t = made_trace()
    backwards = tuple(replace(m, start_s=m.end_s, end_s=m.start_s) for m in t.messages)
    path = critical_path.observed(replace(t, messages=backwards))
    assert sum(path.parts.values()) == pytest.approx(path.time_s)


@needs_prover
@pytest.mark.parametrize("key", ["bcast/binomial", "allreduce/recursive_doubling", "allgather/bucket"])
def test_the_observed_path_adds_up_as_the_modelled_one(key: str) -> None:
    """The model told as a run is observed: messages are the model's latency, bandwidth and waiting together."""
    machine = machine_file(find.load("schooner"), 2, 24)
    point = Point(key.partition("/")[0], key, 48_000)
    exact = critical_path.modelled([point], 24, machine)[0]
    observed_ = critical_path.observed(record.traces([point], 24, machine, "")[0])
    assert observed_.time_s == pytest.approx(exact.time_s)
    assert sum(observed_.parts.values()) == pytest.approx(exact.time_s)
    between = sum(exact.parts.get(p, 0.0) for p in ("latency", "bandwidth", "wait"))
    assert observed_.parts["message"] == pytest.approx(between, rel=0.05)
    for part in ("reduce", "copy"):
        assert observed_.parts.get(part, 0.0) == pytest.approx(exact.parts.get(part, 0.0), rel=0.05, abs=1e-9)


@needs_prover
@pytest.mark.skipif(not shutil.which("smpirun") or not programs.SIM_DRIVER.exists(), reason="no simulator")
def test_a_simulation_has_the_path_that_the_model_has() -> None:
    platform = find.load("schooner")
    layout, point = Layout(platform, 2, 12), Point("allreduce", "allreduce/ring", 12_000)
    machine = machine_file(platform, 2, 12)
    run = observed.simulated(layout, point)
    recorded = record.traces([point], 12, machine, "")[0]
    observed_ = critical_path.observed(retimed(recorded, run, "sim", "", costs_of(machine)))
    exact = critical_path.modelled([point], 12, machine)[0]
    assert observed_.time_s == pytest.approx(exact.time_s, rel=1e-6)
    assert observed_.messages == exact.messages
    assert observed_.parts["reduce"] == pytest.approx(exact.parts["reduce"], rel=1e-6)
