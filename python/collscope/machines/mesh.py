"""Sockets of a node that are joined by given links: which links a message between two of them crosses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

Pair = tuple[int, int]


def all_pairs(sockets: int) -> tuple[Pair, ...]:
    """A link between any two sockets."""
    return tuple((a, b) for a in range(sockets) for b in range(a + 1, sockets))


@lru_cache
def distances(sockets: int, links: tuple[Pair, ...]) -> tuple[tuple[int, ...], ...]:
    """Links between any two sockets on a shortest way; -1: there is none."""
    near = _neighbours(sockets, links)
    found = []
    for start in range(sockets):
        steps = [-1] * sockets
        steps[start] = 0
        queue = [start]
        for at in queue:
            for other in near[at]:
                if steps[other] < 0:
                    steps[other] = steps[at] + 1
                    queue.append(other)
        found.append(tuple(steps))
    return tuple(found)


def way(sockets: int, links: tuple[Pair, ...], source: int, target: int) -> list[Pair]:
    """The links from one socket to another, each as (from, to). Of several shortest ways that which goes to the socket of the
    lowest number first."""
    steps, near = distances(sockets, links), _neighbours(sockets, links)
    made = []
    while source != target:
        following = next(s for s in near[source] if steps[s][target] == steps[source][target] - 1)
        made.append((source, following))
        source = following
    return made


def _neighbours(sockets: int, links: Sequence[Pair]) -> list[list[int]]:
    near: list[set[int]] = [set() for _ in range(sockets)]
    for a, b in links:
        near[a].add(b)
        near[b].add(a)
    return [sorted(others) for others in near]
