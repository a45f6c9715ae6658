"""Routes between nodes, as SimGrid's platform files spell them out; model/routes.h has the same for the timing engine.

Positions are numbered from 0. A link is named by its kind and numbers, each way by itself.

    torus      shape: positions of each dimension, the last one fastest. Dimension after dimension, each the shorter way round; of two
               ways that are as long, upwards.
    fat_tree   shape: leaf switches, nodes of a leaf, uplinks of a leaf. Core switch c is at the end of every leaf's uplink c; a message
               takes the one of its destination's position modulo uplinks.
    dragonfly  shape: groups, routers of a group, nodes of a router. Routers of a group are linked each to each. From group a to group b
               there is one link, at router (b - a - 1 mod groups) mod routers of a, and router (a - b - 1 mod groups) mod routers of b.
               Routes are minimal: over that link.

SimGrid's own zones have as many links between any two nodes (tests/python/machines/test_simgrid_zones.py). Of a torus it crosses the last
dimension first and may go downwards where both ways round are as long; of a dragonfly its link to group j is at router j of each group.
"""

from __future__ import annotations

from collections.abc import Sequence

KINDS = ("switch", "torus", "fat_tree", "dragonfly")
Link = tuple[str, int, int]  # torus: +DIM or -DIM, from, to; up, down: leaf, core; local: routers; global: groups


def coordinates(shape: Sequence[int], position: int) -> tuple[int, ...]:
    """Of a position in a torus."""
    found = []
    for size in reversed(shape):
        position, at = divmod(position, size)
        found.append(at)
    return tuple(reversed(found))


def position_at(shape: Sequence[int], at: Sequence[int]) -> int:
    """The position of coordinates in a torus."""
    position = 0
    for size, one in zip(shape, at, strict=True):
        position = position * size + one
    return position


def route(kind: str, shape: Sequence[int], source: int, target: int) -> list[Link]:
    """The links from one position to another, in order."""
    if kind == "torus":
        return _torus(shape, source, target)
    if kind == "fat_tree":
        a, b, core = source // shape[1], target // shape[1], target % shape[2]
        return [] if a == b else [("up", a, core), ("down", b, core)]
    return _dragonfly(shape, source, target) if kind == "dragonfly" else []


def _torus(shape: Sequence[int], source: int, target: int) -> list[Link]:
    at, wanted = list(coordinates(shape, source)), coordinates(shape, target)
    links: list[Link] = []
    for d, size in enumerate(shape):
        up = (wanted[d] - at[d]) % size
        step, hops = (1, up) if up <= size - up else (-1, size - up)
        for _ in range(hops):
            here = position_at(shape, at)
            at[d] = (at[d] + step) % size
            links.append((f"{'+' if step > 0 else '-'}{d}", here, position_at(shape, at)))
    return links


def _dragonfly(shape: Sequence[int], source: int, target: int) -> list[Link]:
    groups, routers, nodes = shape
    here, there = source // nodes, target // nodes
    a, b = here // routers, there // routers
    links: list[Link] = []
    if a != b:
        out = a * routers + (b - a - 1) % groups % routers
        if here != out:
            links.append(("local", here, out))
        links.append(("global", a, b))
        here = b * routers + (a - b - 1) % groups % routers
    if here != there:
        links.append(("local", here, there))
    return links
