"""How nodes are linked: one switch, a torus, a fat tree or a dragonfly; routes between nodes, and at which positions they sit.

Positions are numbered from 0. A link is named by its kind and numbers, each way by itself. Routes are as SimGrid's platform files spell
them out; model/routes.h has the same for the timing engine.

    torus      shape: positions of each dimension, the last one fastest. Dimension after dimension, each the shorter way round; of two
               that are as long, upwards.
    fat_tree   shape: leaf switches, nodes of a leaf, uplinks of a leaf. Core switch c is at the end of every leaf's uplink c; a message
               takes the one of its destination's position modulo uplinks.
    dragonfly  shape: groups, routers of a group, nodes of a router. Routers of a group are linked each to each. From group a to group b
               there is one link, at router (b - a - 1 mod groups) mod routers of a, and router (a - b - 1 mod groups) mod routers of b.
               Routes are minimal: over that link.

SimGrid's own zones have as many links between any two nodes (tests/python/machines/test_simgrid_zones.py). Of a torus it crosses the last
dimension first and may go downwards where both ways round are as long; of a dragonfly its link to group j is at router j of each group.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from pathlib import Path

from collscope.base import paths
from collscope.base.errors import UsageError, did_you_mean
from collscope.base.number import GIVEN, Number

ALLOCATIONS = "contiguous, scattered, a block such as 4x4x8, positions such as 0-15+64-79, or file:PATH"
MAX_LINKS = 256  # of a route; as in model/routes.h, like the next two
MAX_POSITIONS = 1 << 22
MAX_LINKS_IN_ALL = 1 << 24
MAX_DIMENSIONS = 6
Link = tuple[str, int, int]  # torus: +DIM or -DIM, from, to; up, down: leaf, core; local: routers; global: groups

TOPOLOGY_SHAPES = {
    "switch": (),
    "torus": ("dims",),
    "fat_tree": ("leaves", "nodes_per_leaf"),
    "dragonfly": ("groups", "routers", "nodes_per_router"),
}
TOPOLOGY_NUMBERS = ("hop_latency_s", "link_bytes_per_s", "global_bytes_per_s", "oversubscription")
TOPOLOGY_OWN = {"dragonfly": ("global_bytes_per_s",), "fat_tree": ("oversubscription",)}  # those that no other kind has


@dataclass(frozen=True)
class Topology:
    """`shape` as in route, but for a fat tree's uplinks, which follow from oversubscription: nodes of a leaf for each of its uplinks.
    The default is one switch that is wide enough for all."""

    kind: str = "switch"
    shape: tuple[int, ...] = ()
    shape_from: tuple[Number, ...] = ()  # the same numbers with their provenance
    hop_latency_s: Number = Number(0.0)  # of each link beyond those in the network's curve: a torus's first
    link_bytes_per_s: Number = Number(0.0)  # each way
    global_bytes_per_s: Number = Number(0.0)  # of a dragonfly's links between groups
    oversubscription: Number = Number(1.0)
    allocation: str = "contiguous"
    first: int = 0  # position from which a contiguous allocation or a block starts
    seed: int = 0  # of a scattered one

    @property
    def whole_shape(self) -> tuple[int, ...]:
        """With a fat tree's uplinks."""
        if self.kind != "fat_tree":
            return self.shape
        return (*self.shape, max(1, round(self.shape[1] / self.oversubscription.value)))

    @property
    def used(self) -> tuple[str, ...]:
        """Those of TOPOLOGY_NUMBERS that this kind has."""
        return (*TOPOLOGY_NUMBERS[:2], *TOPOLOGY_OWN.get(self.kind, ()))

    @property
    def total(self) -> int:
        """How many positions there are."""
        return math.prod(self.shape)

    def rate(self, link: tuple[str, int, int]) -> float:
        """Bytes per second."""
        return (self.global_bytes_per_s if link[0] == "global" else self.link_bytes_per_s).value

    @property
    def narrowest(self) -> float:
        """Bytes per second of the narrowest link; infinite with one wide switch."""
        if self.kind == "switch":
            return float("inf")
        rates = [self.link_bytes_per_s.value, *([self.global_bytes_per_s.value] if self.kind == "dragonfly" else [])]
        return min(rates)

    def numbers(self) -> Iterator[tuple[str, Number]]:
        """Every number with its name and provenance."""
        if self.kind == "switch":
            return
        names = TOPOLOGY_SHAPES[self.kind]
        for i, number in enumerate(self.shape_from):
            yield f"topology.{names[i] if len(names) > 1 else f'{names[0]}[{i}]'}", number
        for name in self.used:
            yield f"topology.{name}", getattr(self, name)


ONE_SWITCH = Topology()


