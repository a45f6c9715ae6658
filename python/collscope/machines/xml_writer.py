"""SimGrid platform files: a function of the specification alone, the same text, byte for byte, each time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from collscope.base.characters import visible
from collscope.machines import allocation, elements, inside, routes, xml_node
from collscope.machines.simgrid_settings import FACTOR_SETTINGS, NETWORK_SETTINGS, protocol_settings
from collscope.machines.spec import LEVELS, LINKS, OPTIONAL_LINKS, Spec, text_of, tidy, wire_curve

Way = tuple[int, int, list[routes.Link]]  # node, other node, links between them

# xml.sax.saxutils has this, too, but brings in HTTP and mail, which take longer to import than a file to write.
ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


def xml_of(spec: Spec) -> str:
    """The platform file: a Floyd zone a node, joined by a switch. A message crosses its core's port, the NICs and the switch or the
    interconnect of the sockets where it must, the memory of the receiver's socket, and the receiver's port."""
    curves = {level: wire_curve(spec, level) for level in spec.classes}
    eager, overhead = int(spec.eager_bytes.value), spec.overhead_s.value
    settings = {**NETWORK_SETTINGS, **protocol_settings(max(eager, int(spec.eager_nonblocking.value)), overhead)}
    latency = xml_node.latencies(spec, {level: pieces[0][1] for level, pieces in curves.items()})

    out = _head(spec.about, settings, spec.name, properties_of(spec))
    for n in range(spec.nodes):
        out.append(f'    <zone id="node{n}" routing="Floyd">')
        out += [f"      {line}" for line in xml_node.lines(spec, n, latency)]
        out.append("    </zone>")
    if spec.nodes > 1:
        out.append("    " + xml_node.link("switch", spec.switch_bytes_per_s.value, latency.switch, "FATPIPE"))
    ways = list(_ways(spec))
    out += _links_between_nodes(spec, ways)
    out += _between_nodes(spec, ways)
    return "\n".join([*out, "  </zone>", "</platform>", ""])


def _links_between_nodes(spec: Spec, ways: Sequence[Way]) -> Iterator[str]:
    """Those that are on a way, each way by itself."""
    t = spec.topology
    crossed = {link for _, _, links in ways for link in links}
    for link in sorted(crossed):
        yield "    " + xml_node.link(_hop(link), t.rate(link), t.hop_latency_s.value)


def _hop(link: routes.Link) -> str:
    """A link's name, by which the plug-in knows it as one between nodes."""
    return "hop_" + "_".join(map(str, link)).replace("+", "up").replace("-", "down")


def _ways(spec: Spec) -> Iterator[Way]:
    """Every pair of nodes; none where one switch joins them."""
    t = spec.topology
    at = allocation.positions(t, spec.nodes) if t.kind != "switch" else ()
    shape = t.whole_shape
    for a, source in enumerate(at):
        for b, target in enumerate(at):
            if a != b:
                yield a, b, routes.route(t.kind, shape, source, target)


def _between_nodes(spec: Spec, ways: Sequence[Way]) -> Iterator[str]:
    out, back = (gateway.partition("_")[2] for gateway in xml_node.gateways(spec, 0))
    both = out == back  # the way back is the same the other way round
    for a, b, links in ways:
        ends = f'src="node{a}" dst="node{b}" gw_src="node{a}_{out}" gw_dst="node{b}_{back}"'
        hops = "".join(f'<link_ctn id="{_hop(link)}"/>' for link in links)
        yield f'    <zoneRoute {ends} symmetrical="NO"><link_ctn id="switch"/>{hops}</zoneRoute>'
    if spec.topology.kind != "switch":
        return
    for a in range(spec.nodes):
        for b in range(a + 1 if both else 0, spec.nodes):
            if a != b:
                ends = f'src="node{a}" dst="node{b}" gw_src="node{a}_{out}" gw_dst="node{b}_{back}"'
                one_way = "" if both else ' symmetrical="NO"'
                yield f'    <zoneRoute {ends}{one_way}><link_ctn id="switch"/></zoneRoute>'


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
    for link in OPTIONAL_LINKS:
        if rate := getattr(spec, f"{link}_bytes_per_s").value:
            properties[f"collscope.{link}_bytes_per_s"] = text_of(rate)
    properties |= inside.properties_of(spec)
    properties |= allocation.properties_of(spec.topology, spec.nodes)
    if spec.nodes > 1 and "network" not in spec.own_curves:
        properties["collscope.no_network"] = "1"
    if spec.oversubscribe:
        properties["collscope.oversubscribe"] = "1"
    for key, value in spec.least.items():
        properties[f"least.{key}"] = text_of(value)
    for level in spec.classes:
        properties[f"curve.{level}"] = elements.curve_text(wire_curve(spec, level))
    return properties | elements.properties(spec)


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
        out.append("      " + xml_node.host(f"host{h}", h // cores, h // cores, h // cores, gamma_s_per_byte, 0.0))
    for h in range(hosts):
        out += ["      " + xml_node.link(f"host{h}_{way}", bandwidth, alpha_s / 2) for way in ("up", "down")]
    out += [f'      <host_link id="host{h}" up="host{h}_up" down="host{h}_down"/>' for h in range(hosts)]
    return "\n".join([*out, "    </zone>", "  </zone>", "</platform>", ""])


def _head(about: str, settings: Mapping[str, str], root: str, properties: Mapping[str, str]) -> list[str]:
    zone = [f'  <zone id="{root}" routing="Full">', *(f"    {_prop(k, v)}" for k, v in properties.items())]
    return head(about, settings) + zone


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


def _prop(name: str, value: object) -> str:
    return f'<prop id="{name.translate(ESCAPES)}" value="{str(value).translate(ESCAPES)}"/>'
