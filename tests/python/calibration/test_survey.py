"""What a cluster is asked for: whole plans, of clusters that are slow enough for plans to be short."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import pytest

from collscope.calibration import cluster, survey
from collscope.calibration.p2p import Answer, Answers, Wanted
from collscope.calibration.survey import Pace, Shape

UNEVEN = Shape(((0, 0, 0), (0, 0, 0), (1, 1, 1), (2, 2, 2)))  # two ranks of a node, and two nodes of one
# Half a round trip of a byte, and of 64 KiB: 0.15 s at 4 bytes beside a cache; 0.162 s at 64 bytes between nodes.
PACES = {"cache": Pace(0.1, 0.1 + 0.1 / 4 * 65536), "network": Pace(0.01, 0.01 + 0.152 / 64 * 65536)}


def told(plan: Sequence[Wanted]) -> str:
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
    assert told(plan) == PLAN + ALONE
    assert told(survey.fewer(plan, UNEVEN)) == QUICK + ALONE.replace("x9", "x3")


def test_a_fast_cluster_is_asked_for_every_size() -> None:
    plan = survey.plan(Shape(((0, 0, 0), (1, 1, 1))), {"network": Pace(1e-6, 2e-5)})
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
        asked = survey.round_trip("pingpong", pair, 8, Pace(seconds, seconds))
        assert asked == Wanted("pingpong", (pair,), 8, count, samples)
    assert [survey.samples(s) for s in (0.088, 0.09, 0.25, 1.0)] == [9, 8, 3, 3]
    slow = Pace(2e-3, 1.026)  # a further byte takes 15.6 µs
    assert slow.time(0) == 2e-3 and slow.time(survey.SCOUT_BYTES) == 1.026
    assert slow.time(128) == pytest.approx(4e-3)
    assert Pace(2e-6, 1e-6).time(1 << 20) == 2e-6, "disturbed: no size takes less than a byte"
    assert [slow.largest(4, s) for s in (16.1e-3, 15.9e-3, 1e-9)] == [128, 64, 1]
    assert Pace(1e-6, 1e-6).largest(1, 1.0) == 4 << 20


def test_groups_of_flows() -> None:
    """Pairs side by side, in doublings and all; between nodes also one to many, many to one, and a ring."""
    square = Shape(tuple((n // 3, n // 3, n) for n in range(9)))
    side = ((0, 3), (1, 4), (2, 5))
    assert survey.groups(square, "network") == [
        side[:2], side, ((0, 3), (0, 6)), ((3, 0), (6, 0)), ((0, 3), (3, 6), (6, 0)),
    ]  # fmt: skip
    assert survey.groups(square, "socket") == [] and square.disjoint("socket") == [(0, 1)]
    assert survey.groups(Shape(((0, 0, 0), (1, 1, 1))), "network") == []
    assert [survey.doubling(n) for n in (0, 1, 2, 3, 4, 6, 8)] == [[], [], [2], [2, 3], [2, 4], [2, 4, 6], [2, 4, 8]]
    many = Shape(tuple((n // 100, n // 100, n // 100) for n in range(200)))
    assert len(many.disjoint("network")) == 64 and many.disjoint("network")[-1] == (63, 163)
    assert Shape(((0, 0, 0),)).disjoint("network") == []
    assert survey.spread([(0, n) for n in range(7)], 3) == [(0, 0), (0, 3), (0, 6)]
    assert survey.spread([(0, n) for n in range(3)], 3) == [(0, 0), (0, 1), (0, 2)]


def test_ranks_of_a_node_need_not_be_neighbours() -> None:
    turned = Shape(((0, 0, 0), (1, 2, 4), (0, 0, 1), (1, 3, 6), (0, 1, 2), (0, 1, 2)))
    assert turned.nodes == [[0, 2, 4, 5], [1, 3]]
    assert [turned.node_of(r) for r in range(6)] == [0, 1, 0, 1, 0, 0]
    pairs = turned.pairs()
    assert [*pairs] == ["cache", "socket", "node", "network"]
    assert pairs == {"cache": [(4, 5)], "socket": [(0, 2)], "node": [(0, 4), (0, 5), (2, 5)], "network": [(0, 3)]}
    assert turned.disjoint("node") == [(0, 4), (2, 5)] and turned.disjoint("cache") == [], "on the first socket"


def test_a_first_look_gives_the_paces() -> None:
    assert told(survey.scout(UNEVEN)) == "pingpong 0>1: 1:2x3 65536:2x3\npingpong 0>2: 1:2x3 65536:2x3\n"
    times = {((0, 1), 1): 1e-6, ((0, 1), 65536): 2e-5, ((0, 2), 1): 3e-6, ((0, 2), 65536): 4e-5}
    seen = Answers(all=[Answer(Wanted("pingpong", (pair,), n), (t, t)) for (pair, n), t in times.items()])
    assert survey.paces(UNEVEN, seen) == {"cache": Pace(1e-6, 2e-5), "network": Pace(3e-6, 4e-5)}


@pytest.mark.parametrize(
    ("blocking", "nonblocking", "asked"),
    [
        ((1024, 2048), (1024, 2048), [*range(1088, 2048, 64), 2047]),
        ((1024, 2048), (512, 1024), [*range(544, 1024, 32), 1023, *range(1088, 2048, 64), 2047]),
        ((64, 0), (64, 0), []),  # none waited
        ((0, 64), (0, 64), []),  # all did
    ],
)
def test_finer_sizes_lie_where_sends_begin_to_wait(
    blocking: tuple[int, int], nonblocking: tuple[int, int], asked: list[int]
) -> None:
    shape = Shape(((0, 0, 0), (1, 1, 1)))
    seen = Answers()
    for pattern, limits in (("late", blocking), ("late_nonblocking", nonblocking)):
        for size, waited in zip(limits, (1e-5, 11e-3), strict=True):
            if size:
                seen.all.append(Answer(Wanted(pattern, ((0, 1),), size, 10, 2), (waited, 2 * waited)))
    found = list(cluster.between(shape, seen, {"network": Pace(1e-6, 2e-5)}))
    assert found == [Wanted(p, ((0, 1),), n, 10, 2) for n in asked for p in ("late", "late_nonblocking")]