def problem_of(t: Topology) -> str:
    """Why there can be no such network; nothing where there can."""
    if t.kind == "switch":
        return ""
    if t.total > MAX_POSITIONS:
        return f"has {t.total} positions; at most {MAX_POSITIONS}"
    shape = t.whole_shape
    links = {
        "torus": 2 * len(shape) * t.total,
        "fat_tree": 2 * shape[0] * shape[-1],
        "dragonfly": shape[0] * shape[-2] ** 2 + shape[0] ** 2 if len(shape) == 3 else 0,
    }[t.kind]
    if links > MAX_LINKS_IN_ALL:
        return f"has {links} links; at most {MAX_LINKS_IN_ALL}"
    if t.kind == "torus" and (longest := sum(size // 2 for size in shape)) > MAX_LINKS:
        return f"has routes of {longest} links; at most {MAX_LINKS}"
    if t.narrowest <= 0:
        return "needs the bandwidth of its links: link_bytes_per_s" + ", global_bytes_per_s" * (t.kind == "dragonfly")
    return ""


def varied(t: Topology, key: str, text: str) -> Topology:
    """With another value, or a number multiplied (`x2`), of what `variables` names. ValueError: it cannot be that."""
    if key == "topology":
        if text != "switch":
            raise ValueError(f'is "switch" (one, wide enough for all), not "{text}"; another kind is written in a file')
        return Topology()
    if t.kind == "switch":
        raise ValueError("says nothing beside topology=switch; take one of them out")
    name = key.removeprefix("topology.")
    if name == "allocation":
        return replace(t, allocation=text)
    if name in ("first", "seed"):
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise ValueError("must be a whole number, 0 or more")
        return replace(t, first=int(text)) if name == "first" else replace(t, seed=int(text))
    if name == "dims" and t.kind == "torus":
        return _redimensioned(t, text)
    if name in TOPOLOGY_SHAPES[t.kind]:
        return _reshaped(t, TOPOLOGY_SHAPES[t.kind].index(name), text)
    try:
        value = float(text[text.startswith("x") :]) * (getattr(t, name).value if text.startswith("x") else 1)
    except ValueError:
        raise ValueError(f'must be a number, or a factor such as x2, not "{text}"') from None
    if not 0 <= value < float("inf") or (value == 0 and name != "hop_latency_s"):
        raise ValueError("must be a number, more than 0")
    return replace(t, **{name: Number(float(f"{value:.12g}"), "assumed", GIVEN)})  # type: ignore[arg-type]


def _redimensioned(t: Topology, text: str) -> Topology:
    """Another torus of the same links; an allocation may name positions that it does not have."""
    if not re.fullmatch(r"[1-9][0-9]{0,6}(x[1-9][0-9]{0,6})*", text):
        raise ValueError("must be whole numbers with x between, such as 8x8")
    shape = tuple(int(word) for word in text.split("x"))
    if len(shape) > MAX_DIMENSIONS:
        raise ValueError(f"has {len(shape)} dimensions; at most {MAX_DIMENSIONS}")
    return replace(t, shape=shape, shape_from=tuple(Number(float(size), "assumed", GIVEN) for size in shape))


def _reshaped(t: Topology, at: int, text: str) -> Topology:
    if not re.fullmatch(r"[1-9][0-9]{0,6}", text):
        raise ValueError("must be a whole number, 1 or more")
    shape = (*t.shape[:at], int(text), *t.shape[at + 1 :])
    numbers = (*t.shape_from[:at], Number(float(text), "assumed", GIVEN), *t.shape_from[at + 1 :])
    return replace(t, shape=shape, shape_from=numbers)


def variables(t: Topology) -> tuple[str, ...]:
    """What a variant can change."""
    if t.kind == "switch":
        return ()
    names = (*t.used, *TOPOLOGY_SHAPES[t.kind], "allocation", "first", "seed")
    return ("topology", *(f"topology.{name}" for name in names))


# ---- routes -------------------------------------------------------------------------------------------------


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
    at, end = list(coordinates(shape, source)), coordinates(shape, target)
    links: list[Link] = []
    for d, size in enumerate(shape):
        up = (end[d] - at[d]) % size
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


# ---- positions of nodes -------------------------------------------------------------------------------------


def _words(t: Topology) -> str:
    return f"{t.kind.replace('_', ' ')} of {t.total} positions ({' x '.join(map(str, t.shape))})"


def _wider(t: Topology, nodes: int) -> str:
    """What to write for so many nodes, where that can be written."""
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
    origin = coordinates(t.shape, t.first)
    for d, (at, wide, most) in enumerate(zip(origin, size, t.shape, strict=True)):
        if wide < 1 or at + wide > most:
            raise ValueError(
                f"the block {t.allocation} at {','.join(map(str, origin))} leaves the torus of {' x '.join(map(str, t.shape))} "
                f"in dimension {d}"
            )
    spans = [range(at, at + wide) for at, wide in zip(origin, size, strict=True)]
    return [position_at(t.shape, at) for at in product(*spans)]


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
        raise ValueError(f"{len(at)} numbers do not name a position of a {named}; write one, or a torus's coordinates")
    if not all(x < size for x, size in zip(at, t.shape, strict=True)):
        raise ValueError(f"position {' '.join(map(str, at))} leaves the {named}")
    return position_at(t.shape, at)


def _of_file(path: Path, t: Topology, named: str) -> list[int]:
    """One position per line, by its number or, in a torus, by its coordinates; # comments."""
    found = []
    try:
        lines = paths.expanded(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}:1: cannot be read: {getattr(error, 'strerror', 'is not text in UTF-8')}") from None
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
