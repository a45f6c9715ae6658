"""A cluster's numbers from answers that are made by hand: each has one that tells it and one that does not."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from collscope.calibration import numbers
from collscope.calibration.curves import Point
from collscope.calibration.noise import noise_of
from collscope.calibration.numbers import Found
from collscope.calibration.p2p import Answer, Answers, Flow, Wanted
from collscope.calibration.survey import Shape

PAIR = Shape(((0, 0, 0), (1, 1, 1)))  # two nodes
THREE = Shape(((0, 0, 0), (1, 1, 1), (2, 2, 2)))
FOUR = Shape(((0, 0, 0), (0, 0, 0), (1, 1, 1), (1, 1, 1)))  # two ranks each on two nodes
MB = 1_000_000


def answer(pattern: str, of: Sequence[Flow], size: int, *samples: float, count: int = 1, **more: object) -> Answer:
    return Answer(Wanted(pattern, tuple(of), size, count), samples, **more)  # type: ignore[arg-type]


def stream(
    of: Sequence[Flow], size: int, bytes_per_s: float, counts: tuple[int, int], start: float = 1e-4
) -> list[Answer]:
    """Flows that move so many bytes a second together, after a start that no rate contains."""
    return [answer("flows", of, size, start + n * len(of) * size / bytes_per_s, count=n) for n in counts]


def test_a_time_is_the_best_pair_s_lower_quartile_and_knows_its_noise() -> None:
    one, other = ((0, 1),), ((0, 2),)
    seen = Answers(
        all=[
            answer("pingpong", one, 0, 0.5),
            answer("pingpong", one, 1, 1.0, 1.0, 1.0),
            answer("pingpong", other, 1, 0.9, 1.1, 1.3, 1.3, 1.3),  # quartile 1.1
            answer("pingpong", one, 2, 1.2, 1.2, 1.5, 1.5, 1.5),  # the median is a quarter above
            answer("pingpong", other, 4, 1.2, 1.5, 1.5, 1.5, 1.5),  # the least is a fifth below
            answer("pingpong", other, 8, 1.0, 2.0, 2.0, 2.0, 2.0),  # nobody is as wrong as that
            answer("pingpong", one, 16, 4.0, 4.0, 4.4, 4.4, 4.4),  # noisy and longer than what follows
            answer("pingpong", one, 32, 3.5, 3.5, 3.52, 3.52, 3.52),  # longer, too, but sure of it
            answer("pingpong", one, 64, 3.0, 3.0, 3.0),
            answer("pingpong_nonblocking", one, 64, 9.0),
        ]
    )
    found = numbers.points(THREE, seen, "network", "pingpong")
    assert [(p.bytes, p.seconds) for p in found] == [(1, 1), (2, 1.2), (4, 1.5), (8, 2), (16, 3.5), (32, 3.5), (64, 3)]
    assert [p.noise for p in found] == pytest.approx([2e-4, 0.25, 0.25, 0.3, 0.1, 0.02 / 3.5, 2e-4])


def test_a_send_waits_where_it_takes_nine_tenths_of_its_receiver_s_delay() -> None:
    late = {64: (8.9e-3, 20e-3), 1024: (1e-3, 9.1e-3), 4096: (9.1e-3, 9.1e-3), 512: (1e-3, 1e-3), 8192: (1e-3, 1e-3)}
    seen = Answers(all=[answer("late", ((0, 1),), n, *t, count=10) for n, t in late.items()])
    seen.all += [answer("late_nonblocking", ((0, 1),), n, 0.0, count=10) for n in (64, 128)]
    found = Found()
    numbers.eager_limits(PAIR, seen, found)
    assert (found.eager, found.eager_nonblocking) == ((1024, 4096), (128, 0))
    assert found.notes == ["eager_nonblocking: no send of up to 128 bytes waited for its receive (network)"]


def test_an_overhead_is_the_least_of_all_classes_and_leaves_room_for_a_latency() -> None:
    def least(cache: float, network: float, shortest: float) -> float:
        seen = [answer("receive", ((0, 1),), 1, cache), answer("receive", ((0, 3),), 1, network)]
        seen += [answer("receive", ((0, 1),), 2, 1e-9)]  # more than a byte
        seen += [answer("pingpong", ((0, 1),), 1, shortest), answer("pingpong", ((0, 3),), 1, 2 * shortest)]
        return numbers.overhead(FOUR, Answers(all=seen))

    assert [least(2e-7, 3e-7, 1e-6), least(3e-7, 2e-7, 1e-6)] == [2e-7, 2e-7]
    assert least(5e-7, 6e-7, 1e-6) == pytest.approx(0.45e-6)


def test_a_further_message_s_time_is_a_slope_between_two_numbers_of_messages() -> None:
    of = ((0, 1),)
    seen = Answers(
        all=[answer("flows", of, 8, 9.0, 1.0, 5.0, 3.0), answer("flows", of, 8, 10.0, 30.0, 24.0, 26.0, count=8)]
    )
    assert numbers.slope(seen, of, 8, (1, 8)) == (24 - 3) / 7, "of each the second of four"
    assert numbers.slope(seen, of, 8, (1, 4)) is numbers.slope(seen, of, 16, (1, 8)) is None
    assert numbers.slope(seen, of, 8, (1, 8), "issue") is None
    assert numbers.rate(seen, of, (1, 8)) == 8 / 3
    assert numbers.rate(seen, of, (1, 4)) is None
    down = Answers(all=[answer("flows", of, 8, 2.0), answer("flows", of, 8, 1.0, count=8)])
    assert numbers.rate(down, of, (1, 8)) is None


def test_what_a_sender_and_a_receiver_spend() -> None:
    """A sender: the slope of its own time, at eager sizes, 95 % of the message at most; a receiver: what is left of that."""
    of = ((0, 1),)
    found = Found(eager=(64, 128), overhead_s=0.1)
    found.times["network"] = [Point(n, 1.0) for n in (1, 8, 64, 65)]
    seen = Answers()
    for size, gap in ((1, 0.2), (8, 2.0), (64, -1.0), (65, 0.5)):
        for count in (1, 8):
            seen.all.append(answer("flows", of, size, 99.0, count=count, issue=(5 + gap * count,)))
    for size, spent in ((64, 0.5), (8, 0.4), (1, 0.05), (65, 0.3), (2, 0.3)):
        seen.all.append(answer("receive", of, size, spent, count=8))
    found.gaps["network"] = numbers.gaps(PAIR, seen, "network", found)
    assert found.gaps["network"] == [(1, pytest.approx(0.2)), (8, 0.95)]
    # 1: not less than the overhead; 8: the sender has all; 64: with the overhead of a sender whose gap is not known, 0.85 would do.
    assert numbers.receives(PAIR, seen, "network", found) == [(1, 0.1), (8, 0.1), (64, 0.5)]
    for spent, told in ((0.1029, []), (0.1031, [(64, 0.1031)])):
        alone = Answers(all=[answer("receive", of, 64, spent, count=8)])
        assert numbers.receives(PAIR, alone, "network", found) == told, "3 % above the overhead it is told"
    found.eager, found.eager_nonblocking = (64, 128), (1, 2)
    assert [n for n, _ in numbers.gaps(PAIR, seen, "network", found)] == [1], "the limit of non-blocking sends"


def capacities(shape: Shape, *streams: list[Answer]) -> Found:
    found = Found()
    numbers.capacities(shape, Answers(all=[a for of in streams for a in of]), found)
    return found


NIC_NOTE = "nic_bytes_per_s: streams that met were not slower than alone; it is at least this"


def no(link: str) -> str:
    return f"{link}_bytes_per_s: left out, no streams that met there were slower than alone"


@pytest.mark.parametrize(("together", "told"), [(1790 * MB, True), (1810 * MB, False)])
def test_a_nic_is_told_where_pairs_move_less_together_than_nine_tenths_of_each_alone(
    together: float, told: bool
) -> None:
    side, alone = ((0, 2), (1, 3)), 1000 * MB
    found = capacities(
        FOUR,
        stream(((0, 1),), 4 * MB, 8000 * MB, (1, 8)),
        stream(((0, 1),), 1 * MB, 1 * MB, (1, 8)),  # the largest size counts
        stream(((0, 3),), 4 * MB, alone, (1, 8)),
        stream(side, 4 * MB, together, (1, 4)),
    )
    rates = {"core": (8000 * MB, True), "nic": (together, told), "switch": (alone, True)}
    assert found.rates == {link: (pytest.approx(rate), t) for link, (rate, t) in rates.items()}
    assert found.notes == [*([] if told else [NIC_NOTE]), no("memory")]


@pytest.mark.parametrize(
    ("out", "into", "ring", "nic", "told"),
    [
        (1600 * MB, 1200 * MB, 2700 * MB, 1600 * MB, True),  # of a ring a node has a third
        (1300 * MB, 1500 * MB, 4800 * MB, 1600 * MB, True),
        (1300 * MB, 1790 * MB, 2700 * MB, 1790 * MB, True),
        (1300 * MB, 1810 * MB, 2700 * MB, 1810 * MB, False),
        (1000 * MB, 1000 * MB, 2700 * MB, 1000 * MB, True),  # as wide as one stream: no switch is narrower
    ],
)
def test_what_one_node_moves_is_its_nic(out: float, into: float, ring: float, nic: float, told: bool) -> None:
    alone = 1000 * MB
    found = capacities(
        THREE,
        stream(((0, 1),), 4 * MB, alone, (1, 8)),
        stream(((0, 1), (0, 2)), 4 * MB, out, (1, 4)),
        stream(((1, 0), (2, 0)), 4 * MB, into, (1, 4)),
        stream(((0, 1), (1, 2), (2, 0)), 4 * MB, ring, (1, 4)),
    )
    switch = {} if nic == alone else {"switch": (pytest.approx(alone), True)}
    assert found.rates == {"nic": (pytest.approx(nic), told), **switch}
    assert found.notes == ([] if told else [NIC_NOTE])


@pytest.mark.parametrize(("nic", "narrower"), [(1029 * MB, False), (1033 * MB, True)])
def test_a_switch_is_told_where_one_stream_is_3_percent_slower_than_its_ends(nic: float, narrower: bool) -> None:
    alone, meeting = stream(((0, 3),), MB, 1000 * MB, (1, 8)), stream(((0, 2), (1, 3)), MB, nic, (1, 4))
    assert ("switch" in capacities(FOUR, alone, meeting).rates) == narrower
    core = stream(((0, 1),), MB, 1000 * MB, (1, 8))
    assert "switch" not in capacities(FOUR, core, alone, meeting).rates, "the core is as slow"


def test_memory_and_interconnect_are_told_where_pairs_of_their_class_meet() -> None:
    """Eight ranks on one node, two sockets of one cache each; memory is the wider of what two classes say."""
    shape = Shape(tuple((0, c // 4, c // 4) for c in range(8)))
    beside, across = ((0, 1), (2, 3)), ((0, 4), (1, 5), (2, 6), (3, 7))
    alone = [stream(((0, 1),), MB, 6000 * MB, (1, 8)), stream(((0, 4),), MB, 4000 * MB, (1, 8))]
    found = capacities(shape, *alone, stream(beside, MB, 10700 * MB, (1, 4)), stream(across, MB, 14300 * MB, (1, 4)))
    rates = {"core": 6000 * MB, "memory": 10700 * MB, "interconnect": 14300 * MB}
    assert found.rates == {link: (pytest.approx(rate), True) for link, rate in rates.items()}
    assert found.notes == []
    wide = capacities(shape, *alone, stream(beside, MB, 10900 * MB, (1, 4)), stream(across, MB, 14500 * MB, (1, 4)))
    assert [*wide.rates] == ["core"] and wide.notes == [no("memory"), no("interconnect")]
    # Of several numbers of pairs the most decide; the rate is the highest.
    two = stream(across[:2], MB, 7900 * MB, (1, 4))
    less = capacities(shape, *alone, two, stream(across, MB, 7000 * MB, (1, 4)))
    assert less.rates["interconnect"] == (pytest.approx(7900 * MB), True) and less.notes == [no("memory")]
    assert capacities(shape).rates == {} and capacities(shape).notes == []


def test_flows_of_one_node_and_flows_side_by_side() -> None:
    assert numbers.is_side(((0, 2), (1, 3))) and not numbers.is_side(((0, 1), (0, 2)))
    for of, share in (
        (((0, 2), (0, 3)), 1),
        (((0, 2), (1, 3)), 1),
        (((0, 2), (2, 0)), 0.5),
        (((2, 0), (3, 1), (0, 2)), 2 / 3),
    ):
        assert numbers.busiest(FOUR, of) == share


@pytest.mark.parametrize(("first", "in_order"), [(3.4, True), (3.6, False)])
def test_messages_are_in_order_where_the_first_arrives_nearer_to_one_alone(first: float, in_order: bool) -> None:
    of, found = ((0, 1),), Found()
    seen = [answer("flows", of, 8, 9.0), answer("flows", of, 8, 9.0, count=8, first=(0.0,))]  # not the largest
    seen += [answer("flows", of, 64, 1.0), answer("flows", of, 64, 6.0, count=8, first=(first, 0.0, 9.0))]
    numbers.order(PAIR, Answers(all=seen), found)
    assert found.in_order is in_order
    nothing = Found()
    numbers.order(PAIR, Answers(all=seen[:1]), nothing)
    assert nothing.in_order is None


@pytest.mark.parametrize(
    ("sender", "overhead", "alone", "together", "gap"),
    [
        (0.2, 0.1, 1.0, 0.5, 0.25),  # two that send at once, half of their time each
        (0.2, 0.1, 0.1, 0.5, 0.25),  # where several meet counts
        (0.41, 0.1, 1.0, 0.5, None),  # two senders need 1.25 of 0.205 together
        (0.1, 0.41, 1.0, 0.5, None),  # or two receivers
        (0.39, 0.39, 1.0, 0.5, 0.25),
        (None, 0.41, 1.0, 0.5, None),  # a gap that is not known is the overhead
        (0.2, 0.1, 1.0, None, 1.0),  # none met
        (0.2, 0.1, 0.25, None, None),
    ],
)
def test_a_nic_s_gap_is_more_than_senders_and_receivers_need(
    sender: float | None, overhead: float, alone: float, together: float | None, gap: float | None
) -> None:
    found = Found(overhead_s=overhead, gaps={"network": [(1, sender)] if sender else []})
    seen = [answer("flows", ((0, 3),), 1, 5 + n * alone, count=n) for n in (1, 8)]
    if together:
        seen += [answer("flows", ((0, 2), (1, 3)), 1, 5 + n * together, count=n) for n in (1, 4)]
    said = numbers.nic_gap(FOUR, Answers(all=seen), found)
    assert said == (gap if gap is None else pytest.approx(gap))
    told = (
        [] if gap else ["nic_gap_s: left out, small messages leave a node as fast as its ranks send and receive them"]
    )
    assert found.notes == told
    assert numbers.nic_gap(Shape(((0, 0, 0), (0, 0, 0))), Answers(), found) is None and found.notes == told


def test_local_work_is_of_the_middle_size_with_all_ranks() -> None:
    times = {(8, 1): 2.0, (8, 4): 3.0, (64, 1): 5.0, (64, 4): 7.0, (512, 1): 11.0, (512, 4): 13.0}
    found = [answer("copy", (), size, t, t, t, 17.0, count=n) for (size, n), t in times.items()]
    assert numbers.local_work(found) == (7.0, 2.0, 13.0)
    assert numbers.local_work(found[3:4]) == (7.0, 7.0, 7.0)
    low = [answer("copy", (), 8, 4.0, 8.0, 8.0, 8.0, 8.0)]
    assert numbers.local_work(low) == (8.0, 4.0, 8.0)


def test_a_gap_of_a_piece_is_a_line_through_its_sizes_or_the_nearest() -> None:
    known = [(1, 1.0), (64, 2.0), (1024, 3.0), (4096, 9.0)]
    assert numbers.gap_line(known, 1024, 4097) == pytest.approx((1.0, 6 / 3072))
    assert numbers.gap_line(known, 1024, 4096) == (3.0, 0.0), "its end is the next piece's"
    assert numbers.gap_line(known, 0, 64) == (1.0, 0.0)
    assert [numbers.gap_line(known, at, at + 9)[0] for at in (0, 30, 34, 2000, 1 << 20)] == [1.0, 1.0, 2.0, 3.0, 9.0]


def test_noise_is_of_a_class_s_first_pair_at_sizes_of_its_curve() -> None:
    found = Found(times={"network": [Point(64, 1.0), Point(1, 0.5)]})
    seen = [
        Answer(Wanted("pingpong", (pair,), n, single=True), (t,) * 20)
        for pair, n, t in (((0, 1), 64, 1.5), ((0, 1), 1, 0.75), ((0, 1), 2, 9.0), ((0, 2), 64, 9.0))
    ]
    made = numbers.noises(THREE, Answers(all=seen), "network", found)
    assert made == [(1, noise_of((0.75,) * 20, 0.5)), (64, noise_of((1.5,) * 20, 1.0))]


def curve(level: str, pattern: str, times: dict[int, float]) -> list[Answer]:
    of = (FOUR.pairs()[level][0],)
    return [answer(pattern, of, n, t) for n, t in times.items()]


def test_curves_have_the_jumps_of_their_transport_and_where_sends_begin_to_wait() -> None:
    """A line, and a step at 64 bytes in the node alone; between nodes the limit at 256 bytes is a jump, too, however small."""
    sizes = [1 << k for k in range(12)]
    times = {
        "cache": {n: 1e-6 + n * 1e-9 + (n >= 64) * 2e-6 for n in sizes},
        "network": {n: 5e-6 + n * 2e-9 for n in sizes},
    }
    found = Found(overhead_s=1e-7, eager=(128, 256))
    found.times = {level: [Point(n, t) for n, t in of.items()] for level, of in times.items()}
    slower = {n: t * (1.2 if n in (512, 1024, 2048) else 1.05) for n, t in times["network"].items()}
    lone = {n: t * (1.2 if n in (32, 128) else 1) for n, t in times["cache"].items()}  # never two neighbours
    seen = curve("network", "pingpong_nonblocking", slower) + curve("cache", "pingpong_nonblocking", lone)
    numbers.curves(FOUR, Answers(all=seen), found)
    assert found.jumps == {"cache": [64, 256], "network": [256]}
    assert found.curves["cache"][0] == pytest.approx((0, 1e-6, 1e-9)) and found.curves["cache"][1][0] == 64
    assert {p[0] for p in found.curves["network"]} == {0, 256}
    assert numbers.residual(found, "network") == [(n, pytest.approx(0, abs=1e-9)) for n in sizes]
    assert [*found.nonblocking] == ["network"]
    # No piece is faster than 98 % of a link's time a byte, or falls below two overheads.
    found.rates = {"nic": (4e8, True), "core": (1e8, True), "memory": (1e7, True)}
    assert numbers.narrowest(found, "network") == numbers.narrowest(found, "cache") * 10 == 1e8
    assert numbers.narrowest(Found(), "node") == math.inf
    found.rates, found.overhead_s = {"switch": (1e8, True)}, 3e-6
    numbers.curves(FOUR, Answers(), found)
    assert min(p[2] for p in found.curves["network"]) == pytest.approx(0.98e-8)
    assert min(p[1] for p in found.curves["cache"]) == 6e-6


def test_times_that_do_not_grow_have_a_slope_all_the_same() -> None:
    found = Found(times={"network": [Point(n, 1e-6) for n in (1, 1024, 1 << 20)]})
    numbers.curves(PAIR, Answers(), found)
    assert {slope for _, _, slope in found.curves["network"]} == {1e-12}
