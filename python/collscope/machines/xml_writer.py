"""SimGrid platform files: a function of the machine alone, the same text, byte for byte, each time.

A Floyd zone per node, joined by a switch. Within a node SimGrid's Floyd zone takes the path with the fewest links, and of those one that
is written as a single route: it is the one that is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from collscope.base.characters import visible
from collscope.machines import topology
from collscope.machines.machine import SPENT_KEYS, UNIFORM, Curve, Machine
from collscope.machines.platform import FACTOR_SETTINGS, HOST_SPEED, NETWORK_SETTINGS, EqualNodes, protocol_settings
from collscope.machines.spec import LINKS, OPTIONAL_LINKS, Pair, all_pairs, socket_path, text_of, tidy

WIDE_BYTES_PER_S = 1e15  # what nothing fills
Route = tuple[str, str, Sequence[str]]  # from, to, links
Path = tuple[int, int, list[topology.Link]]  # node, other node, links between them

# xml.sax.saxutils has this, too, but brings in HTTP and mail, which take longer to import than a file to write.
ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


def xml_of(machine: Machine, nodes: EqualNodes) -> str:
    """The platform file. A message crosses its core's port, the NICs and the switch or the interconnect of the sockets where it must, the
    memory of the receiver's socket, and the receiver's port."""
    if machine.priced_by == UNIFORM:
        return _uniform_xml(machine, nodes)
    node = _Node(machine, nodes)
    out = _head(machine, {})
    for n in range(nodes.total):
        out.append(f'    <zone id="node{n}" routing="Floyd">')
        out += [f"      {line}" for line in node.lines(n)]
        out.append("    </zone>")
    if nodes.total > 1:
        out.append("    " + link("switch", machine.links["switch"], node.latencies.switch, "FATPIPE"))
    if machine.network:
        paths = list(_paths(machine, nodes.total))
        crossed = {one for _, _, links in paths for one in links}
        for one in sorted(crossed):
            far = one[0] == "global"
            rate = machine.network.global_bytes_per_s if far else machine.network.link_bytes_per_s
            out.append("    " + link(_hop(one), rate, machine.network.hop_latency_s))
        out += [node.zone_route(a, b, links) for a, b, links in paths]
    else:
        both = node.gateways[0] == node.gateways[1]  # the path back is the same the other way round
        pairs = ((a, b) for a in range(nodes.total) for b in range(a + 1 if both else 0, nodes.total) if a != b)
        out += [node.zone_route(a, b, [], both) for a, b in pairs]
    return "\n".join([*out, "  </zone>", "</platform>", ""])


def _uniform_xml(machine: Machine, nodes: EqualNodes) -> str:
    """Hosts with one link up and one down, α on the route, every send waits for its receive, copies free. Neighbours share a node, which
    matters to algorithms that ask, not to the network."""
    (piece,) = machine.curve["network"]
    out = _head(machine, FACTOR_SETTINGS)
    out.append('    <zone id="network" routing="Cluster">')
    hosts = [h for node in nodes for h in node]
    out += [f"      {host(h.name, h.node, h.socket, h.cache, h.gamma_s_per_byte, h.copy_s_per_byte)}" for h in hosts]
    for h in hosts:
        rate, latency = machine.core_bytes_per_s, piece.latency_s / 2
        out += [f"      {link(f'{h.name}_{end}', rate, latency)}" for end in ("up", "down")]
    out += [f'      <host_link id="{h.name}" up="{h.name}_up" down="{h.name}_down"/>' for h in hosts]
    return "\n".join([*out, "    </zone>", "  </zone>", "</platform>", ""])


# ---- between nodes ----------------------------------------------------------------------------------------


def _paths(machine: Machine, nodes: int) -> Iterator[Path]:
    """Every pair of nodes with the links between them."""
    assert machine.network
    network = machine.network
    at = network.positions(nodes)
    for a, source in enumerate(at):
        for b, target in enumerate(at):
            if a != b:
                yield a, b, topology.route(network.kind, network.shape, source, target)


def _hop(one: topology.Link) -> str:
    """A link's name, by which the plug-in knows it as one between nodes."""
    return "hop_" + "_".join(map(str, one)).replace("+", "up").replace("-", "down")


# ---- within a node ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Latencies:
    """For a reader without the plug-in: the first piece of each curve, shared out over the links of its route, in seconds."""

    port: float  # of a core
    group: tuple[float, ...]  # of the levels with links, closest first
    between_sockets: float
    switch: float


