"""collscope.figures.schedule.rounds: the colours of rounds."""

from __future__ import annotations

import pytest
from matplotlib.colors import LinearSegmentedColormap, to_rgb

from collscope.figures.schedule import gantt, graph, matrix, rounds, sheet
from collscope.schedules.trace import Message


def test_colours_are_those_of_a_ramp_of_matplotlib() -> None:
    """To the last digit, so that pictures do not depend on who made them."""
    ramp = LinearSegmentedColormap.from_list("rounds", rounds._ANCHORS)
    for n in (*range(3, 40), 300):
        for k in range(1, n + 1):
            assert rounds.round_colour(k, n) == to_rgb(ramp((k - 1) / (n - 1)))
    assert rounds.round_colour(0, 5) == to_rgb(rounds.BEFORE)


def test_few_rounds_are_far_apart() -> None:
    a, b = (rounds.round_colour(k, 2) for k in (1, 2))
    assert sum(abs(x - y) for x, y in zip(a, b, strict=True)) > 1


A, B, C = (frozenset({(0, k)}) for k in (1, 2, 3))


@pytest.mark.parametrize(
    ("pairs", "made"),
    [
        ([A, A, A], [(1, 2, 3)]),
        ([A, A], [(1,), (2,)]),
        ([A, B, A, B, A, B], [(1, 3, 5), (2, 4, 6)]),
        ([A, B, A, B, A], [(1,), (2,), (3,), (4,), (5,)]),
        ([C, A, A, A, B], [(1,), (2, 3, 4), (5,)]),
    ],
)
def test_rounds_that_are_alike_are_one_column(
    pairs: list[frozenset[tuple[int, int]]], made: list[tuple[int, ...]]
) -> None:
    assert graph._alike(dict(enumerate(pairs, 1))) == made


def test_names_and_numbers() -> None:
    assert [graph.Column(rounds).name for rounds in ((3,), (2, 3, 4), (2, 4, 6))] == ["3", "2–4", "2, 4 … 6"]
    printed = [graph.ordinal(n) for n in (1, 2, 3, 4, 10, 11, 12, 13, 14, 21, 22, 112)]
    assert printed == ["1st", "2nd", "3rd", "4th", "10th", "11th", "12th", "13th", "14th", "21st", "22nd", "112th"]
    assert [graph._every(n, 10) for n in (10, 11, 20, 21, 40, 41, 81)] == [1, 2, 2, 4, 4, 5, 10]
    sizes = (512, 1024, 1536, 20 << 10, 3 << 20, 1 << 30)
    assert [matrix._brief(size) for size in sizes] == ["512", "1K", "1.5K", "20K", "3M", "1G"]
    assert sheet.node_runs((0, 0, 1, 0)) == [(0, 1, 0), (2, 2, 1), (3, 3, 0)]


def test_when_a_message_is_taken_and_when_it_is_alone() -> None:
    def of(**more: float) -> tuple[float, tuple[float, float] | None]:
        m = Message(0, 1, 8, 1, 2.0, 5.0, 0, 0, **more)  # type: ignore[arg-type]
        return gantt.taken_s(m), gantt.alone_s(m)

    assert of() == (2.0, None)
    assert of(requested_s=1.0, sent_s=1.0) == (2.0, (2.0, 5.0))
    assert of(requested_s=3.0, sent_s=3.0) == (3.0, (3.0, 5.0))
    assert of(requested_s=9.0, sent_s=9.0) == (5.0, (9.0, 9.0))


def test_messages_at_once_have_slots_of_their_own() -> None:
    times = ((0.0, 4.0), (1.0, 2.0), (2.0, 3.0), (4.0, 5.0))
    messages = [Message(0, k, 8, 1, a, b, 0, 0) for k, (a, b) in enumerate(times)]
    found = [(m.dst, slot, slots) for m, slot, slots in gantt._slots(messages, True)]
    assert found == [(0, 0, 2), (1, 1, 2), (2, 1, 2), (3, 0, 1)]
