"""collscope.schedules.retimed: what is made of observed events: times of messages, and what ranks do between them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.commands import show_page
from collscope.figures.schedule import kinds
from collscope.figures.schedule.gantt import alone_s, taken_s
from collscope.points.plan import Point
from collscope.schedules import one_port, record, trace
from collscope.schedules.observed import Costs, Event, Observed, Run
from collscope.schedules.retimed import _in_parts, _transfers, retimed
from made_trace import made_trace, message

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def pair(send: tuple[float, float], receive: tuple[float, float], kind: str = "send") -> Observed:
    """One message of 8 bytes from rank 0 to rank 1."""
    s = Event(kind, 1, 0, 8, send[0], send[1], send[1])
    r = Event("recv", 0, 0, 8, receive[0], receive[1], receive[1])
    return Observed(((s,), (r,)), (0.0, 0.0), (send[1], receive[1]), 0.0)


def drawn(o: Observed, costs: Costs | None = None) -> trace.Trace:
    recorded = record.traces([Point("bcast", "bcast/linear", 2)], 2, one_port.telephone(2, 1), "")[0]
    run = Run((o,), (max(o.end_s),), ((0, 0, 0), (0, 0, 0)), "", "")
    return retimed(recorded, run, "real", "", costs)


def test_disagreeing_clocks_are_reported_not_corrected() -> None:
    o = replace(pair((3.0, 4.0), (1.0, 2.0)), clock_error_s=2.0)
    t = drawn(o)
    assert t.backwards == 1
    assert (t.messages[0].start_s, t.messages[0].end_s) == (3.0, 2.0)
    assert any("came before they were sent" in words for _, _, words in show_page.times([t]))
    assert kinds.draw([t], "gantt") is not None


# ---- the same by rules of a model ---------------------------------------------------------------------------

EAGER, LARGE = Costs(8, 0.5), Costs(7, 0.5)  # of the message of 8 bytes
APART = Costs(8, 0.5, 7)  # eager from send, large from isend


@pytest.mark.parametrize(
    ("costs", "send", "receive", "times", "free", "found"),
    [
        # An eager send is over when it is posted; half a second before its receive ends it is there.
        (EAGER, ("send", 1.0, 1.5, 1.5), (0.0, 4.0), (1.5, 3.5), 1.5,
         {("post", 0, 1.0, 1.5), ("take", 1, 3.5, 4.0), ("wait", 1, 0.0, 1.5)}),
        # It was there before it was asked for.
        (EAGER, ("send", 1.0, 1.5, 1.5), (3.8, 4.0), (1.5, 3.8), 1.5, {("post", 0, 1.0, 1.5), ("take", 1, 3.8, 4.0)}),
        # A large one waits for its receive.
        (LARGE, ("send", 1.0, 4.0, 4.0), (2.0, 4.0), (2.0, 4.0), None, {("blocked", 0, 1.0, 2.0)}),
        (LARGE, ("send", 2.0, 4.0, 4.0), (1.0, 4.0), (2.0, 4.0), None, {("wait", 1, 1.0, 2.0)}),
        (LARGE, ("isend", 1.0, 1.5, 4.0), (2.0, 4.0), (2.0, 4.0), None, {("post", 0, 1.0, 1.5)}),
        (LARGE, ("isend", 1.0, 1.5, 4.0), (1.2, 4.0), (1.5, 4.0), None, {("post", 0, 1.0, 1.5), ("wait", 1, 1.2, 1.5)}),
        # An eager send takes its time; that its receiver comes later is nothing to it.
        (EAGER, ("send", 1.0, 3.0, 3.0), (2.0, 6.0), (3.0, 5.5), 3.0,
         {("post", 0, 1.0, 3.0), ("wait", 1, 2.0, 3.0), ("take", 1, 5.5, 6.0)}),
        # A non-blocking send has an eager limit of its own.
        (APART, ("isend", 1.0, 1.5, 4.0), (2.0, 4.0), (2.0, 4.0), None, {("post", 0, 1.0, 1.5)}),
        (APART, ("send", 1.0, 1.5, 1.5), (3.8, 4.0), (1.5, 3.8), 1.5, {("post", 0, 1.0, 1.5), ("take", 1, 3.8, 4.0)}),
        # Of a real run nothing is known but calls: it was free when its send was over.
        (None, ("send", 1.0, 5.0, 5.0), (3.0, 6.0), (3.0, 6.0), 5.0, {("blocked", 0, 1.0, 3.0)}),
        (None, ("send", 4.0, 5.0, 5.0), (1.0, 6.0), (4.0, 6.0), 5.0, {("wait", 1, 1.0, 4.0)}),
        (None, ("send", 1.0, 2.0, 2.0), (5.0, 6.0), (2.0, 6.0), 2.0, {("post", 0, 1.0, 2.0)}),
        (None, ("send", 2.0, 3.0, 3.0), (1.0, 6.0), (2.0, 6.0), 3.0, {("wait", 1, 1.0, 2.0)}),
        (None, ("isend", 1.0, 1.5, 3.0), (2.0, 6.0), (2.0, 6.0), 3.0, {("post", 0, 1.0, 1.5)}),
        (None, ("isend", 1.0, 1.5, 2.0), (2.0, 6.0), (1.5, 6.0), 1.5, {("post", 0, 1.0, 1.5)}),
    ],
)  # fmt: skip
def test_a_message_is_in_flight_from_its_post_to_its_arrival(
    costs: Costs | None,
    send: tuple[str, float, float, float],
    receive: tuple[float, float],
    times: tuple[float, float],
    free: float | None,
    found: set[tuple[str, int, float, float]],
) -> None:
    events = (Event(send[0], 1, 0, 8, *send[1:]),), (Event("recv", 0, 0, 8, *receive, receive[1]),)
    t = drawn(Observed(events, (0.0, 0.0), (send[2], receive[1]), 0.0), costs)
    (m,) = t.messages
    assert (m.start_s, m.end_s, m.sent_s, m.requested_s) == (*times, free, receive[0])
    assert {(s.kind, s.rank, s.start_s, s.end_s) for s in t.spans} == found
    assert costs or (alone_s(m), taken_s(m)) == ((free, times[1]), max(times[0], receive[0]))


def test_a_sendrecv_is_an_isend_an_irecv_and_a_wait() -> None:
    both = Event("send", 1, 0, 8, 1.0, 4.0, 4.0), Event("recv", 2, 0, 16, 1.0, 4.0, 4.0)
    later = replace(both[1], begin_s=4.0, end_s=5.0)
    parts = list(_in_parts([*both, later], EAGER))
    assert [(e.kind, e.peer, e.begin_s, e.end_s, e.done_s) for e in parts] == [
        ("isend", 1, 1.0, 1.5, 4.0),
        ("irecv", 2, 1.5, 1.5, 4.0),
        ("wait", -1, 1.5, 4.0, 4.0),
        ("recv", 2, 4.0, 5.0, 4.0),
    ]
    assert [e.end_s for e in _in_parts(both, None)] == [1.0, 1.0, 4.0]


def test_work_and_waits_of_ranks() -> None:
    """Copies out of one's own segment are work; what another's segment gives is on its way."""
    o = pair((1.0, 2.0), (3.0, 4.0))
    first = [
        ("reduce", 9, 2.0, 3.0),
        ("copy", 9, 3.0, 3.0),
        ("read", 0, 3.0, 4.0),
        ("write", 1, 4.0, 5.0),
        ("wait", -1, 5.0, 6.0),
    ]
    more = tuple(Event(kind, peer, 0, 8, a, b, b) for kind, peer, a, b in first)
    t = drawn(replace(o, events=(o.events[0] + more, o.events[1])))
    found = {(s.kind, s.rank, s.start_s, s.end_s) for s in t.spans if s.kind != "post"}
    assert found == {("reduce", 0, 2.0, 3.0), ("copy", 0, 3.0, 4.0), ("wait", 0, 5.0, 6.0)}


def test_a_rank_waits_although_a_message_that_it_requests_later_is_in_flight() -> None:
    o = pair((1.0, 1.5), (5.0, 6.0))
    t = drawn(replace(o, events=(o.events[0], (Event("wait", -1, 0, 0, 2.0, 3.0, 3.0), *o.events[1]))))
    assert (t.messages[0].start_s, t.messages[0].end_s) == (1.5, 6.0)
    assert [(s.rank, s.start_s, s.end_s) for s in t.spans if s.kind == "wait"] == [(1, 2.0, 3.0)]


def test_transfers_are_those_of_the_record_in_their_order() -> None:
    """A write is its source's; a flag is under way from when it was last set."""
    rows = {"seg_write": ["seg_write", 0, 0, 0, 0, 1, 8, 0.0], "await": ["await", 0, 0, 0, 0, 0, 0, 0.0]}
    record = made_trace(
        messages=(),
        transfers=(
            message(0, 1, 1, 0.0, 0.0, shared=True, send=1, recv=9),
            message(0, 1, 1, 0.0, 0.0, shared=True, recv=0),
        ),
        raw={"operations": [[["publish", 0, 0, 0, 0, 0, 0, 0.0], rows["seg_write"]], [rows["await"]], [], []]},
    )

    def at(kind: str, peer: int, begin: float, end: float) -> Event:
        return Event(kind, peer, 0, 0, begin, end, end)

    mine = (
        at("publish", 0, 0.0, 1.0),
        at("publish", 0, 1.5, 2.0),
        at("publish", 1, 2.0, 2.5),
        at("write", 1, 2.0, 4.0),
        at("publish", 0, 4.0, 5.0),
    )
    o = Observed((mine, (at("await", 0, 0.5, 3.0),), (), ()), (0.0,) * 4, (5.0,) * 4, 0.0)
    made = _transfers(record, o)
    assert [(m.start_s, m.end_s) for m in made] == [(2.0, 4.0), (2.0, 3.0)]
    with pytest.raises(UserError, match="rank 1 used its segments otherwise"):
        _transfers(record, replace(o, events=(mine, (), (), ())))
