"""collscope.labs.words: what a proof says of an algorithm, in a student's words."""

from __future__ import annotations

import pytest

from collscope.labs import words
from collscope.labs.proof import Call, Fault
from collscope.points.plan import Point

LINES = ["/* a file of a student */", "  coll_send(c, 1, out, n);", "  coll_recv(c, 0, out, n);"]


def a_call(
    ranks: int = 5, count: int = 7, root: int = 0, kind: str = "float", algorithm: str = "allreduce/mine"
) -> Call:
    return Call(ranks, Point(algorithm.split("/")[0], algorithm, count, type=kind, root=root))


def sentence(kind: str, proof: str) -> str:
    """What a student reads of a fault of this kind, in one line."""
    text = words.explain(Fault(a_call(), kind, proof), LINES)
    assert all(len(line) <= words.WIDTH for line in text)
    return " ".join(line.strip() for line in text[1:])


@pytest.mark.parametrize(
    ("kind", "proof", "expected"),
    [
        (
            "misuse",
            "rank 4: send names rank 5 of a group of 5; called at my.c:2",
            "Rank 4 sends to rank 5 at my.c:2, but there is no such rank: ranks are 0 to 4.",
        ),
        ("misuse", "rank 4: irecv names rank -1 of a group of 5; called at my.c:2", "Rank 4 receives from rank -1"),
        ("misuse", "rank 1: publish names rank 3 of a group of 2; called at my.c:2", "Rank 1 names rank 3"),
        ("misuse", "rank 0: copy (my.c:2, operation 3) between places that overlap", "copy at my.c:2 between places"),
        ("misuse", "rank 0: copy (operation 3) between places that overlap", "copy between places that overlap."),
        (
            "result",
            "rank 4: element 0 of out holds nothing, expected the root's element 0",
            "Rank 4 never gets the root's element 0: at the end element 0 of its `out` is still empty.",
        ),
        (
            "result",
            "rank 0: element 7 of out holds rank 2's element 0, expected rank 1's element 0",
            "Rank 0 ends with rank 2's element 0 in element 7 of its `out`; rank 1's element 0 belongs there.",
        ),
        (
            "result",
            "rank 0: element 0 of out holds element 0 of ranks 0-1, expected element 0 of all ranks",
            "it must be element 0 of all ranks: a contribution is missing or misplaced.",
        ),
        ("result", "rank 1: leaves the barrier", "rank 1: leaves the barrier."),
        (
            "unmatched",
            "rank 4: recv of 28 bytes from rank 0 (my.c:3, operation 0) has no send",
            "Rank 4 waits at my.c:3 for a message from rank 0, which rank 0 never sends.",
        ),
        (
            "unmatched",
            "rank 0: isend of 28 bytes to rank 1 (operation 0, label 1) has no receive; "
            "rank 1: recv of 28 bytes from rank 0 (operation 0) has no send; 6 more have no partner",
            "Rank 0 sends to rank 1, but rank 1 never receives that message. Rank 1 waits for a message from rank 0",
        ),
        (
            "size",
            "rank 1: recv of 28 bytes from rank 0 (my.c:3, operation 1) meets rank 0's send of 24 bytes to rank 1 "
            "(my.c:2, operation 4)",
            "Rank 1 expects 28 bytes from rank 0 at my.c:3, but rank 0 sends 24 bytes at my.c:2",
        ),
        (
            "size",
            "rank 0: send of 24 bytes to rank 1 (operation 4) meets rank 1's recv of 28 bytes from rank 0 (operation 1)",
            "Rank 1 expects 28 bytes from rank 0, but rank 0 sends 24 bytes:",
        ),
        ("size", "sizes differ (operation 4)", "sizes differ."),
        (
            "deadlock",
            "deadlock, 2 of 2 ranks wait for ever when every send waits for its receive: "
            "rank 0: send of 28 bytes to rank 1 (my.c:2, operation 1) -> rank 1: send of 28 bytes to rank 0 (operation 1)",
            "above the eager limit): a send then waits for its receive, and these ranks send before anybody receives: "
            "rank 0 sends to rank 1 at my.c:2; rank 1 sends to rank 0. Use coll_sendrecv",
        ),
        (
            "deadlock",
            "deadlock, 2 of 2 ranks wait for ever: rank 0: recv of 28 bytes from rank 1 (operation 1) -> "
            "rank 1: recv of 28 bytes from rank 0 (operation 1)",
            "in a circle: rank 0 waits for rank 1; rank 1 waits for rank 0.",
        ),
        (
            "deadlock",
            "deadlock, 1 of 5 ranks waits for ever: rank 3: recv of 28 bytes from rank 3 (my.c:3, operation 1)",
            "Rank 3 waits for a message from itself at my.c:3, and waits for ever",
        ),
        (
            "deadlock",
            "deadlock, 1 of 5 ranks waits for ever: rank 3: send of 28 bytes to rank 3 (operation 1)",
            "Rank 3 sends to itself, and waits for ever",
        ),
        ("deadlock", "deadlock of 2 ranks", "deadlock of 2 ranks."),
        (
            "order",
            "rank 0: reduce of 28 bytes (my.c:2, operation 5) puts element 0 of ranks 0-1 to the left of rank 3, but the "
            "operator does not commute",
            "Rank 0 combines in the wrong order at my.c:2: it puts the data of ranks 0-1 to the left of those of rank 3.",
        ),
        ("order", "the operator does not commute", "the operator does not commute."),
        (
            "twice",
            "rank 1: reduce of 28 bytes (operation 10) combines element 0 of ranks 1-2 with ranks 0-1: some are counted twice",
            "Rank 1 counts a contribution twice: it combines the data of ranks 1-2 with those of ranks 0-1.",
        ),
        ("twice", "counted twice", "counted twice."),
        (
            "uninitialised",
            "rank 2: send of 28 bytes to rank 3 (my.c:2, operation 1) reads element 4 of out, which holds nothing",
            "Rank 2 sends data that it does not have to rank 3 at my.c:2: element 4 of its `out` has not been written yet",
        ),
        (
            "uninitialised",
            "rank 2: reduce of 28 bytes (operation 1) reads element 4 of scratch, which holds nothing",
            "Rank 2 combines data that it does not have: element 4 of its `scratch`",
        ),
        ("uninitialised", "holds nothing", "holds nothing."),
        (
            "endless",
            "rank 2: records more than 9 operations: it seems to loop for ever",
            "It never ends: rank 2: records more than 9 operations: does a loop never end?",
        ),
        ("ended", "is memory missing?", "did not get through this call: is memory missing?"),
        ("ended", "signal 11", "did not get through this call: signal 11."),
        ("refused", "only on 2 ranks", "supports() refuses this call, which the task asks for: only on 2 ranks."),
    ],
)
def test_a_fault_is_named_by_rank_partner_and_line(kind: str, proof: str, expected: str) -> None:
    text = sentence(kind, proof)
    assert expected in text
    assert ("my.c:2:  coll_send(c, 1, out, n);" in text) == ("my.c:2" in proof), "the line itself is shown"


