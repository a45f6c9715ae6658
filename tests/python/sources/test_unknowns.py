"""collscope.sources.unknowns: numbers that a machine's file leaves open, their ranges, and what draws of them make of a machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collscope.machines import completion, find, plain_hosts, ranges
from collscope.machines.completion import (
    COPY_OF_GAMMA,
    COPY_TIME,
    FIRST_TOUCH,
    GAMMA_TIME,
    NIC,
    NONBLOCKING,
    PORTS,
    PROCESSOR,
    SHARED_MEMORY,
    SOCKETS,
    TURNAROUND,
    Unknown,
)
from collscope.machines.machine import ROUTED
from collscope.machines.priors import MAX_BUSY, MIN_EAGER_BYTES
from collscope.sources import unknowns
from osu_alone import KNOWN, OSU_ALONE, machine
from tiny_platform import tiny

LOCAL = [COPY_TIME, GAMMA_TIME]
LATER = [TURNAROUND, FIRST_TOUCH]


@pytest.mark.parametrize(
    ("lines", "nodes", "expected"),
    [
        ((), 2, [PROCESSOR, NONBLOCKING, *LATER, NIC, SHARED_MEMORY, SOCKETS, PORTS, *LOCAL]),
        ((), 1, [PROCESSOR, NONBLOCKING, *LATER, SHARED_MEMORY, SOCKETS, PORTS, *LOCAL]),  # no NIC is used
        (("sockets = 1",), 1, [PROCESSOR, NONBLOCKING, *LATER, SHARED_MEMORY, *LOCAL]),
        (("sockets = 1", "cores_per_cache = 4"), 1, [PROCESSOR, NONBLOCKING, *LATER, SHARED_MEMORY, PORTS, *LOCAL]),
        (
            ("overhead_s = 0",),
            1,
            [NONBLOCKING, *LATER, SHARED_MEMORY, SOCKETS, PORTS, *LOCAL],
        ),  # zero, as the file says so
        (
            ("gamma_s_per_byte = 2e-10",),
            1,
            [PROCESSOR, NONBLOCKING, *LATER, SHARED_MEMORY, SOCKETS, PORTS, COPY_OF_GAMMA],
        ),
        (("copy_s_per_byte = 2e-10",), 1, [PROCESSOR, NONBLOCKING, *LATER, SHARED_MEMORY, SOCKETS, PORTS, GAMMA_TIME]),
        (KNOWN, 2, []),
    ],
)
def test_a_number_is_unknown_unless_the_file_gives_it(
    tmp_path: Path, lines: tuple[str, ...], nodes: int, expected: list[Unknown]
) -> None:
    text = OSU_ALONE.replace("sockets = 2\n", "") if "sockets = 1" in lines else ""
    assert unknowns.unknowns(find.load(machine(tmp_path, *lines, text=text)), nodes) == expected


def test_gaps_and_brackets_are_given_too(tmp_path: Path) -> None:
    """What a curve or the name of the platform says is known; of `ideal` everything is."""
    with_gaps = OSU_ALONE.replace("0.7e-6, 2.5e-10]]", "0.7e-6, 2.5e-10, 1, 3e-7, 1e-10]]")
    name = machine(tmp_path, text=with_gaps)
    assert PROCESSOR not in unknowns.unknowns(find.load(name), 2)
    assert NIC not in unknowns.unknowns(find.load(f"{name}[nic_gap_s=1e-7]"), 2)
    assert unknowns.unknowns(find.load("ideal[cores=4]"), 2) == []


# ---- draws -----------------------------------------------------------------------------------------------------------


def test_the_middle_of_a_range_has_half_of_the_draws_on_each_side() -> None:
    assert [completion.at((1.0, 2.0, 5.0), place) for place in (0.0, 0.25, 0.5, 0.75, 1.0)] == [1.0, 1.5, 2.0, 3.5, 5.0]


def test_draws_are_a_latin_hypercube_that_repeats() -> None:
    """Each dimension has one draw in each of equal parts, in an order of its own."""
    orders = [unknowns.places(name, 40) for name in ("nic", "memory")]
    for order in orders:
        assert sorted(order) == pytest.approx([(i + 0.5) / 40 for i in range(40)])
    assert orders[0] != orders[1] and orders[0] == unknowns.places("nic", 40)


def everywhere(unknown: Unknown, place: float) -> dict[str, float]:
    return dict.fromkeys(unknown.dimensions, place)


@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
def test_processors_spend_shares_of_a_messages_time(tmp_path: Path, place: float) -> None:
    """Of its latency and of each byte, small where the other is; a receiver's of eager messages alone, and never all of the time."""

    def at(name: str) -> float:
        return completion.at(completion.RANGES[name], place)

    spec = find.load_spec(machine(tmp_path, "eager_bytes = 1024"))
    made = PROCESSOR.with_values(spec, everywhere(PROCESSOR, place))
    small, waiting, large = made.curve["network"]
    assert (waiting.start, waiting.gap) == (1025, None), "the processors' part of a message that waits is not known"
    assert small.gap and small.gap[0].value == pytest.approx(at("send network") * 1.8e-6)
    assert small.gap[1].value == pytest.approx(at("send network byte") * 1e-9)
    assert small.receive_gap and large.receive_gap is None and large.gap is None
    assert small.gap[0].value + small.receive_gap[0].value <= MAX_BUSY * 1.8e-6 * (1 + 1e-9)
    inside = made.curve["node"][0]
    assert inside.gap and inside.receive_gap
    for i, whole, share in ((0, 0.7e-6, "busy inside"), (1, 2.5e-10, "busy inside byte")):
        both = inside.gap[i].value + inside.receive_gap[i].value
        assert both == pytest.approx(at(share) * whole) and both <= MAX_BUSY * whole * (1 + 1e-9)
        assert inside.gap[i].value == pytest.approx(at("sender inside") * both)


