"""collscope.schedules.record, collscope.schedules.trace, collscope.schedules.holdings, collscope.schedules.observed,
collscope.schedules.retimed:
what is made of the prover's replies and of a run's calls, from replies that are made by hand: no program is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from collscope.base.errors import UserError
from collscope.catalogue import registry
from collscope.points.plan import Layout, Point
from collscope.schedules import critical_path, holdings, observed, record, retimed, trace
from collscope.schedules.critical_path import Segment
from collscope.schedules.holdings import Holdings
from collscope.schedules.observed import Event, Observed, Run
from collscope.schedules.trace import Message, Span, Trace
from made_trace import US, made_trace, message


@pytest.fixture(autouse=True)
def _known(known: registry.Registry) -> None:
    """The small registry."""


# ---- holdings ---------------------------------------------------------------------------------------------


def held(
    monkeypatch: pytest.MonkeyPatch,
    collective: str,
    reply_: dict[str, Any] | None,
    counts: str = "uniform",
    **more: Any,
) -> Holdings | None:
    """Of two ranks with blocks of two elements of 4 bytes."""
    requests: list[tuple[Any, ...]] = []

    def reply(*words: Any) -> list[dict[str, Any]]:
        requests.append(words)
        return [{"kind": "ok", "holdings": reply_}]

    monkeypatch.setattr(record, "reply", reply)
    point = Point(collective, f"{collective}/a", 2, counts=counts)
    t = made_trace(collective=collective, ranks=2, count=2, elem=4, point=point, machine="m", **more)
    made = holdings.after_rounds(t)
    assert requests == [([point], 2, "m", "--holdings")]
    return made


def columns(made: Holdings | None) -> list[list[list[int]]]:
    assert made is not None
    return [[list(map(int, row)) for row in panel] for panel in made.state]


def test_stretches_become_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a round rank 0 has both blocks, rank 1 its own and half of the other's."""
    rounds = [[[0, 8, 1], [8, 16, 1]], [[0, 16, 1], [0, 4, 1, 8, 16, 1]]]
    made = held(monkeypatch, "allgather", {"width": 16, "rounds": rounds, "combines": False, "sets": []})
    assert columns(made) == [[[1, 1, 0], [0, 0, 1]], [[1, 1, 1], [1, 0, 1]]]
    assert made and made.block_bytes == (4, 4, 8)


def test_neighbours_that_go_together_are_one_column_but_not_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {"width": 16, "rounds": [[[0, 16, 1], []]], "combines": False, "sets": []}
    made = held(monkeypatch, "allgather", whole)
    assert columns(made) == [[[1, 1], [0, 0]]] and made and made.block_bytes == (8, 8)
    uneven = held(monkeypatch, "allgatherv", whole, "linear")
    assert uneven and len(uneven.block_bytes) == 2 and sum(uneven.block_bytes) == 16
    made = held(monkeypatch, "bcast", whole)
    assert columns(made) == [[[1], [0]]] and made and made.block_bytes == (16,)
    personal = held(monkeypatch, "alltoall", whole)
    assert personal and personal.what == "blocks from each rank"
    for name in ("scatter", "gather", "rotation", "allgather", "bcast"):
        named = held(monkeypatch, name, whole)
        assert named and named.what == "blocks of the vector", name


