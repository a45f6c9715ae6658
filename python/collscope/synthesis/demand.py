"""What a collective asks for: chunks, where each is at the start and who needs it; and what has been found, as sends in steps.

A collective that combines is another one backwards: what a reduce_scatter adds up along a tree, an allgather hands out along the same
tree; an allreduce is both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from collscope.base.errors import UsageError
from collscope.base.units import join_words
from collscope.synthesis.network import Network

FORWARD = ("bcast", "scatter", "gather", "allgather", "alltoall")
BACKWARD = {"reduce": "bcast", "reduce_scatter": "allgather", "reduce_scatter_block": "allgather"}
BOTH = {"allreduce": "allgather"}
COLLECTIVES = (*FORWARD, *BACKWARD, *BOTH)


@dataclass(frozen=True)
class Chunk:
    """A part of a block: who has it at the start, and who must have it in the end."""

    source: int
    targets: frozenset[int]


@dataclass(frozen=True, order=True)
class Send:
    """A chunk goes from one rank to another; steps count from 1. `combines`: it is added to what the receiver has."""

    step: int
    source: int
    target: int
    chunk: int
    combines: bool = False


@dataclass(frozen=True)
class Design:
    """A schedule in steps: of `parts` chunks for each block. Steps may have several rounds."""

    collective: str
    ranks: int
    root: int
    parts: int
    sends: tuple[Send, ...]
    steps: int
    rounds: int


def moving(collective: str) -> str:
    """The collective that only moves data and is searched for. UsageError: none is known."""
    if collective not in COLLECTIVES:
        raise UsageError(f"{collective}: not synthesised; choose {join_words(COLLECTIVES, 'or')}")
    return BACKWARD.get(collective, BOTH.get(collective, collective))


def chunks_of(collective: str, ranks: int, root: int, parts: int) -> tuple[Chunk, ...]:
    """Of a collective of FORWARD, in the order of the blocks; `parts` for each."""
    every = frozenset(range(ranks))
    blocks = {
        "bcast": [Chunk(root, every)],
        "scatter": [Chunk(root, frozenset([rank])) for rank in range(ranks)],
        "gather": [Chunk(rank, frozenset([root])) for rank in range(ranks)],
        "allgather": [Chunk(rank, every) for rank in range(ranks)],
        "alltoall": [Chunk(a, frozenset([b])) for a in range(ranks) for b in range(ranks)],
    }[collective]
    return tuple(block for block in blocks for _ in range(parts))


def min_steps(network: Network, chunks: Sequence[Chunk]) -> int:
    """No schedule has fewer: the farthest that a chunk must go. UsageError: a path is missing."""
    far = max((network.distances[c.source][t] for c in chunks for t in c.targets), default=0)
    if far >= network.ranks:
        raise UsageError(f"{network.name}: not every rank can be reached from every other")
    return far


def min_rounds(network: Network, chunks: Sequence[Chunk]) -> Fraction:
    """No schedule has fewer: what must enter some group of ranks, over what can enter it in a round."""
    least = Fraction(0)
    for group in network.groups:
        needed = sum(c.source not in group and bool(c.targets & group) for c in chunks)
        if needed:
            least = max(least, Fraction(needed, network.entering(group)))
    return least


def direct_rounds(network: Network, chunks: Sequence[Chunk]) -> int:
    """Of the one step in which every chunk goes from where it is to where it is needed; as if every pair had a link."""
    loads = Counter((c.source, t) for c in chunks for t in c.targets if t != c.source)
    return max((-(-sum(loads[pair] for pair in x.pairs) // x.chunks) for x in network.limits), default=0)


def mirrored(sends: Sequence[Send], steps: int) -> tuple[Send, ...]:
    """The same backwards: what was handed out is combined along the same trees."""
    return tuple(sorted(Send(steps + 1 - s.step, s.target, s.source, s.chunk, True) for s in sends))


def design_of(collective: str, network: Network, root: int, parts: int, sends: Sequence[Send], rounds: int) -> Design:
    """The design of a collective from the sends of the one that only moves data: as they are, backwards, or both."""
    steps = max((s.step for s in sends), default=0)
    made = tuple(sorted(sends))
    if collective in BACKWARD:
        made = mirrored(sends, steps)
    elif collective in BOTH:
        later = [Send(s.step + steps, s.source, s.target, s.chunk) for s in sends]
        made, steps, rounds = (*mirrored(sends, steps), *sorted(later)), 2 * steps, 2 * rounds
    return Design(collective, network.ranks, root, parts, made, steps, rounds)