@dataclass(frozen=True)
class _Node:
    """Hosts, routers, links and routes of any node."""

    machine: Machine
    nodes: EqualNodes

    @property
    def per_socket(self) -> int:
        return self.nodes.cores // self.nodes.sockets

    @property
    def per_cache(self) -> int:
        return self.nodes.cores // self.nodes.caches

    @cached_property
    def levels(self) -> list[tuple[str, int, float]]:
        """(name, cores of a group, bytes per second) of the levels with links of their own, closest first."""
        found = [("cache", self.per_cache, self.machine.links.get("cache", 0.0))]
        found += [(v.name, v.caches * self.per_cache, v.bytes_per_s) for v in self.machine.levels]
        return [level for level in found if level[2]]

    @cached_property
    def latencies(self) -> _Latencies:
        classes = self.machine.classes
        first = {name: pieces[0].latency_s for name, pieces in self.machine.curve.items()}
        close = sofar = first["cache"]
        groups = []
        for name, _, _ in self.levels:
            wider = classes[classes.index(name) + 1]
            groups.append(tidy(max(first[wider] - sofar, 0.0) / 2))
            sofar += 2 * groups[-1]
        node, network = (tidy(max(first[name] - sofar, 0.0)) for name in ("node", "network"))
        return _Latencies(tidy(close / 2), tuple(groups), node, network)

    @property
    def across(self) -> float:
        """Bytes per second between one core and other sockets; 0: no limit of its own."""
        return self.machine.links.get("across", 0.0)

    @property
    def gateways(self) -> tuple[str, str]:
        """The routers by which messages leave and enter. Two, where a path through one of them might be the shorter one between two
        sockets."""
        return ("nic", "nic_in") if self.machine.socket_links or self.across else ("nic", "nic")

    @cached_property
    def joined(self) -> tuple[Pair, ...]:
        """Sockets with a link between them."""
        return self.machine.socket_links or all_pairs(self.nodes.sockets)

    @property
    def socket_pairs(self) -> list[Pair]:
        sockets = range(self.nodes.sockets)
        return [(a, b) for a in sockets for b in sockets if a != b]

    def crossed(self, a: int, b: int) -> list[str]:
        """The links between two sockets."""
        return [f"socket{x}_to_{y}" for x, y in socket_path(self.nodes.sockets, self.joined, a, b)]

    def zone_route(self, a: int, b: int, links: Sequence[topology.Link], symmetrical: bool = False) -> str:
        """The route between two nodes."""
        out, back = self.gateways
        ends = f'src="node{a}" dst="node{b}" gw_src="node{a}_{out}" gw_dst="node{b}_{back}"'
        hops = "".join(f'<link_ctn id="{_hop(one)}"/>' for one in links)
        directed = "" if symmetrical else ' symmetrical="NO"'
        return f'    <zoneRoute {ends}{directed}><link_ctn id="switch"/>{hops}</zoneRoute>'

    def lines(self, n: int) -> Iterator[str]:
        """What stands in the zone of node n."""
        nodes, rates, latency = self.nodes, self.machine.links, self.latencies
        levels = [
            (name, nodes.cores // size, rate, seconds)
            for (name, size, rate), seconds in zip(self.levels, latency.group, strict=True)
        ]
        hosts = nodes[n]
        for c, h in enumerate(hosts):
            shared = f"node{n}_shared{c // self.per_cache}"
            yield host(h.name, h.node, h.socket, h.cache, h.gamma_s_per_byte, h.copy_s_per_byte, shared)
        for k in range(nodes.caches):
            h = hosts[k * self.per_cache]
            yield memory(f"node{n}_shared{k}", h.node, h.socket, h.cache)
        routers = [f"{name}{k}_{side}" for name, count, _, _ in levels for k in range(count) for side in ("out", "in")]
        ends = ["", "_memory", *(["_to", "_from"] if self.across else [])]
        routers += [f"socket{s}{end}" for s in range(nodes.sockets) for end in ends]
        for name in (*routers, *dict.fromkeys(self.gateways)):
            yield f'<router id="node{n}_{name}"/>'

        def made(name: str, rate: float, latency: float = 0.0) -> Iterator[str]:
            for side in ("up", "down"):
                yield link(f"node{n}_{name}_{side}", rate, latency)

        for c in range(nodes.cores):
            yield from made(f"core{c}", rates["core"], latency.port)
            if self.across:
                yield from made(f"across{c}", self.across)
        for k in range(nodes.caches):
            yield from made(f"shared{k}", WIDE_BYTES_PER_S, latency.port)
        for name, count, rate, seconds in levels:
            for k in range(count):
                yield from made(f"{name}{k}", rate, seconds)
        for s in range(nodes.sockets):
            yield link(f"node{n}_memory{s}", rates["memory"], 0.0)
        for a, b in self.socket_pairs:
            if {(a, b), (b, a)} & set(self.joined):
                yield link(f"node{n}_socket{a}_to_{b}", rates["interconnect"], latency.between_sockets)
        yield from made("nic", rates["nic"])
        for source, target, links in self.routes:
            crossed = "".join(f'<link_ctn id="node{n}_{one}"/>' for one in links)
            yield f'<route src="node{n}_{source}" dst="node{n}_{target}" symmetrical="NO">{crossed}</route>'

    @cached_property
    def routes(self) -> list[Route]:
        """Those of any node."""
        return [*self._within_sockets(), *self._between_sockets()]

    def _ends(self) -> Iterator[tuple[str, int, list[str]]]:
        """Where paths begin and end, cores and the memory beside each cache: each with a core that has its place, and the groups around."""
        ends = [(f"core{c}", c) for c in range(self.nodes.cores)]
        ends += [(f"shared{k}", k * self.per_cache) for k in range(self.nodes.caches)]
        for end, c in ends:
            yield end, c, [f"{name}{c // size}" for name, size, _ in self.levels]

    def _within_sockets(self) -> Iterator[Route]:
        """From a core out of group after group to its socket, from the socket's memory into them to the core; and from a group's way out
        through memory to its way in."""
        for end, c, around in self._ends():
            s = c // self.per_socket
            yield end, f"{around[0]}_out" if around else f"socket{s}", [f"{end}_up"]
            yield f"{around[0]}_in" if around else f"socket{s}_memory", end, [f"{end}_down"]
        for i, (name, size, _) in enumerate(self.levels):
            for k in range(self.nodes.cores // size):
                s, group = k * size // self.per_socket, f"{name}{k}"
                last = i + 1 == len(self.levels)
                wider = "" if last else f"{self.levels[i + 1][0]}{k * size // self.levels[i + 1][1]}"
                yield f"{group}_out", f"socket{s}" if last else f"{wider}_out", [f"{group}_up"]
                yield f"socket{s}_memory" if last else f"{wider}_in", f"{group}_in", [f"{group}_down"]
                yield f"{group}_out", f"{group}_in", [f"memory{s}"]

    def _between_sockets(self) -> Iterator[Route]:
        """A socket's own memory, the NIC, other sockets."""
        out, back = self.gateways
        for s in range(self.nodes.sockets):
            nic = self.machine.nic.socket if self.machine.nic else s
            yield f"socket{s}", f"socket{s}_memory", [f"memory{s}"]
            yield f"socket{s}", out, [*self.crossed(s, nic), "nic_up"]
            yield back, f"socket{s}", ["nic_down", *self.crossed(nic, s)]
        if not self.across:
            for a, b in self.socket_pairs:
                yield f"socket{a}", f"socket{b}", self.crossed(a, b)
            return
        for end, c, around in self._ends():
            s = c // self.per_socket
            up, down = [f"{group}_up" for group in around], [f"{group}_down" for group in reversed(around)]
            core = end.startswith("core")
            yield end, f"socket{s}_to", [f"{end}_up", *up, *([f"across{c}_up"] if core else [])]
            yield f"socket{s}_from", end, [*([f"across{c}_down"] if core else []), *down, f"{end}_down"]
        for a, b in self.socket_pairs:
            yield f"socket{a}_to", f"socket{b}_from", [*self.crossed(a, b), f"memory{b}"]


# ---- properties -------------------------------------------------------------------------------------------


def zone_properties(machine: Machine) -> dict[str, str]:
    """What the outermost zone says of the machine: the plug-in and xml_reader read it."""
    facts: dict[str, object] = {
        "format": 1, "name": machine.name, "curves": machine.priced_by, "eager_bytes": machine.eager_bytes,
        "overhead_s": text_of(machine.overhead_s),
    }  # fmt: skip
    facts |= {
        f"{name}_bytes_per_s": text_of(machine.links[name]) for name in LINKS + OPTIONAL_LINKS if name in machine.links
    }
    if machine.levels:
        facts["levels"] = "; ".join(f"{v.name} {v.caches} {text_of(v.bytes_per_s)}" for v in machine.levels)
    if machine.socket_links:
        facts["mesh"] = "; ".join(f"{a} {b}" for a, b in machine.socket_links)
    if nic := machine.nic:
        facts["nic_socket"] = f"{nic.socket} {nic.sockets} {text_of(nic.other_s)}"
    if network := machine.network:
        facts["topology"] = network.text
        facts["positions"] = "; ".join(f"{first} {count}" for first, count in network.runs)
    facts |= {"no_network": 1} if machine.lacks_network else {}
    facts |= {"oversubscribe": 1} if machine.oversubscribes else {}
    properties = {f"collscope.{key}": str(value) for key, value in facts.items()}
    properties |= {f"least.{key}": text_of(value) for key, value in machine.least.items()}
    properties |= {f"curve.{name}": _curve_text(pieces) for name, pieces in machine.curve.items()}
    facts = {} if machine.own_eager_nonblocking is None else {"eager_bytes_nonblocking": machine.own_eager_nonblocking}
    facts |= {"in_order": 1} if machine.in_order else {}
    facts |= {
        name: text_of(value)
        for name in ("nic_gap_s", "invalidation_s_per_byte", "first_touch_s_per_byte")
        if (value := getattr(machine, name))
    }
    facts |= {"fresh_from_bytes": machine.fresh_from_bytes} if machine.fresh_from_bytes else {}
    properties |= {f"collscope.{key}": str(value) for key, value in facts.items()}
    for name, noise in machine.noise.items():
        flat = [(start, *(x for knot in quantiles for x in knot)) for start, quantiles in noise]
        properties[f"noise.{name}"] = _rows_text(flat)
    for key in SPENT_KEYS:
        properties |= {f"{key}.{name}": _rows_text(pieces) for name, pieces in getattr(machine, key).items()}
    return properties | {
        f"curve_nonblocking.{n}": _curve_text(pieces) for n, pieces in machine.curve_nonblocking.items()
    }


def _curve_text(pieces: Curve) -> str:
    return _rows_text([(p.start, p.latency_s, p.s_per_byte, p.traffic, *(p.gap or ())) for p in pieces])


def _rows_text(rows: Sequence[Sequence[float]]) -> str:
    return "; ".join(" ".join(map(text_of, row)) for row in rows)


def _head(machine: Machine, more: Mapping[str, str]) -> list[str]:
    eager = max(machine.eager_bytes, machine.eager_nonblocking)
    settings = {**NETWORK_SETTINGS, **more, **protocol_settings(eager, machine.overhead_s)}
    properties = [f"    {_prop(k, v)}" for k, v in zone_properties(machine).items()]
    return [*head(machine.about, settings), f'  <zone id="{machine.name}" routing="Full">', *properties]


def head(about: str, settings: Mapping[str, str]) -> list[str]:
    """The lines up to the first zone: what the file is of, SimGrid's settings."""
    comment = re.sub("-(?=-)", "- ", visible(about))
    lines = [
        "<?xml version='1.0'?>",
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
        f"<!-- {comment} -->" if comment else "<!-- collscope -->",
        '<platform version="4.1">',
        "  <config>",
    ]
    lines += [f"    {_prop(k, v)}" for k, v in settings.items()]
    return [*lines, "  </config>"]


def link(name: str, bandwidth: float, latency: float, policy: str = "SHARED") -> str:
    """A link, each way by itself."""
    sharing = "" if policy == "SHARED" else f' sharing_policy="{policy}"'
    return f'<link id="{name}" bandwidth="{text_of(bandwidth)}Bps" latency="{text_of(latency)}s"{sharing}/>'


def memory(name: str, node: int, socket: int, cache: int) -> str:
    """What stands for the memory that ranks beside a cache share with others of the node: accesses to segments begin or end there."""
    return _host(name, {"node": node, "socket": socket, "cache": cache, "stands_for": "memory"})


def host(name: str, node: int, socket: int, cache: int, gamma: float, copy: float, shared: str = "") -> str:
    """A core with its place, its costs, and the host that stands for its memory."""
    props = {"node": node, "socket": socket, "cache": cache, "gamma": text_of(gamma), "copy": text_of(copy)}
    return _host(name, props | ({"shared": shared} if shared else {}))


def _host(name: str, props: Mapping[str, object]) -> str:
    inner = "".join(f'<prop id="{k}" value="{v}"/>' for k, v in props.items())  # numbers need no escapes
    return f'<host id="{name}" speed="{HOST_SPEED}">{inner}</host>'


def _prop(name: str, value: object) -> str:
    return f'<prop id="{name.translate(ESCAPES)}" value="{str(value).translate(ESCAPES)}"/>'
