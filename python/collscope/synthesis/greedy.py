"""Greedy synthesis for many ranks: the network expanded over time, and in each round as many useful sends as fit, as TACOS does
(Won et al., MICRO 2024).

In a round each pair may bring one chunk that the receiver lacks, as long as no limit is full. Which of them goes first is decided by how
few have the chunk, then by the distance, then by chance: another seed, another schedule. Chunks that a rank does not need itself are
brought to it where that is nearer to somebody who does.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from collscope.synthesis.demand import Chunk, Send
from collscope.synthesis.network import Network

MAX_STEPS = 4096


def schedule(network: Network, chunks: Sequence[Chunk], seed: int, nearest_first: bool = True) -> tuple[Send, ...]:
    """A schedule whose steps have one round each; () where it comes to no end. The same for the same seed."""
    draw = random.Random(seed).random  # the one function whose numbers no version of Python changes
    state = _State(network, chunks)
    sends: list[Send] = []
    step = 0
    while state.left:
        step += 1
        made = _round(state, draw, nearest_first)
        if not made or step > MAX_STEPS:
            return ()
        sends += [Send(step, a, b, chunk) for a, b, chunk in made]
        for _, b, chunk in made:
            state.bring(b, chunk)
    return tuple(sorted(sends))


class _State:
    """Who has what, and what is still needed."""

    def __init__(self, network: Network, chunks: Sequence[Chunk]) -> None:
        self.network, self.chunks = network, chunks
        self.has: list[set[int]] = [set() for _ in range(network.ranks)]
        self.holders = [1] * len(chunks)
        for number, chunk in enumerate(chunks):
            self.has[chunk.source].add(number)
        self.left = {(t, number) for number, c in enumerate(chunks) for t in c.targets if t != c.source}
        self._near: dict[int, list[tuple[int, int]]] = {}
        self.limits_of = {pair: [i for i, x in enumerate(network.limits) if pair in x.pairs] for pair in network.pairs}

    def bring(self, rank: int, chunk: int) -> None:
        """It has come."""
        self.has[rank].add(chunk)
        self.holders[chunk] += 1
        self.left.discard((rank, chunk))
        self._near.pop(chunk, None)

    def useful(self, rank: int, chunk: int) -> bool:
        """Whether a rank without it needs it, or is nearer to somebody who does than all who have it."""
        if (rank, chunk) in self.left:
            return True
        return any(self.network.distances[rank][target] < near for target, near in self._waiting(chunk))

    def _waiting(self, chunk: int) -> list[tuple[int, int]]:
        """Who needs it, and how far the nearest is who has it; kept until it comes somewhere."""
        if chunk not in self._near:
            far, holders = self.network.distances, [r for r in range(self.network.ranks) if chunk in self.has[r]]
            waiting = [t for t in self.chunks[chunk].targets if (t, chunk) in self.left]
            self._near[chunk] = [(t, min(far[h][t] for h in holders)) for t in waiting]
        return self._near[chunk]


def _round(state: _State, draw: random.Random | object, nearest_first: bool) -> list[tuple[int, int, int]]:
    """(sender, receiver, chunk) of one round."""
    network = state.network
    room = [limit.chunks for limit in network.limits]
    found = []
    for a, b in network.pairs:
        for chunk in sorted(state.has[a] - state.has[b]):
            if state.useful(b, chunk):
                wide = len(state.limits_of[a, b])
                found.append((state.holders[chunk], wide if nearest_first else -wide, draw(), a, b, chunk))  # type: ignore[operator]
    made: list[tuple[int, int, int]] = []
    coming: set[tuple[int, int]] = set()
    for _, _, _, a, b, chunk in sorted(found):
        limits = state.limits_of[a, b]
        if (b, chunk) in coming or not all(room[i] for i in limits):
            continue
        for i in limits:
            room[i] -= 1
        coming.add((b, chunk))
        made.append((a, b, chunk))
    return made
