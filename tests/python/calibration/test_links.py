"""collscope.calibration.links: capacities and gaps from readings made by hand; each has one that tells it and one that does not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from collscope.calibration import links
from collscope.calibration.curves import Point
from collscope.calibration.links import AT_LEAST, Rate
from collscope.calibration.samples import Flow, Placement, Reading
from made_samples import reading, together

PAIR = Placement(((0, 0, 0), (1, 1, 1)))  # two nodes
THREE = Placement(((0, 0, 0), (1, 1, 1), (2, 2, 2)))
FOUR = Placement(((0, 0, 0), (0, 0, 0), (1, 1, 1), (1, 1, 1)))  # two ranks each on two nodes
MB = 1_000_000
ONE = ((0, 1),)


def stream(
    of: Sequence[Flow], size: int, bytes_per_s: float, counts: tuple[int, int], start: float = 1e-4
) -> list[Reading]:
    """Flows that move so many bytes per second together, after a start that no rate contains."""
    return [reading("flows", of, size, start + n * len(of) * size / bytes_per_s, count=n) for n in counts]


def test_a_further_message_s_time_is_a_slope_between_two_numbers_of_messages() -> None:
    samples = together(
        PAIR, reading("flows", ONE, 8, 9.0, 1.0, 5.0, 3.0), reading("flows", ONE, 8, 10.0, 30.0, 24.0, 26.0, count=8)
    )
    assert links.slope(samples, ONE, 8, (1, 8)) == (24 - 3) / 7, "of each the second of four"
    assert links.slope(samples, ONE, 8, (1, 4)) is links.slope(samples, ONE, 16, (1, 8)) is None
    assert links.slope(samples, ONE, 8, (1, 8), "issue") is None
    assert links.rate(samples, ONE, (1, 8)) == 8 / 3
    assert links.rate(samples, ONE, (1, 4)) is None
    falling = together(PAIR, reading("flows", ONE, 8, 2.0), reading("flows", ONE, 8, 1.0, count=8))
    assert links.rate(falling, ONE, (1, 8)) is None


def test_ends_of_a_message_spend_what_is_left_of_it() -> None:
    """A sender: the slope of its own time, at eager sizes, 95 % of the message at most; a receiver: what is left of that."""
    times = [Point(n, 1.0) for n in (1, 8, 64, 65)]
    sends = [
        reading("flows", ONE, size, 99.0, count=count, issue=(5 + gap * count,))
        for size, gap in ((1, 0.2), (8, 2.0), (64, -1.0), (65, 0.5))
        for count in (1, 8)
    ]
    receives = [
        reading("receive", ONE, n, t, count=8) for n, t in ((64, 0.5), (8, 0.4), (1, 0.05), (65, 0.3), (2, 0.3))
    ]
    samples = together(PAIR, sends, receives)
    gaps = links.gaps(samples, "network", times, 64)
    assert gaps == [(1, pytest.approx(0.2)), (8, 0.95)]
    assert [n for n, _ in links.gaps(samples, "network", times, 1)] == [1]
    # 1: not less than the overhead; 8: the sender has all; 64: with the overhead of a sender whose gap is not known, 0.85 would do.
    assert links.receives(samples, "network", times, dict(gaps), 0.1, 64) == [(1, 0.1), (8, 0.1), (64, 0.5)]
    for spent, found in ((0.1029, []), (0.1031, [(64, 0.1031)])):
        alone = together(PAIR, reading("receive", ONE, 64, spent, count=8))
        assert links.receives(alone, "network", times, {}, 0.1, 64) == found, "from 3 % above the overhead on"


def capacities(placement: Placement, *streams: list[Reading]) -> tuple[dict[str, Rate], list[str]]:
    return links.capacities(together(placement, *streams))


def rates(**bytes_per_s: tuple[float, bool]) -> dict[str, Rate]:
    """Rates by link, and whether they are known; otherwise they are lower bounds."""
    return {
        link: Rate(pytest.approx(r), "here" if is_known else AT_LEAST) for link, (r, is_known) in bytes_per_s.items()
    }


NIC_NOTE = "nic_bytes_per_s: streams that met were not slower than alone; it is at least this"


def no(link: str) -> str:
    return f"{link}_bytes_per_s: left out, no streams that met there were slower than alone"


@pytest.mark.parametrize(("meeting", "is_known"), [(1790 * MB, True), (1810 * MB, False)])
def test_a_nic_is_known_where_pairs_move_less_together_than_nine_tenths_of_each_alone(
    meeting: float, is_known: bool
) -> None:
    side, alone = ((0, 2), (1, 3)), 1000 * MB
    found, notes = capacities(
        FOUR,
        stream(((0, 1),), 4 * MB, 8000 * MB, (1, 8)),
        stream(((0, 1),), 1 * MB, 1 * MB, (1, 8)),  # the largest size counts
        stream(((0, 3),), 4 * MB, alone, (1, 8)),
        stream(side, 4 * MB, meeting, (1, 4)),
    )
    assert found == rates(core=(8000 * MB, True), nic=(meeting, is_known), switch=(alone, True))
    assert notes == [*([] if is_known else [NIC_NOTE]), no("memory")]
    assert found["nic"].text == ("1790 MB/s" if is_known else "at least 1810 MB/s")
    assert (Rate(1e10).text, Rate(9.99e9).text) == ("10 GB/s", "9990 MB/s")


@pytest.mark.parametrize(
    ("out", "into", "ring", "nic", "is_known"),
    [
        (1600 * MB, 1200 * MB, 2700 * MB, 1600 * MB, True),  # of a ring a node has a third
        (1300 * MB, 1500 * MB, 4800 * MB, 1600 * MB, True),
        (1300 * MB, 1790 * MB, 2700 * MB, 1790 * MB, True),
        (1300 * MB, 1810 * MB, 2700 * MB, 1810 * MB, False),
        (1000 * MB, 1000 * MB, 2700 * MB, 1000 * MB, True),  # as wide as one stream: no switch is narrower
    ],
)
def test_a_nic_moves_what_one_node_moves(out: float, into: float, ring: float, nic: float, is_known: bool) -> None:
    alone = 1000 * MB
    found, notes = capacities(
        THREE,
        stream(((0, 1),), 4 * MB, alone, (1, 8)),
        stream(((0, 1), (0, 2)), 4 * MB, out, (1, 4)),
        stream(((1, 0), (2, 0)), 4 * MB, into, (1, 4)),
        stream(((0, 1), (1, 2), (2, 0)), 4 * MB, ring, (1, 4)),
    )
    switch = {} if nic == alone else {"switch": (alone, True)}
    assert found == rates(nic=(nic, is_known), **switch)
    assert notes == ([] if is_known else [NIC_NOTE])


@pytest.mark.parametrize(("nic", "narrower"), [(1029 * MB, False), (1033 * MB, True)])
def test_a_switch_is_known_where_one_stream_is_3_percent_slower_than_its_ends(nic: float, narrower: bool) -> None:
    alone, meeting = stream(((0, 3),), MB, 1000 * MB, (1, 8)), stream(((0, 2), (1, 3)), MB, nic, (1, 4))
    assert ("switch" in capacities(FOUR, alone, meeting)[0]) == narrower
    core = stream(((0, 1),), MB, 1000 * MB, (1, 8))
    assert "switch" not in capacities(FOUR, core, alone, meeting)[0], "the core is as slow"


def test_memory_and_interconnect_are_known_where_pairs_of_their_class_meet() -> None:
    """Eight ranks on one node, two sockets of one cache each; memory is the wider of what two classes say."""
    node = Placement(tuple((0, c // 4, c // 4) for c in range(8)))
    beside, across = ((0, 1), (2, 3)), ((0, 4), (1, 5), (2, 6), (3, 7))
    alone = [stream(((0, 1),), MB, 6000 * MB, (1, 8)), stream(((0, 4),), MB, 4000 * MB, (1, 8))]
    found = capacities(node, *alone, stream(beside, MB, 10700 * MB, (1, 4)), stream(across, MB, 14300 * MB, (1, 4)))
    assert found == (rates(core=(6000 * MB, True), memory=(10700 * MB, True), interconnect=(14300 * MB, True)), [])
    wide = capacities(node, *alone, stream(beside, MB, 10900 * MB, (1, 4)), stream(across, MB, 14500 * MB, (1, 4)))
    assert [*wide[0]] == ["core"] and wide[1] == [no("memory"), no("interconnect")]
    # Of several numbers of pairs the most decide; the rate is the highest.
    two = stream(across[:2], MB, 7900 * MB, (1, 4))
    less, notes = capacities(node, *alone, two, stream(across, MB, 7000 * MB, (1, 4)))
    assert less["interconnect"] == Rate(pytest.approx(7900 * MB)) and notes == [no("memory")]
    assert capacities(node) == ({}, [])
    both, _ = links.capacities_of({"cache": 6e9, "socket": 5e9}, {"cache": {4: 11e9}, "socket": {4: 9e9}})
    assert both["memory"] == Rate(11e9)


@pytest.mark.parametrize(
    ("out", "into", "core", "is_noted"),
    [(9000, 8200, 8200, False), (8000, 9000, 8000, True), (9000, 3000, 6000, True), (5000, 5000, 6000, False)],
)
def test_a_core_moves_what_a_rank_both_sends_to_several_and_receives_from_them(
    out: int, into: int, core: int, is_noted: bool
) -> None:
    """In megabytes per second; one stream alone moves 6000, which a core moves at least."""
    node = Placement(tuple((0, 0, 0) for _ in range(4)))
    stars = [tuple((0, r) for r in (1, 2, 3)), tuple((r, 0) for r in (1, 2, 3))]
    alone = stream(((0, 1),), MB, 6000 * MB, (1, 8))
    found, notes = capacities(
        node, alone, *(stream(of, MB, n * MB, (1, 4)) for of, n in zip(stars, (out, into), strict=True))
    )
    assert found["core"] == Rate(pytest.approx(core * MB))
    assert [note.startswith("core_bytes_per_s: a rank moves ") for note in notes] == [True] * is_noted + [False]
    assert "core" in capacities(node, alone, stream(stars[0], MB, 9000 * MB, (1, 4)))[0], "one way alone tells nothing"


@pytest.mark.parametrize(("hop", "found"), [(3.2, [(8, 3.2, 3.0)]), (3.08, [])])
def test_a_token_s_hop_is_longer_than_the_mean_round_trip_of_its_pairs_or_left_out(
    hop: float, found: list[tuple[int, float, float]]
) -> None:
    ring = ((0, 1), (1, 2), (2, 0))
    trips = [reading("pingpong", (pair,), 8, t) for pair, t in zip(ring, (1.0, 2.0, 6.0), strict=True)]
    assert links.relayed(together(THREE, trips, reading("relay", ring, 8, hop)), "network") == found


@pytest.mark.parametrize(("first", "in_order"), [(3.4, True), (3.6, False)])
def test_messages_are_in_order_where_the_first_arrives_nearer_to_one_alone(first: float, in_order: bool) -> None:
    short = [reading("flows", ONE, 8, 9.0), reading("flows", ONE, 8, 9.0, count=8, first=(0.0,))]
    long = [reading("flows", ONE, 64, 1.0), reading("flows", ONE, 64, 6.0, count=8, first=(first, 0.0, 9.0))]
    assert links.is_in_order(together(PAIR, short, long)) is in_order
    assert links.is_in_order(together(PAIR, short[:1])) is links.is_in_order(together(PAIR, long[1:])) is None


@pytest.mark.parametrize(
    ("sender", "overhead", "alone", "meeting", "gap"),
    [
        (0.2, 0.1, 1.0, 0.5, 0.25),  # two that send at once, half of their time each
        (0.2, 0.1, 0.1, 0.5, 0.25),  # where several meet counts
        (0.41, 0.1, 1.0, 0.5, 0.0),  # none: two senders need 1.25 of 0.205 together
        (0.1, 0.41, 1.0, 0.5, 0.0),  # or two receivers
        (0.39, 0.39, 1.0, 0.5, 0.25),
        (0.0, 0.41, 1.0, 0.5, 0.0),  # a gap that is not known is the overhead
        (0.2, 0.1, 1.0, None, 1.0),  # none met
        (0.2, 0.1, 0.25, None, None),  # one pair does not show it
    ],
)
def test_a_nic_s_gap_is_more_than_senders_and_receivers_need(
    sender: float, overhead: float, alone: float, meeting: float | None, gap: float | None
) -> None:
    readings = [reading("flows", ((0, 3),), 1, 5 + n * alone, count=n) for n in (1, 8)]
    if meeting:
        readings += [reading("flows", ((0, 2), (1, 3)), 1, 5 + n * meeting, count=n) for n in (1, 4)]
    found = links.nic_gap(together(FOUR, readings), sender, overhead)
    assert found == (gap if gap is None else pytest.approx(gap))
    only = links.nic_gap(together(FOUR, readings), sender, overhead, cores_per_node=1)
    assert only == pytest.approx(gap or 0.0), "a node whose only core shows it no slower has none"
    assert links.nic_gap(together(Placement(((0, 0, 0), (0, 0, 0)))), sender, overhead) is None


def test_a_gap_is_a_line_through_the_sizes_of_its_piece_or_the_nearest_size_s() -> None:
    known = [(1, 2e-6), (1000, 3e-6), (2000, 4e-6), (8000, 5e-6)]
    assert links.gap_line(known, 1000, 4000) == pytest.approx((2e-6, 1e-9))
    assert links.gap_line(known, 1, 1000) == (2e-6, 0.0), "one size tells nothing of bytes"
    assert links.gap_line(known, 5500, 6000) == (5e-6, 0.0)


def test_the_narrowest_link_is_of_those_that_were_measured() -> None:
    found = {"nic": Rate(4e8), "core": Rate(1e8), "memory": Rate(1e7)}
    assert [links.narrowest(found, level) for level in ("cache", "network")] == [1e7, 1e8]
    assert links.narrowest({}, "node") == float("inf")
