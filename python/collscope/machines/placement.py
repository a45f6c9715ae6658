"""Where ranks sit: whether they fit, the host of each, by a mapping that has a name or by a file.

Mappings are block, packed, cyclic and fill; those that Open MPI's --map-by has (core, socket, node, each rank bound to a core); and
file:PATH, in the syntax of Open MPI's rankfiles: a line `rank N=HOST slot=SOCKET:CORE` or `slot=CORE` for each rank. HOST is nodeN or
+nN, a node's number from 0. CORE counts the cores of the socket, without SOCKET: those of the node. As mpirun reads it, lines may come in
any order (that of Open MPI 4.1 wants rank 0 in the first), those of ranks beyond the last are not used, and # begins a comment.

What a large machine's million ranks are, in a few lines: runs of equal nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain, cycle, groupby, islice, zip_longest
from pathlib import Path

from collscope.base import console
from collscope.base.errors import UsageError, UserError, disk_error, unknown
from collscope.base.paths import display, expanded
from collscope.base.units import counted
from collscope.machines.limits import too_large
from collscope.machines.platform import EqualNodes, Host, Node, Platform, cores_by_socket

OWN_MAPPINGS = ("block", "packed", "cyclic", "fill")
OPEN_MPI_MAPPINGS = ("core", "socket", "node")
MAPPINGS = (*OWN_MAPPINGS, *OPEN_MPI_MAPPINGS)
FILE_PREFIX = "file:"
EVEN_MAPPINGS = ("block", "packed", "cyclic", "node")  # ranks on every node, at most one more on some
Place = tuple[int, int, int]  # node, socket, cache
_RANK_LINE = re.compile(r"rank\s*(\d{1,9})\s*=\s*(\S+)\s+slots?\s*=\s*(\S+)$")
_SLOT = re.compile(r"(?:(\d{1,9}):)?(\d{1,9})$")
_HOST = re.compile(r"(?:\+n|node)(\d{1,9})$")
_SHOWN = 60  # characters that a complaint repeats


@dataclass(frozen=True)
class Run:
    """`times` nodes from node `first` on, one after the other; on each, ranks on these of its cores."""

    first: int
    times: int
    cores: tuple[int, ...]


def fit_nodes(platform: Platform, ranks: int, mapping: str = "block") -> int:
    """As many nodes as the ranks fill, or as the mapping's file names; all nodes where the machine has too few."""
    if path := file_of(mapping):
        return used_nodes(_file_runs(path, platform, ranks))
    nodes = -(-ranks // platform.cores_per_node)
    return nodes if platform.grows else min(nodes, platform.max_nodes)


@lru_cache
def grown(platform: Platform, nodes: int) -> Platform:
    """The platform with so many nodes where it has fewer and grows (`ideal` without a number of nodes), else itself."""
    if not platform.grows or nodes <= platform.max_nodes or too_large(nodes, platform.cores_per_node):
        return platform
    assert isinstance(platform.nodes, EqualNodes)
    return replace(platform, nodes=replace(platform.nodes, total=nodes))


def _check(platform: Platform, nodes: int, ranks: int) -> None:
    """UsageError: the ranks do not fit, with what would do; every command it gives works."""
    if ranks < 1 or nodes < 1:
        raise UsageError(f"{platform.name}: {nodes} nodes and {ranks} ranks; both must be 1 or more")
    cores = platform.cores_per_node
    needed = nodes if platform.machine.oversubscribes else max(nodes, -(-ranks // cores))
    if nodes > platform.max_nodes:
        occupied = min(needed, ranks)  # no node is empty
        more = _hint(platform, nodes, occupied)
        if occupied < nodes and (fewer := min(occupied, platform.max_nodes)) * cores >= ranks:
            more = f"; {ranks} ranks: use --nodes {fewer}"
        raise UsageError(f"{platform.name} has {counted(platform.max_nodes, 'node')}; {nodes} were requested{more}")
    if needed > nodes:
        if needed <= platform.max_nodes:
            help_text = f"; use {needed} nodes or more"
        else:
            help_text = f"; it has {platform.max_nodes * cores} cores in all{_hint(platform, nodes, needed)}"
        raise UsageError(
            f"{platform.name} has {counted(cores, 'core')} per node; {ranks} ranks do not fit on {counted(nodes, 'node')} "
            f"({nodes * cores}){help_text}"
        )
    if nodes > 1 and platform.machine.lacks_network:
        raise UserError(
            f"{platform.typed or platform.xml}: there is no curve for messages between nodes, and {nodes} nodes were requested; "
            "add network = [[0, latency_s, s_per_byte], …] to its [curve] (osu_latency between two nodes prints them), or use 1 node"
        )


def _hint(platform: Platform, nodes: int, needed: int) -> str:
    """What to type for a machine of `needed` nodes, where there can be one; `nodes` were requested."""
    base, _, old = platform.typed.partition("[")
    if not base:
        return ""
    if problem := too_large(needed, platform.cores_per_node):
        return f"; {problem}"
    kept = [p for p in old.rstrip("]").split(",") if p and p.partition("=")[0].strip() != "nodes"]
    text = f"; say --on '{base}[{','.join([*kept, f'nodes={needed}'])}]'"
    return text if needed == nodes else f"{text} --nodes {needed}"


def fitted(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> list[Run]:
    """Where the ranks sit, as runs. UsageError: they do not fit, or there is no such mapping."""
    _check(platform, nodes, ranks)
    return runs(platform, nodes, ranks, mapping)


def hosts_of(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> list[str]:
    """The host of each rank. block: an even share per node, consecutive ranks together; cyclic: rank r on node r mod nodes; both spread
    a node's ranks evenly over its sockets, consecutive ranks on a socket. packed: as block, but core after core of a
    node. fill: core after core, node after node.
    core, socket, node: as mpirun --map-by. file:PATH: as the file says. UsageError: the ranks do not fit."""
    return [h.name for h in hosts_in(platform, fitted(platform, nodes, ranks, mapping))]


def places(platform: Platform, nodes: int, ranks: int, mapping: str = "block") -> list[Place]:
    """(node, socket, cache) of each rank; each number is unique over the whole machine."""
    return [(h.node, h.socket, h.cache) for h in hosts_in(platform, fitted(platform, nodes, ranks, mapping))]


# ---- mappings -----------------------------------------------------------------------------------------------


def file_of(mapping: str) -> Path | None:
    """The file of file:PATH; None of a mapping that has a name. UsageError: neither."""
    if mapping.startswith(FILE_PREFIX) and mapping != FILE_PREFIX:
        return expanded(mapping.removeprefix(FILE_PREFIX))
    if mapping not in MAPPINGS:
        raise unknown("mapping", mapping, [*MAPPINGS, f"{FILE_PREFIX}PATH"])
    return None


def identity(mapping: str) -> str:
    """What a mapping is known by in the cache: a file by its text."""
    path = file_of(mapping)
    return mapping if path is None else FILE_PREFIX + rankfile_text(path)


def runs(platform: Platform, nodes: int, ranks: int, mapping: str) -> list[Run]:
    """The cores of all ranks in their order. UsageError: an unknown mapping; a file that names another number of nodes. UserError:
    what is wrong in the file."""
    if path := file_of(mapping):
        made = _file_runs(path, platform, ranks)
        if (named := used_nodes(made)) != nodes:
            raise UsageError(
                f"--nodes {nodes}: {mapping} puts {ranks} ranks on {counted(named, 'node')}; leave --nodes out"
            )
        return made
    if mapping in OWN_MAPPINGS:
        return _own_runs(platform, nodes, ranks, mapping)
    return _round_robin(platform, nodes, ranks, mapping)


def _file_runs(path: Path, platform: Platform, ranks: int) -> list[Run]:
    """The cores of all ranks, as the file says. UserError: what is wrong in it."""
    return [Run(node, 1, cores) for node, cores in _file_order(path, platform, ranks)]


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
    found = _sockets(node)
    return [core for row in (zip_longest(*found) if mapping == "socket" else found) for core in row if core is not None]


def _own_runs(platform: Platform, nodes: int, ranks: int, mapping: str) -> list[Run]:
    """The cores of all ranks in their order, by one of OWN_MAPPINGS."""
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
    """An even share per node; where nodes are equal, all those with as many ranks are one run."""
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


def hosts_in(platform: Platform, seats: Sequence[Run]) -> Iterator[Host]:
    """The host of each rank."""
    for run in seats:
        for n in range(run.first, run.first + run.times):
            node = platform.nodes[n]
            yield from (node[core] for core in run.cores)


# ---- mapping files ------------------------------------------------------------------------------------------


@lru_cache
def rankfile_text(path: Path) -> str:
    """What stands in the file; read once, so that all of a command means the same. UserError: it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise disk_error(error, path) from error
    except UnicodeDecodeError as error:
        raise UserError(
            f"{display(path)}: is not text; it needs a line 'rank N=HOST slot=SOCKET:CORE' per rank"
        ) from error


def _seats_in(path: Path, platform: Platform) -> dict[int, tuple[int, int]]:
    """Node and core of each rank that the file names. UserError: FILE:LINE: what is wrong, and what to do."""
    sockets_of = cache(lambda node: _sockets(platform.nodes[node]))
    found: dict[int, tuple[int, int]] = {}
    lines: dict[int, int] = {}  # of each rank
    owner: dict[tuple[int, int], int] = {}
    for number, line in enumerate(rankfile_text(path).splitlines(), 1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        try:
            rank, seat = _seat(words, platform, sockets_of)
            if rank in found:
                raise ValueError(
                    f"rank {rank} has a seat already, in line {lines[rank]}; take one of the two lines out"
                )
            if seat in owner:
                other = owner[seat]
                raise ValueError(
                    f"rank {rank} is on core {seat[1]} of node{seat[0]}, as is rank {other} in line {lines[other]}; "
                    "put each rank on its own core"
                )
        except ValueError as error:
            raise UserError(f"{display(path)}:{number}: {error}") from None
        found[rank], lines[rank], owner[seat] = seat, number, rank
    return found


def _file_order(path: Path, platform: Platform, ranks: int) -> list[tuple[int, tuple[int, ...]]]:
    """Nodes and the cores on each of so many ranks in their order. UserError: a rank has none."""
    found = _seats_in(path, platform)
    missing = next((rank for rank in range(ranks) if rank not in found), None)
    if missing is not None:
        raise UserError(
            f"{display(path)}: no line says where rank {missing} of {ranks} is; add rank {missing}=HOST slot=SOCKET:CORE"
            + (f", or take --ranks {missing}" if missing else "")
        )
    if len(found) > ranks:
        _note_unused(path, len(found), ranks)
    order = (found[rank] for rank in range(ranks))
    return [(node, tuple(core for _, core in on)) for node, on in groupby(order, key=lambda seat: seat[0])]


@lru_cache
def _note_unused(path: Path, named: int, ranks: int) -> None:
    """Once per command."""
    console.note(f"{display(path)}: places {named} ranks, this call has {ranks}; the lines of the others are not used")


def rankfile_for_mpirun(path: Path, platform: Platform, ranks: int, host: str) -> str:
    """A rankfile for mpirun of ranks that are all on one node, `host`."""
    ((node, cores),) = _file_order(path, platform, ranks)
    logical = [core for group in _sockets(platform.nodes[node]) for core in group]
    return "".join(f"rank {rank}={host} slot={logical.index(core)}\n" for rank, core in enumerate(cores))


def _seat(words: str, platform: Platform, sockets_of: Callable[[int], list[list[int]]]) -> tuple[int, tuple[int, int]]:
    """Rank, its node and core. ValueError: what is wrong."""
    match = _RANK_LINE.match(words)
    if not match:
        raise ValueError(f"expected 'rank N=HOST slot=SOCKET:CORE' or 'slot=CORE', not '{words[:_SHOWN]}'")
    rank, host, slot = match.groups()
    named = _HOST.match(host)
    if not named or int(named[1]) >= platform.max_nodes:
        last = platform.max_nodes - 1
        raise ValueError(
            f"{platform.name} has no host {host[:_SHOWN]}; its nodes are node0 … node{last}, or +n0 … +n{last}"
        )
    place = _SLOT.match(slot)
    if not place:
        raise ValueError(
            f"slot={slot[:_SHOWN]}: a rank has one core here; write slot=SOCKET:CORE or slot=CORE, in numbers"
        )
    node, socket, core = int(named[1]), place[1], int(place[2])
    of_socket = sockets_of(node)
    if socket is not None and int(socket) >= len(of_socket):
        raise ValueError(f"there is no socket {socket} on {host}; its sockets are 0 … {len(of_socket) - 1}")
    cores = [c for group in of_socket for c in group] if socket is None else of_socket[int(socket)]
    if core >= len(cores):
        where = host if socket is None else f"socket {socket} of {host}"
        raise ValueError(f"there is no core {core} on {where}; its cores are 0 … {len(cores) - 1}")
    return int(rank), (node, cores[core])


def _sockets(node: Node) -> list[list[int]]:
    """The cores of each socket of a node, in the order of their numbers."""
    return [cores for _, cores in sorted(cores_by_socket(node).items())]
