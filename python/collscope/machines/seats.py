"""Which cores the ranks of a mapping have, as runs: what a large machine's million ranks are, in a few lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from collscope.machines.platform import EqualNodes, Host, Node, Platform, cores_by_socket

MAPPINGS = ("block", "packed", "cyclic", "fill")
Place = tuple[int, int, int]  # node, socket, cache


@dataclass(frozen=True)
class Run:
    """`times` nodes from node `first` on, one after the other; on each, ranks on these of its cores."""

    first: int
    times: int
    cores: tuple[int, ...]


def runs(platform: Platform, nodes: int, ranks: int, mapping: str) -> list[Run]:
    """The cores of all ranks in their order, by one of MAPPINGS."""
    if mapping == "fill":
        return _filled(platform.cores_per_node, nodes, ranks)
    shares = _shares(platform, nodes, ranks, _first if mapping == "packed" else _spread)
    if mapping != "cyclic":
        return shares
    most = max(len(share.cores) for share in shares)
    return [Run(s.first, s.times, s.cores[i : i + 1]) for i in range(most) for s in shares if i < len(s.cores)]


def _filled(cores: int, nodes: int, ranks: int) -> list[Run]:
    made = []
    while ranks > 0:  # more than once where ranks share cores
        whole, rest = divmod(min(ranks, nodes * cores), cores)
        made += [Run(0, whole, tuple(range(cores))), Run(whole, 1, tuple(range(rest)))]
        ranks -= nodes * cores
    return [run for run in made if run.times and run.cores]


def _shares(platform: Platform, nodes: int, ranks: int, seated: Callable[[Node, int], tuple[int, ...]]) -> list[Run]:
    """An even share a node; where nodes are equal, all those with as many ranks are one run."""
    each, more = divmod(ranks, nodes)
    if isinstance(platform.nodes, EqualNodes):
        parts = [(0, more, each + 1), (more, nodes - more, each)]
    else:
        parts = [(n, 1, each + (n < more)) for n in range(nodes)]
    return [Run(first, times, seated(platform.nodes[first], share)) for first, times, share in parts if times and share]


def _first(node: Node, ranks: int) -> tuple[int, ...]:
    """The first cores of a node, one after the other; around again where ranks share cores."""
    return tuple(r % len(node) for r in range(ranks))


def _spread(node: Node, ranks: int) -> tuple[int, ...]:
    """An even share of the ranks on every socket of a node, consecutive ranks together."""
    if ranks > len(node):
        return tuple(r * len(node) // ranks for r in range(ranks))
    groups = list(cores_by_socket(node).values())
    share = [ranks // len(groups) + (i < ranks % len(groups)) for i in range(len(groups))]
    # Sockets of different sizes (a hand-written file): what does not fit on one goes to the others.
    spare = sum(max(0, s - len(g)) for s, g in zip(share, groups, strict=True))
    for i, group in enumerate(groups):
        share[i] = min(share[i], len(group))
        room = min(spare, len(group) - share[i])
        share[i] += room
        spare -= room
    return tuple(core for s, group in zip(share, groups, strict=True) for core in group[:s])


def hosts(platform: Platform, seats: Sequence[Run]) -> Iterator[Host]:
    """The host of each rank."""
    for run in seats:
        for n in range(run.first, run.first + run.times):
            node = platform.nodes[n]
            yield from (node[core] for core in run.cores)


def lines(platform: Platform, seats: Sequence[Run]) -> list[str]:
    """The places of all ranks as a machine file says them. Equal nodes: `seats COUNT SOCKET CACHE` for the ranks of a node,
    then `nodes TIMES FIRST SOCKETS CACHES`, so many nodes on which they sit; SOCKETS, CACHES: of a node. Others: a line a rank."""
    nodes = platform.nodes
    if not isinstance(nodes, EqualNodes):
        return [f"place {r} {h.node} {h.socket} {h.cache}" for r, h in enumerate(hosts(platform, seats))]
    made = []
    for run in seats:
        for (socket, cache), cores in groupby(run.cores, key=nodes.place):
            made.append(f"seats {len(list(cores))} {socket} {cache}")
        made.append(f"nodes {run.times} {run.first} {nodes.sockets} {nodes.caches}")
    return made


def places_in(machine: str) -> list[Place]:
    """The place of each rank that a machine file names, whichever way."""
    found: list[Place] = []
    seats: list[tuple[int, int]] = []
    for key, *rest in filter(None, map(str.split, machine.splitlines())):
        if key == "place":
            _, node, socket, cache = map(int, rest)
            found.append((node, socket, cache))
        elif key == "seats":
            count, socket, cache = map(int, rest)
            seats += [(socket, cache)] * count
        elif key == "nodes":
            times, first, sockets, caches = map(int, rest)
            found += [(n, n * sockets + s, n * caches + c) for n in range(first, first + times) for s, c in seats]
            seats = []
    return found


PLACE_LINES = ("place", "seats", "nodes")  # the first words of lines that say places
