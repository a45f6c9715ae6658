"""What a platform file says of the inside of its nodes beyond the places of its cores: levels of its own, which sockets are joined,
where the NIC is. As properties of the outermost zone, which the plug-in reads, too:

    collscope.levels = "ccd 2 0; numa 4 1.7e+10"        name, caches of a unit, bytes a second of its link (0: none); closest first
    collscope.mesh = "0 1; 0 2; 1 3; 2 3"                sockets with a link between them; without it any two have one
    collscope.nic_socket = "1 2 1.1e-07"                 socket, of so many, seconds for each end of a message on another
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from collscope.machines import mesh
from collscope.machines.spec import FAR, Spec, text_of

LEVELS, MESH, NIC = "collscope.levels", "collscope.mesh", "collscope.nic_socket"
PROPERTIES = (LEVELS, MESH, NIC)
MAX_BYTES_PER_S, MAX_S, MAX_WHOLE = 1e18, 1e3, 1 << 16
One = TypeVar("One")


@dataclass(frozen=True)
class Unit:
    """A level's units: neighbouring caches, so many of them, with a link of their own (0: without)."""

    name: str
    caches: int
    bytes_per_s: float


@dataclass(frozen=True)
class NicSocket:
    """The socket of the NIC, of so many, and what a message takes longer for each of its ends on another one."""

    socket: int
    sockets: int
    other_s: float


@dataclass(frozen=True)
class Inside:
    """Levels from closest to widest; joined sockets, where not any two are; the NIC's socket, where there is one."""

    levels: tuple[Unit, ...] = ()
    mesh: tuple[mesh.Pair, ...] = ()
    nic: NicSocket | None = None

    @property
    def far(self) -> bool:
        """Whether two sockets of a node are two links apart."""
        return len(set(map(frozenset, self.mesh))) < self.sockets * (self.sockets - 1) // 2

    @property
    def sockets(self) -> int:
        """Sockets of a node, as far as the links between them tell."""
        return 1 + max((max(pair) for pair in self.mesh), default=0)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of a message, closest first."""
        far = (FAR,) if self.far else ()
        return ("cache", *(unit.name for unit in self.levels), "socket", "node", *far, "network")


def properties_of(spec: Spec) -> dict[str, str]:
    """The properties of a specification's nodes: none where it names no levels, no joined sockets and no NIC's place."""
    made = {}
    if spec.levels:
        made[LEVELS] = "; ".join(
            f"{v.name} {v.cores // spec.cores_per_cache} {text_of(v.bytes_per_s.value)}" for v in spec.levels
        )
    if spec.interconnect_links:
        made[MESH] = "; ".join(f"{a} {b}" for a, b in spec.interconnect_links)
    if spec.nic_socket is not None and spec.sockets > 1:
        made[NIC] = f"{spec.nic_socket} {spec.sockets} {text_of(spec.nic_other_socket_s.value)}"
    return made


def read(properties: Mapping[str, str]) -> Inside:
    """What the properties say. ValueError: which of them cannot be read, and what was expected."""
    levels = _items(properties, LEVELS, "NAME CACHES BYTES_PER_S; …", _unit)
    pairs = _items(properties, MESH, "SOCKET SOCKET; …, which join all sockets", _pair)
    nic = _items(properties, NIC, "SOCKET SOCKETS SECONDS", _nic)
    inside = Inside(tuple(levels), tuple(pairs), nic[0] if nic else None)
    sizes = [1, *(unit.caches for unit in inside.levels)]
    if any(b <= a or b % a for a, b in pairwise(sizes)):
        raise ValueError(
            f"the property {LEVELS}: each level has a multiple of the caches of the one before it, and more"
        )
    if inside.mesh and min(mesh.distances(inside.sockets, inside.mesh)[0]) < 0:
        raise ValueError(f"the property {MESH} does not join all sockets")
    return inside


def _items(properties: Mapping[str, str], key: str, form: str, read_one: Callable[[Sequence[str]], One]) -> list[One]:
    text = properties.get(key, "")
    try:
        return [read_one(one.split()) for one in text.split(";")] if text else []
    except (ValueError, OverflowError):
        raise ValueError(f"the property {key} must be '{form}', not '{text[:60]}'") from None


def _unit(words: Sequence[str]) -> Unit:
    name, caches, rate = words
    return Unit(name, _whole(caches), _amount(rate, MAX_BYTES_PER_S))


def _pair(words: Sequence[str]) -> mesh.Pair:
    a, b = map(_whole, words)
    if a == b:
        raise ValueError
    return a, b


def _nic(words: Sequence[str]) -> NicSocket:
    socket, sockets, seconds = words
    found = NicSocket(_whole(socket), _whole(sockets), _amount(seconds, MAX_S))
    if found.socket >= found.sockets:
        raise ValueError
    return found


def _whole(text: str) -> int:
    number = int(text)
    if not 0 <= number <= MAX_WHOLE:
        raise ValueError
    return number


def _amount(text: str, most: float) -> float:
    number = float(text)
    if not 0 <= number <= most:
        raise ValueError
    return number
