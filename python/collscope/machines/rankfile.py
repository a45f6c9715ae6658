"""A mapping's file, in the syntax of Open MPI's rankfiles: a line `rank N=HOST slot=SOCKET:CORE` or `slot=CORE` for each rank.

HOST is nodeN or +nN, a node's number from 0. CORE counts the cores of the socket, without SOCKET: those of the node. As mpirun reads it,
lines may come in any order (that of Open MPI 4.1 wants rank 0 in the first), those of ranks beyond the last are left, and # begins a
comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

from collscope.base.errors import UserError, disk_error
from collscope.base.paths import display
from collscope.machines.platform import Node, Platform, cores_by_socket

_LINE = re.compile(r"rank\s*(\d{1,9})\s*=\s*(\S+)\s+slots?\s*=\s*(\S+)$")
_SLOT = re.compile(r"(?:(\d{1,9}):)?(\d{1,9})$")
_HOST = re.compile(r"(?:\+n|node)(\d{1,9})$")
_SHOWN = 60  # characters that a complaint repeats


@lru_cache
def text(path: Path) -> str:
    """What stands in the file; read once, so that all of a command means the same. UserError: it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise disk_error(error, path) from error
    except UnicodeDecodeError as error:
        raise UserError(
            f"{display(path)}: is no text; it needs a line 'rank N=HOST slot=SOCKET:CORE' a rank"
        ) from error


def seats(path: Path, platform: Platform) -> dict[int, tuple[int, int]]:
    """Node and core of each rank that the file names. UserError: FILE:LINE: what is wrong, and what to do."""
    sockets_of = cache(lambda node: sockets(platform.nodes[node]))
    found: dict[int, tuple[int, int]] = {}
    lines: dict[int, int] = {}  # of each rank
    owner: dict[tuple[int, int], int] = {}
    for number, line in enumerate(text(path).splitlines(), 1):
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
                    "give each rank a core of its own"
                )
        except ValueError as error:
            raise UserError(f"{display(path)}:{number}: {error}") from None
        found[rank], lines[rank], owner[seat] = seat, number, rank
    return found


def in_order(path: Path, platform: Platform, ranks: int) -> list[tuple[int, tuple[int, ...]]]:
    """Nodes and the cores on each of so many ranks in their order. UserError: a rank has none."""
    found = seats(path, platform)
    missing = next((rank for rank in range(ranks) if rank not in found), None)
    if missing is not None:
        raise UserError(
            f"{display(path)}: no line says where rank {missing} of {ranks} is; add rank {missing}=HOST slot=SOCKET:CORE"
            + (f", or take --ranks {missing}" if missing else "")
        )
    order = (found[rank] for rank in range(ranks))
    return [(node, tuple(core for _, core in on)) for node, on in groupby(order, key=lambda seat: seat[0])]


def written(path: Path, platform: Platform, ranks: int, host: str) -> str:
    """A rankfile for mpirun of ranks that are all on one node, `host`."""
    ((node, cores),) = in_order(path, platform, ranks)
    logical = [core for group in sockets(platform.nodes[node]) for core in group]
    return "".join(f"rank {rank}={host} slot={logical.index(core)}\n" for rank, core in enumerate(cores))


def _seat(words: str, platform: Platform, sockets_of: Callable[[int], list[list[int]]]) -> tuple[int, tuple[int, int]]:
    """Rank, its node and core. ValueError: what is wrong."""
    match = _LINE.match(words)
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


def sockets(node: Node) -> list[list[int]]:
    """The cores of each socket of a node, in the order of their numbers."""
    return [cores for _, cores in sorted(cores_by_socket(node).items())]