def test_nonblocking_sends_may_wait_from_a_smaller_size_on(tmp_path: Path) -> None:
    """Between the two limits they take their own time within a node, and nobody is busy; below and above all is as it was."""
    spec = find.load_spec(machine(tmp_path, "eager_bytes = 8192"))
    made = NONBLOCKING.with_values(spec, {"waits from": 0.25, "waiting": 1.0})
    assert made.eager_nonblocking.value == pytest.approx(8192 / 2**0.5, abs=1) and made.curve == spec.curve
    node = {p.start: p.latency.value for p in made.curve_nonblocking["node"]}
    assert node == pytest.approx({0: 0.7e-6, 5793: completion.RANGES["waiting"][2] * 0.7e-6, 8193: 0.7e-6})
    network = [(p.start, p.latency.value) for p in made.curve_nonblocking["network"]]
    assert network == [(0, 1.8e-6), (4096, 4.5e-6), (5793, 4.5e-6), (8193, 4.5e-6)]
    smallest = NONBLOCKING.with_values(spec, {"waits from": 0.0, "waiting": 1.0})
    assert smallest.eager_nonblocking.value == MIN_EAGER_BYTES, "no library waits below that"
    least = find.load_spec(machine(tmp_path, "eager_bytes = 4096"))
    assert NONBLOCKING.with_values(least, {"waits from": 0.0, "waiting": 1.0}) == least
    assert NONBLOCKING.with_values(spec, {"waits from": 0.5, "waiting": 1.0}) == spec, "the same limit: the same sends"


def test_rates_follow_the_messages_that_the_file_gives(tmp_path: Path) -> None:
    """One of 1 MiB takes 2e-10 s per byte in a socket, 2.5e-10 to the other, and a little latency."""
    spec = find.load_spec(machine(tmp_path, "cores_per_cache = 4"))
    made = spec
    for unknown in (SHARED_MEMORY, SOCKETS, PORTS, COPY_TIME, GAMMA_TIME, NIC):
        made = unknown.with_values(made, everywhere(unknown, 0.5))
    assert made.memory_bytes_per_s.value == pytest.approx(5.71 / 2e-10, rel=0.01)
    assert made.interconnect_bytes_per_s.value == pytest.approx(0.55 * made.memory_bytes_per_s.value)
    assert made.across_bytes_per_s.value == pytest.approx(2.07 / 2.5e-10, rel=0.01)
    assert made.cache_bytes_per_s.value == pytest.approx(1 / 8.2e-11), (
        "2.28 / 2e-10 is too slow for the network's messages"
    )
    assert (made.gamma_s_per_byte.value, made.copy_s_per_byte.value) == pytest.approx(
        (1.21 * 0.76 * 2e-10, 0.76 * 2e-10), rel=0.01
    )
    assert made.nic_gap_s.value == pytest.approx(0.06 * 1.8e-6)


