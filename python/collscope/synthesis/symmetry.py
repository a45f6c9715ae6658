"""Machines that look the same from every rank: there, a schedule may be sought that does so, too, which is far less to decide.

A shift moves every rank by the same coordinates, such as so many nodes and so many places within a node. Where all shifts leave the limits
as they are, the chunks of rank 0 tell those of all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from collscope.synthesis.network import Network

Shift = tuple[int, ...]  # where each rank goes

SYMMETRIC = ("allgather", "alltoall")  # of the collectives that only move data: every rank has the same to do


def shifts(network: Network) -> tuple[Shift, ...]:
    """One for each rank, which takes 0 there, all of them leaving the limits as they are; () where none of the ways to number ranks by
    coordinates has such."""
    limits = Counter((x.pairs, x.chunks) for x in network.limits)
    for shape in _shapes(network.ranks):
        found = tuple(_shift(shape, by) for by in product(*map(range, shape)))
        if all(_moved(network, shift) == limits for shift in _generators(shape)):
            return found
    return ()


def image(collective: str, shift: Shift, chunk: int, parts: int) -> int:
    """The chunk that another rank has in its place."""
    block, part = divmod(chunk, parts)
    if collective == "alltoall":
        ranks = len(shift)
        block = shift[block // ranks] * ranks + shift[block % ranks]
    else:
        block = shift[block]
    return block * parts + part


def _shapes(n: int) -> Iterator[tuple[int, ...]]:
    """Products that are n, of few factors first."""
    yield (n,)
    for first in range(2, n // 2 + 1):
        if n % first == 0:
            for rest in _shapes(n // first):
                yield (first, *rest)


def _generators(shape: Sequence[int]) -> Iterator[Shift]:
    for d in range(len(shape)):
        yield _shift(shape, [int(d == k) for k in range(len(shape))])


def _shift(shape: Sequence[int], by: Sequence[int]) -> Shift:
    """Coordinates of rank 0, 1, …: the last one fastest."""
    where = []
    for at in product(*map(range, shape)):
        rank = 0
        for size, x, more in zip(shape, at, by, strict=True):
            rank = rank * size + (x + more) % size
        where.append(rank)
    return tuple(where)


def _moved(network: Network, shift: Shift) -> Counter[tuple[frozenset[tuple[int, int]], int]]:
    return Counter((frozenset((shift[a], shift[b]) for a, b in x.pairs), x.chunks) for x in network.limits)
