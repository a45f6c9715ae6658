"""collscope.calibration.estimates: from samples to numbers, of one machine and of a cluster."""

from __future__ import annotations

import pytest

from collscope.calibration import estimates
from collscope.calibration.curves import Point, curve_at
from collscope.calibration.links import Rate
from collscope.calibration.noise import noise_of
from collscope.calibration.samples import Placement, Reading, Samples
from collscope.machines.spec_reader import parse_spec
from made_samples import ONE_FLOW, ONE_SOCKET, changed, made_samples, made_spec, reading, together, without

THREE = Placement(((0, 0, 0), (1, 1, 1), (2, 2, 2)))
FOUR = Placement(((0, 0, 0), (0, 0, 0), (1, 1, 1), (1, 1, 1)))  # two ranks each on two nodes


# ---- one machine ------------------------------------------------------------------------------------------


def scaled(r: Reading, *factors: float) -> Reading:
    """Samples around the least of these, times the factors."""
    return Reading(r.probe, tuple(min(r.samples) * factor for factor in factors))


def messages(samples: Samples, *others: Reading) -> Samples:
    """With these in place of all messages but streams."""
    kept = changed(samples, lambda r: None if r.probe.pattern == "flows" and r.probe.count == 1 else r)
    return Samples(samples.placement, kept.readings + others)


def test_curves_take_the_median_and_the_bound_the_least() -> None:
    """Five samples: the lower quartile is the second, the median the third; and the middle one of three launches counts."""
    usual = made_samples()
    launches = [
        changed(usual, lambda r, f=factor: scaled(r, *(f * x for x in (3.0, 2.0, 1.5, 1.0, 0.8))))  # type: ignore[misc]
        for factor in (2.0, 1.0, 1.5)
    ]
    found = estimates.of_machine(launches[0] + launches[1] + launches[2])
    expected = estimates.of_machine(usual)
    ((start, latency, slope),) = expected.curves["cache"].pieces
    assert found.curves["cache"].pieces[0] == pytest.approx((start, 2.25 * latency, 2.25 * slope))
    assert found.local["copy"] == pytest.approx((2.25 * 6e-11, 0.8 * 2e-11, 2 * 1e-10))
    assert found.local["gamma"] == pytest.approx((1.5 * 8e-11, 0.8 * 4e-11, 2 * 2e-10))
    assert expected.overhead_s == 9.9e-8, "one part in a hundred less than the quartile"
    assert found.overhead_s == pytest.approx(1.5 * 9.9e-8, rel=1e-2)
    # Copies of the middle launch take half again as long, and move 2 / 1.5e-10 bytes per second in the traffic of the curve.
    assert found.rates["memory"] == Rate(pytest.approx(2 / 1.5e-10, rel=1e-3), "copies by all ranks")
    assert found.rates["core"] == Rate(2.222e9, "the fastest piece of the curves")
    assert found.least["G"] == pytest.approx(0.8 * 2e-11) and found.least["gamma"] == pytest.approx(0.8 * 4e-11)
    assert found.least["o"] == pytest.approx(0.8 * 9e-8)
    shortest = min(0.8 * (4e-7 + n * 2e-10) - n * 0.8 * 2e-11 for n in (0, 1, 2**20))
    assert found.least["L"] == pytest.approx(shortest - 2 * found.least["o"])
    assert found.is_copied and not expected.notes


def test_memory_serves_a_core_at_least_and_is_shared_by_sockets() -> None:
    steep = messages(made_samples(), *(reading("flows", ONE_FLOW, n, 1e-6 + n * 8e-10) for n in (1, 1024, 1 << 20)))
    rates = {sockets: estimates.of_machine(steep, sockets).rates for sockets in (1, 2, 64)}
    assert [rates[sockets]["memory"].bytes_per_s for sockets in (1, 2, 64)] == pytest.approx([2e10, 1e10, 1.25e9])
    assert rates[64]["core"].bytes_per_s == 1.25e9