def test_a_circle_of_many_ranks_is_shown_in_part() -> None:
    ring = " -> ".join(f"rank {r}: recv of 4 bytes from rank {(r + 1) % 9} (operation 0)" for r in range(9))
    text = sentence("deadlock", f"deadlock, 9 of 9 ranks wait for ever: {ring}")
    assert "rank 5 waits for rank 6; …" in text and "rank 6 waits" not in text


def test_the_call_is_named_with_its_root_and_operator() -> None:
    """The root only where the collective has one."""

    def first(call: Call) -> str:
        return words.explain(Fault(call, "ended", "signal 11"), LINES)[0]

    assert first(a_call()) == "allreduce/mine on 5 ranks, count 7:"
    assert first(a_call(1, root=0, algorithm="bcast/mine")) == "bcast/mine on 1 rank, count 7, root 0:"
    assert first(a_call(2, kind="affine")).endswith("count 7, an operator that does not commute:")
    assert first(a_call(2, algorithm="reduce/mine")).endswith("root 0:")
    assert "root" not in first(a_call(2, algorithm="reduce_scatter/mine"))


def hint(held: list[Call], bad: list[Call]) -> str:
    """What a student reads of what the calls that fail have in common."""
    others = (*((call, True) for call in held), *((call, False) for call in bad))
    return " ".join(words.explain(Fault(bad[0] if bad else a_call(), "ended", "signal 11", others), LINES)[2:])


@pytest.mark.parametrize(
    ("held", "bad", "expected"),
    [
        (
            [a_call(4), a_call(8), a_call(1)],
            [a_call(6), a_call(3), a_call(6)],
            "a power of two, and fails at p = 3, 6.",
        ),
        ([a_call(4), a_call(6)], [a_call(6, count=0)], "only where there are no data (count 0)"),
        ([a_call(6), a_call(5)], [a_call(6, root=2)], "It holds where the root is rank 0"),
        ([a_call(6), a_call(5, kind="affine")], [a_call(6, kind="affine")], "only where the operator does not commute"),
        ([a_call(1), a_call(6, count=0)], [a_call(6, root=1), a_call(4)], "Nothing but calls without data"),
        ([a_call(5, count=10), a_call(6)], [a_call(5, count=12)], "only where the count is not a multiple"),
        ([a_call(6, count=12), a_call(6)], [a_call(5, count=12)], "It fails at p = 5; 2 of 3 calls hold."),
        ([a_call(6)], [a_call(p) for p in (7, 9, 3, 11, 5, 13, 10)], "p = 3, 5, 7, 9, 10, 11, …; 1 of 8 calls hold"),
        ([], [a_call(6)], ""),
        ([a_call(6)], [], ""),
    ],
)
def test_a_hint_says_what_tells_the_calls_that_fail(held: list[Call], bad: list[Call], expected: str) -> None:
    text = hint(held, bad)
    assert expected in text if expected else not text


def test_a_picture_says_who_waits_for_ever() -> None:
    """Rank 1 has no message to receive: rank 0's only one goes to rank 2."""
    schedule = """call collective=bcast ranks=3 count=2 elem=4 root=0
rank 0
send out+0 8 to 2
rank 1
recv out+0 8 from 0
rank 2
recv out+0 8 from 0
"""
    fault = Fault(a_call(3, 2, algorithm="bcast/mine"), "unmatched", "a message has no partner", (), schedule)
    text = words.explain(fault, LINES)
    assert any("x: the root's data" in line for line in text)
    assert text[-1] == "  After round 1 nothing moves any more: rank 1 waits for ever."
