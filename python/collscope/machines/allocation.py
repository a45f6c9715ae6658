"""At which positions of a topology the nodes sit."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UsageError, did_you_mean
from collscope.machines import routes
from collscope.machines.spec import TOPOLOGY_SHAPES, Topology
from collscope.machines.topology import ALLOCATIONS, DESCRIBED, POSITIONS


def _words(t: Topology) -> str:
    return f"{t.kind.replace('_', ' ')} of {t.total} positions ({' x '.join(map(str, t.shape))})"


def _wider(t: Topology, nodes: int) -> str:
    """What to say for so many nodes, where that can be said."""
    if t.kind == "torus":
        return ""
    each = math.prod(t.shape[1:])
    return f"; say topology.{TOPOLOGY_SHAPES[t.kind][0]}={-(-(t.first + nodes) // each)}, or topology=switch"


def positions(t: Topology, nodes: int) -> Sequence[int]:
    """The position of each node, in their order. ValueError: what is wrong with the allocation; UsageError: with its file."""
    text, most = t.allocation, t.total
    if t.kind == "switch":
        return range(nodes)
    named = _words(t)
    if text == "contiguous":
        _inside(
            t.first + nodes - 1, most, f"node {nodes - 1} at position {t.first + nodes - 1}", named + _wider(t, nodes)
        )
        return range(t.first, t.first + nodes)
    if text == "scattered":
        _inside(nodes - 1, most, f"{nodes} nodes", named)
        draw = random.Random(t.seed).random  # the one function whose numbers no version of Python changes
        return sorted(sorted(range(most), key=lambda _: draw())[:nodes])
    found = _named(t, named)
    if len(set(found)) < len(found):
        twice = next(a for a, b in pairwise(sorted(found)) if a == b)
        raise ValueError(f"names position {twice} twice")
    if len(found) < nodes:
        raise ValueError(f"has {len(found)} positions for {nodes} nodes; say nodes={len(found)}, or name more")
    return found[:nodes]


def links_nodes(t: Topology, nodes: int) -> bool:
    """Whether links lie between any two of so many nodes: those of one leaf or router have none."""
    if t.kind == "switch":
        return False
    of_switch = t.shape[-1] if t.kind in ("fat_tree", "dragonfly") else 1
    return len({position // of_switch for position in positions(t, nodes)}) > 1


def _named(t: Topology, named: str) -> list[int]:
    """The positions of an allocation that names each of them."""
    text = t.allocation
    if re.fullmatch(r"[0-9]{1,7}(x[0-9]{1,7})+", text):
        return _block(t, [int(word) for word in text.split("x")])
    if text.startswith("file:"):
        return _of_file(Path(text.removeprefix("file:")), t, named)
    return _listed(text, t, named)


def named_nodes(t: Topology) -> int | None:
    """How many nodes an allocation names; None where it takes as many as there are. ValueError as in positions."""
    return None if t.allocation in ("contiguous", "scattered") else len(_named(t, _words(t)))


def _inside(position: int, most: int, what: str, named: str) -> None:
    if not 0 <= position < most:
        raise ValueError(f"{what} leaves the {named}")


def _block(t: Topology, size: list[int]) -> list[int]:
    if t.kind != "torus" or len(size) != len(t.shape):
        raise ValueError(f'"{t.allocation}" is a block of a torus, one number for each dimension')
    origin = routes.coordinates(t.shape, t.first)
    for d, (at, wide, most) in enumerate(zip(origin, size, t.shape, strict=True)):
        if wide < 1 or at + wide > most:
            raise ValueError(
                f"the block {t.allocation} at {','.join(map(str, origin))} leaves the torus of {' x '.join(map(str, t.shape))} "
                f"in dimension {d}"
            )
    ways = [range(at, at + wide) for at, wide in zip(origin, size, strict=True)]
    return [routes.position_at(t.shape, at) for at in product(*ways)]


def _listed(text: str, t: Topology, named: str) -> list[int]:
    found: list[int] = []
    for part in text.split("+"):
        if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})+", part):
            found.append(_of_coordinates([int(word) for word in part.split(".")], t, named))
            continue
        ends = re.fullmatch(r"\s*([0-9]{1,9})(?:-([0-9]{1,9}))?\s*", part)
        if not ends:
            words = ("contiguous", "scattered")
            raise ValueError(f'cannot read "{part[:40]}"{did_you_mean(text, words)}; write {ALLOCATIONS}')
        low, high = int(ends[1]), int(ends[2] or ends[1])
        _inside(high, t.total, f"position {high}", named)
        if low > high:
            raise ValueError(f"{part}: write the smaller position first")
        found += range(low, high + 1)
    return found


def _of_coordinates(at: Sequence[int], t: Topology, named: str) -> int:
    if t.kind != "torus" or len(at) != len(t.shape):
        raise ValueError(f"{len(at)} numbers are no position of a {named}; write one, or a torus's coordinates")
    if not all(x < size for x, size in zip(at, t.shape, strict=True)):
        raise ValueError(f"position {' '.join(map(str, at))} leaves the {named}")
    return routes.position_at(t.shape, at)


def _of_file(path: Path, t: Topology, named: str) -> list[int]:
    """A position a line, by its number or, in a torus, by its coordinates; # comments."""
    found = []
    try:
        lines = paths.expanded(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}:1: cannot be read: {getattr(error, 'strerror', 'is no text in UTF-8')}") from None
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].replace(",", " ").split()
        if not words:
            continue
        if not all(re.fullmatch(r"[0-9]{1,9}", word) for word in words):
            raise UsageError(f"{path}:{number}: {line.strip()[:40]}: write a position's number, or its coordinates")
        at = [int(word) for word in words]
        try:
            if len(at) == 1:
                _inside(at[0], t.total, f"position {at[0]}", named)
            found.append(at[0] if len(at) == 1 else _of_coordinates(at, t, named))
        except ValueError as problem:
            raise UsageError(f"{path}:{number}: {problem}") from None
    return found


def properties_of(t: Topology, nodes: int) -> dict[str, str]:
    """What the outermost zone of a platform file says: the topology as the machine file does, and "first count; …" where the nodes sit.
    One switch: nothing."""
    if t.kind == "switch":
        return {}
    at = "; ".join(f"{first} {count}" for first, count in runs(positions(t, nodes)))
    return {DESCRIBED: t.described(), POSITIONS: at}


def runs(found: Sequence[int]) -> list[tuple[int, int]]:
    """(first, how many) of consecutive positions, in order."""
    made: list[tuple[int, int]] = []
    if isinstance(found, range):
        return [(found.start, len(found))]
    for position in found:
        if made and position == sum(made[-1]):
            made[-1] = (made[-1][0], made[-1][1] + 1)
        else:
            made.append((position, 1))
    return made
