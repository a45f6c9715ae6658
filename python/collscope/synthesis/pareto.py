"""The exact schedules worth having: the fewest rounds for each number of steps, as SCCL walks them; and the cheapest for one size."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from collscope.synthesis.demand import chunks_of, min_rounds, min_steps
from collscope.synthesis.exact import FOUND, NONE, Answer, solve
from collscope.synthesis.network import Network

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

    def shapes(self) -> Iterator[Shape]:
        """Those that no bound excludes."""
        chunks = chunks_of(self.collective, self.network.ranks, self.root, 1)
        fewest, least = min_steps(self.network, chunks), min_rounds(self.network, chunks)
        for parts in [self.parts] if self.parts else range(1, self.max_parts + 1):
            lowest = -(-least.numerator * parts // least.denominator)
            for steps in [self.steps] if self.steps else range(fewest, fewest + MAX_MORE_STEPS + 1):
                highest = max(steps, MORE_ROUNDS * lowest)
                for rounds in [self.rounds] if self.rounds else range(max(steps, lowest), highest + 1):
                    yield Shape(parts, steps, rounds)

    def solve(self, shape: Shape, limit_s: float | None) -> Answer:
        """Asks the solver."""
        chunks = chunks_of(self.collective, self.network.ranks, self.root, shape.parts)
        return solve(self.network, chunks, shape.steps, shape.rounds, limit_s)


@dataclass(frozen=True)
class Cheapest:
    """The cheapest shape that was found, and whether all cheaper ones are proven impossible."""

    tries: tuple[Try, ...]

    @property
    def found(self) -> Try | None:
        """The one with sends."""
        return next((t for t in self.tries if t.answer.status == FOUND), None)

    @property
    def optimal(self) -> bool:
        """No shape that costs less exists."""
        return self.found is not None and all(t.answer.status == NONE for t in self.tries if t is not self.found)


def cheapest(
    search: Search,
    block_bytes: int,
    limit_s: float,
    on_try: Callable[[Shape], None] = lambda shape: None,
    kept: dict[Shape, Answer] | None = None,
) -> Cheapest:
    """Asks shape after shape, the cheapest first, until one is found or the time is over. `kept`: answers that are known; new ones are
    added."""
    known = kept if kept is not None else {}
    end = time.monotonic() + limit_s
    tries: list[Try] = []
    order = sorted(search.shapes(), key=lambda s: (s.seconds(search.network, block_bytes), s.steps, s.rounds, s.parts))
    for shape in order:
        left = end - time.monotonic()
        if shape not in known:
            if left <= 0:
                break
            on_try(shape)
            # One hard question must not take the time of all that come after it.
            known[shape] = search.solve(shape, max(left / 4, min(left, 1.0)))
        tries.append(Try(shape, known[shape]))
        if known[shape].status == FOUND:
            break
    return Cheapest(tuple(tries))


def frontier(search: Search, limit_s: float, on_try: Callable[[Shape], None] = lambda shape: None) -> list[Try]:
    """For each number of steps, from the fewest on, the fewest rounds per part, until the bound is met: SCCL's walk. Shapes that could not
    be decided are among the answers, as UNKNOWN."""
    chunks = chunks_of(search.collective, search.network.ranks, search.root, 1)
    least, fewest = min_rounds(search.network, chunks), min_steps(search.network, chunks)
    end = time.monotonic() + limit_s
    found: list[Try] = []
    best = Fraction(10**9)
    by_steps: dict[int, list[Shape]] = {}
    for shape in search.shapes():
        by_steps.setdefault(shape.steps, []).append(shape)
    for steps in sorted(by_steps):
        if steps < fewest:
            continue
        for shape in sorted(by_steps[steps], key=lambda s: (s.rounds_per_part, s.parts)):
            if shape.rounds_per_part >= best:
                break
            left = end - time.monotonic()
            if left <= 0:
                return found
            on_try(shape)
            answer = search.solve(shape, left)
            if answer.status != NONE:
                found.append(Try(shape, answer))
            if answer.status == FOUND:
                best = shape.rounds_per_part
                break
        if best <= least:
            break
    return found
