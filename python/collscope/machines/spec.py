"""A machine in a few numbers, each with where it comes from: the data behind a specification (platforms/README.md).

Times are in seconds, sizes in bytes, rates in bytes per second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache

from collscope.base.errors import UserError
from collscope.base.number import Number
from collscope.base.units import counted
from collscope.machines.topology import ONE_SWITCH, Topology

CLASSES = (
    "cache",
    "socket",
    "node",
    "network",
)  # of a message, by what its two ranks share; node: another socket of it
FAR = "far"  # the class of two sockets of a node that no link joins, where interconnect_links says which are joined

AS_NEEDED = "as much as the curves need"  # the source of a capacity that was not given


Pair = tuple[int, int]  # of sockets


class SpecError(UserError):
    """A specification that cannot be used; the text starts with FILE:LINE."""


@dataclass(frozen=True)
class Piece:
    """From `start` bytes up, a message takes latency + bytes · s_per_byte: half a round trip, overheads included.

    traffic: bytes that the links move for each byte of the message (a copy through memory reads, fills and writes).
    gap: what the sender's processor spends on it, in seconds and seconds per byte, contained in the time; None: the overhead.
    receive_gap: what its receiver's spends besides the overhead where the message is eager, contained, too; not in curve_nonblocking.
    turnaround: what a rank spends besides before it sends on what it has received, to another rank than it came from."""

    start: int
    latency: Number
    s_per_byte: Number
    traffic: Number = Number(1.0)
    gap: tuple[Number, Number] | None = None
    receive_gap: tuple[Number, Number] | None = None
    turnaround: tuple[Number, Number] | None = None

    @property
    def flow_s_per_byte(self) -> float:
        """What is left of s_per_byte for the links."""
        return self.s_per_byte.value - sum(spent[1].value for spent in (self.gap, self.receive_gap) if spent)


@dataclass(frozen=True)
class Noise:
    """How much longer than their curve messages from `start` bytes up take: (part, seconds), parts ascending from 0 to 1; of all messages
    that part takes at most so much longer. Negative: less than the curve. It is linear between two of them."""

    start: int
    quantiles: tuple[tuple[float, float], ...]
    tag: str = "assumed"
    source: str = ""


@dataclass(frozen=True)
class Level:
    """Neighbouring cores that are more than a cache's and fewer than a socket's: those of a die, of a part of the memory. bytes_per_s:
    of the link of each such unit, each way, shared by what leaves or enters it; 0: it has none."""

    name: str
    number: Number  # of cores
    bytes_per_s: Number

    @property
    def cores(self) -> int:
        """Cores of a unit."""
        return int(self.number.value)


@dataclass(frozen=True)
class Spec:
    """A machine of equal nodes behind one switch. `curve`: class → pieces, ascending from 0 bytes; `levels`: closest first."""

    name: str
    nodes: int
    sockets: int
    cores_per_socket: int
    cores_per_cache: int
    about: str
    curve: Mapping[str, tuple[Piece, ...]]
    gamma_s_per_byte: Number = Number(2.5e-10)
    copy_s_per_byte: Number = Number(2e-10)
    overhead_s: Number = Number(0.0)
    eager_bytes: Number = Number(8192.0)
    core_bytes_per_s: Number = Number(0.0)  # 0: as fast as the fastest piece of a curve needs
    memory_bytes_per_s: Number = Number(0.0)  # 0: never the bottleneck
    interconnect_bytes_per_s: Number = Number(0.0)
    nic_bytes_per_s: Number = Number(0.0)
    switch_bytes_per_s: Number = Number(0.0)
    counts: Mapping[str, Number] = field(default_factory=dict)  # provenance of nodes, sockets, …
    oversubscribe: bool = False  # more ranks than cores are allowed
    least: Mapping[str, float] = field(default_factory=dict)  # measured minima for bounds.loggp
    sources: Mapping[str, str] = field(default_factory=dict)  # what the short names in Number.source stand for
    topology: Topology = ONE_SWITCH
    own_curves: tuple[str, ...] = CLASSES  # classes whose curve the file gives; others have that of a neighbour
    levels: tuple[Level, ...] = ()
    cache_bytes_per_s: Number = Number(0.0)  # of a cache's link, each way, as a level's; 0: it has none
    across_bytes_per_s: Number = Number(0.0)  # between one core and other sockets of its node, each way; 0: no limit
    interconnect_links: tuple[tuple[int, int], ...] = ()  # sockets that are joined; (): any two
    nic_socket: int | None = None  # where in a node the NIC is; None: equally near to all
    nic_other_socket_s: Number = Number(0.0)  # for each end on another socket than the NIC's: not in curve.network
    # What a node's model may have besides, and has not unless the file says so: see overrides.py.
    curve_nonblocking: Mapping[str, tuple[Piece, ...]] = field(default_factory=dict)  # only classes that have their own
    eager_bytes_nonblocking: Number | None = None  # None: as blocking sends
    in_order: bool = False
    nic_gap_s: Number = Number(0.0)
    invalidation_s_per_byte: Number = Number(0.0)
    first_touch_s_per_byte: Number = Number(0.0)
    fresh_from_bytes: Number | None = None  # None: as glibc's allocator has it
    noise: Mapping[str, tuple[Noise, ...]] = field(default_factory=dict)  # of classes where it is known
    unstable: str = ""  # what messages that were timed again differed by, when the machine was calibrated
    complete: bool = True  # what the file leaves open is as on other machines (completion); False: it takes no time

    @property
    def fresh_from(self) -> Number:
        """Scratch of at least so many bytes is newly mapped in each call."""
        return self.fresh_from_bytes or Number(MMAP_THRESHOLD_BYTES, "documented", "mallopt(3)")

    @property
    def eager_nonblocking(self) -> Number:
        """The eager limit of non-blocking sends."""
        return self.eager_bytes if self.eager_bytes_nonblocking is None else self.eager_bytes_nonblocking

    @property
    def cores_per_node(self) -> int:
        """Cores of a node, all sockets together."""
        return self.sockets * self.cores_per_socket

    @property
    def caches_per_node(self) -> int:
        """Caches of a node, all sockets together."""
        return self.cores_per_node // self.cores_per_cache

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of a message, closest first."""
        far = (FAR,) if 0 < len(self.interconnect_links) < self.sockets * (self.sockets - 1) // 2 else ()
        return ("cache", *(level.name for level in self.levels), "socket", "node", *far, "network")

    @property
    def shape(self) -> str:
        """Nodes, sockets and cores in words."""
        groups = [f"{self.cores_per_node // level.cores} {level.name} of {level.cores}" for level in self.levels[::-1]]
        groups.append(counted(self.caches_per_node, "cache"))
        sockets = f"{counted(self.sockets, 'socket')} of {counted(self.cores_per_socket, 'core')}"
        return f"{counted(self.nodes, 'node')} of {sockets} ({', '.join(groups)} per node)"

    def numbers(self) -> Iterator[tuple[str, Number]]:
        """Every number with its name, for tables of provenance and for sweeps."""
        yield from self.counts.items()
        for level in self.levels:
            yield f"{level.name}.cores", level.number
            if level.bytes_per_s.value:
                yield f"{level.name}.bytes_per_s", level.bytes_per_s
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, Number) and (value.value or f.name not in OPTIONAL):
                yield f.name, value
        yield from self.topology.numbers()
        for key, curves in (("curve", self.curve), ("curve_nonblocking", self.curve_nonblocking)):
            for name, pieces in curves.items():
                for piece in pieces:
                    where = f"{key}.{name}[{piece.start}]"
                    yield f"{where}.latency_s", piece.latency
                    yield f"{where}.s_per_byte", piece.s_per_byte
                    yield f"{where}.traffic", piece.traffic
                    for kind in SPENT:
                        for unit, number in zip(("s", "s_per_byte"), getattr(piece, kind) or (), strict=False):
                            if number != Number(0.0):
                                yield f"{where}.{kind}_{unit}", number


