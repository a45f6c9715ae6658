"""collscope.sources.unknowns: numbers that a machine's file leaves open, their ranges, and what draws of them make of a machine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from collscope.machines import find
from collscope.machines.spec import Piece, Spec
from collscope.sources import unknowns
from collscope.sources.unknowns import (
    COPY_TIME,
    GAMMA_TIME,
    NIC,
    NONBLOCKING,
    PORTS,
    PROCESSOR,
    SHARED_MEMORY,
    SOCKETS,
    Range,
    Unknown,
)
from osu_alone import KNOWN, OSU_ALONE, machine

LOCAL = [GAMMA_TIME, COPY_TIME]


@pytest.mark.parametrize(
    ("lines", "nodes", "expected"),
    [
        ((), 2, [PROCESSOR, NONBLOCKING, NIC, SHARED_MEMORY, SOCKETS, PORTS, *LOCAL]),
        ((), 1, [PROCESSOR, NONBLOCKING, SHARED_MEMORY, SOCKETS, PORTS, *LOCAL]),  # no NIC is used
        (("sockets = 1",), 1, [PROCESSOR, NONBLOCKING, SHARED_MEMORY, *LOCAL]),
        (("sockets = 1", "cores_per_cache = 4"), 1, [PROCESSOR, NONBLOCKING, SHARED_MEMORY, PORTS, *LOCAL]),
        (("overhead_s = 0",), 1, [NONBLOCKING, SHARED_MEMORY, SOCKETS, PORTS, *LOCAL]),  # zero, as the file says so
        (("gamma_s_per_byte = 2e-10",), 1, [PROCESSOR, NONBLOCKING, SHARED_MEMORY, SOCKETS, PORTS, COPY_TIME]),
        (("copy_s_per_byte = 2e-10",), 1, [PROCESSOR, NONBLOCKING, SHARED_MEMORY, SOCKETS, PORTS, GAMMA_TIME]),
        (KNOWN, 2, []),
    ],
)
def test_a_number_is_unknown_unless_the_file_gives_it(
    tmp_path: Path, lines: tuple[str, ...], nodes: int, expected: list[Unknown]
) -> None:
    text = OSU_ALONE.replace("sockets = 2\n", "") if "sockets = 1" in lines else OSU_ALONE
    assert unknowns.unknowns(find.load(machine(tmp_path, *lines, text=text)), nodes) == expected


def test_gaps_and_brackets_are_given_too(tmp_path: Path) -> None:
    """What a curve or the name of the platform says is known; of `ideal` everything is."""
    with_gaps = OSU_ALONE.replace("0.7e-6, 2.5e-10]]", "0.7e-6, 2.5e-10, 1, 3e-7, 1e-10]]")
    name = machine(tmp_path, text=with_gaps)
    assert PROCESSOR not in unknowns.unknowns(find.load(name), 2)
    assert NIC not in unknowns.unknowns(find.load(f"{name}[nic_gap_s=1e-7]"), 2)
    assert unknowns.unknowns(find.load("ideal[cores=4]"), 2) == []


# ---- ranges ----------------------------------------------------------------------------------------------------------

MACHINES = ("ib_multicore", "jaguar", "orfeo_epyc", "orfeo_thin", "schooner")


def shares(spec: Spec, network: bool, receiver: bool) -> Iterator[float]:
    """Of the time of 8 bytes, what a processor spends: of each class with a curve of its own, but a message's within a cache."""
    for name in spec.own_curves:
        piece = spec.curve[name][0]
        if name == "cache" or (name == "network") != network:
            continue
        seconds = piece.latency.value + 8 * piece.s_per_byte.value
        spent = spec.overhead_s.value
        for gap in (piece.receive_gap,) if receiver else (piece.gap,):
            spent += gap[0].value + 8 * gap[1].value if gap else 0.0
        yield spent / seconds


