"""collscope.calibration.survey: what is measured; whole plans, of clusters that are slow enough for plans to be short."""

from __future__ import annotations

from collections.abc import Sequence
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


PLAN = """\
pingpong 0>1: 1:1x3 2:1x3 4:1x3
pingpong_nonblocking 0>1: 1:1x3 2:1x3 4:1x3
overhead 0>1: 1:8x9
flows 0>1 1>0: 1:1x3 1:4x3
pingpong 0>2: 1:1x9 2:1x9 4:1x9 8:1x9 16:1x8 32:1x4 64:1x3
pingpong_nonblocking 0>2: 1:1x9 2:1x9 4:1x9 8:1x9 16:1x8 32:1x4 64:1x3
overhead 0>2: 1:8x9
receive 0>2: 1:8x9
flows 0>2: 1:1x9 1:8x8
receive 0>2: 2:8x9
flows 0>2: 2:1x9 2:8x6
receive 0>2: 4:8x9
flows 0>2: 4:1x9 4:8x5
receive 0>2: 8:8x9
flows 0>2: 8:1x9 8:8x3
late 0>2: 64:648x2
late_nonblocking 0>2: 64:648x2
pingpong one by one 0>2: 1:1x100
pingpong 0>3: 1:1x9 2:1x9 4:1x9 8:1x9 16:1x8 32:1x4 64:1x3
flows 0>2 2>0: 8:1x9 8:4x3 1:1x9 1:4x8
flows 0>2 0>3: 8:1x9 8:4x3 1:1x9 1:4x8
flows 2>0 3>0: 8:1x9 8:4x3 1:1x9 1:4x8
flows 0>2 2>3 3>0: 4:1x9 4:4x3 1:1x9 1:4x5
"""
ALONE = "".join(
    f"{work}: {' '.join(f'{size}:{at_once}x9' for size in (8192, 524288, 16777216) for at_once in (1, 2))}\n"
    for work in ("gamma", "copy", "touch")
)
QUICK = """\
pingpong 0>1: 1:1x3 4:1x3
pingpong_nonblocking 0>1: 1:1x3 4:1x3
overhead 0>1: 1:8x3
flows 0>1 1>0: 1:1x3 1:4x3
pingpong 0>2: 1:1x3 4:1x3 16:1x3 64:1x3
pingpong_nonblocking 0>2: 1:1x3 4:1x3 16:1x3 64:1x3
overhead 0>2: 1:8x3
receive 0>2: 1:8x3
flows 0>2: 1:1x3 1:8x3
receive 0>2: 4:8x3
flows 0>2: 4:1x3 4:8x3
late 0>2: 64:648x2
late_nonblocking 0>2: 64:648x2
pingpong one by one 0>2: 1:1x25
flows 0>2 2>0: 8:1x3 8:4x3 1:1x3 1:4x3
flows 0>2 0>3: 8:1x3 8:4x3 1:1x3 1:4x3
flows 2>0 3>0: 8:1x3 8:4x3 1:1x3 1:4x3
flows 0>2 2>3 3>0: 4:1x3 4:4x3 1:1x3 1:4x3
"""


def test_a_plan_asks_for_each_class_alone_and_where_messages_meet() -> None:
    plan = survey.plan(UNEVEN, PACES)
    assert lines_of(plan) == PLAN + ALONE
    assert lines_of(survey.fewer(plan, UNEVEN)) == QUICK + ALONE.replace("x9", "x3")


def test_a_fast_cluster_is_measured_at_every_size() -> None:
    plan = survey.plan(Placement(((0, 0, 0), (1, 1, 1))), {"network": Pace(1e-6, 2e-5)})
    sizes: dict[str, list[int]] = {}
    for w in plan:
        if w.flows == ((0, 1),) and not w.single:
            sizes.setdefault(w.pattern, []).append(w.bytes)
    every = [1 << k for k in range(23)]
    assert sizes == {
        "pingpong": every, "pingpong_nonblocking": every, "pingpong_fresh": [4096, 65536, 1 << 20], "overhead": [1],
        "receive": every, "flows": [n for n in every for _ in (1, 8)], "late": every[6:], "late_nonblocking": every[6:],
    }  # fmt: skip
    assert [w.bytes for w in plan if w.single] == [1, 1024, 16384, 262144]
    assert {w.count for w in plan if w.pattern == "late"} == {10}, "four times its message is less than 10 ms"
    assert {w.count for w in plan if w.pattern in ("gamma", "copy", "touch")} == {1}, "a node has one rank"