SPENT = ("gap", "receive_gap", "turnaround")  # of a piece: what processors spend
LINKS = ("core", "memory", "interconnect", "nic", "switch")  # each with NAME_bytes_per_s
OPTIONAL_LINKS = ("cache", "across")  # likewise, but 0 where a machine does not have it
OPTIONAL = (  # what a machine need not have
    *(f"{link}_bytes_per_s" for link in OPTIONAL_LINKS),
    *("nic_other_socket_s", "eager_bytes_nonblocking", "nic_gap_s"),
    *("invalidation_s_per_byte", "first_touch_s_per_byte", "fresh_from_bytes"),
)
COUNTS = ("nodes", "sockets", "cores_per_socket", "cores_per_cache")
NUMBERS = tuple(f.name for f in fields(Spec) if f.type in ("Number", "Number | None"))


# From here on glibc hands out newly mapped memory, and gives it back when it is released, whatever was released before.
MMAP_THRESHOLD_BYTES = 33554432.0


def smallest(name: str) -> float:
    """The least that a number of NUMBERS may be: an eager limit of -1 makes every send wait for its receive."""
    if name == "fresh_from_bytes":
        return 1.0
    return -1.0 if name.startswith("eager_bytes") else 0.0


def tidy(value: float) -> float:
    """Without the dust of floating point: 1.6e-6 - 2e-7 is 1.4e-6."""
    return float(f"{value:.12g}")