@pytest.mark.parametrize(("moved", "links_of_cores"), [(1.79, 1.79), (1.81, None)])
def test_sockets_share_an_interconnect_where_streams_side_by_side_are_slower_than_alone(
    moved: float, links_of_cores: float | None
) -> None:
    """A stream alone moves 1 GB/s, and keeps a core busy; two of them move so many together."""
    four = Placement(((0, 0, 0), (0, 0, 0), (0, 1, 1), (0, 1, 1)))
    streams = [
        reading("flows", of, 10**6, 1e-4 + n * 1e-3 * len(of) / rate, count=n)
        for of, rate in zip(four.between_sockets(), (1.0, moved), strict=True)
        for n in (2, 8)
    ]
    made = estimates.of_machine(Samples(four, (*made_samples().readings, *streams)))
    found = made.rates.get("interconnect")
    assert (found and found.bytes_per_s) == (
        pytest.approx(links_of_cores * made.rates["core"].bytes_per_s, rel=1e-3) if links_of_cores else None
    )


def test_each_pair_is_of_its_class_and_their_median_counts() -> None:
    four = Placement(((0, 0, 0), (0, 0, 0), (0, 0, 1), (0, 1, 2), (0, 1, 2)))
    sizes = {size: 4e-7 + size * 2e-10 for size in (0, 1, 64, 4096)}
    others = [
        reading("flows", ((0, b),), size, factor * t, factor * t)
        for b, factor in ((1, 1.0), (2, 2.0), (3, 3.0), (4, 2.9)) for size, t in sizes.items()
    ]  # fmt: skip
    others += [
        reading("flows", ((0, 1), (1, 0)), 4096, 9e-6, 9e-6)
    ]  # with one the other way, of the class of its first flow
    found = estimates.of_machine(Samples(four, messages(made_samples(), *others).readings)).curves
    assert {level: curve.pieces[0][1] for level, curve in found.items()} == pytest.approx(
        {"cache": 4e-7, "socket": 8e-7, "node": 2.95 * 4e-7}, rel=1e-3
    )
    assert [p.bytes for p in found["cache"].points] == [1, 64, 4096], "an empty message takes a path of its own"
    assert found["cache"].points[2].seconds == pytest.approx((sizes[4096] + 9e-6) / 2)


def test_every_size_counts_and_a_disturbed_one_does_not() -> None:
    times = ((1, 1e-6), (1000, 5e-6), (1500, 8e-6), (2000, 6e-6))
    found = estimates.of_machine(messages(made_samples(), *(reading("flows", ONE_FLOW, n, t, t) for n, t in times)))
    assert [p.seconds for p in found.curves["cache"].points] == [1e-6, 5e-6, 6e-6, 6e-6]
    assert [curve_at(found.curves["cache"].pieces, n) for n in (1, 1000)] == pytest.approx([1e-6, 5e-6])


def test_noise_is_of_the_first_pair_of_a_class_about_the_time_of_its_size() -> None:
    single = [reading("flows", ONE_FLOW, n, *[2e-6] * 15, single=True) for n in (1024, 1, 3)]
    other = [reading("flows", ((1, 0),), 1, *[t] * 15, single=True) for t in (9e-6, 2.2e-6)]
    made = made_samples()
    found = estimates.of_machine(Samples(made.placement, (*made.readings, *single, *other, *single)))
    ((level, sizes),) = found.noise.items()
    assert level == "cache" and [n for n, _ in sizes] == [1, 1024], "3 bytes were not measured otherwise"
    for n, quantiles in sizes:
        assert [s for _, s in quantiles] == pytest.approx([2e-6 - (4e-7 + n * 2e-10)] * len(quantiles))
    assert estimates.of_machine(Samples(made.placement, (*made.readings, *single))).noise == {}, "15 are too few"


def test_two_overheads_leave_room_for_a_latency() -> None:
    """A send that seems to cost more than a message takes: 45 % of the shortest one is the most."""
    busy = changed(
        made_samples(), lambda r: scaled(r, 11.2, 11.2) if r.probe.count == 32 else r  # 1.1e-6 or more
    )  # fmt: skip
    found = estimates.of_machine(busy)
    assert found.overhead_s == pytest.approx(0.99 * 0.45 * 4e-7, rel=1e-2)
    assert found.least["o"] == pytest.approx(0.45 * 4e-7) and found.least["L"] == pytest.approx(0.1 * 4e-7)


