"""Every mapping by name: block, packed, cyclic and fill (seats), those that Open MPI's --map-by has (core, socket, node, each rank bound to
a core), and file:PATH (rankfile)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, cycle, islice, zip_longest
from pathlib import Path

from collscope.base.errors import UsageError, unknown
from collscope.base.units import counted
from collscope.machines import rankfile, seats
from collscope.machines.platform import EqualNodes, Node, Platform
from collscope.machines.seats import Run

OPEN_MPI = ("core", "socket", "node")
NAMES = (*seats.MAPPINGS, *OPEN_MPI)
FILE = "file:"
EVEN = ("block", "packed", "cyclic", "node")  # ranks on every node, at most one more on some


def file_of(mapping: str) -> Path | None:
    """The file of file:PATH; None of a mapping that has a name. UsageError: neither."""
    if mapping.startswith(FILE) and mapping != FILE:
        return Path(mapping.removeprefix(FILE))
    if mapping not in NAMES:
        raise unknown("mapping", mapping, [*NAMES, f"{FILE}PATH"])
    return None


def identity(mapping: str) -> str:
    """What a mapping is known by in the cache: a file by its text."""
    path = file_of(mapping)
    return mapping if path is None else FILE + rankfile.text(path)


def runs(platform: Platform, nodes: int, ranks: int, mapping: str) -> list[Run]:
    """The cores of all ranks in their order. UsageError: an unknown mapping; a file that names another number of nodes. UserError:
    what is wrong in the file."""
    if path := file_of(mapping):
        made = file_runs(path, platform, ranks)
        if (named := used_nodes(made)) != nodes:
            raise UsageError(
                f"--nodes {nodes}: {mapping} puts {ranks} ranks on {counted(named, 'node')}; leave --nodes out"
            )
        return made
    if mapping in seats.MAPPINGS:
        return seats.runs(platform, nodes, ranks, mapping)
    return _round_robin(platform, nodes, ranks, mapping)


def file_runs(path: Path, platform: Platform, ranks: int) -> list[Run]:
    """The cores of all ranks, as the file says. UserError: what is wrong in it."""
    return [Run(node, 1, cores) for node, cores in rankfile.in_order(path, platform, ranks)]


def used_nodes(found: Sequence[Run]) -> int:
    """How many nodes have a rank."""
    spans = {(run.first, run.times) for run in found}
    return len(set(chain.from_iterable(range(first, first + times) for first, times in spans)))


def _round_robin(platform: Platform, nodes: int, ranks: int, mapping: str) -> list[Run]:
    """As Open MPI's mapper of that name: core and socket fill a node before the next, node deals ranks out to nodes that have room."""
    groups = _slots(platform, nodes, ranks, mapping)
    made = []
    if mapping == "node":
        for i in range(max(len(cores) for _, _, cores in groups)):
            for first, times, cores in groups:
                if here := min(ranks, times if i < len(cores) else 0):
                    made.append(Run(first, here, cores[i : i + 1]))
                    ranks -= here
        return made
    for first, times, cores in groups:
        whole, rest = divmod(min(ranks, times * len(cores)), len(cores))
        made += [Run(first, whole, cores), Run(first + whole, 1, cores[:rest])]
        ranks -= whole * len(cores) + rest
    return [run for run in made if run.times and run.cores]


def _slots(platform: Platform, nodes: int, ranks: int, mapping: str) -> list[tuple[int, int, tuple[int, ...]]]:
    """First node, how many such nodes, and which core each of its ranks takes; more than there are where ranks share cores."""
    sorts = [(0, nodes)] if isinstance(platform.nodes, EqualNodes) else [(n, 1) for n in range(nodes)]
    orders = [_order(platform.nodes[first], mapping) for first, _ in sorts]
    spare = ranks - sum(times * len(order) for (_, times), order in zip(sorts, orders, strict=True))
    extra = -(-max(0, spare) // nodes)
    return [
        (first, times, tuple(islice(cycle(order), len(order) + extra)))
        for (first, times), order in zip(sorts, orders, strict=True)
    ]


def _order(node: Node, mapping: str) -> list[int]:
    """A node's cores in the order in which they are taken: one after the other, or one of each socket in turn."""
    found = rankfile.sockets(node)
    return [core for row in (zip_longest(*found) if mapping == "socket" else found) for core in row if core is not None]
