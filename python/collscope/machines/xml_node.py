"""The inside of a node in a SimGrid platform file: hosts, routers, links and routes.

SimGrid's Floyd zone takes the way with the fewest links, and of those one that is written as a single route: it is the one that is
meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from collscope.machines import mesh
from collscope.machines.simgrid_settings import HOST_SPEED
from collscope.machines.spec import Spec, text_of, tidy

WIDE_BYTES_PER_S = 1e15  # what nothing fills


@dataclass(frozen=True)
class Latencies:
    """For a reader without the plug-in: the first piece of each curve, shared out over the links of its route, in seconds."""

    port: float  # of a core
    unit: tuple[float, ...]  # of the units with links, closest first
    between_sockets: float
    switch: float


def latencies(spec: Spec, first: dict[str, float]) -> Latencies:
    """`first`: class → latency of its curve's first piece."""
    close = sofar = first["cache"]
    units = []
    for name, _, _ in spec.linked_units():
        wider = spec.classes[spec.classes.index(name) + 1]
        units.append(tidy(max(first[wider] - sofar, 0.0) / 2))
        sofar += 2 * units[-1]
    node, network = (tidy(max(first[level] - sofar, 0.0)) for level in ("node", "network"))
    return Latencies(tidy(close / 2), tuple(units), node, network)


def gateways(spec: Spec, node: int) -> tuple[str, str]:
    """The routers by which messages leave and enter a node. Two, where a way through one of them might be the shorter one between two
    sockets."""
    nic = f"node{node}_nic"
    return (nic, f"{nic}_in") if _two_gateways(spec) else (nic, nic)