def test_local_work_is_of_the_middle_size_with_all_ranks_and_its_range() -> None:
    """Every reading its own primes: the value is the lower quartile of the middle size with the most ranks."""
    gammas = [
        reading("gamma", (), n, *(x * 1e-11 for x in primes), count=ranks)
        for n, ranks, primes in (
            (8, 1, (11, 13, 17)), (8, 2, (19, 23, 29)), (64, 1, (31, 37, 41)), (64, 2, (43, 47, 53)), (512, 1, (59, 61, 67)),
            (512, 2, (71, 73, 79)),
        )
    ]  # fmt: skip
    copies = [
        reading("copy", (), 512, 7e-11, 5e-11, 3e-11, count=2), reading("copy", (), 512, 3e-11, 3e-11, 3e-11),
        reading("copy", (), 8, 2e-11, 9e-11, 9e-11, count=4), reading("copy", (), 64, 5e-11, 5e-11, 5e-11, count=4),
    ]  # fmt: skip
    kept = without(made_samples(), "gamma", "copy")
    found = estimates.of_machine(Samples(kept.placement, (*kept.readings, *gammas, *copies)))
    assert found.local["gamma"] == pytest.approx((45e-11, 11e-11, 72e-11))
    assert found.local["copy"] == pytest.approx((6e-11, 2e-11, 6e-11)), "between messages; the others are its range"
    assert found.rates["memory"].bytes_per_s == pytest.approx(2 / 4e-11), "the largest copy with the most ranks"
    assert (found.least["G"], found.least["gamma"]) == (2e-11, 11e-11)
    assert estimates.local_work(gammas[3:4]) == pytest.approx((45e-11, 43e-11, 45e-11))


def test_the_least_of_a_machine_is_of_sends_streams_and_the_shortest_message() -> None:
    """o: of sends and of streams of at most a byte; L: what is left of the message that is the shortest beyond its bytes."""
    made = changed(made_samples(), lambda r: None if r.probe.count == 32 else r)
    extra = [
        reading("overhead", ONE_FLOW, 1, 7e-8, 9e-8, count=32), reading("flows", ONE_FLOW, 1, 12e-8, 16e-8, count=2),
        reading("flows", ONE_FLOW, 2, 2e-8, count=2), reading("flows", ONE_FLOW, 0, 13e-8, count=2),
        reading("pingpong", ONE_FLOW, 100, 3.9e-7, 5e-7, 5e-7, count=100),
    ]  # fmt: skip

    def least(*more: Reading) -> dict[str, float]:
        return dict(estimates.of_machine(Samples(made.placement, (*made.readings, *extra, *more))).least)

    assert least() == pytest.approx(
        {"o": 6e-8, "g": 6e-8, "L": 3.9e-7 - 100 * 2e-11 - 12e-8, "G": 2e-11, "gamma": 4e-11}
    )
    # A long message that seems to cost less than two overheads beyond its bytes: o gives way, and L is nothing.
    found = least(reading("flows", ONE_FLOW, 5000, 1e-7 + 5000 * 2e-11))
    assert (found["o"], found["g"], found["L"]) == (pytest.approx(5e-8), pytest.approx(5e-8), 0)
    found = least(reading("flows", ONE_FLOW, 10000, 1.5e-7))
    assert (found["o"], found["L"]) == (0, 0)


# ---- a cluster --------------------------------------------------------------------------------------------


def test_a_time_is_the_best_pair_s_lower_quartile_and_knows_its_noise() -> None:
    one, other = ((0, 1),), ((0, 2),)
    samples = together(
        THREE,
        reading("pingpong", one, 0, 0.5),
        reading("pingpong", one, 1, 1.0, 1.0, 1.0),
        reading("pingpong", other, 1, 0.9, 1.1, 1.3, 1.3, 1.3),  # quartile 1.1
        reading("pingpong", one, 2, 1.2, 1.2, 1.5, 1.5, 1.5),  # the median is a quarter above
        reading("pingpong", other, 4, 1.2, 1.5, 1.5, 1.5, 1.5),  # the least is a fifth below
        reading("pingpong", other, 8, 1.0, 2.0, 2.0, 2.0, 2.0),  # no time is as wrong as that
        reading("pingpong", one, 16, 4.0, 4.0, 4.4, 4.4, 4.4),  # noisy and longer than what follows
        reading("pingpong", one, 32, 3.5, 3.5, 3.52, 3.52, 3.52),  # longer, too, but sure of it
        reading("pingpong", one, 64, 3.2, 3.2, 3.2),
        reading("pingpong", other, 64, 3.0, 3.0, 3.0),
        reading("pingpong_nonblocking", one, 64, 9.0),
    )
    found = estimates.points(samples, "network", "pingpong")
    assert [(p.bytes, p.seconds) for p in found] == [(1, 1), (2, 1.2), (4, 1.5), (8, 2), (16, 3.5), (32, 3.5), (64, 3)]
    assert [p.noise for p in found] == pytest.approx([2e-4, 0.25, 0.25, 0.3, 0.1, 0.02 / 3.5, 2e-4])


