"""collscope.figures.schedule.net: where ranks stand, and how what they send each other is drawn between them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba

from collscope.base import programs
from collscope.catalogue import registry
from collscope.figures.schedule import net
from collscope.figures.schedule.net import positions
from collscope.figures.schedule.rounds import round_colour
from collscope.schedules.trace import Trace
from made_trace import made_trace, message
from traced import traced

Sent = tuple[int, int, int]  # source, destination, round


def sending(ranks: int, sent: Iterable[Sent], **more: object) -> Trace:
    """A broadcast of these messages and nothing else."""
    messages = tuple(message(a, b, k, k, k + 1) for a, b, k in sent)
    rounds = max((m.round for m in messages), default=0)
    fields = {"messages": messages, "transfers": (), "spans": (), "nodes": (), "rounds": rounds, **more}
    return made_trace(ranks=ranks, **fields)


def pairs(count: int) -> list[Sent]:
    """So many edges among 32 ranks, in one round."""
    return [(a, b, 1) for a, b in itertools.islice(itertools.combinations(range(32), 2), count)]


# ---- where ranks stand -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not programs.PROVER.exists(), reason="the prover is not built")
def test_trees_grow_by_rounds_and_stars_do_not() -> None:
    at, tree = positions(traced("bcast/binomial", 16))
    assert tree is not None
    out = np.hypot(*(at - at[0]).T)
    assert out[8:].min() > out[4:8].max() > out[2:4].max() > out[1] > 0  # by when they are reached
    at, tree = positions(traced("bcast/linear", 8))
    assert tree is not None and np.ptp(np.hypot(*at[1:].T)) < 0.3


def test_a_circle_begins_at_the_top_and_goes_clockwise() -> None:
    for sent in ([(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)], [(0, 1, 1), (1, 2, 2), (2, 3, 3)], []):  # a chain, too
        at, parent = positions(sending(4, sent))
        assert at == pytest.approx(np.array([(0, 1), (1, 0), (0, -1), (-1, 0)])) and parent is None


def test_the_children_of_a_star_share_the_circle_and_it_fills_the_square() -> None:
    at, parent = positions(sending(4, [(1, 0, 1), (1, 2, 2), (1, 3, 3)], root=1))
    assert parent == {1: 1, 0: 1, 2: 1, 3: 1}
    assert at == pytest.approx(np.array([(-1, 1), (-1 / 3, 0), (1, 0), (-1, -1)]))
    other, parent = positions(sending(4, [(1, 0, 1), (1, 2, 2), (1, 3, 3)], root=1, messages=()))
    assert parent is None and other[0] == pytest.approx((0, 1))


def test_a_schedule_that_is_one_tree_without_its_root_stands_in_a_circle() -> None:
    """The root sends nothing: its part in the call is another's."""
    _, parent = positions(sending(5, [(1, 0, 1), (1, 2, 2), (1, 3, 3)], root=4))
    assert parent is None


@pytest.mark.parametrize(
    ("sent", "parents", "rings"),
    [
        ([(0, 1, 1), (0, 2, 2), (1, 3, 2)], [0, 0, 0, 1], [0, 1, 2, 2]),  # outwards, by rounds
        ([(3, 1, 1), (2, 0, 1), (1, 0, 2)], [0, 0, 0, 1], [0, 1, 2, 2]),  # inwards, by rounds from the last
        ([(0, 1, 1), (0, 2, 2), (0, 3, 3)], [0, 0, 0, 0], [0, 1, 1, 1]),  # three rounds of one step: too far
        ([(0, 1, 2), (0, 2, 1), (1, 3, 2)], [0, 0, 0, 1], [0, 1, 1, 2]),  # a child in its parent's round
        ([(0, 1, 1), (1, 2, 2), (0, 3, 3), (0, 4, 3)], [0, 0, 1, 0, 0], [0, 1, 2, 3, 3]),  # three of two steps
        ([(0, 1, 2), (0, 1, 1), (0, 2, 2), (0, 2, 3)], [0, 0, 0], [0, 1, 1]),  # by the first of several
    ],
)
def test_ranks_stand_as_far_out_as_their_depth(sent: list[Sent], parents: list[int], rings: list[int]) -> None:
    order = list(range(len(rings)))
    found = net._rings(sending(len(rings), sent), order, dict(enumerate(parents)))
    assert [found[r] for r in order] == rings


def test_in_a_tree_the_closest_two_leave_room_for_each_other() -> None:
    stage = net.stage_of(sending(25, [(0, k, 1) for k in range(1, 25)]), 4)
    near = min(float(np.hypot(*(a - b))) for a, b in itertools.combinations(stage.at, 2))
    assert stage.size == pytest.approx(0.31 * near)


# ---- what is between them --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "width", "strong", "heads"),
    [
        (40, 1.7, 0.9, True),
        (41, 1.1, 0.9, True),
        (80, 1.1, 0.9, True),
        (81, 1.1, 0.55, True),
        (130, 1.1, 0.55, True),
        (131, 0.75, 0.55, True),
        (150, 0.75, 0.55, True),
        (151, 0.75, 0.55, False),
        (400, 0.75, 0.55, False),
    ],
)
def test_many_lines_are_thin_and_pale_and_have_no_heads(
    edges: int, width: float, strong: float, heads: bool, ax: Axes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(net, "_ranks", lambda *_: None)
    net.net(ax, sending(32, pairs(edges)), 4)
    colour = to_rgba(round_colour(1, 1), strong)
    tips = [p for p in ax.patches if p.get_zorder() == 3]
    if strong < 0.9:  # each on its own
        (drawn,) = (c for c in ax.collections if isinstance(c, LineCollection))
        assert len(drawn.get_segments()) == edges and drawn.get_linewidths()[0] == width
        assert tuple(drawn.get_colors()[0]) == pytest.approx(colour)  # type: ignore[index]
    else:
        drawn_once = next(p for p in ax.patches if p.get_zorder() == 2)
        assert drawn_once.get_linewidth() == width and drawn_once.get_edgecolor() == pytest.approx(colour)
    assert bool(tips) == heads
    assert all(p.get_facecolor() == pytest.approx(to_rgba(round_colour(1, 1), min(1, strong + 0.15))) for p in tips)
    assert [t.get_text() for t in ax.texts] == [""]


def test_a_crowded_net_shows_the_messages_of_one_rank(
    ax: Axes, monkeypatch: pytest.MonkeyPatch, known: registry.Registry
) -> None:
    monkeypatch.setattr(net, "_ranks", lambda *_: None)
    net.net(ax, sending(32, pairs(401), root=1), 4)
    assert [t.get_text() for t in ax.texts] == ["what rank 1 sends, 30 of 401 lines"]
    net.net(ax, sending(32, pairs(401), root=1, collective="allgather"), 4)
    assert ax.texts[-1].get_text() == "what rank 0 sends, 31 of 401 lines"
    shared = tuple(message(a, b, 1, 1, 2, shared=True) for a, b, _ in pairs(401))
    net.net(ax, sending(32, (), root=1, transfers=shared), 4)
    assert ax.texts[-1].get_text() == "what rank 1 sends, 30 of 401 lines"
    assert ax.patches[0].get_linewidth() == 1.7


def test_among_many_edges_each_is_one_line() -> None:
    twice = [(0, 1, 1), (0, 1, 2)]
    for edges, lines in ((200, 201), (201, 201)):
        t = sending(32, [*twice, *pairs(edges)[1:]])
        assert len(net._strokes(t, net.stage_of(t, 4)).all) == lines
