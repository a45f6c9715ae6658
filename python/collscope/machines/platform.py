"""A machine that can be simulated, as its platform file says it: hosts, classes of messages, numbers.

Times are in seconds, sizes in bytes. A Platform is read from a SimGrid XML file (xml_reader), or made from a specification (find):
then its file is written when a simulation wants it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import overload

from collscope.base import paths
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.machines import inside
from collscope.machines.plausible import beyond_simulation
from collscope.machines.spec import tidy

WHOLE_CORES = 2048  # machines of no more are known by their whole file


@dataclass(frozen=True)
class Host:
    """A core. node, socket and cache are numbers that are unique over the machine."""

    name: str
    node: int
    socket: int
    cache: int
    gamma_s_per_byte: float
    copy_s_per_byte: float


Node = tuple[Host, ...]


@dataclass(frozen=True)
class WirePiece:
    """Without the processor's overheads; `traffic` as in spec.Piece. gap: the sender's, in seconds and seconds a byte, contained."""

    start: int
    latency_s: float
    s_per_byte: float
    traffic: float
    gap: tuple[float, float] | None = None


@dataclass(frozen=True)
class EqualNodes(Sequence[Node]):
    """Nodes that are all alike: the hosts of one are computed when they are asked for."""

    total: int
    cores: int  # of a node, like all that follow
    sockets: int
    caches: int
    gamma_s_per_byte: float
    copy_s_per_byte: float
    host: str = "node{node}_core{core}"  # {number}: over the machine

    def __len__(self) -> int:
        return self.total

    def place(self, core: int) -> tuple[int, int]:
        """Socket and cache of a core, by their numbers in its node."""
        return core // (self.cores // self.sockets), core // (self.cores // self.caches)

    @overload
    def __getitem__(self, n: int) -> Node: ...
    @overload
    def __getitem__(self, n: slice) -> tuple[Node, ...]: ...
    def __getitem__(self, n: int | slice) -> Node | tuple[Node, ...]:
        if isinstance(n, slice):
            return tuple(self[i] for i in range(*n.indices(self.total)))
        if not 0 <= n < self.total:
            raise IndexError(n)
        made = []
        for core in range(self.cores):
            socket, cache = self.place(core)
            name = self.host.format(node=n, core=core, number=n * self.cores + core)
            place = n, n * self.sockets + socket, n * self.caches + cache
            made.append(Host(name, *place, self.gamma_s_per_byte, self.copy_s_per_byte))
        return tuple(made)


def nodes_of(hosts: Iterable[Host]) -> tuple[Node, ...]:
    """The hosts of each node, in the order of their numbers."""
    by_node: dict[int, list[Host]] = {}
    for host in hosts:
        by_node.setdefault(host.node, []).append(host)
    return tuple(tuple(by_node[n]) for n in sorted(by_node))


def cores_by_socket(node: Node) -> dict[int, list[int]]:
    """Socket → its cores, counted over the node; both in the order of the cores."""
    found: dict[int, list[int]] = {}
    for core, host in enumerate(node):
        found.setdefault(host.socket, []).append(core)
    return found


@dataclass(frozen=True, eq=False)
class Platform:
    """A machine: where its cores sit and what messages between them cost."""

    name: str  # as asked for: shown in tables
    file: Path | Callable[[int], str]  # a SimGrid file; or the text of one with so many of the nodes
    properties: dict[str, str]  # of the outermost zone
    nodes: Sequence[Node]  # in the order of their numbers
    grows: bool = False  # it has as many nodes as are asked for
    asked: str = ""  # what was typed for it, where that can be typed again with other values in brackets

    @property
    def xml(self) -> Path:
        """The SimGrid file; written below .cache, named after its content, where it is not there. UserError: it would be too large."""
        if not callable(self.file):
            return self.file
        if problem := self.beyond_simulation():
            raise UserError(problem)
        if not self._made.exists():  # somebody emptied the cache
            write_atomically(self._made, self._text)
        return self._made

    def beyond_simulation(self) -> str:
        """Why SimGrid is not given a file of this machine; nothing where it is."""
        problem = beyond_simulation(self.max_nodes, self.cores_per_node)
        return f"{self.asked or self.name}: {problem}; --source model has no such limit" if problem else ""

    @cached_property
    def _text(self) -> str:
        assert callable(self.file)
        return self.file(self.max_nodes)

    @cached_property
    def _made(self) -> Path:
        text = self._text
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        path = paths.CACHE / "platforms" / f"{self.properties['collscope.name']}-{digest}.xml"
        if not path.exists():
            write_atomically(path, text)
        return path

    @cached_property
    def identity(self) -> bytes:
        """What SimGrid is given, as bytes to be hashed: the file; of a large machine that of two of its nodes, and their number. Kept: a
        table asks for it with every row."""
        if not callable(self.file):
            return self.file.read_bytes()
        whole = self.max_nodes * self.cores_per_node <= WHOLE_CORES
        return self._text.encode() if whole else f"{self.file(min(2, self.max_nodes))}{self.max_nodes} nodes".encode()

    @property
    def max_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)

    @property
    def cores_per_node(self) -> int:
        """Hosts of the smallest node."""
        return self.nodes.cores if isinstance(self.nodes, EqualNodes) else min(len(node) for node in self.nodes)

    @property
    def curves(self) -> str:
        """ "plug-in": by class, from the file; "uniform": latency and bandwidth of the links; "": an XML that says nothing."""
        return self.properties.get("collscope.curves", "")

    @property
    def lacks_network(self) -> bool:
        """Several nodes, but nothing is known of messages between them."""
        return self.properties.get("collscope.no_network") == "1"

    @property
    def oversubscribes(self) -> bool:
        """Ranks may share cores, as they do when more are measured than there are cores."""
        return self.properties.get("collscope.oversubscribe") == "1"

    @property
    def least(self) -> dict[str, float]:
        """Measured o, g, L, G and gamma that no message escapes; empty for machines that were not measured."""
        return {k[6:]: float(v) for k, v in self.properties.items() if k.startswith("least.")}

    def number(self, name: str) -> float:
        """The property collscope.NAME; 0 where the file does not say it. UserError: it is no number."""
        text = self.properties.get(f"collscope.{name}", "0")
        try:
            return float(text)
        except ValueError:
            raise UserError(f"{self.xml}: the property collscope.{name} is no number: {text}") from None

    @property
    def eager_bytes(self) -> int:
        """The largest message that is sent without waiting for its receive; -1: none."""
        return int(self.number("eager_bytes"))

    @property
    def eager_bytes_nonblocking(self) -> int:
        """The same of non-blocking sends."""
        named = "collscope.eager_bytes_nonblocking" in self.properties
        return int(self.number("eager_bytes_nonblocking")) if named else self.eager_bytes

    @property
    def overhead_s(self) -> float:
        """What a processor spends on an eager send, and again on its receive."""
        return self.number("overhead_s")

    @property
    def gamma_s_per_byte(self) -> float:
        """A local reduction's time a byte."""
        return self.nodes[0][0].gamma_s_per_byte

    @property
    def copy_s_per_byte(self) -> float:
        """A local copy's time a byte."""
        return self.nodes[0][0].copy_s_per_byte

    @property
    def core_bytes_per_s(self) -> float:
        """What the port of one core moves."""
        return self.number("core_bytes_per_s")

    @cached_property
    def inside(self) -> inside.Inside:
        """Levels of its own, joined sockets, the NIC's place. UserError: what the file says of them cannot be read."""
        try:
            return inside.read(self.properties)
        except ValueError as error:
            raise UserError(f"{self.xml}: {error}") from None

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of a message, closest first."""
        return self.inside.classes

    @cached_property
    def wire(self) -> dict[str, tuple[WirePiece, ...]]:
        """Class → the pieces of its curve. UserError: the file holds none, or they cannot be read."""
        if not self.curves:
            raise UserError(
                f"{self.xml}: this platform file holds no curves (properties curve.cache … curve.network of its outermost "
                "zone), so it can be simulated but neither modelled nor bounded; a specification in TOML has them: "
                "see platforms/README.md"
            )
        return {level: self._curve(f"curve.{level}") for level in self.classes}

    @cached_property
    def wire_nonblocking(self) -> dict[str, tuple[WirePiece, ...]]:
        """The same of non-blocking sends: of classes where they have a curve of their own."""
        return {
            level: self._curve(f"curve_nonblocking.{level}")
            for level in self.classes
            if f"curve_nonblocking.{level}" in self.properties
        }

    @cached_property
    def receive_gap(self) -> dict[str, tuple[tuple[int, float, float], ...]]:
        """Class → (from bytes, seconds, seconds a byte) that the receiver's processor spends on an eager message besides the overhead,
        contained in its time; of classes where it spends any. UserError: they cannot be read."""
        found = {}
        for level in self.classes:
            name = f"receive_gap.{level}"
            if not (text := self.properties.get(name)):
                continue
            try:
                words = [one.split() for one in text.split(";")]
                found[level] = tuple((int(start), float(s), float(per_byte)) for start, s, per_byte in words)
            except (ValueError, OverflowError):
                raise UserError(
                    f"{self.xml}: property {name}: expected 'from seconds s_per_byte; …', not '{text}'"
                ) from None
        return found

    @cached_property
    def noise(self) -> dict[str, tuple[tuple[int, tuple[tuple[float, float], ...]], ...]]:
        """Class → pieces of its noise, (from bytes, quantiles as in spec.Noise); of classes where it is known. UserError: it cannot be
        read."""
        found = {}
        for level in self.classes:
            pieces = []
            for one in self.properties.get(f"noise.{level}", "").split(";"):
                if not (words := one.split()):
                    continue
                try:
                    start, *numbers = map(float, words)
                    pieces.append((int(start), tuple(zip(numbers[::2], numbers[1::2], strict=True))))
                except (ValueError, OverflowError):
                    raise UserError(
                        f"{self.xml}: property noise.{level}: expected 'from part seconds part seconds …; …', not '{one[:60]}'"
                    ) from None
            if pieces:
                found[level] = tuple(pieces)
        return found

    @property
    def has_kinds(self) -> bool:
        """It matters how or when a message was posted: some cost a processor a gap, non-blocking ones are priced by themselves, or
        messages go in order."""
        named = any(
            f"collscope.{key}" in self.properties for key in ("eager_bytes_nonblocking", "in_order", "nic_gap_s")
        )
        curves = [*self.wire.values()] if self.curves else []
        spent = bool(self.wire_nonblocking or self.receive_gap)
        return named or spent or any(p.gap for pieces in curves for p in pieces)

    def _curve(self, name: str) -> tuple[WirePiece, ...]:
        text = self.properties.get(name, "")
        pieces = []
        try:
            for one in text.split(";"):
                start, latency, per_byte, traffic, *gap = map(float, one.split())
                if len(gap) not in (0, 2):
                    raise ValueError
                pieces.append(WirePiece(int(start), latency, per_byte, traffic, (gap[0], gap[1]) if gap else None))
        except (ValueError, OverflowError):
            raise UserError(
                f"{self.xml}: property {name}: expected 'from latency s_per_byte traffic [gap gap_per_byte]; …', not '{text}'"
            ) from None
        return tuple(pieces)

    def levels(self, nodes: int) -> tuple[str, ...]:
        """The classes in which two ranks on `nodes` nodes may be, closest first."""
        if self.name.startswith("ideal") and self.curves == "uniform":
            return ("network",)
        node = self.nodes[0]
        units = [("cache", 1), *((unit.name, unit.caches) for unit in self.inside.levels)]
        numbers: list[Sequence[int]] = [range(len(node)), *([h.cache // caches for h in node] for _, caches in units)]
        numbers.append([h.socket for h in node])
        there = []
        for (name, _), closer, wider in zip([*units, ("socket", 0)], numbers, numbers[1:], strict=False):
            if len(set(zip(closer, wider, strict=True))) > len(set(wider)):
                there.append(name)
        if len(set(numbers[-1])) > 1:
            there += ["node", *(["far"] if self.inside.far else [])]
        if nodes > 1:
            there.append("network")
        return tuple(there) or ("cache",)

    def half_round_trip_s(self, level: str, size_bytes: int) -> float:
        """What a ping-pong between two idle ranks of this class measures (on `ideal`, without SMPI's envelope); of different nodes where
        the NIC has its place in one: on the NIC's socket."""
        piece = [p for p in self.wire[level] if p.start <= size_bytes][-1]
        charged = 1 if piece.gap else 2  # a gap is part of the piece
        overheads = charged * self.overhead_s if size_bytes <= self.eager_bytes else 0.0
        return piece.latency_s + size_bytes * piece.s_per_byte + overheads

    def bound_parameters(self, nodes: int) -> tuple[float, float, float]:
        """α, β and γ for the printed bound and for cost(): of the widest class that occurs, α a message of 0 bytes, β the last piece."""
        level = self.levels(nodes)[-1]
        first, last = self.wire[level][0], self.wire[level][-1]
        overheads = (1 if first.gap else 2) * self.overhead_s if self.eager_bytes >= 0 else 0.0
        return tidy(first.latency_s + overheads), last.s_per_byte, self.gamma_s_per_byte