def text_of(value: float) -> str:
    """A number as platform and machine files spell it: whole numbers without a point, others to the last digit."""
    return str(int(value)) if value == int(value) and abs(value) < 1e6 else repr(value)


def filled(spec: Spec) -> Spec:
    """With the capacities that were not given: just what the curves need, and memory that is never the bottleneck."""

    def need(classes: Sequence[str]) -> float:
        pieces = [
            p for curves in (spec.curve, spec.curve_nonblocking) for class_ in classes for p in curves.get(class_, ())
        ]
        rates = [p.traffic.value / p.flow_s_per_byte for p in pieces if p.flow_s_per_byte > 0]
        return max(rates, default=1e12)

    def given(number: Number, value: float) -> Number:
        return number if number.value else Number(tidy(value), "assumed", AS_NEEDED)

    core = given(spec.core_bytes_per_s, need(spec.classes))
    memory = given(spec.memory_bytes_per_s, 4 * core.value * spec.cores_per_socket)
    nic = given(spec.nic_bytes_per_s, need(("network",)))
    return replace(
        spec,
        core_bytes_per_s=core,
        memory_bytes_per_s=memory,
        nic_bytes_per_s=nic,
        interconnect_bytes_per_s=given(spec.interconnect_bytes_per_s, memory.value),
        switch_bytes_per_s=given(spec.switch_bytes_per_s, nic.value),
    )


def links_crossed(class_: str) -> tuple[str, ...]:
    """The links, of LINKS and OPTIONAL_LINKS, that a message of this class crosses."""
    further = {"cache": (), "node": ("cache", "across", "interconnect"), "network": ("cache", "nic", "switch")}
    return ("core", "memory", *further.get("node" if class_ == FAR else class_, ("cache",)))


def narrowest(spec: Spec, class_: str) -> float:
    """Bandwidth of the narrowest link that a message of this class crosses."""
    rates = [float(getattr(spec, f"{link}_bytes_per_s").value) for link in links_crossed(class_)]
    within = spec.classes[: spec.classes.index(class_)]
    rates += [float(level.bytes_per_s.value) for level in spec.levels if level.name in within]
    if class_ == "network" and spec.nic_socket is not None and spec.sockets > 1:
        rates.append(spec.interconnect_bytes_per_s.value)
    if class_ == "network":
        rates.append(spec.topology.narrowest)
    return min(rate for rate in rates if rate > 0)


def occurring(spec: Spec) -> tuple[str, ...]:
    """The classes that two ranks of this machine can be in."""
    widest = spec.levels[-1].cores if spec.levels else spec.cores_per_cache
    there = {
        "cache": spec.cores_per_cache > 1,
        "socket": spec.cores_per_socket > widest,
        "node": spec.sockets > 1,
        "network": spec.nodes > 1,
    }
    return tuple(class_ for class_ in spec.classes if there.get(class_, True))


def all_pairs(sockets: int) -> tuple[Pair, ...]:
    """A link between any two sockets."""
    return tuple((a, b) for a in range(sockets) for b in range(a + 1, sockets))


@lru_cache
def socket_distances(sockets: int, links: tuple[Pair, ...]) -> tuple[tuple[int, ...], ...]:
    """Links between any two sockets on a shortest path; -1: without a path."""
    near = _neighbours(sockets, links)
    found = []
    for start in range(sockets):
        steps = [-1] * sockets
        steps[start] = 0
        queue = [start]
        for at in queue:
            for other in near[at]:
                if steps[other] < 0:
                    steps[other] = steps[at] + 1
                    queue.append(other)
        found.append(tuple(steps))
    return tuple(found)


def socket_path(sockets: int, links: tuple[Pair, ...], source: int, target: int) -> list[Pair]:
    """The links from one socket to another, each as (from, to). Of several shortest paths the one that goes to the socket of the
    lowest number first."""
    steps, near = socket_distances(sockets, links), _neighbours(sockets, links)
    made = []
    while source != target:
        following = next(s for s in near[source] if steps[s][target] == steps[source][target] - 1)
        made.append((source, following))
        source = following
    return made


def _neighbours(sockets: int, links: Sequence[Pair]) -> list[list[int]]:
    near: list[set[int]] = [set() for _ in range(sockets)]
    for a, b in links:
        near[a].add(b)
        near[b].add(a)
    return [sorted(others) for others in near]
