"""collscope.twins.judge: two sides' messages, compared."""

from __future__ import annotations

from collscope.twins.call import REFUSAL, Messages
from collscope.twins.judge import judge, same_order, same_sends

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