def test_a_reduction_follows_the_copy_and_a_copy_the_reduction(tmp_path: Path) -> None:
    """On every machine both follow from where the data are: a fast copy beside a slow reduction was seen nowhere."""
    (low, _, high), per_copy = completion.RANGES["gamma"], []
    for made in unknowns.drawn(find.load(machine(tmp_path)), LOCAL, 20):
        per_copy.append(made.gamma_s_per_byte / made.copy_s_per_byte)
    assert low < min(per_copy) < max(per_copy) < high < 3 * low
    spec = find.load_spec(machine(tmp_path, "gamma_s_per_byte = 3e-10"))
    assert COPY_OF_GAMMA.with_values(spec, {"gamma": 0.5}).copy_s_per_byte.value == pytest.approx(3e-10 / 1.21)


def test_a_draw_is_a_platform_with_all_open_numbers(tmp_path: Path) -> None:
    platform = find.load(machine(tmp_path))
    made = list(unknowns.drawn(platform, [NIC, SHARED_MEMORY], 4))
    assert {p.name for p in made} == {platform.name}
    assert len({p.machine.nic_gap_s for p in made}) == len({p.machine.links["memory"] for p in made}) == 4
    assert len({p.machine.overhead_s for p in made}) == 1


@pytest.mark.parametrize("place", [0.0, 0.02, 0.37, 0.5, 0.98, 1.0])
def test_links_carry_what_processors_leave_and_nothing_where_they_leave_none(tmp_path: Path, place: float) -> None:
    """Where the rest of a byte's time is left of rounding, it is not a rate: it would be a billion times the
    memory's, or a gap that is too short to be written."""
    gaps = "gap_s = 2e-7, gap_s_per_byte = { value = 1.9e-10, range = [1e-10, 3e-10] }"
    whole = f"{{ from_bytes = 0, latency_s = 0.4e-6, s_per_byte = 2e-10, {gaps} }}"
    given = OSU_ALONE.replace("socket = [[0, 0.4e-6, 2e-10]]", f"socket = [{whole}]")
    tight = OSU_ALONE.replace("[4096, 4.5e-6, 8.2e-11]]", f"[4096, 4.5e-6, {1 / 12.3e9!r}]]")
    for text, lines in ((given, ()), (tight, ("nic_bytes_per_s = 12.3e9",))):
        spec, keys = find.as_given(machine(tmp_path, *lines, text=text))[0], find.given(str(tmp_path / "osu.toml"))
        numbers = [*ranges.given(spec, 2), *completion.open_numbers(spec, keys, 2)]
        made = completion.with_places(spec, numbers, lambda _: place)
        assert made.memory_bytes_per_s.value < 1e13
        pieces = [p for pieces in made.curve.values() for p in pieces]
        spent = [kind[1].value for p in pieces for kind in (p.gap, p.receive_gap) if kind]
        assert all(s == 0 or s > 1e-18 for s in spent)


def test_a_draw_of_plain_hosts_has_what_processors_spend_and_local_times(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = replace(tiny(), machine=replace(tiny().machine, priced_by=ROUTED))
    monkeypatch.setattr(plain_hosts, "latency_s", lambda platform: 2e-6)
    monkeypatch.setattr(plain_hosts, "charges_processors", lambda platform: True)
    assert unknowns.unknowns(hosts, 4) == [unknowns.LOCAL_XML], "the file says what processors spend"
    monkeypatch.setattr(plain_hosts, "charges_processors", lambda platform: False)
    numbers = unknowns.unknowns(hosts, 64)
    assert numbers == [unknowns.PROCESSOR_XML, unknowns.LOCAL_XML]
    assert [number.dimensions for number in unknowns.unknowns(hosts, 65)] == [(), ()], "too many routes"
    for i, made in enumerate(unknowns.drawn(hosts, numbers, 5)):
        send, receive, gamma, copy = (
            completion.at(completion.RANGES[name], unknowns.places(dimension, 5)[i])
            for name, dimension in (*((n, n) for n in (*unknowns.BETWEEN, "gamma")), ("copy by itself", "copy"))
        )
        (_, gap, _), host = made.machine.receive_gap["network"][0], made.nodes[-1][0]
        assert (made.machine.overhead_s, gap) == pytest.approx((send * 2e-6, receive * 2e-6))
        assert (host.gamma_s_per_byte, host.copy_s_per_byte) == pytest.approx((gamma * copy, copy))
