"""SimGrid platform files: a function of the specification alone, the same text, byte for byte, each time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import quoteattr

from collscope.base.characters import visible
from collscope.machines.simgrid_settings import FACTOR_SETTINGS, HOST_SPEED, NETWORK_SETTINGS, protocol_settings
from collscope.machines.spec import LEVELS, LINKS, Spec, text_of, tidy, wire_curve


def xml_of(spec: Spec) -> str:
    """The platform file: a Floyd zone a node, joined by a switch. A message crosses its core's port, the NICs and the switch or the
    interconnect of the sockets where it must, the memory of the receiver's socket, and the receiver's port."""
    curves = {level: wire_curve(spec, level) for level in LEVELS}
    eager, overhead = int(spec.eager_bytes.value), spec.overhead_s.value
    settings = {**NETWORK_SETTINGS, **protocol_settings(eager, overhead)}
    # Latencies for a reader without the plug-in: the first piece of each curve, shared out over the route.
    close = curves["cache"][0][1]
    across = tidy(max(curves["node"][0][1] - close, 0.0))
    switch = tidy(max(curves["network"][0][1] - close, 0.0))

    out = _head(spec.about, settings, spec.name, properties_of(spec))
    for n in range(spec.nodes):
        out.append(f'    <zone id="node{n}" routing="Floyd">')
        out += [f"      {line}" for line in _node(spec, n, tidy(close / 2), across)]
        out.append("    </zone>")
    if spec.nodes > 1:
        out.append("    " + _link("switch", spec.switch_bytes_per_s.value, switch, "FATPIPE"))
    out += [
        f'    <zoneRoute src="node{a}" dst="node{b}" gw_src="node{a}_nic" gw_dst="node{b}_nic"><link_ctn id="switch"/>'
        "</zoneRoute>"
        for a in range(spec.nodes)
        for b in range(a + 1, spec.nodes)
    ]
    return "\n".join([*out, "  </zone>", "</platform>", ""])


def properties_of(spec: Spec) -> dict[str, str]:
    """What the outermost zone says of the machine: the plug-in and xml_reader read it."""
    properties = {
        "collscope.format": "1",
        "collscope.name": spec.name,
        "collscope.curves": "plug-in",
        "collscope.eager_bytes": str(int(spec.eager_bytes.value)),
        "collscope.overhead_s": text_of(spec.overhead_s.value),
    }
    for link in LINKS:
        properties[f"collscope.{link}_bytes_per_s"] = text_of(getattr(spec, f"{link}_bytes_per_s").value)
    if spec.nodes > 1 and "network" not in spec.own_curves:
        properties["collscope.no_network"] = "1"
    if spec.oversubscribe:
        properties["collscope.oversubscribe"] = "1"
    for key, value in spec.least.items():
        properties[f"least.{key}"] = text_of(value)
    for level in LEVELS:
        properties[f"curve.{level}"] = "; ".join(
            " ".join(text_of(x) for x in piece) for piece in wire_curve(spec, level)
        )
    return properties


def _node(spec: Spec, n: int, port_s: float, across_s: float) -> Iterator[str]:
    """Hosts, routers, links and routes of a node. `port_s`, `across_s`: latencies of a core's port and between sockets."""
    cores = [(c, c // spec.cores_per_socket, c // spec.cores_per_cache) for c in range(spec.cores_per_node)]
    caches = spec.cores_per_node // spec.cores_per_cache
    sockets = range(spec.sockets)
    pairs = [(a, b) for a in sockets for b in sockets if a != b]
    gamma, copy = spec.gamma_s_per_byte.value, spec.copy_s_per_byte.value
    for c, s, k in cores:
        yield _host(f"node{n}_core{c}", n, n * spec.sockets + s, n * caches + k, gamma, copy)
    for s in sockets:
        yield f'<router id="node{n}_socket{s}"/>'
        yield f'<router id="node{n}_socket{s}_memory"/>'
    yield f'<router id="node{n}_nic"/>'

    def link(name: str, rate: float, latency: float = 0.0) -> str:
        return _link(f"node{n}_{name}", rate, latency)

    for c, _, _ in cores:
        yield link(f"core{c}_up", spec.core_bytes_per_s.value, port_s)
        yield link(f"core{c}_down", spec.core_bytes_per_s.value, port_s)
    for s in sockets:
        yield link(f"memory{s}", spec.memory_bytes_per_s.value)
    for a, b in pairs:
        yield link(f"socket{a}_to_{b}", spec.interconnect_bytes_per_s.value, across_s)
    yield link("nic_up", spec.nic_bytes_per_s.value)
    yield link("nic_down", spec.nic_bytes_per_s.value)

    def route(source: str, target: str, link: str) -> str:
        ends = f'src="node{n}_{source}" dst="node{n}_{target}"'
        return f'<route {ends} symmetrical="NO"><link_ctn id="node{n}_{link}"/></route>'

    for c, s, _ in cores:
        yield route(f"core{c}", f"socket{s}", f"core{c}_up")
        yield route(f"socket{s}_memory", f"core{c}", f"core{c}_down")
    for s in sockets:
        yield route(f"socket{s}", f"socket{s}_memory", f"memory{s}")
        yield route(f"socket{s}", "nic", "nic_up")
        yield route("nic", f"socket{s}", "nic_down")
    for a, b in pairs:
        yield route(f"socket{a}", f"socket{b}", f"socket{a}_to_{b}")


def ideal_properties(alpha_s: float, beta_s_per_byte: float) -> dict[str, str]:
    """What the outermost zone of the ideal network says."""
    curve = f"0 {text_of(alpha_s)} {text_of(beta_s_per_byte)} 1"
    return {
        "collscope.format": "1",
        "collscope.name": "ideal",
        "collscope.curves": "uniform",
        "collscope.eager_bytes": "-1",
        "collscope.overhead_s": "0",
        "collscope.core_bytes_per_s": text_of(tidy(1 / beta_s_per_byte)),
        **{f"curve.{level}": curve for level in LEVELS},
    }


def ideal_xml(alpha_s: float, beta_s_per_byte: float, gamma_s_per_byte: float, cores: int, hosts: int) -> str:
    """Hosts with one link up and one down, α on the route, every send waits for its receive, copies free: the network that
    cost formulas assume. `cores` neighbours share a node, which matters to algorithms that ask, not to the network."""
    bandwidth, properties = tidy(1 / beta_s_per_byte), ideal_properties(alpha_s, beta_s_per_byte)
    settings = {**NETWORK_SETTINGS, **FACTOR_SETTINGS, **protocol_settings(-1, 0.0)}
    about = f"alpha {alpha_s} s, beta {beta_s_per_byte} s/B, gamma {gamma_s_per_byte} s/B"
    out = _head(about, settings, "ideal", properties)
    out.append('    <zone id="network" routing="Cluster">')
    for h in range(hosts):
        out.append("      " + _host(f"host{h}", h // cores, h // cores, h // cores, gamma_s_per_byte, 0.0))
    for h in range(hosts):
        out += ["      " + _link(f"host{h}_{way}", bandwidth, alpha_s / 2) for way in ("up", "down")]
    out += [f'      <host_link id="host{h}" up="host{h}_up" down="host{h}_down"/>' for h in range(hosts)]
    return "\n".join([*out, "    </zone>", "  </zone>", "</platform>", ""])


def _head(about: str, settings: Mapping[str, str], root: str, properties: Mapping[str, str]) -> list[str]:
    comment = re.sub("-(?=-)", "- ", visible(about))
    lines = [
        "<?xml version='1.0'?>",
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
        f"<!-- {comment} -->" if comment else "<!-- collscope -->",
        '<platform version="4.1">',
        "  <config>",
    ]
    lines += [f"    {_prop(k, v)}" for k, v in settings.items()]
    lines += ["  </config>", f'  <zone id="{root}" routing="Full">']
    lines += [f"    {_prop(k, v)}" for k, v in properties.items()]
    return lines


def _prop(name: str, value: object) -> str:
    return f"<prop id={quoteattr(name)} value={quoteattr(str(value))}/>"


def _link(name: str, bandwidth: float, latency: float, policy: str = "SHARED") -> str:
    sharing = "" if policy == "SHARED" else f' sharing_policy="{policy}"'
    return f'<link id="{name}" bandwidth="{text_of(bandwidth)}Bps" latency="{text_of(latency)}s"{sharing}/>'


def _host(name: str, node: int, socket: int, cache: int, gamma: float, copy: float) -> str:
    props = {"node": node, "socket": socket, "cache": cache, "gamma": text_of(gamma), "copy": text_of(copy)}
    inner = "".join(f'<prop id="{k}" value="{v}"/>' for k, v in props.items())  # numbers need no escapes
    return f'<host id="{name}" speed="{HOST_SPEED}">{inner}</host>'
