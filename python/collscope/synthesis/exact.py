"""Exact synthesis: is there a schedule of so many steps, rounds and chunks? As SCCL asks it (Cai et al., PPoPP 2021), of CP-SAT.

A k-synchronous schedule has S steps; step s has r_s rounds, R in all, and in it every limit lets r_s times its chunks through. A chunk
can be sent on in the step after the one in which it came. A Boolean says that a chunk crosses a pair in a step; the solver finds a
schedule, or proves that none exists.
"""

from __future__ import annotations

import importlib.util
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.synthesis.demand import Chunk, Send
from collscope.synthesis.network import Network, Pair
from collscope.synthesis.symmetry import Shift

EXTRA = "synthesis"  # of pyproject.toml: the solver
FOUND, NONE, UNKNOWN = "found", "none", "unknown"
SEED = 1
WATCH_S = 0.2  # between two looks whether the user wants to stop
Place = tuple[int, int, int, int]  # chunk, sender, receiver, step


@dataclass(frozen=True)
class Answer:
    """FOUND, with the sends; NONE: proven; UNKNOWN: the time was over."""

    status: str
    sends: tuple[Send, ...]
    seconds: float


def ready() -> None:
    """Brings the solver, where it is not installed yet. UserError: it cannot be installed."""
    if importlib.util.find_spec("ortools"):
        return
    from collscope.setup import machine
    from collscope.setup.steps import SetupError

    try:
        machine.ensure_python(paths.ROOT, EXTRA)
    except SetupError as error:
        raise UserError(str(error)) from error
    importlib.invalidate_caches()  # it is there from now on


def solve(
    network: Network,
    chunks: Sequence[Chunk],
    steps: int,
    rounds: int,
    limit_s: float | None,
    same: Sequence[Shift] = (),
) -> Answer:
    """A schedule of just so many steps and rounds, on one core and the same each time but for the limit. KeyboardInterrupt ends it.

    `same`: shifts of the ranks. Then the answer has the sends of rank 0's chunks alone, which make a schedule together with those that
    the shifts make of them; and NONE means that no such schedule exists."""
    from ortools.sat.python import cp_model

    began = time.monotonic()
    if steps > rounds:
        return Answer(NONE, (), 0.0)
    model = cp_model.CpModel()
    crosses = _model(model, network, chunks, steps, rounds, same)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = SEED
    solver.parameters.catch_sigint_signal = False
    if limit_s is not None:
        solver.parameters.max_time_in_seconds = max(limit_s, 0.01)
    status = _run(solver, model)
    seconds = time.monotonic() - began
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        sends = [Send(s, a, b, chunk) for (chunk, a, b, s), crossed in crosses.items() if solver.boolean_value(crossed)]
        return Answer(FOUND, _needed(sends, chunks), seconds)
    return Answer(NONE if status == cp_model.INFEASIBLE else UNKNOWN, (), seconds)


def _run(solver: Any, model: Any) -> Any:
    """In a thread, so that Ctrl-C is heard. Thread.join cannot wait for it: interrupted, it takes the thread for one that is over."""
    found: list[Any] = []
    over = threading.Event()

    def call() -> None:
        try:
            found.append(solver.solve(model))
        finally:
            over.set()

    threading.Thread(target=call, daemon=True).start()
    try:
        while not over.wait(WATCH_S):
            pass
    except KeyboardInterrupt:
        solver.stop_search()
        while not over.wait(WATCH_S):  # the search may have been about to begin
            solver.stop_search()
        raise
    return found[0]


def _model(
    model: Any, network: Network, chunks: Sequence[Chunk], steps: int, rounds: int, same: Sequence[Shift]
) -> dict[Place, Any]:
    lengths = [model.new_int_var(1, rounds - steps + 1, f"rounds_{s}") for s in range(steps)]
    model.add(sum(lengths) == rounds)
    crosses: dict[Place, Any] = {}
    for number, chunk in enumerate(chunks):
        if not same or chunk.source == 0:
            crosses |= _of_chunk(model, network, number, chunk, steps)
    loads: dict[tuple[int, int, int], list[Any]] = {}
    for (_, a, b, s), crossed in crosses.items():
        loads.setdefault((a, b, s), []).append(crossed)
    for shared, chunks_in_round in _shared(network, same):
        for s in range(1, steps + 1):
            if load := [times * crossed for (a, b), times in shared for crossed in loads.get((a, b, s), ())]:
                model.add(sum(load) <= chunks_in_round * lengths[s - 1])
    return crosses


def _shared(network: Network, same: Sequence[Shift]) -> list[tuple[list[tuple[Pair, int]], int]]:
    """Of each limit: how often a pair crosses it, each of rank 0's chunks standing for all that the shifts make of it; and its chunks."""
    if not same:
        return [([(pair, 1) for pair in sorted(x.pairs)], x.chunks) for x in network.limits]
    back = [{to: rank for rank, to in enumerate(shift)} for shift in same]
    found: dict[tuple[tuple[Pair, int], ...], int] = {}
    for limit in network.limits:
        times = Counter((of[a], of[b]) for a, b in limit.pairs for of in back)
        key = tuple(sorted(times.items()))
        found[key] = min(limit.chunks, found.get(key, limit.chunks))
    return [(list(key), chunks) for key, chunks in found.items()]


def _of_chunk(model: Any, network: Network, number: int, chunk: Chunk, steps: int) -> dict[Place, Any]:
    """Where a chunk may go: not before it can be there, nor where it is too late for all who need it."""
    far, source = network.distances, chunk.source
    others = chunk.targets - {source}
    left = {rank: min((far[rank][t] for t in others), default=network.ranks) for rank in range(network.ranks)}
    made: dict[Place, Any] = {}
    arrivals: dict[int, list[tuple[int, Any]]] = {rank: [] for rank in range(network.ranks)}
    for s in range(1, steps + 1):
        for a, b in network.pairs:
            if b == source or far[source][a] > s - 1 or left[b] > steps - s:
                continue
            made[number, a, b, s] = crossed = model.new_bool_var("")
            arrivals[b].append((s, crossed))
    for rank, of_rank in arrivals.items():
        if rank in others:
            model.add_exactly_one(crossed for _, crossed in of_rank)
        elif of_rank:
            model.add_at_most_one(crossed for _, crossed in of_rank)
    for (_, a, _, s), crossed in made.items():
        if a != source:
            model.add(sum(arrived for t, arrived in arrivals[a] if t < s) >= crossed)
    return made


def _needed(sends: Sequence[Send], chunks: Sequence[Chunk]) -> tuple[Send, ...]:
    """Without those that bring a chunk to where neither it nor anything sent on from there is needed."""
    kept = list(sends)
    while True:
        going = {(s.chunk, s.source) for s in kept}
        fewer = [s for s in kept if s.target in chunks[s.chunk].targets or (s.chunk, s.target) in going]
        if len(fewer) == len(kept):
            return tuple(sorted(kept))
        kept = fewer
