"""collscope.schedules.modelled: the calls of ranks, from the prover's operations."""

from __future__ import annotations

import pytest

from collscope.schedules import modelled, one_port, trace
from collscope.schedules.observed import Costs, Event
from collscope.schedules.trace import Span
from made_trace import US, message

COSTS = Costs(50, 0.5)


def op(kind: str, peer: int, size: int, begin: float) -> list[object]:
    return [kind, 0, 0, 0, 0, peer, size, begin]


def row(size: int, label: int, end: float, send: int, recv: int, src: int = 0) -> list[object]:
    return [src, 1 - src, size, 1, label, 0.0, 0.0, end, send, recv]


def done(events: tuple[Event, ...]) -> list[tuple[str, int, int, float, float, float]]:
    return [(e.kind, e.peer, e.label, e.begin_s, e.end_s, e.done_s) for e in events]


def test_the_eager_limit_of_a_machine_file_is_read() -> None:
    assert modelled.costs_of("ports fluid\nclass eager 5 6\neager 4096\noverhead 1e-7\n") == Costs(4096, 1e-7)
    assert modelled.costs_of("ports fluid\n") == Costs(-1, 0.0)
    assert modelled.costs_of("ports fluid\neager 9\neager_nonblocking 7\n") == Costs(9, 0.0, 7)
    assert modelled.costs_of(one_port.telephone(4)) is None
    assert [Costs(8, 0.5).eager(size) for size in (8, 9)] == [True, False]
    assert [Costs(8, 0.5).taking(size) for size in (8, 9)] == [0.5, 0.0]


def test_a_wait_for_several_finds_each_through_when_it_is() -> None:
    """Eager sends at once, large ones at the end; received ones as they arrive, one after the other."""
    sends = [op("isend", 1, 8, 0.0), op("isend", 1, 100, 1.0), op("isend", 1, 8, 1.5), op("wait", 0, 2, 2.0)]
    sends += [op("wait", 1, 1, 2.0), op("wait", 2, 0, 2.0)]
    receives = [op("irecv", 0, 8, 0.0), op("irecv", 0, 100, 0.2), op("irecv", 0, 8, 0.3), op("wait", 0, 2, 0.4)]
    receives += [op("wait", 1, 1, 0.4), op("wait", 2, 0, 0.4), op("reduce", 0, 100, 6.0)]
    reply = {
        "rank_end_s": [6.5, 7.0],
        "operations": [sends, receives],
        "messages": [row(8, 4, 3.0, 0, 0), row(100, 5, 6.0, 1, 1), row(8, 6, 3.0, 2, 2)],
    }
    o = modelled.observed(reply, COSTS)
    assert (o.start_s, o.end_s) == ((0.0, 0.0), (6.5, 7.0))
    assert done(o.events[0]) == [
        ("isend", 1, 4, 0.0, 1.0, 2.0),
        ("isend", 1, 5, 1.0, 1.5, 6.0),
        ("isend", 1, 6, 1.5, 2.0, 2.0),
        ("wait", -1, 0, 2.0, 6.5, 6.5),
    ]
    assert done(o.events[1]) == [
        ("irecv", 0, 4, 0.0, 0.2, 3.5),
        ("irecv", 0, 5, 0.2, 0.3, 6.0),
        ("irecv", 0, 6, 0.3, 0.4, 4.0),
        ("wait", -1, 0, 0.4, 6.0, 6.0),
        ("reduce", 0, 0, 6.0, 7.0, 7.0),
    ]
    assert [e.bytes for e in o.events[1]] == [8, 100, 8, 0, 100]


def test_a_wait_for_a_nonblocking_send_and_its_receive_goes_by_the_limit_of_such_sends() -> None:
    waits = [op("wait", 0, 1, 2.0), op("wait", 1, 0, 2.0)]
    reply = {
        "rank_end_s": [6.5, 7.0],
        "operations": [[op(kind, 1, 8, 0.0), op(kind, 1, 8, 1.0), *waits] for kind in ("isend", "irecv")],
        "messages": [row(8, 0, 4.0, 0, 0), row(8, 0, 6.0, 1, 1)],
    }
    for limit, sent, received in (
        (None, [2.0, 2.0], [4.5, 6.5]),
        (8, [2.0, 2.0], [4.5, 6.5]),
        (7, [4.0, 6.0], [4.0, 6.0]),
    ):
        o = modelled.observed(reply, Costs(50, 0.5, limit))
        assert [[e.done_s for e in events[:2]] for events in o.events] == [sent, received]


def test_a_sendrecv_is_one_call() -> None:
    ops = [op("isend", 1, 8, 0.0), op("irecv", 1, 8, 0.5), op("wait", 0, 1, 1.0), op("wait", 1, 0, 1.0)]
    reply = {
        "rank_end_s": [5.0, 5.0],
        "operations": [ops, ops],
        "messages": [row(8, 0, 4.0, 0, 1), row(8, 0, 4.0, 0, 1, 1)],
    }
    assert [e.done_s for e in modelled.observed(reply, COSTS).events[0]] == [5.0, 5.0, 5.0]


def test_two_receives_that_are_waited_for_at_once_end_one_after_the_other() -> None:
    """Unlike the halves of a sendrecv."""
    waits = [op("wait", 0, 1, 1.0), op("wait", 1, 0, 1.0)]
    sends, receives = ([op(kind, 1, 8, begin) for begin in (0.0, 0.5)] for kind in ("isend", "irecv"))
    reply = {
        "rank_end_s": [5.0, 5.0],
        "operations": [receives + waits, sends + waits],
        "messages": [row(8, 0, 3.0, 0, 0, 1), row(8, 0, 4.0, 1, 1, 1)],
    }
    assert [e.done_s for e in modelled.observed(reply, COSTS).events[0]] == [3.5, 4.5, 5.0]


@pytest.mark.parametrize(
    ("kind", "visited", "peer", "label", "size"),
    [
        ("seg_read", "read", -1, 0, 8),
        ("seg_write", "write", -1, 0, 8),
        ("await", "await", -1, 0, 0),
        ("recv_any", "recv", 0, 7, 8),  # noted with the rank that it got
    ],
)
def test_operations_have_the_names_of_a_runs(kind: str, visited: str, peer: int, label: int, size: int) -> None:
    reply = {
        "rank_end_s": [1.0, 3.0],
        "operations": [[op("send", 1, 8, 0.0)], [op(kind, -1, 8, 2.0)]],
        "messages": [row(8, 7, 3.0, 0, 0)] if kind == "recv_any" else [],
    }
    (event,) = modelled.observed(reply, COSTS).events[1]
    assert event == Event(visited, peer, label, size, 2.0, 3.0, 3.0)


def test_an_idle_rank_waits() -> None:
    waits = trace.idle([message(0, 1, 1, 1.0, 2.0)], [Span(0, "reduce", 2 * US, 3 * US)], [5 * US, 2 * US])
    found = [(s.kind, s.rank, round(s.start_s / US), round(s.end_s / US)) for s in waits]
    assert found == [("wait", 0, 0, 1), ("wait", 0, 3, 5), ("wait", 1, 0, 1)]
