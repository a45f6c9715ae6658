"""collscope.machines.machine: what follows from a machine's numbers, and the numbers that follow from a specification."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.base.number import Number
from collscope.machines.machine import Machine, wire_curve
from collscope.machines.spec import CLASSES, Piece, Spec
from collscope.machines.spec_reader import parse_spec
from made_platforms import ELEMENTS, curve, machine, rows


@pytest.mark.parametrize(
    ("fields", "has_kinds"),
    [
        ({}, False),
        ({"own_eager_nonblocking": 0}, True),
        ({"in_order": True}, True),
        ({"nic_gap_s": 1e-7}, True),
        ({"first_touch_s_per_byte": 1e-10}, False),
        ({"curve_nonblocking": {"node": curve((0, 1e-6, 1e-9, 1.0))}}, True),
        ({"receive_gap": {"node": ((0, 1e-7, 0.0),)}}, True),
        ({"curves": {"node": curve((0, 1e-6, 1e-9, 1.0, 1e-7, 0.0))}}, True),
    ],
)
def test_it_matters_how_a_message_was_posted_where_a_number_says_so(fields: dict[str, Any], has_kinds: bool) -> None:
    assert machine(**fields).has_kinds is has_kinds


def test_a_ping_pong_takes_the_curve_and_the_overheads_that_it_does_not_contain() -> None:
    """Of two pieces, the second has a gap, which contains its sender's overhead; above 100 bytes nothing is added."""
    node = curve((0, 1e-6, 1e-9, 2.0), (64, 2e-6, 5e-10, 1.0, 1e-7, 1e-11))
    made = machine({"node": node}, eager_bytes=100, overhead_s=1e-7)
    times = {63: 1e-6 + 63e-9 + 2e-7, 64: 2e-6 + 32e-9 + 1e-7, 100: 2e-6 + 50e-9 + 1e-7, 101: 2e-6 + 50.5e-9}
    assert {n: made.half_round_trip_s("node", n) for n in times} == pytest.approx(times)


@pytest.mark.parametrize(
    ("pairs", "far"),
    [
        ([(0, 1)], False),
        ([(0, 1), (0, 2)], True),
        ([(0, 1), (0, 2), (1, 2)], False),
        ([(0, 1), (0, 1), (0, 2), (1, 2)], False),
        ([(0, 1), (1, 0), (0, 2)], True),
        ([], False),
    ],
)
def test_sockets_are_far_where_not_all_are_joined(pairs: list[tuple[int, int]], far: bool) -> None:
    made = Machine("", "", {}, socket_links=tuple(pairs))
    assert (made.far, "far" in made.classes) == (far, far)


# ---- curves without overheads -----------------------------------------------------------------------------


def piece(start: int, latency: float, s_per_byte: float, traffic: float = 1.0) -> Piece:
    return Piece(start, Number(latency), Number(s_per_byte), Number(traffic))


def wire(*pieces: Piece, overhead: float = 1e-7) -> list[tuple[float, ...]]:
    curves = dict.fromkeys(CLASSES, pieces)
    return rows(
        wire_curve(Spec("x", 2, 2, 4, 2, "", curves, overhead_s=Number(overhead), eager_bytes=Number(1000)), "node")
    )


def test_overheads_are_taken_out_of_eager_messages_alone() -> None:
    """The last eager message has `eager_bytes`; what is longer by a byte waits for its receive, and no overhead is charged."""
    first = piece(0, 1e-6, 1e-9)
    assert wire(first) == [(0, pytest.approx(8e-7), 1e-9, 1.0), (1001, 1e-6, 1e-9, 1.0)]
    assert wire(first, piece(1001, 2e-6, 5e-10))[1:] == [(1001, 2e-6, 5e-10, 1.0)]
    later = wire(first, piece(1000, 2e-6, 5e-10, 3.0))
    assert later[1:] == [(1000, pytest.approx(1.8e-6), 5e-10, 3.0), (1001, 2e-6, 5e-10, 3.0)]
    assert [start for start, *_ in wire(first, overhead=0.0)] == [0]
    assert wire(piece(0, 1e-7, 1e-9))[0][1] == 0, "never less than nothing"


def test_a_gap_stays_in_and_a_nonblocking_curve_contains_its_senders_overhead_in_any_size() -> None:
    made = parse_spec(ELEMENTS, "")
    assert rows(wire_curve(made, "cache"))[0][:2] == (0, pytest.approx(2.5e-7))
    assert [p.start for p in wire_curve(made, "socket")] == [0, 4096, 65537]
    first, above, later, *_ = rows(wire_curve(made, "socket", nonblocking=True))
    assert first[:2] == (0, pytest.approx(4e-7)), "both overheads"
    assert above[:2] == (901, pytest.approx(4.5e-7)), "the sender's, where it waits"
    assert later == (2048, 1.1e-6, 1.7e-10, 1.0, 3e-7, 0.0)
