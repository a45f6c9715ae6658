"""What is made of observed events: times of messages, and what ranks do between them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from collscope.base import programs
from collscope.base.errors import UserError
from collscope.commands import show_page
from collscope.figures.schedule import kinds
from collscope.figures.schedule.gantt import alone_s, taken_s
from collscope.points.plan import Point
from collscope.schedules import ask, one_port, trace
from collscope.schedules.observed import Event, Observed, Run
from collscope.schedules.retimed import retimed

pytestmark = pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")


def pair(send: tuple[float, float], receive: tuple[float, float], kind: str = "send") -> Observed:
    """One message of 8 bytes from rank 0 to rank 1."""
    s = Event(kind, 1, 0, 8, send[0], send[1], send[1])
    r = Event("recv", 0, 0, 8, receive[0], receive[1], receive[1])
    return Observed(((s,), (r,)), (0.0, 0.0), (send[1], receive[1]), 0.0)


def drawn(o: Observed) -> trace.Trace:
    recorded = ask.traces([Point("bcast", "bcast/linear", 2)], 2, one_port.telephone(2, 1), "")[0]
    run = Run((o,), (max(o.end_s),), ((0, 0, 0), (0, 0, 0)), "", "")
    return retimed(recorded, run, "real", "")


def spans(t: trace.Trace, kind: str) -> list[tuple[int, float, float]]:
    return [(s.rank, s.start_s, s.end_s) for s in t.spans if s.kind == kind]


def test_a_send_waits_for_its_receiver() -> None:
    t = drawn(pair((1.0, 5.0), (3.0, 6.0)))
    assert (t.messages[0].start_s, t.messages[0].end_s) == (3.0, 6.0)
    assert spans(t, "blocked") == [(0, 1.0, 3.0)]
    assert spans(t, "wait") == []


def test_a_receive_waits_for_its_sender() -> None:
    t = drawn(pair((4.0, 5.0), (1.0, 6.0)))
    assert (t.messages[0].start_s, t.messages[0].end_s) == (4.0, 6.0)
    assert spans(t, "wait") == [(1, 1.0, 4.0)]
    assert spans(t, "blocked") == []


def test_a_buffered_message_is_alone_until_it_is_received() -> None:
    t = drawn(pair((1.0, 2.0), (5.0, 6.0)))
    assert spans(t, "post") == [(0, 1.0, 2.0)]
    assert alone_s(t.messages[0]) == (2.0, 6.0)
    assert taken_s(t.messages[0]) == 5.0
    assert spans(t, "wait") == spans(t, "blocked") == []


def test_a_real_sender_is_free_when_its_call_is_over() -> None:
    """Where the library took the message, and the receiver, who was there, has it later."""
    t = drawn(pair((2.0, 3.0), (1.0, 6.0)))
    assert (t.messages[0].start_s, t.messages[0].end_s) == (2.0, 6.0)
    assert alone_s(t.messages[0]) == (3.0, 6.0)


def test_clocks_that_disagree_are_told_not_mended() -> None:
    o = replace(pair((3.0, 4.0), (1.0, 2.0)), clock_error_s=2.0)
    t = drawn(o)
    assert t.backwards == 1
    assert (t.messages[0].start_s, t.messages[0].end_s) == (3.0, 2.0)
    assert any("came before they were sent" in words for _, _, words in show_page.times([t]))
    assert kinds.draw([t], "gantt") is not None


def test_refuses_other_messages_than_the_schedules() -> None:
    o = pair((1.0, 2.0), (1.0, 2.0))
    with pytest.raises(UserError, match="rank 0 sent 1 messages of 8 bytes to rank 1, which received 0"):
        drawn(replace(o, events=(o.events[0], ())))
    with pytest.raises(UserError, match="lacks a message"):
        drawn(replace(o, events=((), ())))
    twice = replace(o, events=(o.events[0] * 2, o.events[1] * 2))
    with pytest.raises(UserError, match="schedule lacks"):
        drawn(twice)
