"""collscope.twins.judge: two sides' messages, compared."""

from __future__ import annotations

from collscope.twins.call import REFUSAL, Messages
from collscope.twins.judge import alike, by_peer, judge, same_order, same_sends

S1: Messages = [("S", 1, 8)]
S2: Messages = [("S", 2, 8)]
SENT: Messages = [("S", 1, 8), ("S", 2, 8), ("R", 3, 16)]


def test_a_receive_from_any_source_and_with_more_room_is_the_same() -> None:
    assert same_order([*SENT[:2], ("R", -1, 64)], SENT)
    assert not same_order([*SENT[:2], ("R", 2, 16)], SENT)
    assert same_sends(SENT[:2], SENT)


def test_verdicts() -> None:
    assert judge([SENT], [SENT], "Open MPI", same_order) == ("same", "")
    verdict, text = judge([SENT, SENT], [SENT, [SENT[1], SENT[0], SENT[2]]], "Open MPI", same_order)
    assert verdict == "order" and text.startswith("rank 1: Open MPI ")
    assert judge([SENT], [[("S", 1, 4), *SENT[1:]]], "Open MPI", same_order)[0] == "different"


def test_a_refusal_is_like_nothing_of_ours() -> None:
    """Nor like a rank that has nothing to send."""
    assert judge([REFUSAL, SENT], [[], SENT], "Open MPI", same_order)[0] == "different"
    assert not same_sends(REFUSAL, [])


def test_two_sides_in_words() -> None:
    """The first rank whose messages differ, its first eight; a pair that gets other bytes before an order that differs."""
    many: Messages = [("S", k, 1) for k in range(9)]
    found = judge([S1, many], [S1, S2], "MPICH", same_sends)
    assert found == ("different", f"rank 1: MPICH {many[:8]}, here {S2}")
    swapped = [*many[1:2], *many[:1], *many[2:]]
    assert judge([many, S1], [swapped, S2], "M", same_sends)[1].startswith("rank 1: ")
    found = judge([S1, many], [S1, swapped], "M", same_sends)
    assert found == ("order", f"rank 1: M {many[:8]}, here {swapped[:8]}")
    assert by_peer([("S", 1, 8), ("R", 1, 5), ("S", 2, 3), ("S", 1, 4)]) == {1: [8, 4], 2: [3]}
    assert alike([S1, S2], [S1, S2]) and not alike([S1, S2], [S1, S1])