def test_noise_of_a_cluster_is_of_a_class_s_first_pair_at_sizes_of_its_curve() -> None:
    times = [Point(64, 1.0), Point(1, 0.5)]
    singles = [
        reading("pingpong", (pair,), n, *(t,) * 20, single=True)
        for pair, n, t in (((0, 1), 64, 1.5), ((0, 1), 1, 0.75), ((0, 1), 2, 9.0), ((0, 2), 64, 9.0))
    ]
    averages = reading("pingpong", ((0, 1),), 64, *(7.0,) * 20)
    made = estimates.round_trip_noise(together(THREE, singles, averages), "network", times)
    assert made == [(1, noise_of((0.75,) * 20, 0.5)), (64, noise_of((1.5,) * 20, 1.0))]
    assert estimates.points(together(THREE, singles), "network", "pingpong") == [], "single ones make no curve"


SIZES = [1 << k for k in range(12)]


def cluster(network: dict[int, float], more: list[Reading]) -> Samples:
    """Two nodes of two ranks: a step at 64 bytes in the node alone; sends between nodes wait from 256 bytes on."""
    cache = {n: 1e-6 + n * 1e-9 + (n >= 64) * 2e-6 for n in SIZES}
    lone = {n: t * (1.2 if n in (32, 128) else 1) for n, t in cache.items()}  # never two neighbours
    slower = {n: t * (1.2 if n in (512, 1024, 2048) else 1.05) for n, t in network.items()}
    trips = [
        reading(pattern, flows, n, t)
        for flows, blocking, other in ((((0, 1),), cache, lone), (((0, 3),), network, slower))
        for pattern, times in (("pingpong", blocking), ("pingpong_nonblocking", other))
        for n, t in times.items()
    ]
    late = [
        reading(p, ((0, 3),), n, 1e-3 if n < 256 else 11e-3, count=10)
        for p in ("late", "late_nonblocking")
        for n in SIZES
    ]
    work = [reading(p, (), 8, 1e-10, count=2) for p in ("gamma", "copy", "touch")]
    ends = [reading("receive", flows, 1, 1e-7, count=8) for flows in (((0, 1),), ((0, 3),))]
    return together(FOUR, trips, late, work, ends, more)


def test_curves_have_the_jumps_of_their_transport_and_where_sends_begin_to_wait() -> None:
    """Between nodes the limit at 256 bytes is a jump, too, however small."""
    times = {n: 5e-6 + n * 2e-9 for n in SIZES}
    found = estimates.of_cluster(cluster(times, []))
    assert {level: curve.jumps for level, curve in found.curves.items()} == {"cache": (64, 256), "network": (256,)}
    assert (
        found.curves["cache"].pieces[0] == pytest.approx((0, 1e-6, 1e-9)) and found.curves["cache"].pieces[1][0] == 64
    )
    assert {p[0] for p in found.curves["network"].pieces} == {0, 256}
    assert [e.share for e in found.curves["network"].errors] == pytest.approx([0] * len(SIZES), abs=1e-9)
    assert [*found.nonblocking] == ["network"], "where neighbouring sizes differ by more than a tenth"
    assert (found.eager, found.eager_nonblocking, found.overhead_s) == ((128, 256), (128, 256), 1e-7)
    assert found.in_order is None and found.nic_gap_s is None and found.local["touch"] == (1e-10, 1e-10, 1e-10)
    assert found.notes == ("nic_gap_s: left out, one rank of a node alone sends no faster than its NIC",)


