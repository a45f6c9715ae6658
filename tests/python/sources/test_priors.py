"""collscope.machines.priors: what other machines have, and the ranges that follow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from collscope.machines import find, priors
from collscope.machines.completion import MIB, message_s_per_byte
from collscope.machines.priors import BEYOND, PRIORS, Prior
from collscope.machines.spec import Piece, Spec

MACHINES = ("ib_multicore", "jaguar", "orfeo_epyc", "orfeo_thin", "schooner")
WITHIN = (
    "ccd",
    "numa",
    "socket",
    "node",
)  # of orfeo_epyc; messages within a cache are apart: their receivers spend nearly all
SMALL = 8  # bytes


def seconds(pieces: tuple[Piece, ...], size: int) -> float:
    piece = [p for p in pieces if p.start <= size][-1]
    return piece.latency.value + size * piece.s_per_byte.value


def spent(pieces: tuple[Piece, ...], size: int, who: str) -> float:
    """The part of a message's time that a processor spends."""
    piece = [p for p in pieces if p.start <= size][-1]
    gap = getattr(piece, who)
    return (gap[0].value + size * gap[1].value if gap else 0.0) / seconds(pieces, size)


def rates(spec: Spec) -> dict[str, tuple[float, ...]]:
    """In messages of 1 MiB; a reduction in copies, the interconnect in memory; of copies the least of the range, too."""
    core, fastest = spec.core_bytes_per_s.value, message_s_per_byte(spec)
    crossing = [p for p in spec.curve["socket"] if p.start <= MIB][-1]
    copy = spec.copy_s_per_byte
    copies = sorted({copy.value, copy.range[0] if copy.range else copy.value}, reverse=True)
    made = {
        "memory": spec.memory_bytes_per_s.value / crossing.traffic.value * fastest,
        "across": min(spec.across_bytes_per_s.value or core, core) * message_s_per_byte(spec, "node"),
        "cache": min(spec.cache_bytes_per_s.value or core, core) * message_s_per_byte(spec, "socket"),
        "gamma": spec.gamma_s_per_byte.value / spec.copy_s_per_byte.value,
        "interconnect": spec.interconnect_bytes_per_s.value / spec.memory_bytes_per_s.value,
    }
    return {name: (rate,) for name, rate in made.items()} | {
        "copy": tuple(c / fastest for c in copies),
        "copy by itself": tuple(copies),
    }


@pytest.mark.parametrize("machine", MACHINES)
def test_rates_are_those_of_the_machines_that_come_with_collscope(machine: str) -> None:
    for name, rate in rates(find.load_spec(machine)).items():
        assert PRIORS[name].machines[machine] == pytest.approx(rate, rel=0.02), name


@pytest.mark.parametrize("machine", MACHINES)
def test_a_memory_may_carry_one_message_and_no_more_whatever_others_have(machine: str) -> None:
    """A single message may need all of it, as on no machine that was seen, or on the one that is left out."""
    assert priors.ranges(machine)["memory"][0] == 1.0 < min(PRIORS["memory"].machines[machine])


def within_a_node() -> Iterator[tuple[float, float, int]]:
    """The sender's and the receiver's parts, and the bytes."""
    curve = find.load_spec("orfeo_epyc").curve
    for name in WITHIN:
        for size in (SMALL, 512, 4096, 16384, 65536):
            yield spent(curve[name], size, "gap"), spent(curve[name], size, "receive_gap"), size


def test_processors_of_orfeo_epyc_are_within_their_ranges() -> None:
    limits = priors.ranges()
    for send, receive, size in within_a_node():
        low, _, high = limits["busy inside" if size == SMALL else "busy inside byte"]
        assert (low if size == SMALL else limits["busy inside"][0]) <= send + receive <= high + 0.02, size
        assert limits["sender inside"][0] <= send / (send + receive) <= limits["sender inside"][2], size
    curve = find.load_spec("orfeo_epyc").curve["network"]
    assert spent(curve, SMALL, "gap") == pytest.approx(PRIORS["send network"].machines["orfeo_epyc"][0], abs=0.01)
    assert spent(curve, SMALL, "receive_gap") == pytest.approx(0, abs=0.01)
    for size in (4096, 16384, 65536):
        assert limits["send network byte"][0] <= spent(curve, size, "gap") <= limits["send network byte"][2], size
    spec = find.load_spec("orfeo_epyc")
    gap, latency = spec.nic_gap_s, spec.curve["network"][0].latency.value
    assert (
        gap.range
        and PRIORS["nic"].range()[2] >= gap.range[1] / latency - 0.005
        and gap.value / latency == pytest.approx(PRIORS["nic"].range()[1], abs=0.005)
    )


def test_messages_that_wait_on_orfeo_epyc_are_within_their_range() -> None:
    spec, (low, _, high) = find.load_spec("orfeo_epyc"), priors.ranges()["waiting"]
    for name, pieces in spec.curve_nonblocking.items():
        for size in (16384, 65536):
            assert low <= seconds(pieces, size) / seconds(spec.curve[name], size) <= high, (name, size)


def test_a_range_goes_beyond_its_samples_and_can_leave_a_machine_out() -> None:
    prior = Prior("", {"a": (0.2, 0.4), "b": (0.9,)}, greatest=1.0)
    assert prior.range() == (0.2 / BEYOND, 0.4, 1.0)
    assert prior.range(without="b") == pytest.approx((0.2 / BEYOND, 0.3, 0.4 * BEYOND))
    assert set(priors.ranges("orfeo_epyc")) == set(priors.ranges()) and priors.ranges("orfeo_epyc") != priors.ranges()


def test_every_machine_has_its_source() -> None:
    assert {machine for prior in PRIORS.values() for machine in prior.machines} == set(priors.SOURCES)
