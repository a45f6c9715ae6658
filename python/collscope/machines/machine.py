"""A machine as numbers: what messages of each class cost, links, the inside of a node, the network between nodes.

Times are in seconds, sizes in bytes, rates in bytes per second. A Machine follows from a specification (machine_of) or is read from a
SimGrid file (xml_reader); machine_file and xml_writer print it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from collscope.base.number import Number
from collscope.machines import topology
from collscope.machines.spec import FAR, LINKS, OPTIONAL_LINKS, Piece, Spec, tidy

PLUG_IN, UNIFORM, ROUTED = "plug-in", "uniform", "routed"
SPENT_KEYS = ("receive_gap", "turnaround", "turnaround_nonblocking")  # fields of a Machine, and their names in files
SMPI_ENVELOPE_BYTES = 16  # what SMPI adds to each message


@dataclass(frozen=True)
class WirePiece:
    """From `start` bytes up, without the processors' overheads; `traffic` as in spec.Piece. gap: the sender's, in seconds and seconds per
    byte, contained in the time."""

    start: int
    latency_s: float
    s_per_byte: float
    traffic: float
    gap: tuple[float, float] | None = None


Curve = tuple[WirePiece, ...]
Spent = tuple[tuple[int, float, float], ...]  # from bytes, seconds, seconds per byte
Noise = tuple[tuple[int, tuple[tuple[float, float], ...]], ...]  # from bytes, quantiles as in spec.Noise


@dataclass(frozen=True)
class NodeLevel:
    """Neighbouring caches, so many in a group, each group with a link of its own (0: without)."""

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
class Network:
    """Links between nodes beyond one switch: kind and shape as in topology.route. `runs`: (first, count) of consecutive positions, which
    are those of the nodes in their order."""

    kind: str
    shape: tuple[int, ...]
    hop_latency_s: float
    link_bytes_per_s: float
    global_bytes_per_s: float  # 0 but for a dragonfly
    runs: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        """As files have it: kind, hop latency, rates, shape."""
        rates = [self.link_bytes_per_s, *([self.global_bytes_per_s] if self.kind == "dragonfly" else [])]
        return " ".join([self.kind, *map(repr, (self.hop_latency_s, *rates)), *map(str, self.shape)])

    def positions(self, nodes: int) -> list[int]:
        """The position of each of the first `nodes` nodes."""
        return list(chain.from_iterable(range(first, first + count) for first, count in self.runs))[:nodes]


@dataclass(frozen=True)
class Machine:
    """curve: class of a message → its pieces; the others: of the classes that have such. priced_by: PLUG_IN: SimGrid's plug-in prices
    messages by these curves; UNIFORM: latency and bandwidth of its links do; ROUTED: likewise, each pair of hosts by its own
    route, see plain_hosts; "": a file whose hosts have places and which holds no curves.
    """

    name: str
    priced_by: str
    curve: Mapping[str, Curve]
    curve_nonblocking: Mapping[str, Curve] = field(default_factory=dict)
    receive_gap: Mapping[str, Spent] = field(default_factory=dict)  # besides the overhead, contained in the time
    turnaround: Mapping[str, Spent] = field(
        default_factory=dict
    )  # besides the time, before what was received is sent on
    turnaround_nonblocking: Mapping[str, Spent] = field(default_factory=dict)  # where such sends have one of their own
    noise: Mapping[str, Noise] = field(default_factory=dict)
    eager_bytes: int = 0  # the largest message that is sent without waiting for its receive; -1: none
    own_eager_nonblocking: int | None = None  # of non-blocking sends, where it is known
    overhead_s: float = 0.0  # what a processor spends on an eager send, and again on its receive
    links: Mapping[str, float] = field(default_factory=dict)  # by the names of LINKS and OPTIONAL_LINKS
    levels: tuple[NodeLevel, ...] = ()  # closest first
    socket_links: tuple[tuple[int, int], ...] = ()  # sockets that are joined; (): any two
    nic: NicSocket | None = None
    network: Network | None = None  # None: one switch
    in_order: bool = False
    nic_gap_s: float = 0.0
    invalidation_s_per_byte: float = 0.0  # of messages above eager_bytes
    first_touch_s_per_byte: float = 0.0
    fresh_from_bytes: int = 0
    least: Mapping[str, float] = field(default_factory=dict)  # measured o, g, L, G and gamma that no message escapes
    lacks_network: bool = False  # several nodes, but nothing is known of messages between them
    oversubscribes: bool = False  # ranks may share cores, as they do when more are measured than there are cores
    about: str = ""

    @property
    def eager_nonblocking(self) -> int:
        """The eager limit of non-blocking sends."""
        return self.eager_bytes if self.own_eager_nonblocking is None else self.own_eager_nonblocking

    @property
    def core_bytes_per_s(self) -> float:
        """What the port of one core moves."""
        return self.links.get("core", 0.0)

    @property
    def joined_sockets(self) -> int:
        """Sockets of a node, as far as the links between them tell."""
        return 1 + max(chain.from_iterable(self.socket_links), default=0)

    @property
    def far(self) -> bool:
        """Whether two sockets of a node are two links apart."""
        sockets = self.joined_sockets
        return len(set(map(frozenset, self.socket_links))) < sockets * (sockets - 1) // 2

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of a message, closest first."""
        far = (FAR,) if self.far else ()
        return ("cache", *(level.name for level in self.levels), "socket", "node", *far, "network")

    @property
    def has_kinds(self) -> bool:
        """It matters how or when a message was posted: some cost a processor a gap, non-blocking ones are priced by themselves, or
        messages go in order."""
        named = self.own_eager_nonblocking is not None or self.in_order or self.nic_gap_s > 0
        gaps = self.curve_nonblocking or self.receive_gap or self.turnaround or self.turnaround_nonblocking
        return bool(named or gaps or any(piece.gap for pieces in self.curve.values() for piece in pieces))

    def half_round_trip_s(self, of_class: str, size_bytes: int) -> float:
        """What a ping-pong between two idle ranks of this class measures (on `ideal`, without SMPI's envelope); of different nodes where
        the NIC has its place in one: on the NIC's socket."""
        piece = [p for p in self.curve[of_class] if p.start <= size_bytes][-1]
        charged = 1 if piece.gap else 2  # a gap is part of the piece
        overheads = charged * self.overhead_s if size_bytes <= self.eager_bytes else 0.0
        return piece.latency_s + size_bytes * piece.s_per_byte + overheads