def rates(spec: Spec) -> dict[str, float]:
    """The numbers that are ranged in messages of 1 MiB, and the interconnect's in memory."""
    core, of_class = spec.core_bytes_per_s.value, unknowns.message_s_per_byte
    fastest = of_class(spec)
    crossing = [p for p in spec.curve["socket"] if p.start <= unknowns.MIB][-1]
    return {
        "MEMORY": spec.memory_bytes_per_s.value / crossing.traffic.value * fastest,
        "ACROSS": min(spec.across_bytes_per_s.value or core, core) * of_class(spec, "node"),
        "CACHE": min(spec.cache_bytes_per_s.value or core, core) * of_class(spec, "socket"),
        "GAMMA": spec.gamma_s_per_byte.value / fastest,
        "COPY": spec.copy_s_per_byte.value / fastest,
        "GAMMA_S_PER_BYTE": spec.gamma_s_per_byte.value,
        "COPY_S_PER_BYTE": spec.copy_s_per_byte.value,
        "INTERCONNECT": spec.interconnect_bytes_per_s.value / spec.memory_bytes_per_s.value,
    }


def test_ranges_are_those_of_the_machines_that_come_with_collscope() -> None:
    """Least, median and greatest, to two digits."""
    specs = {name: find.load_spec(name) for name in MACHINES}
    found: dict[str, list[float]] = {}
    for name, spec in specs.items():
        for key, value in rates(spec).items():
            found.setdefault(key, []).append(value)
        for key, network, receiver in (
            ("SEND_INSIDE", False, False), ("SEND_NETWORK", True, False), ("RECEIVE_INSIDE", False, True), ("RECEIVE_NETWORK", True, True),
        ):  # fmt: skip
            if name != "orfeo_thin":  # whose file says 0, as nobody measured it
                found.setdefault(key, []).extend(shares(spec, network, receiver))
    for key, values in found.items():
        limits = getattr(unknowns, key)
        limits = limits[0] if isinstance(limits[0], tuple) else limits
        slack = 0.0 if key.endswith("PER_BYTE") else 0.006
        assert limits == pytest.approx((min(values), median(values), max(values)), rel=0.06, abs=slack), key


def within(value: float, limits: Range, slack: float = 0.02) -> bool:
    return limits[0] - slack <= value <= limits[2] + slack


def test_numbers_that_only_orfeo_measured_lie_in_their_ranges() -> None:
    spec = find.load_spec("orfeo_epyc")
    gap = spec.nic_gap_s
    assert gap.range and all(
        within(v / spec.curve["network"][0].latency.value, unknowns.NIC_GAP) for v in (gap.value, *gap.range)
    )
    limit = spec.eager_nonblocking
    assert limit.range and all(
        within(math.log2(v / spec.eager_bytes.value), unknowns.WAITS_FROM) for v in (limit.value, *limit.range)
    )

    def seconds(pieces: tuple[Piece, ...], size: int) -> float:
        piece = [p for p in pieces if p.start <= size][-1]
        return piece.latency.value + size * piece.s_per_byte.value

    for name, pieces in spec.curve_nonblocking.items():
        for size in (1 << 14, 1 << 16):
            assert within(seconds(pieces, size) / seconds(spec.curve[name], size), unknowns.WAITING), (name, size)


# ---- draws -----------------------------------------------------------------------------------------------------------


def test_the_middle_of_a_range_has_half_of_the_draws_on_each_side() -> None:
    assert [unknowns.at((1.0, 2.0, 5.0), place) for place in (0.0, 0.25, 0.5, 0.75, 1.0)] == [1.0, 1.5, 2.0, 3.5, 5.0]


def test_draws_are_a_latin_hypercube_that_repeats() -> None:
    """Each dimension has one draw in each of equal parts, in an order of its own."""
    orders = [unknowns.places(name, 40) for name in ("nic", "memory")]
    for order in orders:
        assert sorted(order) == pytest.approx([(i + 0.5) / 40 for i in range(40)])
    assert orders[0] != orders[1] and orders[0] == unknowns.places("nic", 40)


