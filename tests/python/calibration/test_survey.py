"""collscope.calibration.survey: what is measured; whole plans, of clusters that are slow enough for plans to be short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

import pytest

from collscope.calibration import survey
from collscope.calibration.links import busiest
from collscope.calibration.samples import Placement, Probe, Reading, Samples
from collscope.calibration.survey import Pace
from made_samples import reading, together

PAIR = Placement(((0, 0, 0), (1, 1, 1)))
UNEVEN = Placement(((0, 0, 0), (0, 0, 0), (1, 1, 1), (2, 2, 2)))  # two ranks of a node, and two nodes of one
# Half a round trip of a byte, and of 64 KiB: 0.15 s at 4 bytes beside a cache; 0.162 s at 64 bytes between nodes.
PACES = {"cache": Pace(0.1, 0.1 + 0.1 / 4 * 65536), "network": Pace(0.01, 0.01 + 0.152 / 64 * 65536)}


def lines_of(plan: Sequence[Probe]) -> str:
    """A line of neighbours of one pattern and its flows: bytes, how many of them, and how many samples."""
    lines = []
    for (pattern, flows, single), found in groupby(plan, key=lambda w: (w.pattern, w.flows, w.single)):
        name = pattern + " one by one" * single + "".join(f" {a}>{b}" for a, b in flows)
        lines.append(f"{name}: {' '.join(f'{w.bytes}:{w.count}x{w.samples}' for w in found)}\n")
    return "".join(lines)


def test_a_plan_has_each_class_alone_and_where_messages_meet(golden: Callable[[str, str], None]) -> None:
    plan = survey.plan(UNEVEN, PACES)
    quick = survey.fewer(plan, UNEVEN)
    golden("plan", f"{lines_of(plan)}\nquick:\n{lines_of(quick)}")


def test_a_fast_cluster_is_measured_at_every_size() -> None:
    plan = survey.plan(PAIR, {"network": Pace(1e-6, 2e-5)})
    every = [1 << k for k in range(23)]
    for pattern, sizes in (("pingpong", every), ("receive", every), ("flows", every), ("late", every[6:])):
        assert sorted({w.bytes for w in plan if w.pattern == pattern and not w.single}) == sizes
    assert {w.count for w in plan if w.pattern == "late"} == {10}, "four times its message is less than 10 ms"
    assert {w.count for w in plan if w.pattern in ("gamma", "copy", "touch")} == {1}, "a node has one rank"


def test_clock_and_patience_say_how_often() -> None:
    """5 ms of round trips, 200 at most; 0.8 s of samples, three to nine of them."""
    pair = (0, 1)
    for seconds, count, samples in ((1e-6, 200, 9), (4e-5, 62, 9), (1e-3, 2, 9), (0.06, 1, 6), (0.15, 1, 3)):
        probe = survey.round_trip("pingpong", pair, 8, Pace(seconds, seconds))
        assert probe == Probe("pingpong", (pair,), 8, count, samples)
    assert [survey.repetitions(s) for s in (0.088, 0.09, 0.25, 1.0)] == [9, 8, 3, 3]
    slow = Pace(2e-3, 1.026)  # a further byte takes 15.6 µs
    assert slow.time(0) == 2e-3 and slow.time(survey.SCOUT_BYTES) == 1.026
    assert slow.time(128) == pytest.approx(4e-3)
    assert Pace(2e-6, 1e-6).time(1 << 20) == 2e-6, "disturbed: no size takes less than a byte"
    assert [slow.largest(4, s) for s in (16.1e-3, 15.9e-3, 1e-9)] == [128, 64, 1]
    assert Pace(1e-6, 1e-6).largest(1, 1.0) == 4 << 20


def test_a_send_waits_where_it_takes_nine_tenths_of_its_receiver_s_delay() -> None:
    late = {64: (8.9e-3, 20e-3), 1024: (1e-3, 9.1e-3), 4096: (9.1e-3, 9.1e-3), 512: (1e-3, 1e-3), 8192: (1e-3, 1e-3)}
    samples = together(PAIR, [reading("late", ((0, 1),), n, *t, count=10) for n, t in late.items()],
                       [reading("late_nonblocking", ((0, 1),), n, 0.0, count=10) for n in (64, 128)])  # fmt: skip
    assert survey.late_limit(samples, "late") == (1024, 4096)
    assert survey.late_limit(samples, "late_nonblocking") == (128, 0), "none waited"


def test_a_slow_network_is_measured_with_less() -> None:
    placement = Placement(tuple((n, n, n) for n in range(8)))
    slow, fast = ({"network": Pace(small, large)} for small, large in ((1e-3, 12e-3), (2e-6, 1e-5)))
    largest = [max(w.bytes for w in survey.plan(placement, pace) if w.flows) for pace in (slow, fast)]
    assert largest == [1 << 20, 4 << 20]
    plan = survey.plan(placement, slow)
    assert len(plan) == len({w.text for w in plan})
    singles = [w for w in plan if w.single]
    assert [(w.bytes, w.count, w.samples) for w in singles] == [(n, 1, 100) for n in (1, 1 << 10, 1 << 14, 1 << 18)]

    def seconds(w: Probe) -> float:
        if w.pattern.startswith("late"):
            return 1e-3 * w.count * w.samples
        return slow["network"].time(w.bytes) * w.count * len(w.flows) * busiest(placement, w.flows) * w.samples

    assert sum(seconds(w) for w in plan if w.flows) < 180


def test_a_cluster_is_measured_in_four_launches_and_a_quick_survey_has_less() -> None:
    """Who sits where, the scout, the survey; and sizes between where sends begin to wait, where some do."""
    launches: list[list[Probe]] = []

    def measure(plan: Sequence[Probe]) -> Samples:
        launches.append([*plan])
        late = [11e-3 if w.pattern.startswith("late") and w.bytes > 4096 else 1e-5 for w in plan]
        return together(PAIR, [Reading(w, (t,)) for w, t in zip(plan, late, strict=True)])

    samples = survey.of_cluster(measure)
    assert samples.placement == PAIR
    pace = {"network": Pace(1e-5, 1e-5)}
    plan = survey.plan(PAIR, pace)
    assert launches[:3] == [[Probe("pingpong", ((0, 1),), 1, 1, 1)], survey.scout(PAIR), survey.in_rounds(plan)]
    finer = [*range(4352, 8192, 256), 8191]
    assert [(w.pattern, w.bytes) for w in launches[3]] == [(p, n) for n in finer for p in ("late", "late_nonblocking")]
    assert [r.probe for r in samples.readings] == [*plan, *launches[3]]
    survey.of_cluster(measure, quick=True)
    assert launches[6] == survey.in_rounds(survey.fewer(plan, PAIR))


def test_samples_of_a_probe_are_dealt_to_three_rounds_and_joined_again() -> None:
    probes = [Probe("flows", ((0, 1),), n, 1, samples) for n, samples in ((1, 7), (2, 2), (4, 1))]
    rounds = survey.in_rounds(probes)
    assert [(p.bytes, p.samples) for p in rounds] == [(1, 3), (2, 1), (4, 1), (1, 2), (2, 1), (1, 2)]
    found = together(PAIR, [Reading(p, (1.0 * k,) * p.samples, (2.0 * k,), ()) for k, p in enumerate(rounds)])
    joined = survey.joined(probes, found)
    assert [r.probe for r in joined.readings] == probes and joined.library == found.library
    assert [r.samples for r in joined.readings] == [(0, 0, 0, 3, 3, 5, 5), (1, 4), (2,)]
    assert [r.issue for r in joined.readings] == [(0, 6, 10), (2, 8), (4,)]


def test_single_messages_are_timed_again_at_every_third_size() -> None:
    """Each once, however many launches there were; of one machine neither streams nor what shows how much they vary."""
    every = survey.common_start(2, [1])
    probes = survey.again(every * 2, "flows")
    assert {(w.pattern, w.count, w.single) for w in probes} == {("flows", 1, False)}
    assert [w.bytes for w in probes] == [n for k in range(0, 23, 3) for n in (1 << k, 1 << k)], "alone and with another"
    trips = survey.again(survey.plan(PAIR, {"network": Pace(1e-6, 1e-5)}), "pingpong")
    assert [w.bytes for w in trips] == [1 << k for k in range(0, 23, 3)] and {w.pattern for w in trips} == {"pingpong"}


# ---- one machine ------------------------------------------------------------------------------------------


def test_one_machine_is_measured_from_a_common_start_and_by_local_work(golden: Callable[[str, str], None]) -> None:
    """2 MiB of round trips and 16 KiB each for their start, two at least; messages alone, and with one the other way."""
    golden("machine_plan", lines_of(sorted(survey.common_start(3, [1]), key=lambda w: (w.pattern, w.flows, w.single))))
    both = survey.common_start(3, [1, 2])
    assert [w.flows[0][1] for w in both if w.flows and w.pattern == "overhead"] == [1, 2]


# Two sockets of two caches of four; ranks in their order, and by turns on each socket.
SIXTEEN = Placement(tuple((0, n // 8, n // 4) for n in range(16)))
TURNED = Placement(tuple((0, n % 2, (8 * (n % 2) + n // 2) // 4) for n in range(16)))


@pytest.mark.parametrize(
    ("placement", "few", "quick"),
    [(SIXTEEN, [1, 2, 3, 4, 5, 6, 8, 9, 10], [1, 4, 8]), (TURNED, [1, 2, 3, 4, 5, 6, 8, 10, 12], [1, 2, 8]), (PAIR, [1], [1])],
)  # fmt: skip
def test_one_machine_is_measured_five_times_with_few_pairs_of_each_class(
    placement: Placement, few: list[int], quick: list[int]
) -> None:
    launches: list[list[Probe]] = []

    def measure(plan: Sequence[Probe]) -> Samples:
        launches.append([*plan])
        return together(placement, [Reading(w, (1e-6,)) for w in plan])

    ranks = len(placement.places)
    samples = survey.of_machine(measure, ranks)
    side = [Probe("flows", of, 1 << 20, count, 15) for of in placement.between_sockets() for count in (2, 8)]
    more = [*survey.rings(placement), *side]
    assert launches == [survey.common_start(ranks, range(1, ranks)), *[[*survey.common_start(ranks, few), *more]] * 4]
    assert [r.probe for r in samples.readings] == [probe for plan in launches for probe in plan]
    launches.clear()
    survey.of_machine(measure, ranks, quick=True)
    assert launches[1:] == [[*survey.common_start(ranks, quick), *more]] * 3
