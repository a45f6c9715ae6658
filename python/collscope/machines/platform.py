"""A machine that can be simulated: its numbers, the places of its cores, and what SimGrid is given of it.

A Platform is read from a SimGrid XML file (xml_reader), or made from a specification (find): then its file is written when a simulation
wants it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import overload

from collscope.base import paths, programs
from collscope.base.errors import UserError
from collscope.base.files import write_atomically
from collscope.machines.limits import beyond_simulation
from collscope.machines.machine import PLUG_IN, ROUTED, UNIFORM, Curve, Machine
from collscope.machines.spec import text_of, tidy

WHOLE_CORES = 2048  # machines of no more are known by their whole file
PLUGIN_SOURCES = paths.ROOT / "platforms" / "plugin"


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
class EqualNodes(Sequence[Node]):
    """Nodes that are all alike: the hosts of one are computed when they are needed."""

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
    """A machine: its numbers, and where its cores sit."""

    name: str  # shown in tables
    machine: Machine
    nodes: Sequence[Node]  # in the order of their numbers
    file: Path | Callable[[int], str]  # a SimGrid file; or the text of one with so many of the nodes
    grows: bool = False  # it has as many nodes as are needed
    unstable: str = ""  # of a calibration that did not hold: by how much single messages differed
    typed: str = ""  # what was typed for it, where that can be typed again with other values in brackets

    @property
    def xml(self) -> Path:
        """The SimGrid file; written below .cache, named after its content, where it is not there. UserError: it would be too large."""
        if not callable(self.file):
            return self.file
        if problem := self.beyond_simulation():
            raise UserError(problem)
        if not self._made.exists():  # somebody emptied the cache
            write_atomically(self._made, self.text)
        return self._made

    def beyond_simulation(self) -> str:
        """Why SimGrid is not given a file of this machine; nothing where it is."""
        problem = beyond_simulation(self.max_nodes, self.cores_per_node)
        return f"{self.typed or self.name}: {problem}; --source model has no such limit" if problem else ""

    @cached_property
    def text(self) -> str:
        """What stands in the SimGrid file, however large."""
        return self.file(self.max_nodes) if callable(self.file) else self.file.read_text(encoding="utf-8")

    @cached_property
    def _made(self) -> Path:
        text = self.text
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        path = paths.CACHE / "platforms" / f"{self.machine.name}-{digest}.xml"
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
        return self.text.encode() if whole else f"{self.file(min(2, self.max_nodes))}{self.max_nodes} nodes".encode()

    @property
    def max_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)

    @property
    def cores_per_node(self) -> int:
        """Hosts of the smallest node."""
        return self.nodes.cores if isinstance(self.nodes, EqualNodes) else min(len(node) for node in self.nodes)

    @property
    def gamma_s_per_byte(self) -> float:
        """A local reduction's time per byte."""
        return self.nodes[0][0].gamma_s_per_byte

    @property
    def copy_s_per_byte(self) -> float:
        """A local copy's time per byte."""
        return self.nodes[0][0].copy_s_per_byte

    @property
    def curve(self) -> Mapping[str, Curve]:
        """Class → the pieces of its curve. UserError: nothing is known of them."""
        if self.machine.priced_by == ROUTED:
            raise UserError(
                f"{self.file}: each pair of its hosts has its own route, so no one latency and bandwidth bounds a time; "
                "take --source sim or model"
            )
        if not self.machine.curve:
            raise UserError(
                f"{self.file}: this platform file holds no curves (properties curve.cache … curve.network of its outermost "
                "zone), so it can be simulated but neither modelled nor bounded; a specification in TOML has them: "
                "see platforms/README.md"
            )
        return self.machine.curve

    def classes(self, nodes: int) -> tuple[str, ...]:
        """The classes in which two ranks on `nodes` nodes may be, closest first."""
        machine, node = self.machine, self.nodes[0]
        if self.name.startswith("ideal") and machine.priced_by == UNIFORM:
            return ("network",)
        levels = [("cache", 1), *((level.name, level.caches) for level in machine.levels)]
        groups: list[Sequence[int]] = [range(len(node)), *([h.cache // caches for h in node] for _, caches in levels)]
        groups.append([h.socket for h in node])
        there = []
        for name, closer, wider in zip([*(name for name, _ in levels), "socket"], groups, groups[1:], strict=False):
            if len(set(zip(closer, wider, strict=True))) > len(set(wider)):
                there.append(name)
        if len(set(groups[-1])) > 1:
            there += ["node", *(["far"] if machine.far else [])]
        if nodes > 1:
            there.append("network")
        return tuple(there) or ("cache",)

    def bound_parameters(self, nodes: int) -> tuple[float, float, float]:
        """α, β and γ for the printed bound and for cost(): of the widest class that occurs, α a message of 0 bytes, β the last piece."""
        pieces = self.curve[self.classes(nodes)[-1]]
        first, last = pieces[0], pieces[-1]
        overheads = (1 if first.gap else 2) * self.machine.overhead_s if self.machine.eager_bytes >= 0 else 0.0
        return tidy(first.latency_s + overheads), last.s_per_byte, self.gamma_s_per_byte


# ---- what SimGrid is given --------------------------------------------------------------------------------


HOST_SPEED = "1Gf"

COMMON_SETTINGS = {
    "smpi/privatization": "no",  # the sources have no mutable globals, so ranks can share them
    "smpi/simulate-computation": "no",  # only what is charged takes time, so results repeat exactly
    "smpi/shared-malloc": "global",
    "smpi/host-speed": HOST_SPEED,
    "surf/precision": "1e-12",  # with the default of 1 ns, events that are that near are merged (4.x: precision/timing)
    "network/optim": "Full",  # Lazy lets a link carry too much when two flows of a sender begin at once: see model/timing.h
}
NETWORK_SETTINGS = {  # a plain fluid network: no corrections that describe TCP
    "network/model": "CM02",
    "network/crosstraffic": "0",
    "network/weight-S": "0",
    "network/TCP-gamma": "0",
    "smpi/wtime": "0",
}
# SimGrid refuses to have these set (aliases of each other in 4.x) beside the plug-in's callbacks; CM02's own default is 1.
FACTOR_SETTINGS = {
    "network/latency-factor": "1",
    "network/bandwidth-factor": "1",
    "smpi/lat-factor": "1",
    "smpi/bw-factor": "1",
}


ASKING = (
    "--cfg=smpi/test:0"  # MPI_Test takes no time of its own, where SMPI's 100 µs would be; nothing that blocks asks
)


def protocol_settings(eager_bytes: int, overhead_s: float) -> dict[str, str]:
    """Eager limit and overheads. SMPI's thresholds are the first size that is not eager any more."""
    threshold = str(eager_bytes + 1)
    cost = f"0:{text_of(overhead_s)}:0"
    return {
        "smpi/async-small-thresh": threshold,
        "smpi/send-is-detached-thresh": threshold,
        "smpi/os": cost,
        "smpi/ois": cost,
        "smpi/or": cost,
    }


def _network_settings(machine: Machine) -> dict[str, str]:
    """A file that says nothing of its curves keeps the settings of its own <config>. With plain hosts, eager messages are under way
    at once, as MPI libraries have it."""
    if not machine.priced_by:
        return {}
    if machine.priced_by == ROUTED:
        return {"smpi/async-small-thresh": str(machine.eager_bytes + 1), "smpi/wtime": "0"}
    eager = max(machine.eager_bytes, machine.eager_nonblocking)
    settings = NETWORK_SETTINGS | protocol_settings(eager, machine.overhead_s)
    if machine.priced_by == UNIFORM:
        return settings | FACTOR_SETTINGS
    # Ranks that share a core: the plug-in wants a latency of 1 s on every route, and gives them the closest class.
    return settings | {"network/loopback-lat": "1", "network/loopback-bw": text_of(machine.core_bytes_per_s)}


def smpirun_args(platform: Platform) -> list[str]:
    """The platform and its settings as smpirun's arguments. UserError: its plug-in is not built."""
    settings = COMMON_SETTINGS | _network_settings(platform.machine)
    # Where the plug-in says what sends cost, SMPI warns of each host that its own settings do so, too.
    quiet = ["--log=smpi_host.thresh:error"] if platform.machine.has_kinds else []
    flags = ["--log=root.thresh:warning", *quiet, ASKING, *(f"--cfg={k}:{v}" for k, v in settings.items())]
    if platform.machine.priced_by not in (PLUG_IN, ROUTED):
        return ["-platform", str(platform.xml.absolute()), *flags]
    plugin = programs.needed(
        programs.PLUGIN,
        f"{platform.name} needs it for its {'hosts' if platform.machine.priced_by == ROUTED else 'curves'}",
    )
    return ["-platform", str(plugin), *flags]


def smpirun_env(platform: Platform) -> dict[str, str]:
    """What smpirun's environment must hold besides the caller's own."""
    costs = {"COLLSCOPE_PLAIN_HOSTS": f"{platform.gamma_s_per_byte} {platform.copy_s_per_byte}"}
    plain = costs if platform.machine.priced_by == ROUTED else {}
    return {"COLLSCOPE_PLATFORM": str(platform.xml.absolute()), **plain}  # smpirun is started elsewhere


def content_hash(platform: Platform) -> str:
    """Hash of all that a simulated time owes to the platform."""
    h = hashlib.sha256(platform.identity)
    h.update(repr(sorted((COMMON_SETTINGS | _network_settings(platform.machine)).items())).encode())
    if platform.machine.priced_by == ROUTED:
        h.update(f"{platform.gamma_s_per_byte} {platform.copy_s_per_byte}".encode())
    if platform.machine.priced_by in (PLUG_IN, ROUTED):
        for source in sorted(PLUGIN_SOURCES.iterdir()):
            h.update(source.read_bytes())
    return h.hexdigest()