def test_clock_and_patience_say_how_often() -> None:
    """5 ms of round trips, 200 at most; 0.8 s of samples, three to nine of them."""
    pair = (0, 1)
    for seconds, count, samples in (
        (1e-6, 200, 9),
        (1e-5, 200, 9),
        (4e-5, 62, 9),
        (1e-3, 2, 9),
        (0.06, 1, 6),
        (0.15, 1, 3),
    ):
        probe = survey.round_trip("pingpong", pair, 8, Pace(seconds, seconds))
        assert probe == Probe("pingpong", (pair,), 8, count, samples)
    assert [survey.repetitions(s) for s in (0.088, 0.09, 0.25, 1.0)] == [9, 8, 3, 3]
    slow = Pace(2e-3, 1.026)  # a further byte takes 15.6 µs
    assert slow.time(0) == 2e-3 and slow.time(survey.SCOUT_BYTES) == 1.026
    assert slow.time(128) == pytest.approx(4e-3)
    assert Pace(2e-6, 1e-6).time(1 << 20) == 2e-6, "disturbed: no size takes less than a byte"
    assert [slow.largest(4, s) for s in (16.1e-3, 15.9e-3, 1e-9)] == [128, 64, 1]
    assert Pace(1e-6, 1e-6).largest(1, 1.0) == 4 << 20


def test_a_first_look_gives_the_paces() -> None:
    assert lines_of(survey.scout(UNEVEN)) == "pingpong 0>1: 1:2x3 65536:2x3\npingpong 0>2: 1:2x3 65536:2x3\n"
    times = {((0, 1), 1): 1e-6, ((0, 1), 65536): 2e-5, ((0, 2), 1): 3e-6, ((0, 2), 65536): 4e-5}
    samples = together(UNEVEN, [reading("pingpong", (pair,), n, t, t) for (pair, n), t in times.items()])
    assert survey.paces(samples) == {"cache": Pace(1e-6, 2e-5), "network": Pace(3e-6, 4e-5)}


def test_a_send_waits_where_it_takes_nine_tenths_of_its_receiver_s_delay() -> None:
    late = {64: (8.9e-3, 20e-3), 1024: (1e-3, 9.1e-3), 4096: (9.1e-3, 9.1e-3), 512: (1e-3, 1e-3), 8192: (1e-3, 1e-3)}
    samples = together(PAIR, [reading("late", ((0, 1),), n, *t, count=10) for n, t in late.items()],
                       [reading("late_nonblocking", ((0, 1),), n, 0.0, count=10) for n in (64, 128)])  # fmt: skip
    assert survey.late_limit(samples, "late") == (1024, 4096)
    assert survey.late_limit(samples, "late_nonblocking") == (128, 0), "none waited"


@pytest.mark.parametrize(
    ("blocking", "nonblocking", "sizes"),
    [
        ((1024, 2048), (1024, 2048), [*range(1088, 2048, 64), 2047]),
        ((1024, 2048), (512, 1024), [*range(544, 1024, 32), 1023, *range(1088, 2048, 64), 2047]),
        ((64, 0), (64, 0), []),  # none waited
        ((0, 64), (0, 64), []),  # all did
    ],
)
def test_finer_sizes_lie_where_sends_begin_to_wait(
    blocking: tuple[int, int], nonblocking: tuple[int, int], sizes: list[int]
) -> None:
    readings = [
        reading(pattern, ((0, 1),), size, late, 2 * late, count=10)
        for pattern, limits in (("late", blocking), ("late_nonblocking", nonblocking))
        for size, late in zip(limits, (1e-5, 11e-3), strict=True)
        if size
    ]
    found = list(survey.between(together(PAIR, readings), {"network": Pace(1e-6, 2e-5)}))
    assert found == [Probe(p, ((0, 1),), n, 10, 2) for n in sizes for p in ("late", "late_nonblocking")]