def test_sets_are_ranks_whose_data_has_gone_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of ranks 0 to 1, and of 1 and 3 to 4."""
    reply_ = {"width": 8, "rounds": [[[0, 8, 1], [0, 8, 2]]], "combines": True, "sets": [[], [0, 1], [1, 1, 3, 4]]}
    made = held(monkeypatch, "allreduce", reply_)
    assert made and (made.sets, made.most, made.combines) == ((0, 0b11, 0b11010), 3, True)
    assert made.share.tolist() == [[[pytest.approx(2 / 3)], [1.0]]]


def test_nothing_to_hold_and_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    assert held(monkeypatch, "bcast", None) is None
    reply_: dict[str, Any] = {"width": 0, "rounds": [[[], []]], "combines": False, "sets": []}
    assert held(monkeypatch, "bcast", reply_) is None
    reply_ = {"width": 1, "rounds": [[[0, 1, 1], []]] * 3, "combines": False, "sets": []}
    monkeypatch.setattr(holdings, "MAX_CELLS", 6)
    assert held(monkeypatch, "bcast", reply_) is not None
    monkeypatch.setattr(holdings, "MAX_CELLS", 5)
    assert held(monkeypatch, "bcast", reply_) is None
    monkeypatch.setattr(record, "reply", lambda *_: [{"kind": "unsupported", "status": "no"}])
    with pytest.raises(UserError, match="^bcast/mst: no$"):
        holdings.after_rounds(made_trace(point=Point("bcast", "bcast/a", 2)))
    with pytest.raises(UserError, match="^bcast/mst: this trace does not know its point$"):
        holdings.after_rounds(made_trace())


# ---- traces -----------------------------------------------------------------------------------------------


def test_a_trace_is_what_the_reply_says() -> None:
    """A message of round 0 counts as of the first; a transfer is under way once it is asked for and posted."""
    reply: dict[str, Any] = {
        "kind": "ok", "chose": None, "elem": 4, "model_s": 9.0, "cost_s": 8.0, "exact": 1, "rounds": 2, "spans": [[1, "reduce", 5.0, 6.0]],
        "messages": [[0, 1, 64, 0, 7, 1.0, 2.0, 3.0, 4, 5]],
        "transfers": [[1, 0, 32, 2, 7, 4.0, 3.0, 5.0, 6, 7], [1, 0, 32, 2, 7, 2.0, 3.0, 5.0, 6, 7]], "rank_end_s": [9.0, 6.0],
    }  # fmt: skip
    point = Point("bcast", "bcast/a", 16, root=1)
    made = record.read(reply, point, 2, (0, 1), "here")
    assert made == Trace(
        key="bcast/a", chose="", collective="bcast", ranks=2, count=16, elem=4, root=1, time_s=9.0, cost_s=8.0, exact=True, rounds=2,
        messages=(Message(0, 1, 64, 1, 2.0, 3.0, 4, 5),),
        transfers=(Message(1, 0, 32, 2, 4.0, 5.0, 6, 7, True), Message(1, 0, 32, 2, 3.0, 5.0, 6, 7, True)),
        spans=(
            Span(1, "reduce", 5.0, 6.0), Span(0, "wait", 0.0, 2.0), Span(0, "wait", 5.0, 9.0), Span(1, "wait", 0.0, 2.0),
        ),
        rank_end_s=(9.0, 6.0), nodes=(0, 1), where="here",
    )  # fmt: skip
    assert made.raw is reply and made.point is point and made.vector_bytes == 64 and made.source == "model"
    none = {**reply, "rounds": 0, "chose": "bcast/b", "exact": 0}
    assert [record.read(r, point, 2, (), "").rounds for r in (none, {**none, "messages": []})] == [1, 1]
    silent = record.read({**none, "messages": [], "transfers": []}, point, 2, (), "")
    assert (silent.rounds, silent.chose, silent.exact) == (0, "bcast/b", False)
    with pytest.raises(UserError, match="^bcast/a on 2 ranks, count 16: too much$"):
        record.read({**reply, "kind": "unsupported", "status": "too much"}, point, 2, (), "")


def test_slivers_are_nothing_and_backward_messages_are_counted() -> None:
    assert trace.without([(0.0, 1.0)], [(0.5e-9, 1.0 - 0.5e-9)]) == []
    assert trace.without([(0.0, 1.0)], [(2e-9, 1.0 - 2e-9)]) == [(0.0, 2e-9), (1.0 - 2e-9, 1.0)]
    assert trace.without([(1.0, 2.0)], [(0.0, 1.0), (2.0, 3.0)]) == [(1.0, 2.0)]
    assert trace.without([(0.0, 10.0)], [(2.0, 3.0), (2.5, 4.0), (9.0, 12.0)]) == [(0.0, 2.0), (4.0, 9.0)]
    assert trace.without([(0.0, 1.0)], []) == [(0.0, 1.0)]
    assert trace.without([(0.0, 2.0), (3.0, 4.0)], [(1.0, 3.5), (1.5, 1.6)]) == [(0.0, 1.0), (3.5, 4.0)]
    back = made_trace(
        messages=(message(0, 1, 1, 2.0, 1.0), message(0, 1, 1, 1.0, 1.0)), transfers=(message(1, 0, 1, 3.0, 2.0),)
    )
    assert back.backwards == 2 and len(back.arrows) == 3


def test_a_transfer_is_taken_by_its_receiver_where_it_reads() -> None:
    rows = [
        ["seg_read", 0, 0, 0, 0, 0, 8, 0.0],
        ["await", 0, 0, 0, 0, 0, 0, 0.0],
        ["seg_read", 0, 0, 0, 0, 2, 8, 0.0],
        ["seg_write", 0, 0, 0, 0, 0, 8, 0.0],
    ]
    t = made_trace(raw={"operations": [[], rows, [], []]})
    taken = [trace.taken_by_receiver(t, message(0, 1, 1, 0.0, 1.0, recv=at)) for at in range(5)]
    assert taken == [True, True, False, False, False], "read from the source, or waited for it"


# ---- a run's calls ----------------------------------------------------------------------------------------


def at(kind: str, peer: int, begin: float, end: float, label: int = 0, size: int = 8) -> Event:
    return Event(kind, peer, label, size, begin, end, end)


def run(*events: Iterable[Event], chose: str = "") -> Run:
    one = Observed(tuple(map(tuple, events)), (0.0,) * len(events), (9.0,) * len(events), 0.5)
    return Run((one, replace(one, clock_error_s=0.25)), (7.0, 9.0), (), chose, "")


def recorded(*sizes: int) -> Trace:
    """Messages of these bytes from rank 0 to rank 1, with labels 0, 1, …"""
    rows = [[0, 1, n, 1, label, 0.0, 0.0, 0.0, label, label] for label, n in enumerate(sizes)]
    messages = tuple(message(0, 1, 1, 0.0, 0.0, bytes=n) for n in sizes)
    return made_trace(
        ranks=2, messages=messages, transfers=(), spans=(), raw={"messages": rows, "operations": [[], []]}
    )


def test_messages_find_each_other_by_ranks_label_and_bytes_in_their_order() -> None:
    sends = [at("send", 1, 1.0, 2.0, 1, 16), at("isend", 1, 2.0, 3.0), at("send", 1, 3.0, 4.0)]
    receives = [at("irecv", 0, 0.0, 5.0), at("recv", 0, 5.0, 6.0, 1, 16), at("recv", 0, 6.0, 7.0)]
    found = retimed.matched(run(sends, receives).repetitions[0])
    assert found == {
        (0, 1, 1, 16): [(sends[0], receives[1])],
        (0, 1, 0, 8): [(sends[1], receives[0]), (sends[2], receives[2])],
    }
    with pytest.raises(UserError, match="^rank 0 sent 2 messages of 8 bytes to rank 1, which received 1$"):
        retimed.matched(run(sends, receives[:2]).repetitions[0])
    with pytest.raises(UserError, match="^rank 0 sent 0 messages of 8 bytes to rank 1, which received 2$"):
        retimed.matched(run(sends[:1], receives).repetitions[0])


def test_a_run_lends_its_times_to_the_schedule() -> None:
    of = run([at("send", 1, 1.0, 2.0)], [at("recv", 0, 3.0, 5.0)])
    made = retimed.retimed(recorded(8), of, "real", "there")
    assert (made.time_s, made.source, made.where, made.clock_error_s) == (7.0, "real", "there", 0.5), (
        "the median of two"
    )
    assert (made.rank_start_s, made.rank_end_s) == ((0.0, 0.0), (9.0, 9.0))
    assert retimed.retimed(recorded(8), of, "real", "", which=1).clock_error_s == 0.25
    for schedule, reply_ in (
        (recorded(16), "bcast/mst: the run lacks a message that the schedule has, 16 bytes from 0 to 1"),
        (recorded(), "bcast/mst: the run has a message that the schedule lacks, 8 bytes from 0 to 1"),
        (replace(recorded(8), chose="b"), "bcast/mst: the run chose , the record b"),
    ):
        with pytest.raises(UserError) as refused:
            retimed.retimed(schedule, of, "real", "")
        assert str(refused.value) == reply_


def test_a_run_s_text_names_the_skew_of_its_barrier() -> None:
    schooner = Layout(None, 2, 4, "block")
    once = Run((Observed((), (0.0,), (), 0.0),), (1e-6,), (), "", "a library")
    near = replace(once, repetitions=(Observed((), (0.9e-9,), (), 0.0),))
    far = replace(once, repetitions=(Observed((), (1.1e-9,), (), 0.0),))
    assert observed.text(near, "real", schooner) == "measured here, a library"
    assert observed.text(far, "real", schooner) == "measured here, a library; ranks left a barrier within 1.1 ns"


# ---- the path of what was observed ------------------------------------------------------------------------


def test_a_path_continues_at_the_sender_or_at_a_late_receiver() -> None:
    """Rank 1 ends with a message that rank 0 posted after it combined; its own work began at once."""
    t = made_trace(
        ranks=2, messages=(message(0, 1, 1, 3.0, 6.0, requested_s=1.0),), transfers=(),
        spans=(Span(0, "reduce", 1 * US, 3 * US), Span(1, "take", 6 * US, 7 * US), Span(0, "wait", 3 * US, 9 * US)),
        rank_end_s=(6 * US, 7 * US),
    )  # fmt: skip
    path = critical_path.observed(t)
    found = [
        (s.part, s.rank, s.other, s.bytes, round(s.begin_s / US, 6), round(s.end_s / US, 6)) for s in path.segments
    ]
    assert found == [
        ("other", 0, None, 0, 0, 1), ("reduce", 0, None, 0, 1, 3), ("message", 0, 1, 1024, 3, 6), ("overhead", 1, None, 0, 6, 7),
    ]  # fmt: skip
    assert path.parts == pytest.approx({"other": US, "reduce": 2 * US, "message": 3 * US, "overhead": US})
    assert (path.key, path.chose, path.source, path.ranks, path.messages) == ("bcast/mst", "", "model", 2, 1)
    late_receiver = replace(t, messages=(message(0, 1, 1, 3.0, 6.0, requested_s=3.0),))
    assert [s.rank for s in critical_path.observed(late_receiver).segments] == [1, 0, 1], (
        "it waited for its receiver, which was late"
    )
    late = replace(t, rank_start_s=(0.5 * US, 0.0))
    first = critical_path.observed(late).segments[0]
    assert (first.part, first.rank) == ("arrival", 0)
    shifted = replace(t, rank_start_s=(1 * US, 1 * US))
    assert critical_path.observed(shifted).time_s == pytest.approx(6 * US)
    assert isinstance(first, Segment)