def test_no_piece_is_faster_than_its_links_or_shorter_than_two_overheads() -> None:
    alone = [reading("flows", ((0, 3),), 1 << 20, n * (1 << 20) / 1e8, count=n, first=(0.01,)) for n in (1, 8)]
    found = estimates.of_cluster(cluster({n: 5e-6 + n * 2e-9 for n in SIZES}, alone))
    assert found.rates["nic"].bytes_per_s == pytest.approx(1e8)
    assert min(slope for _, _, slope in found.curves["network"].pieces) == pytest.approx(0.98e-8)
    level = estimates.of_cluster(cluster(dict.fromkeys(SIZES, 5e-6), []))
    assert {slope for _, _, slope in level.curves["network"].pieces} == {1e-12}, "times that do not grow"
    steep = estimates.of_cluster(cluster({n: 5e-6 * max(1.0, (n / 64) ** 1.5) for n in SIZES}, []))
    assert min(latency for _, latency, _ in steep.curves["network"].pieces) == 2 * steep.overhead_s == 2e-7


def test_limits_that_no_send_reached_are_noted() -> None:
    eager = [reading(p, ((0, 3),), 1 << 20, 1e-3, count=10) for p in ("late", "late_nonblocking")]
    made = changed(cluster(dict.fromkeys(SIZES, 5e-6), []), lambda r: None if r.probe.pattern.startswith("late") else r)
    found = estimates.of_cluster(Samples(FOUR, (*made.readings, *eager)))
    assert found.eager == (1 << 20, 0)
    assert found.notes[:2] == tuple(
        f"{name}: no send of up to 1048576 bytes waited for its receive (network)"
        for name in ("eager", "eager_nonblocking")
    )


def taking_back(back: float, *patterns: str) -> Samples:
    """Writing a byte that the other core has read takes so long in these patterns."""
    own = {"copy": {8192: 2e-11, 1 << 19: 4e-11}, "gamma": {8192: 4e-11, 1 << 19: 8e-11}}
    made = [
        reading(f"{kind}_exchanged", ONE_FLOW, n, per_byte + back * (kind in patterns), count=10)
        for kind, sizes in own.items()
        for n, per_byte in sizes.items()
    ]
    made += [
        reading("flows_returned", ONE_FLOW, n, *[4e-7 + n * (2e-10 + back * ("flows" in patterns))] * 3)
        for n in (8192, 1 << 16, 1 << 19)
    ]
    usual = without(made_samples(), "copy_exchanged")
    return Samples(usual.placement, (*usual.readings, *made), variables=usual.variables)


def test_messages_copies_and_reductions_say_what_writing_costs_where_another_cache_has_the_lines() -> None:
    found = estimates.of_machine(taking_back(8e-11, "flows", "copy", "gamma"))
    assert found.invalidation == pytest.approx((8e-11, 8e-11, 8e-11))
    assert found.local["copy"][0] == pytest.approx(4e-11), "a copy is one within a core's own memory"
    spec = parse_spec(made_spec(taking_back(8e-11, "flows", "copy", "gamma")), "made.toml")
    assert spec.invalidation_s_per_byte.value == pytest.approx(8e-11)
    assert spec.copy_s_per_byte.value == pytest.approx(4e-11)
    found = estimates.of_machine(taking_back(8e-11, "flows", "copy"))
    assert found.invalidation == pytest.approx((8e-11, 0, 8e-11)), "two of three say so"


def test_a_machine_has_no_such_number_where_messages_do_not_show_it() -> None:
    for samples in (made_samples(), taking_back(1e-12, "flows", "copy", "gamma"), taking_back(8e-11, "copy")):
        assert estimates.of_machine(samples).invalidation is None
        assert "invalidation" not in made_spec(samples)
    assert estimates.of_machine(made_samples()).local["copy"][0] == 6e-11, "of what was received over what was sent"


def test_hops_are_by_pattern_class_and_size() -> None:
    hops = [reading(p, ((0, 1), (1, 0)), n, t, t, 9 * t) for p, n, t in (("relay", 1, 2.0), ("relay_copied", 1, 3.0))]
    found = estimates.forwarded(together(ONE_SOCKET, hops, [reading("relay", ((0, 1), (1, 0)), 1, 4.0)]))
    assert found == {"relay": {"cache": {1: 3.0}}, "relay_copied": {"cache": {1: 3.0}}}
