"""collscope.machines.machine: what follows from a machine's numbers, and the numbers that follow from a specification."""

from __future__ import annotations

from typing import Any

import pytest

from collscope.base.number import Number
from collscope.machines.machine import Machine, NicSocket, machine_of, wire_curve
from collscope.machines.spec import CLASSES, Piece, Spec
from collscope.machines.spec_reader import parse_spec
from made_platforms import ELEMENTS, LAYERED, PRIME, SQUARE, curve, machine, rows


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
        ([], False),
    ],
)
def test_sockets_are_far_where_not_all_are_joined(pairs: list[tuple[int, int]], far: bool) -> None:
    made = Machine("", "", {}, socket_links=tuple(pairs))
    assert (made.far, "far" in made.classes) == (far, far)


def test_a_specification_becomes_its_numbers() -> None:
    made = machine_of(parse_spec(PRIME, ""))
    assert (made.name, made.about, made.priced_by, made.classes) == ("prime", "primes", "plug-in", CLASSES)
    assert (made.eager_bytes, made.eager_nonblocking, made.overhead_s, made.core_bytes_per_s) == (
        1009,
        1009,
        1.3e-7,
        23e9,
    )
    assert made.links == {"core": 23e9, "memory": 41e9, "interconnect": 17e9, "nic": 5e9, "switch": 11e9}
    assert (made.network, made.nic, made.levels, made.lacks_network, made.oversubscribes) == (
        None,
        None,
        (),
        False,
        False,
    )
    layered = machine_of(parse_spec(LAYERED, ""))
    assert [(v.name, v.caches, v.bytes_per_s) for v in layered.levels] == [("ccd", 2, 0.0), ("numa", 4, 13e9)]
    assert (layered.nic, layered.links["across"]) == (NicSocket(1, 2, 1.3e-7), 11e9)
    assert machine_of(parse_spec(LAYERED.replace("nic_socket = 1", "nic_socket = 0"), "", {"sockets": "1"})).nic is None
    square = machine_of(parse_spec(SQUARE, ""))
    assert (square.socket_links, square.far) == (((0, 1), (0, 2), (1, 3), (2, 3)), True)
    alone = PRIME.partition("network = ")[0]
    assert machine_of(parse_spec(alone, "")).lacks_network
    assert not machine_of(parse_spec(alone.replace("nodes = 3", "nodes = 1"), "")).lacks_network
    least = "oversubscribe = true\n[least]\no = 1e-8\ng = 2e-8\nL = 3e-7\nG = 5e-11\ngamma = 7e-11\n[curve]"
    shared = machine_of(parse_spec(PRIME.replace("[curve]", least), ""))
    assert shared.oversubscribes and shared.least == {"o": 1e-8, "g": 2e-8, "L": 3e-7, "G": 5e-11, "gamma": 7e-11}


def test_features_of_a_node_become_numbers() -> None:
    made = machine_of(parse_spec(ELEMENTS, ""))
    assert (made.in_order, made.nic_gap_s, made.own_eager_nonblocking) == (True, 2e-7, 900)
    assert (made.first_touch_s_per_byte, made.fresh_from_bytes) == (3e-10, 2000)
    assert set(made.curve_nonblocking) == {"socket", "network"}
    assert made.receive_gap["socket"] == ((0, 0.0, 0.0), (4096, 2.3e-7, 0.0))
    assert made.receive_gap["cache"] == ((0, 9e-8, 0.0), (1024, 1.1e-7, 3e-11))
    plain = machine_of(parse_spec(PRIME, ""))
    assert (plain.own_eager_nonblocking, plain.curve_nonblocking, plain.receive_gap, plain.noise) == (None, {}, {}, {})
    assert (plain.in_order, plain.nic_gap_s, plain.first_touch_s_per_byte, plain.fresh_from_bytes) == (False, 0, 0, 0)
    noisy = PRIME + "[[noise.node]]\nfrom_bytes = 0\nquantiles_s = [[0, -1e-7], [1, 2e-6]]\n"
    assert machine_of(parse_spec(noisy, "")).noise == {"node": ((0, ((0.0, -1e-7), (1.0, 2e-6))),)}


def test_links_between_nodes_become_numbers_and_positions() -> None:
    torus = '[topology]\nkind = "torus"\ndims = [3, 2]\nlink_bytes_per_s = 9e9\nhop_latency_s = 1e-7\nallocation = "0-1+5"\n'
    made = machine_of(parse_spec(PRIME + torus, "")).network
    assert made and made.text == "torus 1e-07 9000000000.0 3 2" and made.runs == ((0, 2), (5, 1))
    assert made.positions(3) == [0, 1, 5] and made.positions(2) == [0, 1]
    dragonfly = torus.replace("torus", "dragonfly").replace("dims = [3, 2]", "groups = 3\nrouters = 2\nnodes_per_router = 1\n"
                                                            "global_bytes_per_s = 8e9")  # fmt: skip
    made = machine_of(parse_spec(PRIME + dragonfly, "")).network
    assert made and made.text == "dragonfly 1e-07 9000000000.0 8000000000.0 3 2 1"
    tree = torus.replace("torus", "fat_tree").replace(
        "dims = [3, 2]", "leaves = 3\nnodes_per_leaf = 4\noversubscription = 2"
    )
    made = machine_of(parse_spec(PRIME + tree, "")).network
    assert made and made.text == "fat_tree 1e-07 9000000000.0 3 4 2"


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