def machine_of(spec: Spec) -> Machine:
    """The machine of a specification whose capacities are filled in."""
    rates = {link: getattr(spec, f"{link}_bytes_per_s").value for link in (*LINKS, *OPTIONAL_LINKS)}
    own_eager, has_nic = spec.eager_bytes_nonblocking, spec.nic_socket is not None and spec.sockets > 1
    touch = spec.first_touch_s_per_byte.value
    has_turnaround = any(p.turnaround for pieces in spec.curve.values() for p in pieces)
    return Machine(
        spec.name,
        PLUG_IN,
        {name: wire_curve(spec, name) for name in spec.classes},
        {name: wire_curve(spec, name, nonblocking=True) for name in spec.curve_nonblocking},
        _spent(spec.curve, "receive_gap"),
        _spent(spec.curve, "turnaround"),
        _spent(spec.curve_nonblocking, "turnaround", has_turnaround),
        {name: tuple((n.start, n.quantiles) for n in pieces) for name, pieces in spec.noise.items()},
        eager_bytes=int(spec.eager_bytes.value),
        own_eager_nonblocking=int(own_eager.value) if own_eager else None,
        overhead_s=spec.overhead_s.value,
        links={link: rate for link, rate in rates.items() if rate or link in LINKS},
        levels=tuple(
            NodeLevel(v.name, v.cores // spec.cores_per_cache, v.bytes_per_s.value) for v in spec.levels
        ),
        socket_links=spec.interconnect_links,
        nic=NicSocket(spec.nic_socket or 0, spec.sockets, spec.nic_other_socket_s.value) if has_nic else None,
        network=_network(spec),
        in_order=spec.in_order,
        nic_gap_s=spec.nic_gap_s.value,
        invalidation_s_per_byte=spec.invalidation_s_per_byte.value,
        first_touch_s_per_byte=touch,
        fresh_from_bytes=int(spec.fresh_from.value) if touch else 0,
        least=spec.least,
        lacks_network=spec.nodes > 1 and "network" not in spec.own_curves,
        oversubscribes=spec.oversubscribe,
        about=spec.about,
    )  # fmt: skip


def _spent(curves: Mapping[str, tuple[Piece, ...]], kind: str, always: bool = False) -> dict[str, Spent]:
    """Of the classes of which a piece says what is spent; always: of all, 0 where it does not."""
    none = Number(0.0), Number(0.0)
    each = {name: [(p.start, getattr(p, kind)) for p in pieces] for name, pieces in curves.items()}
    return {
        name: tuple((start, s.value, per_byte.value) for start, spent in pieces for s, per_byte in [spent or none])
        for name, pieces in each.items()
        if always or any(spent for _, spent in pieces)
    }


def _network(spec: Spec) -> Network | None:
    t = spec.topology
    if t.kind == "switch":
        return None
    far = t.global_bytes_per_s.value if t.kind == "dragonfly" else 0.0
    runs = tuple(topology.runs(topology.positions(t, spec.nodes)))
    return Network(t.kind, t.whole_shape, t.hop_latency_s.value, t.link_bytes_per_s.value, far, runs)


def wire_curve(spec: Spec, of_class: str, nonblocking: bool = False) -> Curve:
    """The curve without the processors' overheads, which SMPI charges by itself: a receiver's for eager messages, a sender's for these and
    for all of curve_nonblocking. A gap stays in, as not every send is charged for it."""
    eager = int((spec.eager_nonblocking if nonblocking else spec.eager_bytes).value)
    overhead = spec.overhead_s.value
    pieces = (spec.curve_nonblocking if nonblocking else spec.curve)[of_class]
    wire = []
    for p, end in zip(pieces, [*(following.start for following in pieces[1:]), None], strict=True):
        gap = (p.gap[0].value, p.gap[1].value) if p.gap else None
        both = overhead if gap else 2 * overhead
        waiting = tidy(max(p.latency.value - overhead, 0.0)) if nonblocking and not gap else p.latency.value
        waits_from = p.start
        if p.start <= eager:
            wire.append((p.start, tidy(max(p.latency.value - both, 0.0)), p, gap))
            waits_from = eager + 1
        if p.start > eager or (both > 0 and (end is None or end > waits_from)):
            wire.append((waits_from, waiting, p, gap))
    return tuple(WirePiece(start, latency, p.s_per_byte.value, p.traffic.value, gap) for start, latency, p, gap in wire)


def ideal(alpha_s: float, beta_s_per_byte: float, gamma_s_per_byte: float, classes: Sequence[str]) -> Machine:
    """The network that cost formulas assume: every message takes α + n·β, and every send waits for its receive."""
    piece = WirePiece(0, alpha_s, beta_s_per_byte, 1.0)
    about = f"alpha {alpha_s} s, beta {beta_s_per_byte} s/B, gamma {gamma_s_per_byte} s/B"
    links = {"core": tidy(1 / beta_s_per_byte)}
    return Machine("ideal", UNIFORM, dict.fromkeys(classes, (piece,)), eager_bytes=-1, links=links, about=about)