def test_a_slow_network_is_measured_with_less() -> None:
    placement = Placement(tuple((n, n, n) for n in range(8)))
    slow, fast = ({"network": Pace(small, large)} for small, large in ((1e-3, 12e-3), (2e-6, 1e-5)))
    largest = [max(w.bytes for w in survey.plan(placement, pace) if w.flows) for pace in (slow, fast)]
    assert largest == [1 << 20, 4 << 20]
    plan = survey.plan(placement, slow)
    assert len(plan) == len({w.text for w in plan})

    def seconds(w: Probe) -> float:
        if w.pattern.startswith("late"):
            return 1e-3 * w.count * w.samples
        return slow["network"].time(w.bytes) * w.count * len(w.flows) * busiest(placement, w.flows) * w.samples

    assert sum(seconds(w) for w in plan if w.flows) < 180


def test_single_round_trips_are_of_short_messages_and_a_quick_survey_has_fewer() -> None:
    placement = Placement(tuple((n, n, n) for n in range(4)))
    plan = survey.plan(placement, {"network": Pace(6e-4, 1.15e-2)})
    singles = [w for w in plan if w.single]
    assert [w.bytes for w in singles] == [1, 1 << 10, 1 << 14, 1 << 18]
    assert {(w.count, w.samples, len(w.flows)) for w in singles} == {(1, 100, 1)}
    assert {w.samples for w in survey.fewer(singles, placement)} == {25}
    slow = survey.plan(placement, {"network": Pace(6e-4, 1.15e-1)})
    assert [w.bytes for w in slow if w.single] == [1, 1 << 10, 1 << 14]


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
    assert launches[:3] == [[Probe("pingpong", ((0, 1),), 1, 1, 1)], survey.scout(PAIR), survey.plan(PAIR, pace)]
    finer = [*range(4352, 8192, 256), 8191]
    assert [(w.pattern, w.bytes) for w in launches[3]] == [(p, n) for n in finer for p in ("late", "late_nonblocking")]
    assert [r.probe for r in samples.readings] == [*launches[2], *launches[3]]
    survey.of_cluster(measure, quick=True)
    assert launches[6] == survey.fewer(launches[2], PAIR)


# ---- one machine ------------------------------------------------------------------------------------------


def test_one_machine_is_measured_from_a_common_start_and_by_local_work() -> None:
    """2 MiB of round trips and 16 KiB each for their start, two at least; messages alone, and with one the other way."""
    trips = [128, *[127] * 8, 126, 124, 120, 113, 102, 85, 64, 42, 25, 14, 7, 3, 2, 2, 2]
    sizes = [0, *(1 << k for k in range(23))]

    def of(other: int) -> list[str]:
        to, back = f"flows=0>{other}", f"flows=0>{other},{other}>0"
        lines = [
            line for n, count in zip(sizes, trips, strict=True)
            for line in (f"pingpong {to} bytes={n} count={count} samples=15", f"flows {to} bytes={n} count=1 samples=45",
                         f"flows {back} bytes={n} count=1 samples=45")
        ]  # fmt: skip
        lines += [f"flows {to} bytes={n} count=1 samples=100" for n in (1, 1024, 16384, 262144)]
        lines += [f"copy_exchanged {to} bytes={n} count=10 samples=15" for n in (8192, 65536, 524288)]
        lines += [f"overhead {to} bytes=1 count=32 samples=15"]
        return [*lines, *(f"flows {to} bytes={n} count=32 samples=15" for n in (1, 1024, 1048576))]

    alone = [
        f"{work} bytes={n} count={ranks} samples=15"
        for work in ("gamma", "copy") for n in (8192, 524288, 67108864) for ranks in (1, 3)
    ]  # fmt: skip
    plan = survey.common_start(3, [1, 2])
    assert [w.text for w in plan] == [*of(1), *of(2), *alone]
    assert [w.samples for w in plan if w.single] == [100] * 8


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
    assert launches == [survey.common_start(ranks, range(1, ranks)), *[survey.common_start(ranks, few)] * 4]
    assert [r.probe for r in samples.readings] == [probe for plan in launches for probe in plan]
    launches.clear()
    survey.of_machine(measure, ranks, quick=True)
    assert launches[1:] == [survey.common_start(ranks, quick)]