def everywhere(unknown: Unknown, place: float) -> dict[str, float]:
    return dict.fromkeys(unknown.dimensions, place)


@pytest.mark.parametrize(("place", "i"), [(0.0, 0), (0.5, 1), (1.0, 2)])
def test_processors_spend_shares_of_a_messages_time(tmp_path: Path, place: float, i: int) -> None:
    """Of its latency and of each byte; a receiver's of eager messages alone, and never all of the time."""
    spec = find.load_spec(machine(tmp_path, "eager_bytes = 1024"))
    made = PROCESSOR.with_values(spec, everywhere(PROCESSOR, place))
    small, large = made.curve["network"]
    assert small.gap and small.gap[0].value == pytest.approx(unknowns.SEND_NETWORK[0][i] * 1.8e-6)
    assert small.gap[1].value == pytest.approx(unknowns.SEND_NETWORK[1][i] * 1e-9)
    assert small.receive_gap and large.receive_gap is None and large.gap is None
    inside = made.curve["node"][0]
    assert inside.gap and inside.receive_gap
    for at, whole in ((0, 0.7e-6), (1, 2.5e-10)):
        assert inside.gap[at].value + inside.receive_gap[at].value <= unknowns.MAX_BUSY * whole * (1 + 1e-9)


def test_nonblocking_sends_may_wait_from_a_smaller_size_on(tmp_path: Path) -> None:
    """Between the two limits they take their own time within a node, and nobody is busy; below and above all is as it was."""
    spec = find.load_spec(machine(tmp_path, "eager_bytes = 8192"))
    made = NONBLOCKING.with_values(spec, {"waits from": 0.0, "waiting": 1.0})
    assert made.eager_nonblocking.value == 512 and made.curve == spec.curve
    node = {p.start: p.latency.value for p in made.curve_nonblocking["node"]}
    assert node == pytest.approx({0: 0.7e-6, 513: 2.1 * 0.7e-6, 8193: 0.7e-6})
    network = [(p.start, p.latency.value) for p in made.curve_nonblocking["network"]]
    assert network == [(0, 1.8e-6), (513, 1.8e-6), (4096, 4.5e-6), (8193, 4.5e-6)]
    assert NONBLOCKING.with_values(spec, {"waits from": 0.5, "waiting": 1.0}) == spec, "the same limit: the same sends"


def test_rates_follow_the_messages_that_the_file_gives(tmp_path: Path) -> None:
    """One of 1 MiB takes 2e-10 s per byte in a socket, 2.5e-10 to the other, and a little latency."""
    spec = find.load_spec(machine(tmp_path, "cores_per_cache = 4"))
    made = spec
    for unknown in (SHARED_MEMORY, SOCKETS, PORTS, GAMMA_TIME, COPY_TIME, NIC):
        made = unknown.with_values(made, everywhere(unknown, 0.5))
    assert made.memory_bytes_per_s.value == pytest.approx(5.7 / 2e-10, rel=0.01)
    assert made.interconnect_bytes_per_s.value == pytest.approx(0.55 * made.memory_bytes_per_s.value)
    assert made.across_bytes_per_s.value == pytest.approx(2.1 / 2.5e-10, rel=0.01)
    assert made.cache_bytes_per_s.value == pytest.approx(2.3 / 2e-10, rel=0.01)
    assert (made.gamma_s_per_byte.value, made.copy_s_per_byte.value) == pytest.approx((2.4e-10, 1.96e-10), rel=0.01)
    assert made.nic_gap_s.value == pytest.approx(0.06 * 1.8e-6)


def test_a_draw_is_a_platform_with_all_open_numbers(tmp_path: Path) -> None:
    platform = find.load(machine(tmp_path))
    made = list(unknowns.drawn(platform, [NIC, SHARED_MEMORY], 4))
    assert {p.name for p in made} == {platform.name}
    assert len({p.machine.nic_gap_s for p in made}) == len({p.machine.links["memory"] for p in made}) == 4
    assert len({p.machine.overhead_s for p in made}) == 1
