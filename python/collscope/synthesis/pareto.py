"""The exact schedules worth having: the fewest rounds for each number of steps, as SCCL walks them; and the cheapest for one size."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from collscope.base.errors import UsageError
from collscope.synthesis import symmetry
from collscope.synthesis.demand import BACKWARD, BOTH, Send, chunks_of, direct_rounds, min_rounds, min_steps, moving
from collscope.synthesis.exact import FOUND, NONE, UNKNOWN, Answer, solve
from collscope.synthesis.network import Network
from collscope.synthesis.symmetry import Shift

QUICK_S, QUICK_SHARE = 2.0, 0.05  # of the time: how long a shape is asked about at first
MAX_MORE_STEPS = 6  # than the fewest
MORE_ROUNDS = 4  # times as many as the bound


@dataclass(frozen=True)
class Shape:
    """How many chunks a block has, steps and rounds."""

    parts: int
    steps: int
    rounds: int

    @property
    def rounds_per_part(self) -> Fraction:
        """What the time of large calls follows."""
        return Fraction(self.rounds, self.parts)

    def seconds(self, network: Network, block_bytes: int) -> float:
        """Within the model: a step costs alpha, a round a chunk at the rate of the slowest limit."""
        return self.steps * network.alpha_s + self.rounds * block_bytes / self.parts * network.beta_s_per_byte


@dataclass(frozen=True)
class Try:
    """A shape and what the solver said of it. `proven`: without the solver, by a bound."""

    shape: Shape
    answer: Answer


@dataclass(frozen=True)
class Search:
    """What is searched: a collective that only moves data, on a network, and within which shapes."""

    network: Network
    collective: str
    root: int = 0
    max_parts: int = 2
    steps: int | None = None  # just so many
    rounds: int | None = None
    parts: int | None = None

    @cached_property
    def bounds(self) -> tuple[int, Fraction]:
        """The steps, and the rounds per part, that no schedule is below."""
        chunks = chunks_of(self.collective, self.network.ranks, self.root, 1)
        return min_steps(self.network, chunks), min_rounds(self.network, chunks)

    def shapes(self) -> Iterator[Shape]:
        """Those that no bound excludes."""
        fewest, least = self.bounds
        direct = direct_rounds(self.network, chunks_of(self.collective, self.network.ranks, self.root, 1))
        for parts in [self.parts] if self.parts else range(1, self.max_parts + 1):
            lowest = -(-least.numerator * parts // least.denominator)
            for steps in [self.steps] if self.steps else range(fewest, fewest + MAX_MORE_STEPS + 1):
                first = parts * direct if steps == 1 else max(steps, lowest)
                highest = max(first, MORE_ROUNDS * lowest)
                for rounds in [self.rounds] if self.rounds else range(first, highest + 1):
                    yield Shape(parts, steps, rounds)

    def beyond(self) -> Iterator[Shape]:
        """Those that no bound excludes and that are not among shapes(), but for such as have more steps or rounds than one of these."""
        fewest, least = self.bounds
        most: dict[tuple[int, int], int] = {}
        for shape in self.shapes():
            most[shape.parts, shape.steps] = shape.rounds
        for (parts, steps), rounds in most.items():
            yield Shape(parts, steps, rounds + 1)
        steps = fewest + MAX_MORE_STEPS + 1
        for parts in {parts for parts, _ in most}:
            yield Shape(parts, steps, max(steps, -(-least.numerator * parts // least.denominator)))

    @property
    def restricted(self) -> bool:
        """Whether only shapes of a kind that was named are searched."""
        return any((self.parts, self.steps, self.rounds))

    def solve(self, shape: Shape, limit_s: float | None) -> Answer:
        """Asks the solver."""
        chunks = chunks_of(self.collective, self.network.ranks, self.root, shape.parts)
        return solve(self.network, chunks, shape.steps, shape.rounds, limit_s)

    def quick(self, shape: Shape, limit_s: float) -> Answer:
        """The same; where all ranks are alike for a schedule in which they do alike: that no such schedule exists proves nothing."""
        if not self.same:
            return self.solve(shape, limit_s)
        chunks = chunks_of(self.collective, self.network.ranks, self.root, shape.parts)
        answer = solve(self.network, chunks, shape.steps, shape.rounds, limit_s, self.same)
        if answer.status == FOUND:
            return replace(answer, sends=self._all(answer.sends, shape.parts))
        return replace(answer, status=UNKNOWN)

    @cached_property
    def same(self) -> tuple[Shift, ...]:
        """Shifts of the ranks that change nothing; () without any, or where ranks have different things to do."""
        return symmetry.shifts(self.network) if self.collective in symmetry.SYMMETRIC else ()

    def _all(self, sends: Sequence[Send], parts: int) -> tuple[Send, ...]:
        """Those of all chunks."""
        return tuple(
            sorted(
                Send(s.step, shift[s.source], shift[s.target], symmetry.image(self.collective, shift, s.chunk, parts))
                for shift in self.same
                for s in sends
            )
        )


def search_of(
    network: Network,
    collective: str,
    root: int,
    max_parts: int,
    parts: int | None = None,
    steps: int | None = None,
    rounds: int | None = None,
) -> Search:
    """The search for a collective, of which steps and rounds are: of one that combines, for what it is backwards. UsageError: an allreduce
    has as many of both on its way there as back."""
    base, on = moving(collective), network.reversed() if collective in BACKWARD else network
    if collective in BOTH:
        if (steps or 0) % 2 or (rounds or 0) % 2:
            raise UsageError(
                f"{collective}: steps and rounds must be even: half of them combine, half bring the result back"
            )
        steps, rounds = steps and steps // 2, rounds and rounds // 2
    return Search(on, base, root, max_parts, steps, rounds, parts)


@dataclass(frozen=True)
class Cheapest:
    """The cheapest shape that was found, and whether all cheaper ones are proven impossible."""

    tries: tuple[Try, ...]
    whole: bool  # all cheaper shapes are among them
    min_steps: int  # that no schedule is below
    min_rounds_per_part: Fraction
    stopped: bool = False  # by the user

    @property
    def found(self) -> Try | None:
        """The one with sends."""
        return next((t for t in self.tries if t.answer.status == FOUND), None)

    @property
    def optimal(self) -> bool:
        """No shape that costs less exists: neither of its numbers can be smaller, or every cheaper shape is proven impossible."""
        if self.found is None:
            return False
        shape = self.found.shape
        if (shape.steps, shape.rounds_per_part) == (self.min_steps, self.min_rounds_per_part):
            return True
        return self.whole and all(t.answer.status == NONE for t in self.tries if t is not self.found)


def cheapest(
    search: Search,
    block_bytes: int,
    limit_s: float,
    on_try: Callable[[Shape], None] = lambda shape: None,
) -> Cheapest:
    """Asks shape after shape, the cheapest first: quickly until one is found, blocks in one part before blocks in more; then, until the
    time is over, about cheaper ones that are undecided. A user who stops it has what was found; KeyboardInterrupt: nothing was."""
    end = time.monotonic() + limit_s

    def costs(shape: Shape) -> tuple[float, int, int, int]:
        return shape.seconds(search.network, block_bytes), shape.steps, shape.rounds, shape.parts

    cost = {s: costs(s) for s in search.shapes()}
    answers: dict[Shape, Answer] = {}
    found: Shape | None = None
    stopped = False
    try:
        for shape in sorted(cost, key=lambda s: (s.parts, cost[s])):
            left = end - time.monotonic()
            if left <= 0:
                break
            if found is not None and cost[shape] >= cost[found]:
                continue
            on_try(shape)
            answers[shape] = search.quick(shape, min(left, max(QUICK_S, limit_s * QUICK_SHARE)))
            found = shape if answers[shape].status == FOUND else found
        for shape in sorted((s for s, answer in answers.items() if answer.status == UNKNOWN), key=cost.__getitem__):
            left = end - time.monotonic()
            if left <= 0 or (found is not None and cost[shape] >= cost[found]):
                break
            on_try(shape)
            answers[shape] = search.solve(shape, max(left / 4, min(left, 1.0)))  # one must not take the time of all
            found = shape if answers[shape].status == FOUND else found
    except KeyboardInterrupt:
        if found is None:
            raise
        stopped = True
    cheaper = [s for s in sorted(answers, key=cost.__getitem__) if found is None or cost[s] < cost[found]]
    named = [*cheaper, *([found] if found else [])]
    whole = (
        found is not None
        and not search.restricted
        and all(s in answers for s in cost if cost[s] < cost[found])
        and all(costs(s) >= cost[found] for s in search.beyond())
    )
    return Cheapest(tuple(Try(s, answers[s]) for s in named), whole, *search.bounds, stopped)


def frontier(
    search: Search,
    limit_s: float,
    on_try: Callable[[Shape], None] = lambda shape: None,
    on_stop: Callable[[], None] = lambda: None,
) -> list[Try]:
    """For each number of steps, from the fewest on, the fewest rounds per part, until the bound is met: SCCL's walk. Shapes that could not
    be decided are among the answers, as UNKNOWN; where there is nothing else, those that are proven impossible. A user who stops it has
    what was found, and `on_stop` is called; KeyboardInterrupt: nothing was."""
    found: list[Try] = []
    impossible: list[Try] = []
    try:
        _walk(search, limit_s, on_try, found, impossible)
    except KeyboardInterrupt:
        if all(each.answer.status != FOUND for each in found):
            raise
        on_stop()
    return found or impossible


def _walk(
    search: Search, limit_s: float, on_try: Callable[[Shape], None], found: list[Try], impossible: list[Try]
) -> None:
    """Fills the two lists."""
    fewest, least = search.bounds
    end = time.monotonic() + limit_s
    best = Fraction(10**9)
    by_steps: dict[int, list[Shape]] = {}
    for shape in search.shapes():
        by_steps.setdefault(shape.steps, []).append(shape)
    for steps in sorted(by_steps):
        if steps < fewest:
            impossible += [Try(shape, Answer(NONE, (), 0.0)) for shape in by_steps[steps]]
            continue
        for shape in sorted(by_steps[steps], key=lambda s: (s.rounds_per_part, s.parts)):
            if shape.rounds_per_part >= best:
                break
            left = end - time.monotonic()
            if left <= 0:
                return
            on_try(shape)
            answer = search.solve(shape, left)
            (impossible if answer.status == NONE else found).append(Try(shape, answer))
            if answer.status == FOUND:
                best = shape.rounds_per_part
                break
        if best <= least:
            break
