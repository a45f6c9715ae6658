"""collscope.synthesis.exact, collscope.synthesis.pareto, collscope.synthesis.published: the solver agrees with what was published."""

from __future__ import annotations

import math
import signal
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from collscope.synthesis import exact, pareto, published
from collscope.synthesis.demand import BOTH, Chunk, Send, chunks_of, moving
from collscope.synthesis.exact import FOUND, NONE, UNKNOWN
from collscope.synthesis.network import Network, of_links
from collscope.synthesis.published import Published

pytest.importorskip("ortools")

HARD = {("allreduce", 6), ("alltoall", 3)}  # minutes
RING = of_links("ring", [[int((b - a) % 4 in (1, 3)) for b in range(4)] for a in range(4)])


def a_line(alpha_s: float = 1e-6) -> Network:
    return replace(of_links("line", [[0, 1, 0], [1, 0, 1], [0, 1, 0]]), alpha_s=alpha_s, beta_s_per_byte=1e-9)


def faults(network: Network, chunks: Sequence[Chunk], sends: Sequence[Send], rounds: int) -> list[str]:
    """What is wrong with sends, as counted here: a chunk that is not there, a limit that is exceeded, somebody who lacks something."""
    has = {(c.source, i): 0 for i, c in enumerate(chunks)}
    wrong = []
    needed = 0
    for step in range(1, max(s.step for s in sends) + 1):
        now = [s for s in sends if s.step == step]
        wrong += [f"{s} has nothing to send" for s in now if has.get((s.source, s.chunk), step) >= step]
        has |= {(s.target, s.chunk): step for s in now}
        load = Counter((s.source, s.target) for s in now)
        needed += max([1, *(-(-sum(load[pair] for pair in x.pairs) // x.chunks) for x in network.limits)])
    wrong += [f"{t} lacks {i}" for i, c in enumerate(chunks) for t in c.targets if (t, i) not in has]
    return wrong + [f"{needed} rounds"] * (needed > rounds)


def ask(point: Published) -> None:
    times = 2 if point.collective in BOTH else 1
    on = published.networks()[point.network]
    chunks = chunks_of(moving(point.collective), on.ranks, 0, point.parts)
    answer = exact.solve(on, chunks, point.steps // times, point.rounds // times, None)
    assert answer.status == (FOUND if point.exists else NONE)
    if point.exists:
        assert not faults(on, chunks, answer.sends, point.rounds // times)


@pytest.mark.parametrize(
    "point", [p for p in published.points() if (p.collective, p.parts) not in HARD and p.parts < 4]
)
def test_small_points_that_were_published_are_found_or_proven_impossible(point: Published) -> None:
    ask(point)


@pytest.mark.parametrize(
    ("collective", "parts", "steps", "rounds", "exists"),
    [
        ("allgather", 3, 4, 4, True), ("allgather", 6, 2, 7, False), ("allgather", 4, 2, 5, False), ("bcast", 7, 3, 3, True),
        ("bcast", 4, 2, 3, False), ("gather", 6, 2, 7, True), ("alltoall", 3, 2, 8, True), ("alltoall", 1, 2, 2, False),
    ],
)  # fmt: skip
def test_other_shapes_on_the_same_links_are_decided(
    collective: str, parts: int, steps: int, rounds: int, exists: bool
) -> None:
    """Of the table in docs/synthesis.md."""
    ask(Published("dgx1", collective, parts, steps, rounds, exists, "docs/synthesis.md"))


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("point", [p for p in published.points() if (p.collective, p.parts) in HARD or p.parts >= 4])
def test_large_points_that_were_published_are_found(point: Published) -> None:
    ask(point)


def test_the_walk_over_a_ring_of_four_meets_the_bound() -> None:
    """Three blocks enter over two links: 3/2 rounds per chunk, in two steps and two parts."""
    found = pareto.frontier(pareto.Search(RING, "allgather", max_parts=2), math.inf)
    assert [(t.shape.parts, t.shape.steps, t.shape.rounds) for t in found if t.answer.status == FOUND] == [(2, 2, 3)]


def test_the_cheapest_shape_is_known_to_be_optimal_when_all_cheaper_ones_are_impossible() -> None:
    search = pareto.Search(a_line(), "bcast", max_parts=1)
    answer = pareto.cheapest(search, 1000, math.inf)
    assert answer.found and answer.optimal
    assert (answer.found.shape.steps, answer.found.shape.rounds) == (2, 2)
    assert [(s.step, s.source, s.target) for s in answer.found.answer.sends] == [(1, 0, 1), (2, 1, 2)]


@pytest.mark.parametrize(
    "only", [{"steps": 3}, {"rounds": 3}, {"parts": 1, "steps": 2, "rounds": 4}], ids=lambda x: "_".join(x)
)
def test_the_cheapest_of_the_shapes_that_were_named_is_not_called_optimal(only: dict[str, int]) -> None:
    answer = pareto.cheapest(pareto.Search(a_line(), "bcast", max_parts=1, **only), 1000, math.inf)
    assert answer.found and not answer.optimal


def test_a_shape_is_not_optimal_where_one_beyond_the_search_may_cost_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing but bytes costs: two parts go down a line of three in three steps of a round, one part takes two of two halves."""
    search = pareto.Search(a_line(0.0), "bcast", max_parts=2)
    answer = pareto.cheapest(search, 1000, math.inf)
    assert answer.found and answer.found.shape.rounds_per_part == Fraction(3, 2) and answer.optimal
    monkeypatch.setattr(pareto, "MAX_MORE_STEPS", 0)
    answer = pareto.cheapest(search, 1000, math.inf)
    assert answer.found and answer.found.shape.rounds_per_part == 2 and not answer.optimal


def test_a_user_who_stops_the_solver_has_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def stop_at_second(self: pareto.Search, shape: pareto.Shape, limit_s: float | None) -> exact.Answer:
        calls.append(shape.parts)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return exact.Answer(FOUND, (), 0.0)

    monkeypatch.setattr(pareto.Search, "quick", stop_at_second)
    search = pareto.Search(a_line(0.0), "bcast", max_parts=2)
    answer = pareto.cheapest(search, 1000, math.inf)
    assert answer.stopped and answer.found and not answer.optimal
    with pytest.raises(KeyboardInterrupt):
        pareto.cheapest(search, 1000, math.inf)


def test_the_solver_is_over_when_its_user_has_stopped_it() -> None:
    """Not only asked to be: a process that ends meanwhile is aborted."""
    again, over = threading.Event(), threading.Event()

    class Slow:
        calls = 0

        def solve(self, model: object) -> int:
            again.wait(60)
            over.set()
            return 0

        def stop_search(self) -> None:
            self.calls += 1
            if self.calls == 2:
                again.set()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            exact._run(Slow(), None)
    finally:
        signal.signal(signal.SIGINT, before)
    assert over.is_set()


def test_a_walk_says_what_agrees_with_publications() -> None:
    dgx1 = published.networks()["dgx1"]
    walk = published.Walk("dgx1", dgx1, "allgather", 0, 2, 2, 3, math.inf)
    found = published.run(walk)
    (line,) = found.lines
    assert (line.status, line.published, line.rounds_per_part) == (FOUND, "exists", Fraction(3, 2))
    assert [(d.steps, d.rounds) for d in found.designs.values()] == [(2, 3)]


@pytest.mark.parametrize(("shape", "publication"), [((3, 2, 4), "does not exist"), ((1, 1, 7), "")])
def test_a_shape_that_is_proven_impossible_is_answered(shape: tuple[int, int, int], publication: str) -> None:
    """By the solver, or by the distance of two ranks."""
    dgx1 = published.networks()["dgx1"]
    (line,) = published.run(published.Walk("dgx1", dgx1, "allgather", 0, *shape, math.inf)).lines
    assert (line.parts, line.steps, line.rounds) == shape
    assert (line.status, line.published) == (NONE, publication)


def test_a_walk_that_is_stopped_has_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """And says that more may be found; stopped before, it has nothing to say."""
    whole, shapes = pareto.Search.solve, []

    def stop_after_one(self: pareto.Search, shape: pareto.Shape, limit_s: float | None) -> exact.Answer:
        if any(answer.status == FOUND for answer in shapes):
            raise KeyboardInterrupt
        shapes.append(whole(self, shape, limit_s))
        return shapes[-1]

    monkeypatch.setattr(pareto.Search, "solve", stop_after_one)
    walk = published.Walk("line", a_line(), "bcast", 0, None, None, None, math.inf)
    found = published.run(walk)
    assert found.stopped and [line.status for line in found.lines if line.status == FOUND] == [FOUND]
    assert len(found.designs) == 1 and "time, steps or chunks may find more" in found.sentences[1]
    with pytest.raises(KeyboardInterrupt):
        published.run(walk)


def test_a_walk_of_an_allreduce_counts_both_halves() -> None:
    """Over a ring of four, half of it takes 2 steps and 3/2 rounds per chunk at least."""
    found = published.run(published.Walk("ring", RING, "allreduce", 0, 2, 4, 6, math.inf))
    bound, met = found.sentences
    assert "fewer than 4 steps, or than 3 rounds per chunk" in bound and met == "The bound of rounds per chunk is met."
    assert [(line.parts, line.steps, line.rounds, line.status) for line in found.lines] == [(2, 4, 6, FOUND)]


@pytest.mark.parametrize(
    ("exists", "status", "agreement"),
    [
        (True, FOUND, "exists"),
        (True, NONE, "exists: contradicted"),
        (False, NONE, "does not exist"),
        (False, FOUND, "does not exist: contradicted"),
        (False, UNKNOWN, "does not exist"),
        (True, UNKNOWN, "exists"),
        (None, FOUND, ""),
    ],
)
def test_an_answer_other_than_what_was_published_contradicts_it(
    exists: bool | None, status: str, agreement: str
) -> None:
    """An answer that time cut short does not."""
    point = None if exists is None else Published("ring", "allgather", 1, 2, 2, exists, "a paper")
    assert published._agreement(point, status) == agreement