def lines(spec: Spec, n: int, latency: Latencies) -> Iterator[str]:
    """What stands in the zone of node n."""
    cores = [(c, c // spec.cores_per_socket, c // spec.cores_per_cache) for c in range(spec.cores_per_node)]
    sockets = range(spec.sockets)
    units = [
        (name, spec.cores_per_node // size, size, rate.value, seconds)
        for (name, size, rate), seconds in zip(spec.linked_units(), latency.unit, strict=True)
    ]
    gamma, copy = spec.gamma_s_per_byte.value, spec.copy_s_per_byte.value
    for c, s, k in cores:
        yield host(
            f"node{n}_core{c}", n, n * spec.sockets + s, n * spec.caches_per_node + k, gamma, copy, f"node{n}_shared{k}"
        )
    for k in range(spec.caches_per_node):
        s = k * spec.cores_per_cache // spec.cores_per_socket
        yield memory(f"node{n}_shared{k}", n, n * spec.sockets + s, n * spec.caches_per_node + k)
    for name, count, _, _, _ in units:
        for k in range(count):
            yield f'<router id="node{n}_{name}{k}_out"/>'
            yield f'<router id="node{n}_{name}{k}_in"/>'
    for s in sockets:
        yield f'<router id="node{n}_socket{s}"/>'
        yield f'<router id="node{n}_socket{s}_memory"/>'
        if spec.across_bytes_per_s.value:
            yield f'<router id="node{n}_socket{s}_to"/>'
            yield f'<router id="node{n}_socket{s}_from"/>'
    for gateway in dict.fromkeys(gateways(spec, n)):
        yield f'<router id="{gateway}"/>'

    def made(name: str, rate: float, latency: float = 0.0) -> str:
        return link(f"node{n}_{name}", rate, latency)

    for c, _, _ in cores:
        yield made(f"core{c}_up", spec.core_bytes_per_s.value, latency.port)
        yield made(f"core{c}_down", spec.core_bytes_per_s.value, latency.port)
        if spec.across_bytes_per_s.value:
            yield made(f"across{c}_up", spec.across_bytes_per_s.value)
            yield made(f"across{c}_down", spec.across_bytes_per_s.value)
    for k in range(spec.caches_per_node):
        yield made(f"shared{k}_up", WIDE_BYTES_PER_S, latency.port)
        yield made(f"shared{k}_down", WIDE_BYTES_PER_S, latency.port)
    for name, count, _, rate, seconds in units:
        for k in range(count):
            yield made(f"{name}{k}_up", rate, seconds)
            yield made(f"{name}{k}_down", rate, seconds)
    for s in sockets:
        yield made(f"memory{s}", spec.memory_bytes_per_s.value)
    for a, b in _pairs(spec):
        if {(a, b), (b, a)} & set(_joined(spec)):
            yield made(f"socket{a}_to_{b}", spec.interconnect_bytes_per_s.value, latency.between_sockets)
    yield made("nic_up", spec.nic_bytes_per_s.value)
    yield made("nic_down", spec.nic_bytes_per_s.value)
    for source, target, links in [*_within_sockets(spec), *_between_sockets(spec)]:
        crossed = "".join(f'<link_ctn id="node{n}_{one}"/>' for one in links)
        yield f'<route src="node{n}_{source}" dst="node{n}_{target}" symmetrical="NO">{crossed}</route>'


Route = tuple[str, str, Sequence[str]]  # from, to, links


def _within_sockets(spec: Spec) -> Iterator[Route]:
    """From a core out of unit after unit to its socket, from the socket's memory into them to the core; and from a unit's way out
    through memory to its way in."""
    units = [(name, size) for name, size, _ in spec.linked_units()]
    for end, c in _ends(spec):
        s = c // spec.cores_per_socket
        at = [f"{name}{c // size}" for name, size in units]
        yield end, f"{at[0]}_out" if at else f"socket{s}", [f"{end}_up"]
        yield f"{at[0]}_in" if at else f"socket{s}_memory", end, [f"{end}_down"]
    for i, (name, size) in enumerate(units):
        for k in range(spec.cores_per_node // size):
            s, unit = k * size // spec.cores_per_socket, f"{name}{k}"
            last = i + 1 == len(units)
            wider = "" if last else f"{units[i + 1][0]}{k * size // units[i + 1][1]}"
            yield f"{unit}_out", f"socket{s}" if last else f"{wider}_out", [f"{unit}_up"]
            yield f"socket{s}_memory" if last else f"{wider}_in", f"{unit}_in", [f"{unit}_down"]
            yield f"{unit}_out", f"{unit}_in", [f"memory{s}"]


def _ends(spec: Spec) -> Iterator[tuple[str, int]]:
    """Where ways begin and end, each with a core that has its place: cores, and the memory beside each cache."""
    yield from ((f"core{c}", c) for c in range(spec.cores_per_node))
    yield from ((f"shared{k}", k * spec.cores_per_cache) for k in range(spec.caches_per_node))


def _between_sockets(spec: Spec) -> Iterator[Route]:
    """A socket's own memory, the NIC, other sockets."""
    out, back = (gateway.partition("_")[2] for gateway in gateways(spec, 0))
    for s in range(spec.sockets):
        nic = s if spec.nic_socket is None else spec.nic_socket
        yield f"socket{s}", f"socket{s}_memory", [f"memory{s}"]
        yield f"socket{s}", out, [*_crossed(spec, s, nic), "nic_up"]
        yield back, f"socket{s}", ["nic_down", *_crossed(spec, nic, s)]
    if not spec.across_bytes_per_s.value:
        for a, b in _pairs(spec):
            yield f"socket{a}", f"socket{b}", _crossed(spec, a, b)
        return
    units = [(name, size) for name, size, _ in spec.linked_units()]
    for end, c in _ends(spec):
        s = c // spec.cores_per_socket
        at = [f"{name}{c // size}" for name, size in units]
        up, down = [f"{unit}_up" for unit in at], [f"{unit}_down" for unit in reversed(at)]
        core = end.startswith("core")
        yield end, f"socket{s}_to", [f"{end}_up", *up, *([f"across{c}_up"] if core else [])]
        yield f"socket{s}_from", end, [*([f"across{c}_down"] if core else []), *down, f"{end}_down"]
    for a, b in _pairs(spec):
        yield f"socket{a}_to", f"socket{b}_from", [*_crossed(spec, a, b), f"memory{b}"]


def _crossed(spec: Spec, a: int, b: int) -> list[str]:
    """The links between two sockets."""
    return [f"socket{x}_to_{y}" for x, y in mesh.way(spec.sockets, _joined(spec), a, b)]


def _pairs(spec: Spec) -> list[mesh.Pair]:
    return [(a, b) for a in range(spec.sockets) for b in range(spec.sockets) if a != b]


def _joined(spec: Spec) -> tuple[mesh.Pair, ...]:
    """Sockets with a link between them."""
    return spec.interconnect_links or mesh.all_pairs(spec.sockets)


def _two_gateways(spec: Spec) -> bool:
    return bool(spec.interconnect_links) or bool(spec.across_bytes_per_s.value)


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
